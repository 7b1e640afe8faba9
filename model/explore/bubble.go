package explore

import (
	"time"
	"unsafe"
)

// Bubbles of testing/synctest.
//
// A bubble is a set of threads with a clock of their own. The root, which called RunBubble, waits
// for them and is none of them. A thread of a bubble is durably blocked if its operation cannot run
// before another thread of the bubble, or the bubble's time, lets it (durable). The bubble is quiet
// when each of its threads has ended or is durably blocked, and no timer of a function is due. Then
// the first of these comes that there is:
//
//  1. The thread in QuietWait goes on.
//  2. Time passes to the first deadline that a thread waits for, unless the first thread of the
//     bubble has ended. Of several with this deadline any may come first.
//  3. The root goes on. It panics if there are threads left.
//
// # Timers
//
// A timer of a bubble that is due is ready, and need not have fired yet if its deadline is the
// present time: the runtime lets those of one instant fire one after the other, while the threads
// that the first of them woke run. At the end of QuietWait all have fired, and a timer that is set
// to no time at all fires at once (timer.fires). Nothing in a bubble is early, and no look moves
// its clock: the ways of time_passes.go are one.
//
// # Why the reduction stays sound
//
// What can run when a bubble is quiet depends on what each of its threads does next. Let q be one
// of the three, and x an event of a thread of the bubble.
//
//   - x before q: just before x its thread could run, so the bubble was not quiet. The two cannot
//     be exchanged, whatever x does. So q happens after all events of the bubble so far
//     (joinBubble), as a Join happens after those of its threads, and is in no race with them.
//   - x after q: just before q its thread could not run. It can because of q, or because of an
//     event that happens after q; or x is the end of another wait with the same deadline, which
//     reads the clock that q has set. Of these each comes first in some execution, as the decision
//     that runs one of them adds all of them to the backtracking set (tiesWith).
//   - Once the bubble is quiet, nothing that threads outside do changes it: they cannot let a
//     thread go on that is durably blocked. Where they try they fail (mustBelong, mustWake,
//     associate). So q is independent of their events, and those that it needed before, such as the
//     Unlock of a lock that a thread waited for, happen before an event of the bubble.
//
// Which operation q is follows from the events before it, and is the same in all executions of a
// trace.
//
// # What belongs to a bubble
//
// Channels and timers that a thread of it has made, and a WaitGroup in the heap since the first Add
// by one, until a Wait or the last Done ends its use. If a WaitGroup is used both in a bubble and
// outside of it, or in two, then the exploration starts again with its changes ordered: who comes
// first is a matter of the result.
type bubble struct {
	clock   virtualClock
	main    *thread   // the first one
	members threadSet // all that have begun
	waiter  *thread   // is in QuietWait, or nil
	over    bool      // the root has gone on
	round   int       // so many calls of QuietWait have ended
	quiets  int32     // so many times it was quiet, and something came of it (bubble_waits.go)
	settled time.Duration
	next    *bubble // in engine.bubbles
	token   byte    // released by threads that wait or end, acquired where the bubble was quiet
	key     byte    // its address stands for waiter
}

func init() {
	ops[OpBubble] = operation{
		name:    "synctest.Test",
		enabled: func(e *engine, t *thread) bool { return e.bubbleEnds(t.opens) },
		past:    func(e *engine, t *thread, d int32) { e.joinBubble(d, t.opens) },
		apply:   func(e *engine, t *thread, d int32) { e.noteFacing(d) },
		loop:    loopEffect,
	}
	ops[OpQuiet] = operation{
		name:  "synctest.Wait",
		class: write,
		apply: callQuiet,
		loop:  loopEffect,
	}
	ops[OpQuietWait] = operation{
		name:    "synctest.Wait",
		enabled: func(e *engine, t *thread) bool { return e.isQuiet(t.bubble) },
		past:    func(e *engine, t *thread, d int32) { e.joinBubble(d, t.bubble) },
		apply:   endQuiet,
		loop:    loopEffect,
	}
}

// RunBubble runs f as the first thread of a bubble, and returns when all of its threads have ended.
// It panics if those that are left wait for one another. It reports false outside of an execution.
func RunBubble(f func()) bool {
	if !InExecution() {
		return false
	}
	e := eng
	if e.aborting {
		panic(abort{})
	}
	t := e.cur
	if t.bubble != nil {
		panic("synctest.Run called from within a synctest bubble")
	}
	if e.certificate != nil {
		e.certificate.refuse("a bubble of testing/synctest")
	}
	b := &bubble{next: e.bubbles}
	b.clock.of = b
	e.bubbles, t.opens = b, b
	Go("bubble", f, false)
	Enter(nil, OpBubble)
	t.leavesBubble(b)
	b.over = true
	left := e.leftIn(b)
	if left.empty() {
		return true
	}
	reason := "all goroutines in bubble are blocked"
	if !e.alive.has(b.main.id) {
		reason = "main bubble goroutine has exited but blocked goroutines remain"
	}
	panic(e.deadlockIn(left, reason))
}

