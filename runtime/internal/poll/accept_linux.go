package poll

import "golang.org/x/sys/unix"

func accept(fd int) (socket int, err error) {
	socket, _, err = unix.Accept4(fd, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
	return socket, err
}
