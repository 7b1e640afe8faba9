// Package poll is how a worker sleeps until a descriptor is ready to be read or written, and can be woken as any other sleeper: by
// a token.
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
// A sleeping worker is woken by a token that is left with its parker. One that sleeps in the kernel, where it waits for descriptors, does
// not see that: it has to be interrupted as well. So it says that it is in the kernel, and who leaves it a token looks there.
//
//	Park      inside = the worker; look at the token; wait in the kernel; inside = nobody; take back the interruption; look at the token
//	Unpark    leave the token; is the worker inside? then interrupt the kernel
//
// Which memory accesses rely on which
//
//	one side writes, then reads           the other writes, then reads          so
//	inside, then the token, in Park       the token, then inside, in Unpark     the worker sees the token and does not wait, or it is
//	                                                                              seen inside and interrupted
//
// The kernel remembers an interruption until it is taken back, so it may come before the wait that it is to end. It may also come late,
// when the worker has gone and another one is inside: that one leaves for no reason, and comes back. It takes back only what has been
// there when it was told, and looks at its token behind that; so an interruption whose token it has not seen is one for a token that
// is still there for its next look.
//
// What was not done
//
//   - Interrupting whenever somebody is inside. Every wake of every worker would be a system call.
//   - Taking back interruptions in Poll. Poll may look at the same time as somebody else waits, who would sleep on.
//   - A lock around Wait. Who sleeps there would hold it; and the kernel tells each event to one of those that wait.
//   - A token in the kernel instead of the parker, an eventfd for each worker. A worker that does not wait for descriptors sleeps and wakes
//     more cheaply in its parker; and there would be two protocols.

// An Event says that something may be ready.
type Event struct {
	ID    uint64 // under which it was added to the kernel
	Read  bool   // it can be read, or has come to its end, or has failed
	Write bool   // it can be written, or has failed
}

// A Kernel is what the operating system does. Anyone may call its methods at any time.
type Kernel interface {
	// Wait waits until something is ready, until the kernel is interrupted, or for d; without end if d is negative. It writes what is
	// ready to events, and returns how many of them that is; and whether there is an interruption that was not taken back. It
	// may return for no reason. What is ready is told once, to one of those that call Wait, and again when more of it becomes ready.
	Wait(events []Event, d time.Duration) (n int, interrupted bool)
	// Interrupt ends a Wait, the next one if there is none now, and those that follow until TakeBack.
	Interrupt()
	// TakeBack takes back all interruptions that there are.
	TakeBack()
}

// Descriptors is a Kernel with what it waits for. Anyone may call its methods at any time, unless they say something else.
type Descriptors interface {
	// Kernel: Wait and TakeBack must not be called after Close; Interrupt does nothing then.
	Kernel
	// Add makes Wait tell what becomes ready of descriptor fd, under id, which is not 0; and what is ready now. It reports false if
	// Close has been called.
	Add(fd uintptr, id uint64) (open bool, err error)
	// Remove undoes Add. Wait may still tell what became ready before. It does nothing for a descriptor that is not there.
	Remove(fd uintptr)
	// Close ends it. Nobody may be in Wait or TakeBack.
	Close()
}

// Forever is the time of a wait without a timeout.
const Forever time.Duration = -1

// A Poller is the place where one worker at a time waits for descriptors. The zero value has no kernel; Unpark can be used.
type Poller struct {
	// kernel is set once, by Start; read by who is in Park or Poll, and by who has seen somebody inside.
	kernel Kernel
	// inside is the number of the worker that is in Park, plus 1, or 0. A worker sets and clears its own number; loaded by unparkers.
	inside atomic.Int32
	// looking is set while somebody is in Poll, by that one.
	looking atomic.Bool
}

// Start sets the kernel. It must come, once, before every Park and Poll, and synchronize before them.
func (p *Poller) Start(k Kernel) { p.kernel = k }

// Inside returns the worker that is in Park, or -1. Anyone may call it.
func (p *Poller) Inside() int { return int(p.inside.Load()) - 1 }

// Park sleeps until something is ready, until the worker has a token, or for d, without end if d is negative; or for no reason. It
// writes what is ready to events, returns how many of them that is, and reports whether it has taken the token. Only one worker at a
// time may be in Park, as the parker of its own; it panics if there are two.
func (p *Poller) Park(worker int, parker *park.Parker, d time.Duration, events []Event) (n int, token bool) {
	runtime.Gosched() // who is in a system call keeps a processor from others for a while; see package park
	if !p.inside.CompareAndSwap(0, int32(worker+1)) {
		panic(fmt.Sprintf("poll: Park by worker %d while worker %d is in it", worker, p.Inside()))
	}
	// Pairs with inside.Load in Unpark: a token that this look misses is left by somebody who finds the worker inside.
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

// Poll writes what is ready to events and returns how many of them that is. It does not wait. It returns 0 if somebody else looks, or
// waits in Park. Anyone may call it.
func (p *Poller) Poll(events []Event) int {
	if p.inside.Load() != 0 || !p.looking.CompareAndSwap(false, true) {
		return 0
	}
	n, _ := p.kernel.Wait(events, 0)
	p.looking.Store(false)
	return n
}

// Unpark leaves a token for a worker, and wakes it wherever it sleeps. Anyone may call it.
//
// It synchronizes before the return of the Park that takes the token, here or of the parker.
func (p *Poller) Unpark(worker int, parker *park.Parker) {
	parker.Unpark()
	// Pairs with inside.CompareAndSwap in Park.
	if p.inside.Load() == int32(worker+1) {
		p.kernel.Interrupt()
	}
}
