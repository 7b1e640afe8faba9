package park

import (
	"runtime"
	"sync/atomic"
	"time"
)

// How it works
//
// The word of a Parker is empty, token or asleep. Its transitions:
//
//	step        from              to        by                what it is
//	Unpark      empty or token    token     Swap              nobody sleeps: that is all
//	Unpark      asleep            token     Swap              the waker owes one wake
//	take        token             empty     CompareAndSwap    the token was there
//	announce    empty             asleep    CompareAndSwap    if it fails there is a token: take
//	leave       token             empty     Swap              woken, or timed out when the token had just come
//	leave       asleep            empty     Swap              timed out
//
// Only the parker takes tokens and announces; anyone unparks. Between announce and leave, the sleeper (a futex or a
// channel) blocks while the word is asleep, and returns when it wants to: whether a token came or the time is over is asked
// of the word and of the clock, never of the sleeper. So wakes for no reason, wakes meant for an earlier sleep, and
// interrupting signals need no case of their own.
//
// Which accesses rely on which
//
// Go's atomics are sequentially consistent; what is used of that is
//
//	the access                 its partner               what the pair orders
//	Swap in Unpark             Swap in leave,            what came before Unpark, before what comes after the Park that
//	                             CAS in take               takes its token. A second Unpark finds the token by a Swap
//	                                                       too, so that the chain holds for all that left one token
//	Swap in Unpark             CAS in announce           lost wakeup: either announce fails, or Unpark sees asleep and
//	                                                       wakes
//	sleep's look at the word,  wake, which comes         the sleeper blocks only if the word is still asleep when it is
//	  by the sleeper             after the Swap            already to be found by a wake
//	CAS in announce            Swap in Unpark            the parker's writes to Parker.sleeper, before a waker reads it
//	Swap in leave              CAS in take               one parker's call, before the next one's, be it another goroutine
//
// Where an operation takes effect
//
//	Unpark        at its Swap
//	Park          at the CAS in take, or at the Swap in leave
//	ParkTimeout   true: as Park. false: at the Swap in leave, which found the word asleep; with d <= 0, at the CAS in take,
//	              which found it empty
//
// Unpark is a Swap, and when the parker sleeps, one wake. It never waits for anybody.
//
// What is proved
//
// Each line is a theorem of package proofs, the first ones for any number of wakers, timeouts and signals.
//
//	park/P1    a token that was left is taken by one Park, or is still there
//	park/P2    who sleeps although its token has come is about to be woken
//	park/P3    with one parker, nothing leads to misuse
//	park/X1    every run without timeouts ends in a sleep whose tokens were all taken
//	park/R1    this code, on a futex, does step by step what the proofs are about
//
// What was not done
//
//   - A plain store of empty on the way out. A token that came after the timeout, and before the store, would be erased, and
//     its work never done: the Swap says what was there. (park/P1)
//   - Believing the kernel's ETIMEDOUT. A token can have come since; and the time that a caller asked for is by this
//     process's clock, which is looked at again.
//   - A deadline instead of a start. For large d, now + d overflows; time.Now().Add then gives up its monotonic reading.
//   - Looking before Unpark's Swap, to leave it out when there is a token already. The caller's writes would then not
//     synchronize before the Park that takes that token.
//   - The channel as the word, with a send that gives up when the buffer is full. A send that gives up orders nothing: the
//     memory model does not say that who sees a full buffer comes before who empties it. The word is needed beside it.
//   - Spinning before the sleep. A worker has just searched for a while, and knows better how long that should last.
//   - No yield before the sleep. A goroutine in a system call keeps its P until the scheduler takes it back, and whoever is ready
//     to run on that P, often the very one who is about to unpark, waits as long: a round of two that wake each other on one P
//     took 170 us with a futex, and takes 0.2 us with the yield (BenchmarkPingPong, -cpu 1). A channel gains by it, too (320 ns,
//     160 ns): often the token is there after the yield, and nobody sleeps.

