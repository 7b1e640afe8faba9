//go:build unix && !aix

package poll

import "golang.org/x/sys/unix"

// CanLook says whether Ready can tell.
const CanLook = true

// Ready reports whether reading fd, or writing it, would not block, be it because of an end or an
// error.
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
