//go:build !linux

package poll

import "errors"

// NewEpoll returns an error: it is there on Linux.
func NewEpoll() (Descriptors, error) { return nil, errors.ErrUnsupported }
