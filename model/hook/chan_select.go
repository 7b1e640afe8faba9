package hook

import (
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

// Selection stands before a select statement, which stays one: each of its
// operands is handed through it, in the order in which the language evaluates
// them:
//
//	{ s := NewSelection(2, false); select {
//	case v := <-SelectRecv(&s, c): ...
//	case SelectSend(&s, d) <- SelectValue(&s, f()): SelectSent(&s); ...
//	} }
//
// In a check every channel is replaced by one of its own that is not ready.
// When the last operand comes, the engine decides, and the channel of the case
// that it takes is made ready: it holds the value received, or has room for the
// one to send. So the real select goes where the engine wants, and its
// assignments, labels and jumps mean what they always do.
type Selection struct {
	here  bool
	left  int // operands to come
	def   bool
	cases []explore.Case
	open  []func(explore.Outcome) // makes the channel of a case ready
	sent  func()                  // sends what the real select has sent
	at    []uintptr               // where the statement begins
}

// NewSelection begins a select statement with so many operands, and with or
// without a default.
//
//go:norace
//go:noinline
func NewSelection(operands int, def bool) Selection {
	return Selection{here: explore.InExecution(), left: operands, def: def, at: explore.CallSite()}
}

//go:norace
func (s *Selection) add(c explore.Case, open func(explore.Outcome)) {
	s.cases = append(s.cases, c)
	s.open = append(s.open, open)
	s.operand()
}

// operand decides when the last operand has come.
//
//go:norace
func (s *Selection) operand() {
	if s.left--; s.left > 0 {
		return
	}
	explore.SetCallSite(s.at)
	if r, _ := explore.Communicate(s.cases, s.def); r.Case >= 0 {
		s.open[r.Case](r)
	}
}

// SelectRecv is the hook of the channel of a receive in a select statement.
//
//go:norace
//go:noinline
func SelectRecv[T any](s *Selection, c <-chan T) <-chan T { return selectRecv(s, c, false) }

// SelectAwait is SelectRecv for a receive whose value nobody uses.
//
//go:norace
//go:noinline
func SelectAwait[T any](s *Selection, c <-chan T) <-chan T { return selectRecv(s, c, true) }

//go:norace
func selectRecv[T any](s *Selection, c <-chan T, unused bool) <-chan T {
	if !s.here {
		return c
	}
	own := make(chan T, 1)
	mem := new(T)
	recv := explore.Case{
		Chan: chanOf(both[<-chan T, T](c)), Mem: unsafe.Pointer(mem), Unused: unused,
	}
	s.add(recv, func(r explore.Outcome) {
		if v, ok := finishRecv(c, mem, r); ok {
			own <- v
		} else {
			close(own)
		}
	})
	return own
}

// SelectSend is the hook of the channel of a send in a select statement.
//
//go:norace
//go:noinline
func SelectSend[T any](s *Selection, c chan<- T) chan<- T {
	if !s.here {
		return c
	}
	own := make(chan T, 1)
	var full T
	own <- full
	s.add(explore.Case{Chan: chanOf(both[chan<- T, T](c)), Send: true}, func(r explore.Outcome) {
		<-own
		s.sent = func() { finishSend(both[chan<- T, T](c), <-own, r) }
	})
	return own
}

// SelectValue is the hook of the value of the last send, if that is the last
// operand.
//
//go:norace
//go:noinline
func SelectValue[T any](s *Selection, v T) T {
	if s.here {
		s.operand()
	}
	return v
}

// SelectSent stands at the head of each clause with a send.
//
//go:noinline
func SelectSent(s *Selection) {
	if s.here {
		s.sent()
	}
}

// Forever is the hook of a select without cases.
//
//go:norace
//go:noinline
func Forever() {
	if _, in := explore.Communicate(nil, false); !in {
		select {}
	}
}