// A word is what parkers and wakers agree on. It is read and written by both, as described above.
type word = atomic.Uint32

const (
	empty  = 0 // no token; the parker is awake
	token  = 1 // an Unpark has not been answered yet
	asleep = 2 // no token; the parker is asleep, or about to be
)

// A Parker is one token, and the sleep of the goroutine that waits for it. The zero value has no token and is ready for use;
// it must not be copied after first use.
//
// It is 24 bytes on 64-bit platforms, without padding: put it where its neighbours can bear writes by wakers.
type Parker struct {
	word word
	kind Kind // never changes
	// sleeper is set once, by the first parker, before it announces itself for the first time. Read by parkers, and by wakers
	// that have seen one asleep.
	sleeper sleeper
}

// New returns a Parker of a kind. It panics if this platform does not have it, see [Kind.Available].
func New(k Kind) *Parker {
	if !k.Available() {
		panic("park: New(" + k.String() + "): not available on " + runtime.GOOS)
	}
	return &Parker{kind: k}
}

// Park waits for the token and takes it. Only one goroutine at a time may be in Park or ParkTimeout.
//
// The Unpark that left the token synchronizes before the return of Park.
func (p *Parker) Park() {
	if !p.take() {
		p.wait(forever)
	}
}

// ParkTimeout waits for the token for at least d, by the monotonic clock, and reports whether it took it. If it did not, no
// token was there when it gave up; one that comes later stays. With d <= 0 it only looks. Only one goroutine at a time may be in
// Park or ParkTimeout.
//
// If it returns true, the Unpark that left the token synchronizes before that.
func (p *Parker) ParkTimeout(d time.Duration) bool {
	return p.take() || d > 0 && p.wait(d)
}

// Unpark leaves a token, unless there is one, and wakes the parker if it sleeps. Anyone may call it.
//
// It synchronizes before the return of the Park or ParkTimeout that takes the token.
func (p *Parker) Unpark() {
	if p.word.Swap(token) == asleep {
		p.sleeper.wake(&p.word) // not before the Swap, or the sleeper might not find a reason to stay awake
	}
}

const forever time.Duration = -1

// take takes a token that is there.
func (p *Parker) take() bool {
	return p.word.CompareAndSwap(token, empty)
}

// wait waits for a token after a look that found none; with a negative d, without end. It reports whether it took one.
func (p *Parker) wait(d time.Duration) bool {
	var start time.Time
	if d >= 0 {
		start = time.Now()
	}
	if p.sleeper == nil {
		p.sleeper = newSleeper(p.kind)
	}
	runtime.Gosched() // announce looks again; see above
	if !p.announce() {
		return true
	}
	for left := d; ; {
		woken := p.sleeper.sleep(&p.word, left)
		if p.word.Load() != asleep {
			return p.leave(woken)
		}
		if d < 0 {
			continue
		}
		if left = d - time.Since(start); left <= 0 { // neither overflows, whatever d is
			return p.leave(woken)
		}
	}
}

// announce says that the parker is about to sleep. If there is a token now, it takes that instead, and returns false.
func (p *Parker) announce() bool {
	if p.word.CompareAndSwap(empty, asleep) {
		return true
	}
	if !p.take() { // neither empty nor token, and nobody else makes it so
		misuse()
	}
	return false
}

// leave ends a sleep, and reports whether a token was there to take. A token that comes after it stays. (park/P1)
func (p *Parker) leave(woken bool) bool {
	switch p.word.Swap(empty) {
	case token:
		if !woken {
			p.sleeper.settle()
		}
		return true
	case asleep:
		return false
	}
	misuse() // another goroutine took the token that this one was woken for
	return false
}

// misuse says that there is a second parker. It is seen if both sleep, or if one took the token that the other was woken for and
// does not sleep itself; if both take the tokens of their own, it did no harm.
func misuse() {
	panic("park: a second goroutine is in Park or ParkTimeout of the same Parker; only one may be at a time")
}
