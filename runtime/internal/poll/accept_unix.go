//go:build unix && !aix && !linux

package poll

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func accept(fd int) (socket int, err error) {
	syscall.ForkLock.RLock() // no child inherits the socket
	socket, _, err = unix.Accept(fd)
	if err == nil {
		unix.CloseOnExec(socket)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return -1, err
	}
	if err := unix.SetNonblock(socket, true); err != nil {
		_ = unix.Close(socket)
		return -1, err
	}
	return socket, nil
}
