// Package poll lets a worker sleep until a descriptor is ready for reading or writing, or until it
// is woken like any other sleeper: by a token.
package poll

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/park"
)

// How it works
//
// A sleeping worker is woken by a token that is left with its parker. A worker that sleeps in the
// kernel, where it waits for descriptors, does not see the token: it must be interrupted as well.
// So it announces that it is in the kernel, and the unparker looks there after leaving the token.
//
//	Park     1 inside = the worker  2 look at the token  3 wait in the kernel  4 inside = nobody
//	         5 take back the interruption  6 look at the token
//	Unpark   1 leave the token  2 if the worker is inside: interrupt the kernel
//
// Steps 1 and 2 of each write, then read what the other writes: either the worker sees the token
// and does not wait, or the unparker sees it inside and interrupts it.
//
// The kernel remembers an interruption until it is taken back, so an interruption may come before
// the wait that it is to end. It may also come late, when another worker is inside: that one
// returns spuriously and comes back. A worker takes back only interruptions that it was told of,
// and looks at its token afterwards; so if it takes back an interruption and does not see the
// token, the token is still there for its next look.
//
// Rejected alternatives
//
//   - Interrupting whenever a worker is inside. Every wake of every worker would be a system call.
//   - Taking back interruptions in Poll. Poll may run while a worker waits, which would sleep on.
//   - A lock around Wait. The sleeper would hold it; and the kernel gives each event to one waiter.
//   - A token in the kernel instead of the parker, an eventfd for each worker. A worker that does
//     not wait for descriptors sleeps and wakes more cheaply in its parker; and there would be two
//     protocols.

// An Event says that a descriptor may be ready.
type Event struct {
	ID    uint64 // the id of Descriptors.Add
	Read  bool   // it can be read, or has ended, or has failed
	Write bool   // it can be written, or has failed
}

// A Kernel is what the operating system does. Any goroutine may call its methods at any time.
type Kernel interface {
	// Wait waits until a descriptor is ready, until the kernel is interrupted, or for d, without
	// end if d is negative. It writes events and returns how many, and whether there is an
	// interruption that was not taken back. It may return spuriously. Each event is given to one
	// caller of Wait, and again when the descriptor becomes ready anew.
	Wait(events []Event, d time.Duration) (n int, interrupted bool)
	// Interrupt ends a Wait, the next one if there is none, and all that follow until TakeBack.
	Interrupt()
	// TakeBack takes back all interruptions.
	TakeBack()
}

// Descriptors is a Kernel with the descriptors that it waits for. Any goroutine may call its
// methods at any time, unless they say otherwise.
type Descriptors interface {
	// Wait and TakeBack must not be called after Close; Interrupt does nothing then.
	Kernel
	// Add makes Wait report when fd becomes ready, or is ready now, under id, which is not 0. It
	// returns false for open if Close was called.
	Add(fd uintptr, id uint64) (open bool, err error)
	// Remove undoes Add. Wait may still report what became ready before. It does nothing for a
	// descriptor that was not added.
	Remove(fd uintptr)
	// Close frees the kernel's resources. No goroutine may be in Wait or TakeBack.
	Close()
}

// Forever is the timeout of a wait without one.
const Forever time.Duration = -1

// A Poller is the place where one worker at a time waits for descriptors. The zero value has no
// kernel; Unpark can be used.
type Poller struct {
	// kernel is set once, by Start. Read in Park and Poll, and by unparkers that have seen a worker
	// inside.
	kernel Kernel
	// inside is the number of the worker that is in Park, plus 1, or 0. A worker stores its own
	// number and 0; unparkers load.
	inside atomic.Int32
	// looking is set while a goroutine is in Poll, by that goroutine.
	looking atomic.Bool
}

// Start sets the kernel. It must be called once, and synchronize before every Park and Poll.
func (p *Poller) Start(k Kernel) { p.kernel = k }

// Inside returns the worker that is in Park, or -1. Any goroutine may call it.
func (p *Poller) Inside() int { return int(p.inside.Load()) - 1 }

// Park sleeps until a descriptor is ready, until the worker has a token, or for d, without end if d
// is negative. It may return spuriously. It writes events, returns how many, and reports whether it
// has taken the token. One worker at a time may be in Park; Park panics if there is another. parker
// must be the worker's own.
func (p *Poller) Park(worker int, parker *park.Parker, d time.Duration, events []Event) (
	n int, token bool,
) {
	runtime.Gosched() // a system call keeps its processor from others for a while; see package park
	if !p.inside.CompareAndSwap(0, int32(worker+1)) {
		panic(fmt.Sprintf("poll: Park by worker %d while worker %d is in it", worker, p.Inside()))
	}
	// Partner: inside.Load in Unpark. The unparker of a token that this look misses finds the
	// worker inside.
	if parker.ParkTimeout(0) {
		p.inside.Store(0)
		return 0, true
	}
	n, interrupted := p.kernel.Wait(events, d)
	p.inside.Store(0)
	if interrupted {
		p.kernel.TakeBack()
	}
	return n, parker.ParkTimeout(0)
}

// Poll writes events and returns how many, without waiting. It returns 0 if another goroutine
// polls, or a worker is in Park. Any goroutine may call it.
func (p *Poller) Poll(events []Event) int {
	if p.inside.Load() != 0 || !p.looking.CompareAndSwap(false, true) {
		return 0
	}
	n, _ := p.kernel.Wait(events, 0)
	p.looking.Store(false)
	return n
}

// Unpark leaves a token for a worker, and wakes it wherever it sleeps. Any goroutine may call it.
//
// It synchronizes before the return of the Park that takes the token, here or in the parker.
func (p *Poller) Unpark(worker int, parker *park.Parker) {
	parker.Unpark()
	// Partner: inside.CompareAndSwap in Park.
	if p.inside.Load() == int32(worker+1) {
		p.kernel.Interrupt()
	}
}
