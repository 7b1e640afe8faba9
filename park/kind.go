package park

import (
	"strconv"
	"time"
)

// A Kind is a way to sleep.
type Kind uint8

const (
	// Default is Futex where there is one, else Portable. The zero value of [Parker] uses it.
	Default Kind = iota
	// Futex puts the thread to sleep in the kernel. Linux only.
	Futex
	// Portable puts the goroutine to sleep on a channel.
	Portable
)

// String returns "Default", "Futex" or "Portable".
func (k Kind) String() string {
	switch k {
	case Default:
		return "Default"
	case Futex:
		return "Futex"
	case Portable:
		return "Portable"
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// Available reports whether this platform has k. Default and Portable are available everywhere.
func (k Kind) Available() bool {
	return k <= Portable && (k != Futex || hasFutex)
}

// A sleeper is what differs between the kinds. Its parker calls sleep and settle, one at a time; wakers call wake, at any
// time after they changed the word, and maybe long after: the parker may have gone on, and to sleep again.
//
// For each time that the parker goes to sleep, either nobody changes the word until it wakes by itself, or one waker
// changes it and calls wake once. That is all there is to know about Parker.
type sleeper interface {
	// sleep blocks the caller while the word is asleep, at most for d unless d is negative, but may return earlier, for no
	// reason. It blocks only if the word is asleep, and no change of the word with its wake goes unseen in between. It
	// returns true if it knows that it received the wake of this sleep.
	sleep(word *word, d time.Duration) bool
	// settle is called when the word was changed, and sleep did not return true: the wake is on its way, and a sleeper that
	// cannot bear it later receives it here.
	settle()
	// wake wakes the parker that sleeps on the word, if it still does.
	wake(word *word)
}

// newSleeper returns a sleeper of an available kind.
func newSleeper(k Kind) sleeper {
	if k == Portable || !hasFutex {
		return newChannel()
	}
	return newFutex()
}
