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
//	step       from             to       by               meaning
//	Unpark     empty or token   token    Swap             nobody sleeps; done
//	Unpark     asleep           token    Swap             the waker must call wake once
//	take       token            empty    CompareAndSwap   there was a token
//	announce   empty            asleep   CompareAndSwap   if it fails there is a token: take
//	leave      token            empty    Swap             woken, or timed out as it came
//	leave      asleep           empty    Swap             timed out
//
// Only the parker takes tokens and announces; anyone unparks. Between announce and leave, the
// sleeper (a futex or a channel) blocks while the word is asleep. It may return at any time:
// whether a token came, or the time is over, is read from the word and from the clock, never from
// the sleeper. So spurious wakes, wakes meant for an earlier sleep, and interrupting signals are no
// special cases.
//
// # Partners
//
// Go's atomics are sequentially consistent. Of that, this is used:
//
//	the access          its partner        what the pair orders
//	Swap in Unpark      Swap in leave,     what came before Unpark, before what follows the
//	                      CAS in take        Park that takes its token. A second Unpark finds
//	                                         the token by a Swap too, so this holds for all
//	                                         that left one token
//	Swap in Unpark      CAS in announce    no lost wakeup: announce fails, or Unpark sees
//	                                         asleep and wakes
//	look at the word,   wake, after the    the sleeper blocks only if the word is still asleep
//	  in sleep            Swap               when a wake can find it
//	CAS in announce     Swap in Unpark     the parker's write of Parker.sleeper, before a
//	                                         waker's read
//	Swap in leave       CAS in take        one parker's call, before that of the next parker
//
// # Where an operation linearizes
//
//	Unpark        at its Swap
//	Park          at the CAS in take, or at the Swap in leave
//	ParkTimeout   true: as Park. false: at the Swap in leave, which found the word asleep; with
//	              d <= 0, at the CAS in take, which found it empty
//
// Unpark is one Swap and, if the parker sleeps, one wake. It waits for nobody.
//
// # What is proved
//
// Each line is a theorem of package proofs, the first ones for any number of wakers, timeouts and
// signals.
//
//	park/P1    a token that was left is taken by one Park, or is still there
//	park/P2    a parker that sleeps although its token has come is about to be woken
//	park/P3    with one parker, no access finds what makes misuse panic
//	park/X1    every run without timeouts ends in a sleep whose tokens were all taken
//	park/R1    this code, on a futex, does step by step what the proofs are about
//	park/R2    so does one goroutine of it among any number of wakers
//
// # Rejected alternatives
//
//   - A plain store of empty on the way out. It would erase a token that came after the timeout and
//     before the store, and its work would never be done: the Swap says what was there (park/P1).
//   - Believing the kernel's ETIMEDOUT. A token can have come since; and the duration is by this
//     process's clock, which is read again.
//   - A deadline instead of a start. For large d, now + d overflows; time.Now().Add then gives up
//     its monotonic reading.
//   - A load before Unpark's Swap, to leave the Swap out when there is a token already. The
//     caller's writes would then not synchronize before the Park that takes that token.
//   - The channel as the word, with a send that is abandoned when the buffer is full. An abandoned
//     send orders nothing: seeing a full buffer does not happen before the receive that drains it.
//     So the word is needed beside the channel.
//   - Spinning before the sleep. A worker has just searched for a while, and knows better how long
//     that should last.
//   - No yield before the sleep. A goroutine in a system call keeps its P until the scheduler takes
//     it back, and whoever is ready to run on that P, often the one that is about to unpark, waits
//     as long: a round of two goroutines that wake each other on one P took 170 us with a futex,
//     and takes 0.2 us with the yield (BenchmarkPingPong, -cpu 1). A channel gains too (320 ns, 160
//     ns): often the token is there after the yield, and nobody sleeps.

// A word is the state that the parker and the wakers share; both write it, as described above.
type word = atomic.Uint32

const (
	empty  = 0 // no token; the parker is awake
	token  = 1 // an Unpark has left it, and no Park has taken it yet
	asleep = 2 // no token; the parker is asleep, or about to be
)

