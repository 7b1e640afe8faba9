package explore

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/surewake/surewake/model/wire"
)

// A Kind classifies failures.
type Kind string

// The kinds of failure.
const (
	KindPanic          Kind = "panic"
	KindAssert         Kind = "assertion failed"
	KindDeadlock       Kind = "deadlock"
	KindLeak           Kind = "goroutine leak"
	KindLivelock       Kind = "livelock"
	KindRace           Kind = "data race"
	KindHistory        Kind = "history violates its specification"
	KindNondeterminism Kind = "nondeterminism"
	KindRefused        Kind = "not modelled"
	KindUncontrolled   Kind = "real goroutine"
	KindExit           Kind = "goroutine exit"
	KindLimit          Kind = "limit"
	KindStep           Kind = "step refused"
	KindInternal       Kind = "internal error of the checker"
)

// Wire gives the kind that the command is told.
func (k Kind) Wire() wire.Kind {
	switch k {
	case KindPanic:
		return wire.KindPanic
	case KindAssert, KindStep:
		return wire.KindAssertion
	case KindDeadlock:
		return wire.KindDeadlock
	case KindLeak:
		return wire.KindLeak
	case KindLivelock:
		return wire.KindLivelock
	case KindRace:
		return wire.KindRace
	case KindHistory:
		return wire.KindHistory
	case KindNondeterminism:
		return wire.KindNondeterminism
	case KindRefused, KindUncontrolled, KindExit:
		return wire.KindRefused
	case KindLimit:
		return wire.KindLimit
	}
	return wire.KindInternal
}

// A Failure is what went wrong in one execution, with the schedule that shows it.
type Failure struct {
	Kind        Kind
	Message     string
	Stack       string // of a panic
	At          Frame  // where the failing thread was; zero if unknown
	Schedule    []wire.Decision
	Preemptions int
	Blocked     []wire.Blocked // threads that cannot go on
	Passed      bool           // time passed while threads could run: see Config.TimePasses
	Passing     []string       // where, if the execution was recorded
	Later       bool           // the execution was not the first of its process
	AnyLoops    bool           // the search compared the iterations of all loops (thread_fair.go)
}

// Error returns the kind and the message.
func (f *Failure) Error() string { return string(f.Kind) + ": " + f.Message }

func boundText(n int) string {
	return fmt.Sprintf("no end after %d steps: a livelock, a body that never ends, "+
		"or a long one (model.MaxSteps raises the bound)", n)
}

// fail ends the execution with a failure. The running thread calls it; it does not return.
func (e *engine) fail(k Kind, format string, args ...any) {
	if e.failure == nil && e.isAstray() {
		switch k {
		case KindAssert, KindPanic, KindLivelock:
			e.noteGoexit(e.cur.co)
			runtime.Goexit()
		case KindRefused: // it may be in the middle of something
			e.aborting, e.next = true, endPruned
			panic(abort{})
		}
	}
	if e.failure == nil {
		e.failure = &Failure{Kind: k, Message: fmt.Sprintf(format, args...), At: here()}
	}
	e.aborting = true
	e.next = endFailed
	panic(abort{})
}

// here is the innermost frame of checked code on this stack.
func here() Frame {
	var pcs [32]uintptr
	return place(pcs[:runtime.Callers(2, pcs[:])])
}

// notControlled ends the message about a body that does not repeat itself.
const notControlled = "; the body depends on something the checker does not control " +
	"(map order, a real clock, a random number, a variable that outlives an execution, " +
	"a real goroutine)"

func (e *engine) nondeterministic(format string, args ...any) {
	if e.failure == nil {
		message := fmt.Sprintf(format, args...) + notControlled
		e.failure = &Failure{Kind: KindNondeterminism, Message: message}
	}
}

// pendingList names the pending operation of each thread.
func (e *engine) pendingList() string {
	var out []string
	all := e.runnable.union(e.gated)
	for i := all.first(); i >= 0; i = all.next(i + 1) {
		t := e.threads[i]
		out = append(out, t.name+" in "+t.op.String())
	}
	return listed(out)
}

// mismatch fails an execution in which a step of the prefix differs from the one seen before.
func (e *engine) mismatch(t *thread, ev *event) {
	e.fail(KindNondeterminism, "step %d of %s was %s on object #%d and is now %s on object #%d"+
		notControlled,
		e.depth+1, t.name, ev.op, ev.obj, t.op, t.obj)
}

