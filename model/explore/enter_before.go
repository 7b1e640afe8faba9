package explore

import (
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"
)

// With Config.Before a thread is explored among others who are not there: before each of its
// operations on atomic memory and futexes, and each Lock of a Mutex, the callback may choose, and
// change memory as others would. The callback gets the thread's whole state of its own, so that it
// can tell whether an execution before was at the same place in the same state.
//
// Of a goroutine at a call, the state is its stack: no register is kept across calls. The words
// from the hook's frame, with the operands, to the function that the thread began with are that
// state, and what they held before they were written by the frames that are there now. To have
// little of that, there is room between a hook and the engine, which is overwritten.

// A Word is one on the stack of a thread.
type Word struct {
	Value uintptr
	Space WordSpace
}

// A WordSpace says what the value of a Word is.
type WordSpace uint8

// The spaces. A word that looks like an address of one of the last two is taken for one.
const (
	WordAsItIs  WordSpace = iota
	WordOnStack           // an address on the same stack: how far from its end
	WordChecker           // an address in what the checker keeps for all executions
)

// alone reports whether a thread is among others who are not there.
func (e *engine) alone(t *thread) bool { return e.cfg.Before != nil && t.id != 0 }

// Passed says that checked code has passed the address of memory of its own to the kernel, which
// does not keep it: Config.Before gets it with the state.
func Passed(p unsafe.Pointer, size uintptr) {
	e := eng
	if e == nil || e.cfg.Before == nil || p == nil {
		return
	}
	e.lent = append(e.lent, Memory{p, size})
}

// Memory is a part of the heap.
type Memory struct {
	Address unsafe.Pointer
	Size    uintptr
}

// showBefore shows the operation that t is about to do to Config.Before. mark is on the stack of
// Enter.
func (e *engine) showBefore(t *thread, p unsafe.Pointer, op Op, mark unsafe.Pointer) {
	if e.aborting {
		panic(abort{})
	}
	// Who is stopped while checked code runs leaves registers on its stack, which make states
	// different that are the same. So this goroutine stops here, and the collector seldom comes.
	runtime.Gosched()
	old, new, width, peek, deadline := t.old, t.new, t.width, t.peek, t.deadline
	for len(e.coming) <= t.id {
		e.coming = append(e.coming, &Step{})
	}
	s := e.coming[t.id] // others may go on while the callback chooses
	*s = Step{N: e.depth, Thread: t.id, Name: t.name, Op: op, Address: p}
	s.Old, s.First = old, e.plen == 0
	s.Again = e.cfg.Record || e.depth < e.plen && int(e.stack[e.depth].tid) == t.id
	if !s.Again || e.cfg.Record || e.depth >= len(e.shown) {
		for len(e.shown) <= e.depth {
			e.shown = append(e.shown, [16]uintptr{})
		}
		e.shown[e.depth] = [16]uintptr{}
		runtime.Callers(3, e.shown[e.depth][:]) // not Callers, showBefore and enterAlone
	}
	t.shown, s.Callers = int32(e.depth), e.shown[e.depth]
	if !s.Again {
		e.words = e.words[:0]
		if op == OpFutexWait || op == OpFutexWake {
			e.words = append(e.words, Word{Value: uintptr(old)}, Word{Value: uintptr(deadline)})
		}
		e.words = e.stackOf(e.words, mark, asks(op, s.callers()))
		s.Stack, s.Passed = e.words, e.lent
	}
	e.cfg.Before(s)
	e.noteStack(mark)
	t.old, t.new, t.width, t.peek, t.deadline = old, new, width, peek, deadline
}

// isShown reports whether Config.Before gets an operation.
func (op Op) isShown() bool {
	return op.isAtomic() || op == OpLock || op == OpFutexWait || op == OpFutexWake
}

// asks returns the address to which the first call returns that was made in package hook, whose
// frame has the operands; or, of a load or a Lock, which have none but an address, and of a futex
// call, whose operands the thread has, the first one that was made in checked code. Tests of this
// package call Enter without hooks.
func asks(op Op, pcs []uintptr) uintptr {
	operands := op.isAtomic() && op != OpLoad
	for _, pc := range pcs {
		f := runtime.FuncForPC(pc - 1)
		if f == nil {
			continue
		}
		name := f.Name()
		if !own(name) || operands && strings.HasPrefix(name, module+"/hook.") {
			return pc
		}
	}
	return pcs[0]
}

// stackEnd is where the stack of a thread ends, as far as it is looked at: a value that has its own
// address.
type stackEnd struct {
	magic [2]uintptr
	self  unsafe.Pointer
}

// How far behind and before that there may be addresses that frames refer to.
const (
	beyond  = 1 << 10
	beneath = 1 << 13
)

var stackMagic = [2]uintptr{0x5eed5eed, 0x0dd0dd0d}

// framed calls f on a stack whose end is marked, and which is empty below.
func framed(e *engine, f func()) {
	e.stackEnds = e.stackEnds[:0]
	wipeAll()
	marked(f)
}

//go:noinline
func marked(f func()) {
	var end stackEnd
	end.magic = stackMagic
	end.self = unsafe.Pointer(&end)
	f()
	if end.magic != stackMagic || end.self != unsafe.Pointer(&end) {
		panic("explore: the end of the stack was written over")
	}
}

