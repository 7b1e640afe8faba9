//go:build unix && !aix

package poll

import "golang.org/x/sys/unix"

// CanLook says whether Ready looks.
const CanLook = true

// Ready reports whether fd can be read, or written: whether that would not wait, be it because of an end or an error. It is false if
// CanLook is.
func Ready(fd uintptr, write bool) bool {
	events := int16(unix.POLLIN)
	if write {
		events = unix.POLLOUT
	}
	fds := []unix.PollFd{{Fd: int32(fd), Events: events}}
	for {
		n, err := unix.Poll(fds, 0)
		if err != unix.EINTR {
			return n != 0 // -1 for an error
		}
	}
}
