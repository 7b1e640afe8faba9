package hook

import (
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

// A channel operation first calls explore.Communicate, which waits until the operation can run and
// says how to complete it. On a buffered or closed channel that is the real operation, which then
// does not block. Between two goroutines on an unbuffered channel, the value is copied from the
// memory of one to the memory of the other.
//
// The real operation is hidden from the race detector, which gets its edges from the engine: the
// runtime's own edges connect all operations on a channel whose values have size 0. The accesses
// that the runtime reports are not hidden, so a send that nothing orders with the close is a data
// race, as in an ordinary run. The hooks that lead to such an access are not norace, so that its
// stack has the line of the program that calls them.

// both converts a channel to one with both directions. The conversion is unsafe because the
// language has none; the value is the same.
func both[C chan<- T | <-chan T, T any](c C) chan T { return *(*chan T)(unsafe.Pointer(&c)) }

// chanOf describes a channel to the engine.
//
//go:norace
func chanOf[T any](c chan T) explore.Chan {
	p := *(*unsafe.Pointer)(unsafe.Pointer(&c)) // a channel is a pointer
	if p == nil {
		return explore.Chan{}
	}
	var v T
	return explore.Chan{
		Ptr: p, Cap: cap(c), Len: len(c), Closed: explore.ChanClosed(p),
		Signals: unsafe.Sizeof(v) == 0,
	}
}

// MadeChan is the hook of make for a channel.
//
//go:norace
//go:noinline
func MadeChan[C any](c C) C {
	explore.Bubbled(*(*unsafe.Pointer)(unsafe.Pointer(&c)))
	return c
}

// uncontrolled ends the check because the real channel is not in the state of its model.
func uncontrolled() {
	explore.Fail(explore.KindUncontrolled, "a channel was used behind the checker's back: "+
		"by a goroutine that it did not start, or by code that is not rewritten")
}

// An Out is a channel to send on.
type Out[T any] struct{ c chan<- T }

// To begins the hook of a send: c <- v becomes To(c).Send(v), which converts v to the type of the
// channel's values.
//
//go:norace
//go:noinline
func To[T any](c chan<- T) Out[T] { return Out[T]{c} }

// Send is the hook of a send.
//
//go:noinline
func (o Out[T]) Send(v T) {
	if !explore.InExecution() {
		o.c <- v
		return
	}
	c := both[chan<- T, T](o.c)
	mem := new(T)
	*mem = v
	send := explore.Case{Chan: chanOf(c), Send: true, Mem: unsafe.Pointer(mem)}
	r, _ := explore.Communicate([]explore.Case{send}, false)
	finishSend(c, v, r)
}

//go:norace
func finishSend[T any](c chan T, v T, r explore.Outcome) {
	switch r.Completion {
	case explore.CopyTo:
		*(*T)(r.Mem) = v
	case explore.OnChannel:
		if explore.ChanClosed(chanOf(c).Ptr) {
			c <- v // panics
		}
		if !explore.Hidden(func() bool {
			select {
			case c <- v:
				return true
			default:
				return false
			}
		}) {
			uncontrolled()
		}
		explore.Sent()
	}
	explore.LeaveValue(func() string { return show(v) })
}

// Recv is the hook of a receive.
//
//go:norace
//go:noinline
func Recv[T any](c <-chan T) T {
	v, _ := receive(c, false)
	return v
}

// Await is the hook of a receive whose value nobody uses.
//
//go:norace
//go:noinline
func Await[T any](c <-chan T) { receive(c, true) }

// Recv2 is the hook of a receive that says whether there was a value.
//
//go:norace
//go:noinline
func Recv2[T any](c <-chan T) (T, bool) { return receive(c, false) }

// Recv2As is Recv2 where the second result is assigned to a boolean type of its own.
//
//go:norace
//go:noinline
func Recv2As[B ~bool, T any](c <-chan T) (T, B) {
	v, ok := receive(c, false)
	return v, B(ok)
}

//go:norace
func receive[T any](c <-chan T, unused bool) (v T, ok bool) {
	if !explore.InExecution() {
		v, ok = <-c
		return
	}
	mem := new(T)
	recv := explore.Case{
		Chan: chanOf(both[<-chan T, T](c)), Mem: unsafe.Pointer(mem), Unused: unused,
	}
	r, _ := explore.Communicate([]explore.Case{recv}, false)
	return finishRecv(c, mem, r)
}

//go:norace
func finishRecv[T any](c <-chan T, mem *T, r explore.Outcome) (v T, ok bool) {
	switch r.Completion {
	case explore.CopyFrom:
		v, ok = *(*T)(r.Mem), true
	case explore.Completed:
		v, ok = *mem, true
	case explore.OnChannel:
		if !explore.Hidden(func() bool {
			select {
			case v, ok = <-c:
				return true
			default:
				return false
			}
		}) {
			uncontrolled()
		}
	}
	explore.LeaveValue(func() string {
		if !ok {
			return "closed"
		}
		return show(v)
	})
	return v, ok
}

// Close is the hook of close.
//
//go:noinline
func Close[T any](c chan<- T) {
	in := c != nil && explore.Close(chanOf(both[chan<- T, T](c)))
	close(c)
	if in {
		explore.Closed()
	}
}

// Len is the hook of len of a channel. An unbuffered one has always the length 0.
//
//go:norace
//go:noinline
func Len[T any](c <-chan T) int {
	if cap(c) > 0 && explore.Len(chanOf(both[<-chan T, T](c))) {
		explore.Leave(uint64(len(c)))
	}
	return len(c)
}

// LenOut is Len of a channel that cannot be received from.
//
//go:norace
//go:noinline
func LenOut[T any](c chan<- T) int { return Len(both[chan<- T, T](c)) }

// A Ranging is the state of a loop over a channel.
type Ranging[T any] struct {
	c     <-chan T
	Value T // received last
}

// Range begins a loop over a channel: for range c becomes
//
//	for r := Range(c); r.Next(); {
//
//go:norace
//go:noinline
func Range[T any](c <-chan T) *Ranging[T] { return &Ranging[T]{c: c} }

// RangeVar is Range for a loop that declares a variable, which comes first: for
// v := range c becomes
//
//	for v, r := RangeVar(c); r.Into(&v); {
//
//go:norace
//go:noinline
func RangeVar[T any](c <-chan T) (v T, r *Ranging[T]) { return v, Range(c) }

// Next receives the next value and reports whether there was one.
//
//go:norace
//go:noinline
func (r *Ranging[T]) Next() (ok bool) {
	r.Value, ok = receive(r.c, false)
	return ok
}

// Into is Next that stores the value at v.
//
//go:norace
//go:noinline
func (r *Ranging[T]) Into(v *T) (ok bool) {
	if w, ok := receive(r.c, false); ok {
		*v = w
		return true
	}
	return false
}