// stackOf appends the words of the stack from the one after a return address, which is first looked
// for at mark, to the end.
func (e *engine) stackOf(words []Word, mark unsafe.Pointer, returns uintptr) []Word {
	const size = unsafe.Sizeof(returns)
	low := mark
	low = unsafe.Add(low, -int(uintptr(low)%size))
	for *(*uintptr)(low) != returns {
		low = unsafe.Add(low, size)
	}
	low = unsafe.Add(low, size)
	for kept := len(words); ; words = words[:kept] {
		high := e.noteStack(low)
		for w := low; w != high; w = unsafe.Add(w, size) {
			words = append(words, e.wordOf(*(*uintptr)(w)))
		}
		if uintptr(high) == e.stackEnds[len(e.stackEnds)-1] {
			return words
		}
		// The collector has moved the stack meanwhile.
	}
}

// noteStack returns where the stack ends that p is on, and notes it. The stack may have been moved,
// and what is left of its old place is in words that are not used any more.
func (e *engine) noteStack(p unsafe.Pointer) unsafe.Pointer {
	high := unsafe.Add(p, -int(uintptr(p)%unsafe.Sizeof(uintptr(0))))
	for !(*stackEnd)(high).here() {
		high = unsafe.Add(high, unsafe.Sizeof(uintptr(0)))
	}
	if n := len(e.stackEnds); n == 0 || e.stackEnds[n-1] != uintptr(high) {
		e.stackEnds = append(e.stackEnds, uintptr(high))
	}
	return high
}

// Forget overwrites the operands of a compare-and-swap behind it, which are on the stack of the
// caller of its hook: that one may try again, with others, and goes on as if it did for the first
// time.
//
//go:norace
//go:noinline
func Forget[T any](old, new *T) {
	var zero T
	*old, *new = zero, zero
}

// noteBelow is noteStack for what a hook does behind an operation.
func noteBelow(room *below) {
	if e := eng; e != nil && e.alone(e.cur) {
		e.noteStack(unsafe.Pointer(room))
	}
}

// wordOf says what the value of a word on the stack is. Addresses on the stack are moved with it;
// those that were not are not used any more, and are taken as if they had been.
func (e *engine) wordOf(v uintptr) Word {
	for _, end := range slices.Backward(e.stackEnds) {
		if v >= end-beneath && v < end+beyond {
			return Word{end - v, WordOnStack}
		}
	}
	if e.owns(v) {
		return Word{v, WordChecker}
	}
	return Word{Value: v}
}

// here reports whether this is the end of a stack.
func (s *stackEnd) here() bool { return s.magic == stackMagic && s.self == unsafe.Pointer(s) }

// owns reports whether an address is in the engine or in one of its threads, which are the same in
// all executions.
func (e *engine) owns(v uintptr) bool {
	if v-uintptr(unsafe.Pointer(e)) < unsafe.Sizeof(*e) {
		return true
	}
	for _, t := range e.threads {
		if v-uintptr(unsafe.Pointer(t)) < unsafe.Sizeof(*t) {
			return true
		}
	}
	return false
}

// below is room between a hook and what the engine does for it.
type below [512]uintptr

//go:noinline
func enterBelow(p unsafe.Pointer, op Op) bool {
	var room below
	keep(room[:])
	return enterAlone(p, op)
}

// enterAlone is Enter where threads are explored among others who are not there.
func enterAlone(p unsafe.Pointer, op Op) bool {
	e := eng
	t := e.cur
	word := op & (Wide | pointing)
	op &^= Wide | pointing
	var mark byte
	if sp := uintptr(unsafe.Pointer(&mark)); !t.stack.holds(sp) && e.isUncontrolled(t, sp) {
		return false
	}
	if e.quiet && e.quietStep(t, p, op, word) {
		return true
	}
	if e.alone(t) && op.isShown() {
		e.showBefore(t, p, op, unsafe.Pointer(&mark))
	}
	t.op, t.ptr, t.word = op, p, word
	e.step(t)
	return true
}

//go:noinline
func leaveBelow(val uint64) {
	var room below
	keep(room[:])
	leave(val)
	noteBelow(&room)
}

//go:noinline
func leavePointerBelow(p unsafe.Pointer) {
	var room below
	keep(room[:])
	leavePointer(p)
}

//go:noinline
func leaveValueBelow(format func() string) {
	var room below
	keep(room[:])
	leaveValue(format)
}

//go:noinline
func chooseBelow(n int) int {
	var room below
	keep(room[:])
	return choose(n, nil)
}

//go:noinline
func enterClockBelow(how uint64) bool {
	var room below
	keep(room[:])
	return enterClock(how)
}

//go:noinline
func enterFutexWaitBelow(p unsafe.Pointer, val uint32, timeout time.Duration) FutexResult {
	var room below
	keep(room[:])
	return enterFutexWait(p, val, timeout)
}

//go:noinline
func enterFutexWakeBelow(p unsafe.Pointer, n int) int {
	var room below
	keep(room[:])
	return enterFutexWake(p, n)
}

//go:noinline
func wipeAll() {
	var room [8]below
	for i := range room {
		keep(room[i][:])
	}
}

// keep makes the compiler believe that words are used.
//
//go:noinline
func keep([]uintptr) {}
