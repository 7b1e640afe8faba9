package fork

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"unsafe"
)

// A Claim is a fork as a thief sees it: a call that was forked, and that whoever has claimed it
// runs. It is valid for the thief until Run returns, and for the owner within Host.Await and
// Host.Ended.
type Claim[W any] struct {
	// The owner's.

	// key is the function that was forked here last: the type of the frame follows from it. nil in
	// frames of closures, which have none.
	key   unsafe.Pointer
	index int       // in slots; never changes
	next  *Claim[W] // other frames that were used at this depth, of other types
	frame frame[W]  // what the Claim is part of; never changes
	stack *Stack[W] // never changes

	state atomic.Uint32            // begun, waiting, ended; see Wait
	by    atomic.Pointer[Stack[W]] // see By
	fault any                      // nil, panicked or goexit; the thief's until it has ended
}

// A frame is what a Claim is part of.
type frame[W any] interface {
	run(w W)
	call() any // what run calls
	forget()   // drops function, argument and result, as far as the collector cares
}

const (
	begun   = iota // or not claimed
	waiting        // the owner has called Wait
	ended          // by the thief, whose last access this is
)

// Run makes the call, in the name of w. own is the caller's Stack: forks that the call leaves
// there, because of a panic, are abandoned. The thief calls it, once.
//
// A panic of the call is not raised here but in the join; see [Stack.Traced]. [runtime.Goexit] in
// the call ends the calling goroutine, after the Claim has ended; the join calls Goexit, too.
//
// The end of the call synchronizes before the return of the join, and before that of a call of
// Ended that returns true.
func (c *Claim[W]) Run(w W, own *Stack[W]) {
	c.by.Store(own)
	host := c.stack.host
	base := own.top
	returned := false
	defer func() {
		if !returned {
			c.fault = goexit{}
			if value := recover(); value != nil {
				c.fault = panicked{value, own.Traced(debug.Stack())}
			}
		}
		c.abandon(own, base)
		// Partner: Ended and Wait. From here on c is the owner's. (K6)
		if c.state.Swap(ended) == waiting {
			host.Ended(c, w)
		}
	}()
	c.frame.run(w)
	returned = true
}

// abandon ends the forks that the call has left on own. If Host.Await panics, that is what the call
// panics with, and abandon tries once more: the owner waits for the end of c.
func (c *Claim[W]) abandon(own *Stack[W], base int) {
	defer func() {
		if value := recover(); value != nil {
			c.fault = panicked{value, own.Traced(debug.Stack())}
			own.Abandon(base)
		}
	}()
	own.Abandon(base)
}

// goexit is the fault of a call that has called runtime.Goexit.
type goexit struct{}

// panicked is the fault of a call that has panicked.
type panicked struct {
	value any
	stack []byte // at the panic
}

// raise does what the call did instead of returning, if it did.
func (c *Claim[W]) raise() {
	switch fault := c.fault.(type) {
	case nil:
	case goexit:
		c.fault = nil
		runtime.Goexit()
	case panicked:
		c.fault = nil
		c.stack.origin = fault.stack
		panic(fault.value)
	}
}

// Traced adds what a stack of a panic lacks that a join of s has raised: the stack of the call of
// the fork, which another worker ran. It is given what [debug.Stack] returns where the panic was
// recovered, and returns that, behind the other if there is one. The owner calls it, once for a
// panic; before any other join if possible, as s keeps the last one only.
func (s *Stack[W]) Traced(stack []byte) []byte {
	origin := s.origin
	s.origin = nil
	if origin == nil || !bytes.Contains(stack, []byte("]).raise(")) {
		return stack
	}
	return slices.Concat(origin, []byte("\nraised again by the join in\n\n"), stack)
}

// Depth returns how many forks are older. Whoever has claimed c calls it, before Run.
func (c *Claim[W]) Depth() int { return c.index }

// Func returns the function that was forked, for a log; for a part of a loop or a sort, the one
// that was given to that. Whoever has claimed c calls it, before Run.
func (c *Claim[W]) Func() any { return c.frame.call() }

// Ended reports whether the call has ended. The owner calls it, in Host.Await.
func (c *Claim[W]) Ended() bool { return c.state.Load() == ended }

// Wait returns true if the call has not ended: then its thief calls Host.Ended when it has. If it
// returns false, it has ended. The owner calls it, in Host.Await, at most once for each.
func (c *Claim[W]) Wait() bool { return c.state.CompareAndSwap(begun, waiting) }

// By returns the Stack of the thief, nil if that has claimed c and not begun to run it. What the
// thief has forked since is part of what the owner waits for: it may claim from that Stack, and
// only from that, without taking on work that can last longer. (Leapfrogging; Wagner and Calder,
// 1993.) The owner calls it, in Host.Await.
func (c *Claim[W]) By() *Stack[W] { return c.by.Load() }
