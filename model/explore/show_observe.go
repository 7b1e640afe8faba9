package explore

import (
	"runtime"
	"unsafe"
)

// A Step is one executed operation, as Config.Observe sees it.
type Step struct {
	// N is the number of steps of this execution that came before.
	N int
	// Again says that the execution before began with the same steps, up to and with this one. Addresses may
	// differ, and Callers is not set.
	Again bool
	// Thread is who did it, and Name its name.
	Thread int
	Name   string
	// Op is what was done, and Address on what; nil if it was on no object.
	Op      Op
	Address unsafe.Pointer
	// Result is what an atomic operation returned, 0 if that is a pointer; what a Store stored; how many a futex
	// wake woke; 1 or 0 for true or false.
	Result uint64
	// Callers is where the operation stands, innermost first, as runtime.CallersFrames reads it. The first few
	// frames are the checker's own.
	Callers [16]uintptr
}

// Frames returns the stack of the operation without the checker's own frames.
func (s *Step) Frames() []Frame {
	n := 0
	for n < len(s.Callers) && s.Callers[n] != 0 {
		n++
	}
	return frames(s.Callers[:n])
}

// observe shows the last event, which is t's and has been executed, to
// Config.Observe. Meanwhile there is no execution: what the observer reads
// by hooks is read, and is no step.
func (e *engine) observe(t *thread, result uint64) {
	if e.aborting {
		return
	}
	d := e.depth - 1
	s := &e.observed
	*s = Step{N: d, Again: d < e.plen-1, Thread: t.id, Name: t.name, Op: t.op, Address: t.ptr, Result: result}
	if address := ops[t.op].address; address != nil {
		s.Address = address(e, t)
	}
	if !s.Again {
		runtime.Callers(3, s.Callers[:])
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

// observeCommitted is observe for an operation that is over when it is committed:
// Leave is not called after it.
func (e *engine) observeCommitted(t *thread, m *operation) {
	result := uint64(0)
	if m.result != nil {
		result = m.result(t)
	}
	e.observe(t, result)
}
