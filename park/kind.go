package park

import (
	"strconv"
	"time"
)

// A Kind is a way to sleep; the package documentation compares them.
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

// Available reports whether this platform has k, so that [New] accepts it. Default and Portable are
// available everywhere.
func (k Kind) Available() bool {
	return k <= Portable && (k != Futex || hasFutex)
}

// A sleeper is what differs between the kinds. The parker calls sleep and receiveWake, one at a
// time; wakers call wake, some time after they changed the word: the parker may have gone on by
// then, and be asleep again.
//
// For each time that the parker goes to sleep, either nobody changes the word until it wakes by
// itself, or one waker changes it and calls wake once. A sleeper may rely on that, and on nothing
// else.
type sleeper interface {
	// sleep blocks the caller while the word is asleep, at most for d unless d is negative. It may
	// return early, spuriously. It blocks only if the word is asleep, and misses no change of the
	// word that is followed by a wake. It returns true if it has received the wake of this sleep.
	sleep(word *word, d time.Duration) bool
	// receiveWake is called when the word was changed and sleep did not return true: the wake is on
	// its way. A sleeper for which it must not come during a later sleep receives it here.
	receiveWake()
	// wake wakes the parker that sleeps on the word, if it still does.
	wake(word *word)
}

// newSleeper returns a sleeper of a kind that is available.
func newSleeper(k Kind) sleeper {
	if k == Portable || !hasFutex {
		return newChannel()
	}
	return newFutex()
}
