//go:build !unix || aix

package poll

import "errors"

// CanTransfer says whether Read, Write and Accept work.
const CanTransfer = false

// ErrWouldBlock is what Read, Write and Accept would return instead of blocking.
var ErrWouldBlock = errors.New("poll: it would block")

// Read returns an error: reads of this platform block.
func Read(uintptr, []byte) (n int, err error) { return 0, errors.ErrUnsupported }

// Write returns an error: writes of this platform block.
func Write(uintptr, []byte) (n int, err error) { return 0, errors.ErrUnsupported }

// Accept returns an error: it blocks on this platform.
func Accept(uintptr) (socket int, err error) { return -1, errors.ErrUnsupported }

// EndsAtZero returns true.
func EndsAtZero(uintptr) bool { return true }
