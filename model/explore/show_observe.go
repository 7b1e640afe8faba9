package explore

import (
	"runtime"
	"slices"
	"unsafe"
)

// A Step is one executed operation, as Config.Observe gets it.
type Step struct {
	// N is the number of steps of this execution before it.
	N int
	// Again reports whether the previous execution began with the same steps, up to and including
	// this one. Addresses may differ, and Callers is not set.
	Again bool
	// First, before an operation, reports whether this is the first execution of a search. There
	// may be several searches, each of which explores everything anew.
	First bool
	// Thread is the number of the thread, and Name its name.
	Thread int
	Name   string
	// Op is the operation, and Address its object; nil if it has none.
	Op      Op
	Address unsafe.Pointer
	// Old, before a compare-and-swap of an integer or a pointer, is what it expects.
	Old uint64
	// Result is what an atomic operation returned, 0 if that is a pointer; what a Store stored; how
	// many threads a futex wake woke; 1 or 0 for true or false.
	Result uint64
	// Callers is the call stack of the operation, innermost first, for runtime.CallersFrames. The
	// first frames are the checker's own.
	Callers [16]uintptr
	// Stack, before an operation, is what is on the stack of the goroutine, from the operands to
	// the function that it began with; nil with Again. It is valid until the callback returns.
	Stack []Word
	// Passed, before an operation, is memory to which system calls of the execution had addresses.
	Passed []Memory
}

// Frames returns the call stack of the operation without the checker's own frames.
func (s *Step) Frames() []Frame {
	return frames(s.callers())
}

func (s *Step) callers() []uintptr {
	n := slices.Index(s.Callers[:], 0)
	if n < 0 {
		n = len(s.Callers)
	}
	return s.Callers[:n]
}

// observe passes the last event, t's, to Config.Observe. Meanwhile no execution is active: what the
// observer reads by hooks is no step.
func (e *engine) observe(t *thread, result uint64) {
	if e.aborting {
		return
	}
	d := e.depth - 1
	s := &e.observed
	*s = Step{
		N: d, Again: d < e.plen-1, Thread: t.id, Name: t.name,
		Op: t.op, Address: t.ptr, Result: result,
	}
	if address := ops[t.op].address; address != nil {
		s.Address = address(e, t)
	}
	switch {
	case e.alone(t) && t.op.isShown():
		s.Callers = e.shown[t.shown]
	case !s.Again || e.cfg.Before != nil && s.Address != nil:
		runtime.Callers(4, s.Callers[:]) // not observe and what calls it here
	}
	err := e.hide(s)
	if err != nil {
		e.fail(KindStep, "step %d, by %s, %v: %v", d+1, t.name, t.op, err)
	}
}

func (e *engine) hide(s *Step) error {
	eng = nil
	defer func() { eng = e }() // also if the observer panics
	return e.cfg.Observe(s)
}

// observeCommitted is observe for an operation that ends with its commit, because Leave is not
// called after it.
func (e *engine) observeCommitted(t *thread) {
	result := uint64(0)
	if f := ops[t.op].result; f != nil {
		result = f(t)
	}
	e.observe(t, result)
}
