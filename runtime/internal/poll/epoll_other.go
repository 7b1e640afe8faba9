//go:build !linux

package poll

import "errors"

// NewEpoll returns an error: epoll exists on Linux only.
func NewEpoll() (Descriptors, error) { return nil, errors.ErrUnsupported }