// A Parker is one token, and the sleep of the goroutine that waits for it. The zero value has no
// token and is ready for use; a Parker must not be copied after first use.
//
// It is 24 bytes on 64-bit platforms, without padding: place it where wakers may write to its cache
// line.
type Parker struct {
	word word
	kind Kind // set by New or Init; read by the first parker that goes to sleep
	// sleeper is set once, by the first parker, before it announces itself for the first time. Read
	// by parkers, and by wakers that have seen the word asleep.
	sleeper sleeper
}

// New returns a Parker of a kind, without a token. It panics if this platform does not have the
// kind, see [Kind.Available].
func New(k Kind) *Parker {
	if !k.Available() {
		panic("park: New(" + k.String() + "): not available on " + runtime.GOOS)
	}
	return &Parker{kind: k}
}

// Init makes p, which no goroutine has parked on, a Parker of a kind: for a Parker that is a field
// of something larger, and is to be of another kind than Default. It comes before any other call.
// It panics if this platform does not have the kind, see [Kind.Available], or if p has slept.
func (p *Parker) Init(k Kind) {
	if !k.Available() {
		panic("park: Init(" + k.String() + "): not available on " + runtime.GOOS)
	}
	if p.sleeper != nil {
		panic("park: Init of a Parker that has slept")
	}
	p.kind = k
}

// Park waits for the token and takes it. Only one goroutine at a time may be in Park or
// ParkTimeout; a second one that goes to sleep panics.
//
// The Unpark that left the token synchronizes before the return.
func (p *Parker) Park() {
	if !p.take() {
		p.wait(forever)
	}
}

// ParkTimeout waits for the token, for at least d by the monotonic clock, and reports whether it
// took it. If not, no token was there when it gave up; one that comes later stays for the next
// call. With d <= 0 it only looks. Only one goroutine at a time may be in Park or ParkTimeout; a
// second one that goes to sleep panics.
//
// The Unpark that left the token synchronizes before the return of true.
func (p *Parker) ParkTimeout(d time.Duration) bool {
	return p.take() || d > 0 && p.wait(d)
}

// Unpark leaves a token, unless there is one, and wakes the parker if it sleeps. Anyone may call
// it. It waits for nobody; if the parker sleeps on a futex, it costs a system call.
//
// It synchronizes before the return of the Park or ParkTimeout that takes the token.
func (p *Parker) Unpark() {
	// Passes on what the caller wrote; partner: Swap in leave, CAS in take, CAS in announce.
	if p.word.Swap(token) == asleep {
		p.sleeper.wake(&p.word) // after the Swap: a sleeper that it finds awake sees the token
	}
}

const forever time.Duration = -1

// take takes the token if there is one, and reports whether there was.
func (p *Parker) take() bool {
	// Receives what the wakers wrote; partner: Swap in Unpark.
	return p.word.CompareAndSwap(token, empty)
}

// wait waits for a token after a look that found none, and reports whether it took one. A negative
// d is no timeout.
func (p *Parker) wait(d time.Duration) bool {
	var start time.Time
	if d >= 0 {
		start = time.Now()
	}
	if p.sleeper == nil {
		p.sleeper = newSleeper(p.kind)
	}
	runtime.Gosched() // announce looks again; see "No yield before the sleep"
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

// announce says that the parker is about to sleep. If there is a token now, it takes that instead,
// and returns false.
func (p *Parker) announce() bool {
	// Passes the sleeper to wakers; partner: Swap in Unpark, which sees asleep or makes this fail.
	if p.word.CompareAndSwap(empty, asleep) {
		return true
	}
	if !p.take() { // asleep: only another parker makes it so
		misuse()
	}
	return false
}

// leave ends a sleep, and reports whether it took a token. A token that comes later stays
// (park/P1). woken says that the sleeper has received the wake of this sleep.
func (p *Parker) leave(woken bool) bool {
	// Receives what the wakers wrote; partner: Swap in Unpark.
	switch p.word.Swap(empty) {
	case token:
		if !woken {
			p.sleeper.receiveWake()
		}
		return true
	case asleep:
		return false
	}
	misuse() // another goroutine took the token that this one was woken for
	return false
}

// misuse panics: there is a second parker. It shows if both sleep, or if one took the token that
// the other was woken for and does not sleep itself; if each takes a token of its own, it did no
// harm.
func misuse() {
	panic("park: a second goroutine is in Park or ParkTimeout of the same Parker; " +
		"only one may be at a time")
}
