//go:build unix && !aix

package poll

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// CanTransfer says whether Read, Write and Accept work.
const CanTransfer = true

// ErrWouldBlock is what Read, Write and Accept return instead of blocking.
const ErrWouldBlock = unix.EAGAIN

// maxTransfer is how many bytes a system call is asked for at most; some systems take no more.
const maxTransfer = 1 << 30

// Read reads from a socket that does not block. At the end it returns 0, nil.
func Read(fd uintptr, p []byte) (n int, err error) {
	for {
		n, err := unix.Read(int(fd), p[:min(len(p), maxTransfer)])
		if err != unix.EINTR {
			return max(n, 0), err
		}
	}
}

// Write writes to a socket that does not block, perhaps only a part of p.
func Write(fd uintptr, p []byte) (n int, err error) {
	for {
		n, err := unix.Write(int(fd), p[:min(len(p), maxTransfer)])
		if err != unix.EINTR {
			return max(n, 0), err
		}
	}
}

// Accept accepts a connection of a listening socket that does not block. The new socket does not
// block either, and is not inherited.
func Accept(fd uintptr) (socket int, err error) {
	for {
		socket, err := accept(int(fd))
		// A connection that was aborted in the queue is not the one that is asked for.
		if err != unix.EINTR && err != unix.ECONNABORTED {
			return socket, err
		}
	}
}

// EndsAtZero reports whether a read of 0 bytes is the end: fd is the socket of a stream.
func EndsAtZero(fd uintptr) bool {
	kind, err := unix.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TYPE)
	return err == nil && kind != unix.SOCK_DGRAM && kind != unix.SOCK_RAW
}