// differentResult fails the execution because the last event, ev, had another result than val in an
// earlier run of the same schedule.
func (e *engine) differentResult(ev *event, val uint64) {
	e.fail(KindNondeterminism, "the same schedule gave another result: "+
		"step %d, %s of %s, gave %s before and %s now"+notControlled,
		e.depth, ev.op, e.threads[ev.tid].name, bare(ev.val), bare(val))
}

// bare is a result of which no type is known: it may be an address.
func bare(val uint64) string {
	if val < 1<<20 {
		return strconv.FormatUint(val, 10)
	}
	return fmt.Sprintf("%#x", val)
}

// blockedFailure classifies an execution in which the gated threads waiting can never run, and says
// who waits for what.
func (e *engine) blockedFailure(waiting threadSet) *Failure {
	f := &Failure{}
	if e.rec != nil {
		e.rec.waits = nil
	}
	spins := 0
	var who []string
	waiting = waiting.without(e.daemons)
	if e.threads[0].fin {
		waiting = waiting.without(e.background)
	}
	all := e.n
	if e.cfg.Outer && e.threads[0].op == OpJoin {
		all--
		waiting.remove(0)
	}
	for i := waiting.first(); i >= 0; i = waiting.next(i + 1) {
		t := e.threads[i]
		b := wire.Blocked{Thread: t.id, Name: t.name, Op: t.doing()}
		if e.rec != nil {
			at := place(t.pcs[:t.npcs])
			b.File, b.Line = at.File, at.Line
			b.Object, b.Note = objectName(t.obj), e.rec.locks.waitsFor(e, t)
			showWait(&b, t)
			e.rec.waits = append(e.rec.waits, made{
				tid: t.id, obj: t.obj, objs: int32(e.nobjs), op: t.op, class: e.classOf(t),
			})
		}
		f.Blocked = append(f.Blocked, b)
		who = append(who, t.name+" in "+b.Op)
		if t.op == OpSpin {
			spins++
		}
	}
	left := len(who)
	list := listed(who)
	switch {
	case spins > 0:
		f.Kind = KindLivelock
		f.Message = fmt.Sprintf("%d of %d goroutines can never go on, "+
			"%d of them repeat an iteration without effect: %s", left, all, spins, list)
	case e.threads[0].fin:
		f.Kind = KindLeak
		f.Message = fmt.Sprintf("the body returned, but %d of %d goroutines wait for ever: %s",
			left, all, list)
	case left == all:
		f.Kind = KindDeadlock
		f.Message = "every goroutine waits for ever: " + list
	default:
		f.Kind = KindDeadlock
		f.Message = fmt.Sprintf("partial: %d of %d goroutines wait for ever: %s", left, all, list)
	}
	return f
}

// listed is the text of a list of goroutines: of a long one the beginning.
func listed(who []string) string {
	const most = 20
	if len(who) <= most {
		return strings.Join(who, ", ")
	}
	return fmt.Sprintf("%s and %d others", strings.Join(who[:most], ", "), len(who)-most)
}

// notePanic stores the stack of a panic that leaves a coroutine: it is lost when the panic is
// repeated in the caller of next.
func (e *engine) notePanic(p any) {
	if _, ok := p.(abort); !ok && e.trail == 0 && !e.aborting {
		e.trail = runtime.Callers(3, e.trailPCs[:])
	}
}

// brokenEngine reports whether a panic is a defect of this package: a run-time
// error that was raised in it. A nil pointer is not, as the engine reads the
// memory of the program.
func brokenEngine(p any, stack []uintptr) bool {
	err, ok := p.(runtime.Error)
	if !ok || strings.Contains(err.Error(), "invalid memory address") {
		return false
	}
	raised := false
	for it := runtime.CallersFrames(stack); ; {
		f, more := it.Next()
		switch {
		case f.Function == "runtime.gopanic":
			raised = true
		case raised && !strings.HasPrefix(f.Function, "runtime."):
			return strings.HasPrefix(f.Function, module+"/explore.")
		}
		if !more {
			return false
		}
	}
}

// panicStack returns the stack of a panic that has reached the end of its thread, beginning in the
// coroutine that it left, if it left one.
func (e *engine) panicStack() string {
	own := string(debug.Stack())
	if e.trail == 0 {
		return own
	}
	head, rest, _ := strings.Cut(own, "\n")
	for _, f := range slices.Backward(frames(e.trailPCs[:e.trail])) {
		rest = fmt.Sprintf("%s(...)\n\t%s:%d\n%s", f.Func, f.File, f.Line, rest)
	}
	return head + "\n" + rest
}
