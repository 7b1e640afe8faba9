package park

import (
	"time"

	"golang.org/x/sys/unix"
)

const hasFutex = true

// A futex is the sleeper of Linux: the kernel compares the word and puts the thread to sleep in one step, and a wake finds
// by the word's address whoever sleeps there.
//
// A wake may come when the parker is awake, or sleeps for another time: then it does nothing, or wakes for no reason. So
// nothing needs to be settled.
type futex struct{}

func newFutex() sleeper { return futex{} }

func (futex) sleep(word *word, d time.Duration) bool {
	switch errno := futexWait(word, asleep, d); errno {
	case 0: // a wake, maybe for an earlier sleep, or for no reason
	case unix.EAGAIN: // the word was not asleep
	case unix.EINTR: // a signal
	case unix.ETIMEDOUT: // by the kernel's reckoning
	default: // EFAULT, EINVAL: this package is wrong. ENOSYS, EPERM: a sandbox in which Go's runtime cannot sleep either
		panic("park: futex wait: " + errno.Error())
	}
	return false
}

func (futex) settle() {}

func (futex) wake(word *word) {
	if errno := futexWake(word, 1); errno != 0 {
		panic("park: futex wake: " + errno.Error())
	}
}
