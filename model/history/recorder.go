package history

import (
	"fmt"
	"reflect"
	"sync"
)

// Kind tells the two instants of an operation apart.
type Kind uint8

// The instants of an operation.
const (
	CallInstant Kind = iota
	ReturnInstant
)

// Options connect a recorder with what runs the threads. The zero value suits a test in which one
// goroutine does everything.
type Options struct {
	// Concurrent makes the recorder safe for goroutines that run at the same time, as in a stress
	// test. Under the race detector its lock stays hidden, so that it orders nothing in the program
	// that is tested.
	Concurrent bool

	// Thread says which thread is running, counted from 0. Without it, an operation is put in the
	// lowest lane in which no other operation is open.
	Thread func() int

	// Instant is called on the running thread right before a call or a return is recorded. An
	// engine makes it a scheduling point (see the package documentation).
	Instant func(Kind)

	// ThreadName names a thread in reports; without it, threads are T0, T1, ...
	ThreadName func(thread int) string
}

// Recorder holds the history of one execution. [Judge.Recorder] makes one for a specification;
// [Call], [Return] and [Do] record in it. It is reused: [Recorder.Reset] empties it for the next
// execution.
type Recorder struct {
	opts Options

	// mu is used in the concurrent mode only: it would order the threads of a controlled execution.
	mu sync.Mutex

	events  []event  // in the order they happened
	ops     []opInfo // in the order of their calls
	threads []thread

	// *column[O] and *column[R] of the specification. Kept as two values, so that Call need not
	// know the type of the results, nor Return that of the operations.
	calls, returns any // untyped
}

type event struct {
	// code says what happened: thread<<32 | ordinal<<1 | 1 for a return. The operation is its
	// thread's ordinal-th, counted from 0, and so the same one in each interleaving. Events of one
	// kind are ordered by it.
	code uint64
	op   int32
}

func (e event) isReturn() bool { return e.code&1 != 0 }

type opInfo struct {
	code   uint64 // of its call
	result int32  // index in the column of results; -1 while the operation is open
}

func (o opInfo) thread() int { return int(o.code >> 32) }

type thread struct {
	calls uint32 // operations called so far
	open  int32  // of these, not yet returned
}

// column holds values of one type in the order they were recorded.
type column[T comparable] struct{ values []T }

// Sizes the buffers start with: longer histories are rare in an exploration, and merely make them
// grow once.
const (
	startOps     = 64
	startThreads = 8
)

func newRecorder(calls, returns any, opts Options) *Recorder {
	return &Recorder{
		opts:    opts,
		events:  make([]event, 0, 2*startOps),
		ops:     make([]opInfo, 0, startOps),
		threads: make([]thread, 0, startThreads),
		calls:   calls,
		returns: returns,
	}
}

// Call records that the running thread calls op, and returns the number that [Return] wants.
// O must be the type of the operations of the recorder's specification.
//
//go:norace
//go:noinline
func Call[O comparable](h *Recorder, op O) int {
	c, ok := h.calls.(*column[O])
	if !ok {
		wrongType(h, "operation", op)
	}
	if h.opts.Instant != nil {
		h.opts.Instant(CallInstant)
	}
	if h.opts.Concurrent {
		h.lock()
	}
	id := h.begin()
	c.values = append(c.values, op)
	if h.opts.Concurrent {
		h.unlock()
	}
	return id
}

// Return records that the operation id, a number from [Call], returns result.
// R must be the type of the results of the recorder's specification.
//
//go:norace
//go:noinline
func Return[R comparable](h *Recorder, id int, result R) {
	c, ok := h.returns.(*column[R])
	if !ok {
		wrongType(h, "result", result)
	}
	if h.opts.Instant != nil {
		h.opts.Instant(ReturnInstant)
	}
	if h.opts.Concurrent {
		h.lock()
	}
	wrong := h.end(id, int32(len(c.values)))
	c.values = append(c.values, result)
	if h.opts.Concurrent {
		h.unlock()
	}
	if wrong != "" {
		panic(fmt.Sprintf("history: Return for operation %d, which %s", id, wrong))
	}
}

// Do records op around f, and returns what f returned. When f panics, the operation stays open.
func Do[O, R comparable](h *Recorder, op O, f func() R) R {
	id := Call(h, op)
	result := f()
	Return(h, id, result)
	return result
}

// Reset forgets what was recorded and keeps the memory. No thread may be recording.
//
//go:norace
//go:noinline
func (h *Recorder) Reset() {
	h.events = h.events[:0]
	h.ops = h.ops[:0]
	h.threads = h.threads[:0]
	h.calls.(untyped).reset()
	h.returns.(untyped).reset()
}

// Len returns the number of operations recorded, the open ones included.
//
//go:norace
//go:noinline
func (h *Recorder) Len() int {
	if h.opts.Concurrent {
		h.lock()
	}
	n := len(h.ops)
	if h.opts.Concurrent {
		h.unlock()
	}
	return n
}

// Open returns the number of operations that were called and have not returned.
//
//go:norace
//go:noinline
func (h *Recorder) Open() int {
	if h.opts.Concurrent {
		h.lock()
	}
	n := 0
	for i := range h.threads {
		n += int(h.threads[i].open)
	}
	if h.opts.Concurrent {
		h.unlock()
	}
	return n
}

// ThreadName returns the name of a thread in reports.
func (h *Recorder) ThreadName(thread int) string {
	if h.opts.ThreadName != nil {
		return h.opts.ThreadName(thread)
	}
	return fmt.Sprintf("T%d", thread)
}

// untyped is a column of any type.
type untyped interface {
	reset()
	typeName() string
}

//go:norace
//go:noinline
func (c *column[T]) reset() { c.values = c.values[:0] }

func (c *column[T]) typeName() string { return reflect.TypeFor[T]().String() }

// begin opens an operation of the running thread. Its caller holds the lock.
//
//go:norace
//go:noinline
func (h *Recorder) begin() int {
	lane := 0
	if h.opts.Thread != nil {
		lane = h.opts.Thread()
		if lane < 0 {
			panic(fmt.Sprintf("history: Options.Thread returned %d", lane))
		}
	} else {
		for lane < len(h.threads) && h.threads[lane].open > 0 {
			lane++
		}
	}
	for len(h.threads) <= lane {
		h.threads = append(h.threads, thread{})
	}
	t := &h.threads[lane]
	id := len(h.ops)
	code := uint64(lane)<<32 | uint64(t.calls)<<1
	h.ops = append(h.ops, opInfo{code: code, result: -1})
	h.events = append(h.events, event{code: code, op: int32(id)})
	t.calls++
	t.open++
	return id
}

// end closes an operation; its result is the one with that index. It returns what is wrong, if
// anything. Its caller holds the lock.
//
//go:norace
//go:noinline
func (h *Recorder) end(id int, result int32) string {
	if id < 0 || id >= len(h.ops) {
		return "was never called"
	}
	op := &h.ops[id]
	if op.result >= 0 {
		return "has returned already"
	}
	op.result = result
	h.threads[op.thread()].open--
	h.events = append(h.events, event{code: op.code | 1, op: int32(id)})
	return ""
}

// lock and unlock are for the concurrent mode.

func (h *Recorder) lock() {
	hide()
	h.mu.Lock()
}

func (h *Recorder) unlock() {
	h.mu.Unlock()
	show()
}

func wrongType[T any](h *Recorder, what string, value T) {
	want := h.calls
	if what == "result" {
		want = h.returns
	}
	panic(fmt.Sprintf("history: %s of type %T in a recorder of %s: "+
		"does the check name the right specification?",
		what, value, want.(untyped).typeName()))
}
