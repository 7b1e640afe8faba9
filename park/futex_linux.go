package park

import (
	"time"

	"golang.org/x/sys/unix"
)

const hasFutex = true

// A futex is the sleeper of Linux: the kernel compares the word and puts the thread to sleep in one
// step, and a wake finds by the word's address whoever sleeps there.
//
// A wake may come while the parker is awake, or in a later sleep: then it does nothing, or is
// spurious. So there is nothing to do in receiveWake.
type futex struct{}

func newFutex() sleeper { return futex{} }

func (futex) sleep(word *word, d time.Duration) bool {
	switch errno := futexWait(word, asleep, d); errno {
	case 0: // a wake, maybe for an earlier sleep, or spurious
	case unix.EAGAIN: // the word was not asleep
	case unix.EINTR: // a signal
	case unix.ETIMEDOUT: // by the kernel's clock
	default:
		// EFAULT, EINVAL: a bug of this package. ENOSYS, EPERM: a sandbox in which Go's own runtime
		// cannot sleep either.
		panic("park: futex wait: " + errno.Error())
	}
	return false
}

func (futex) receiveWake() {}

func (futex) wake(word *word) {
	if errno := futexWake(word, 1); errno != 0 {
		panic("park: futex wake: " + errno.Error())
	}
}