// QuietWait returns when every other thread of the bubble is durably blocked. It reports false
// outside of an execution.
func QuietWait() bool {
	if !InExecution() {
		return false
	}
	e := eng
	if e.aborting {
		panic(abort{})
	}
	t := e.cur
	b := t.bubble
	if b == nil {
		panic("goroutine is not in a bubble")
	}
	Enter(unsafe.Pointer(&b.key), OpQuiet)
	if b.waiter != t {
		panic("wait already in progress")
	}
	Enter(nil, OpQuietWait)
	t.leavesBubble(b)
	return true
}

// InBubble reports whether the running thread belongs to a bubble.
func InBubble() bool { return eng != nil && eng.cur.bubble != nil }

// Bubbled notes that the running thread has made the channel at p.
func Bubbled(p unsafe.Pointer) {
	if e := eng; e != nil && e.bubbles != nil && InExecution() {
		e.objs[e.object(p)].bubble = e.cur.bubble
	}
}

func callQuiet(_ *engine, t *thread, _ int32) {
	if t.bubble.waiter == nil {
		t.bubble.waiter = t
	}
}

func endQuiet(e *engine, t *thread, d int32) {
	b := t.bubble
	b.waiter, b.settled = nil, b.clock.now
	b.round++
	e.noteWaiters(b, t, d)
}

// starts returns the bubble of what t starts.
func (t *thread) starts() *bubble {
	if b := t.opens; b != nil && !b.over {
		return b
	}
	return t.bubble
}

// enterBubble makes t, which has just been started, a thread of b; nil is none.
func (e *engine) enterBubble(t *thread, b *bubble) {
	if t.bubble != nil {
		t.bubble.members.remove(t.id)
	}
	if t.bubble = b; b == nil {
		return
	}
	b.members.add(t.id)
	if b.main == nil {
		b.main = t
	}
}

// parks tells the race detector that t is about to wait, or to end: what it has done comes before
// the end of a QuietWait, and of the bubble.
func (t *thread) parks() {
	if t.bubble != nil {
		condRelease(unsafe.Pointer(&t.bubble.token))
		if r := eng.rec; r != nil {
			r.order.add(entryMerges, t.id, tokenOf(unsafe.Pointer(&t.bubble.token)))
		}
	}
}

// leavesBubble is the other end of parks.
func (t *thread) leavesBubble(b *bubble) {
	condAcquire(unsafe.Pointer(&b.token))
	if r := eng.rec; r != nil {
		r.order.add(entryAcquires, t.id, tokenOf(unsafe.Pointer(&b.token)))
	}
}

// joinBubble adds everything that threads of the bubble have done to the clock of event d.
func (e *engine) joinBubble(d int32, b *bubble) {
	for i := b.members.first(); i >= 0; i = b.members.next(i + 1) {
		if p := e.threads[i].prev; p >= 0 {
			e.join(d, p)
		}
	}
}

// isQuiet reports whether every thread of the bubble that has not ended, other than one in
// QuietWait, is durably blocked.
func (e *engine) isQuiet(b *bubble) bool {
	alive := b.members.intersection(e.alive)
	for i := alive.first(); i >= 0; i = alive.next(i + 1) {
		t := e.threads[i]
		if !e.gated.has(i) || t.op != OpQuietWait && (!e.durable(t) || ops[t.op].enabled(e, t)) {
			return false
		}
	}
	return true
}

// durable reports whether t, a thread of a bubble, is durably blocked if it cannot run.
func (e *engine) durable(t *thread) bool {
	switch t.op {
	case OpSend, OpRecv, OpSelect, OpPosted, OpMet, OpGot:
		for _, c := range t.chanOp.cases {
			if c.obj >= 0 && e.objs[c.obj].bubble != t.bubble {
				return false
			}
		}
		return true
	case OpWGWait:
		return e.objs[t.obj].bubble == t.bubble
	case OpJoin:
		return t.children.intersection(e.alive).without(t.bubble.members).empty()
	}
	return t.op == OpAwake || t.op == OpTimerFire || t.op == OpCondWait || t.op == OpQuietWait
}

// clockFor returns the clock on which a deadline may pass for t's operation because nothing else
// can run: that of its bubble if it is durably blocked.
func (e *engine) clockFor(t *thread) *virtualClock {
	if t.bubble != nil && e.durable(t) {
		return &t.bubble.clock
	}
	return &e.clock
}

// timePasses returns the threads to whose deadlines the time of their bubbles may pass.
func (e *engine) timePasses() (who threadSet) {
	for b := e.bubbles; b != nil; b = b.next {
		if e.canPass(b) {
			who = who.union(e.firstInBubble(b))
		}
	}
	return who
}

// tiesWith returns the threads to whose deadline the time of t's bubble may pass if t is one of
// them, else none.
func (e *engine) tiesWith(t *thread) threadSet {
	if t.bubble != nil && ops[t.op].deadline != nil && e.canPass(t.bubble) {
		if ties := e.firstInBubble(t.bubble); ties.has(t.id) {
			return ties
		}
	}
	return threadSet{}
}

// canPass reports whether the time of the bubble passes if a thread waits for that.
func (e *engine) canPass(b *bubble) bool {
	return !b.over && b.waiter == nil && e.alive.has(b.main.id) && e.isQuiet(b)
}

// firstInBubble returns the threads whose deadline is the first one of the bubble.
func (e *engine) firstInBubble(b *bubble) (who threadSet) {
	first := time.Duration(0)
	waiting := b.members.intersection(e.gated)
	for i := waiting.first(); i >= 0; i = waiting.next(i + 1) {
		t := e.threads[i]
		if ops[t.op].deadline == nil || e.clockFor(t).of != b {
			continue
		}
		d, ok := ops[t.op].deadline(e, t)
		switch {
		case !ok || !who.empty() && d > first:
		case who.empty() || d < first:
			who, first = only(i), d
		default:
			who.add(i)
		}
	}
	return who
}

// bubbleEnds reports whether the root of the bubble goes on.
func (e *engine) bubbleEnds(b *bubble) bool {
	if b.waiter != nil || !e.isQuiet(b) {
		return false
	}
	return !e.alive.has(b.main.id) || e.firstInBubble(b).empty()
}

// leftIn returns the threads of the bubble that have not ended.
func (e *engine) leftIn(b *bubble) threadSet {
	return b.members.intersection(e.alive).without(e.daemons)
}

// bubbleDeadlock is what RunBubble panics with.
type bubbleDeadlock struct {
	reason  string
	failure *Failure
}

// Error returns what package synctest says.
func (d *bubbleDeadlock) Error() string { return "deadlock: " + d.reason }

// deadlockIn describes the threads left of a bubble. They stay as they are: if the program
// recovers, the rest of it goes on without them.
func (e *engine) deadlockIn(left threadSet, reason string) *bubbleDeadlock {
	f := e.blockedFailure(left)
	var who []string
	for _, b := range f.Blocked {
		who = append(who, b.Name+" in "+b.Op)
	}
	f.Kind, f.Message = KindDeadlock, reason+": "+listed(who)
	for i := left.first(); i >= 0; i = left.next(i + 1) {
		e.background.add(i)
		e.detached.add(i)
	}
	return &bubbleDeadlock{reason, f}
}

// inDeadBubble reports whether the execution has ended because all threads of a bubble wait.
func (e *engine) inDeadBubble() bool { return e.failure != nil && e.failure.Kind == KindDeadlock }

// setInBubble is called when a timer of the bubble is set to d.
func (e *engine) setInBubble(tm *timer, b *bubble, d time.Duration) {
	tm.short, tm.settled, tm.round = false, d <= 0, b.round
	if tm.fn != nil && !tm.waits && tm.settled {
		tm.armed, tm.runs = false, true
	}
}

// fires reports whether the timer, which is due, belongs to a bubble and need not have fired yet.
func (tm *timer) fires() bool {
	b := tm.clock.of
	return b != nil && !tm.settled && tm.deadline >= b.clock.now &&
		(tm.deadline > b.settled || tm.round == b.round)
}

// communicates names an operation for mustBelong.
func communicates(send bool, cases int) string {
	switch {
	case cases > 1:
		return "select on synctest channel"
	case send:
		return "send on synctest channel"
	}
	return "receive on synctest channel"
}

// mustBelong ends the execution if t uses an object of a bubble that it does not belong to.
func (e *engine) mustBelong(t *thread, obj int32, what string) {
	if b := e.objs[obj].bubble; b != nil && b != t.bubble {
		e.fail(KindPanic, "fatal error: %s from outside bubble", what)
	}
}

// mustWake ends the execution if t wakes u, which waits for a Cond in another bubble.
func (e *engine) mustWake(t, u *thread) {
	if u.bubble != nil && u.bubble != t.bubble {
		e.fail(KindPanic,
			"fatal error: semaphore wake of synctest goroutine from outside bubble")
	}
}

// associate is called before t adds to a WaitGroup.
func (e *engine) associate(t *thread, o *object) {
	e.noteUser(t, o)
	b := t.bubble
	if b != nil && inData(o.ptr) {
		b = nil
	}
	const both = "fatal error: sync: WaitGroup.Add called from inside and outside synctest bubble"
	switch {
	case b != nil && o.bubble != nil && b != o.bubble:
		e.fail(KindPanic,
			"fatal error: sync: WaitGroup.Add called from multiple synctest bubbles")
	case b == nil && o.bubble != nil, b != nil && o.bubble == nil && o.count != 0:
		e.fail(KindPanic, "%s", both)
	}
	o.bubble = b
}

// noteUser has the changes of a WaitGroup ordered if it is used in a bubble and elsewhere.
func (e *engine) noteUser(t *thread, o *object) {
	if o.used && o.user != t.bubble && e.reduce && !e.orderDones {
		e.wantOrderDones = true
	}
	o.used, o.user = true, t.bubble
}

// inData reports whether p is the address of a package variable. The runtime cannot associate one
// with a bubble. Its data lie together, and far from the heap.
func inData(p unsafe.Pointer) bool {
	d := int64(uintptr(p)) - int64(uintptr(unsafe.Pointer(&dataMark)))
	return -1<<31 < d && d < 1<<31
}

var dataMark byte
