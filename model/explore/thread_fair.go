package explore

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Loops that wait.
//
// A loop can wait for another thread by any means: a select with default, TryLock, an addition that
// is taken back, a lock that is left and taken again, a sleep that doubles. Such a loop has no
// longest execution, but under a fair scheduler it ends. An iteration is fruitless if the thread
// executed the same operations on the same objects with the same results as in the iteration
// before, moved no value through a channel, replaced no pointer, and no CompareAndSwap of it failed
// because another thread was faster. Iterations are seen at the heads of marked loops, and at the
// receives of a thread from one ticker.
//
//   - The exact rule (thread_spin.go): an iteration of a loop without effects of its own that only
//     read, and carries to the next what the one before carried to it, is not repeated before
//     something that it read has changed. Nothing is lost: the iterations left out begin and end in
//     one state, and no thread sees them.
//   - The fair rule, for all others: after fruitlessLaps fruitless iterations in a row the thread
//     is tired. Tired threads run only when no other thread is enabled, one at a time: each until
//     its iteration ends, it cannot run, or another can that could not before (it left a lock).
//     Then that one runs, otherwise the one whose turn was the longest ago. A thread is rested when
//     an operation has another result than in the iteration before, or it enters another loop. This
//     is the priority of threads that yielded in Musuvathi, Qadeer: Fair Stateless Model Checking,
//     PLDI 2008, given after a number of iterations and not at yields. Go's select is fair, too: a
//     tired thread's takes all its ready cases again and again, in an order that is fixed
//     (thread_cases.go), which is called in turn.
//
// What the fair rule explores. Call an execution patient if it takes every step of a tired thread
// when no other thread is enabled, in the order of turns, and the cases of its selects in turn.
// Whether a thread is tired, and which case has its turn, follows from the thread's own operations
// and their results, and whether nothing else is enabled from the set of events so far. So these
// are the same in all executions of a trace, if the steps of tired threads depend on everything
// before them, and they do (event.idle, joinAll). The search is therefore that of a program whose
// tired threads wait for a gate, and it explores all traces of patient executions, except for the
// order of turns, which is one. A reversal that needs a step of a tired thread while others are
// enabled leaves the set, and is not attempted.
//
// Timeouts come in the order of their deadlines, those of tired threads included. When idleLaps
// steps have passed in which only tired threads and timeouts ran, a tired thread that had its turn
// in them no longer keeps back the timeouts of others: a beat of a millisecond does not repeat
// itself until an hour has passed.
//
// What is lost. Every execution that is not patient has a thread that repeats an iteration more
// than fruitlessLaps times while another thread could run, or while a select of it could take
// another case. The repetition is visible at most by its count, by the time that it takes, and by
// what others see of its middle. It is no proof that these do not matter, so the verdict is bounded
// and names the loop (Result.Bounded). A finite fair execution in which no thread repeats more is
// patient up to the order of independent steps.
//
// What never ends. When all that runs are tired threads and timers, for half the bound on steps,
// then every enabled thread had its turns, and repeated itself, with each case of its selects. All
// that an iteration of a marked loop carries to the next are the variables that Turn is given. No
// timer of another thread is to come: it would have come after idleLaps steps. If these variables
// did not change either, then each thread is in the state in which it was an iteration ago, and a
// fair scheduler can go on like this for ever. Where selects chose, an iteration must have changed
// nothing that is shared: then it returns to this state with any cases. That is a livelock, or the
// deadlock of those who wait meanwhile. If they did change, as a counter of attempts does, the
// loop may end by itself: the execution goes on up to a larger bound, after which it is not
// decided. A body that returned does not wait for threads that let time pass in every iteration:
// as at the end of a process, they stop.
//
// Other loops. An execution can reach the bound on steps, or choose among ready cases of selects
// mostChosen times, without a thread that is tired: in a loop that writes shared memory, calls what
// is not known, or is no for statement. Then the exploration starts again, and the iterations of
// these loops are compared as well (Loop), without the results of what they change; nor are the
// results of additions, in any loop: it may count in an atomic variable. The rule above is only a
// restriction of the executions, whatever an iteration does, so the verdict is bounded and names
// the loop as before. But what such a loop carries to its next iteration is not known, so it never
// counts as a livelock.
//
// Loops inside one another are all compared; a thread is tired if it is tired of one of them. The
// end of a loop is not seen. One that has ended is forgotten when a loop around it begins its next
// iteration, and until then the operations that follow differ from those of its iterations.

const (
	fruitlessLaps = 2   // fruitless iterations after which a thread is tired
	maxLap        = 64  // operations of an iteration that are compared
	maxNested     = 8   // loops around one another of which a thread's iterations are compared
	idleLaps      = 100 // steps of tired threads and timers alone, until others need not wait
	stillLaps     = 32  // iterations for each that differs by its cases, until all have come up
)

// What event.idle holds: why the event could run though it comes last.
const (
	busy     uint8 = iota // it was enabled
	tiredRan              // a step of a tired thread
	timeRan               // a timeout
)

// lapOp is an operation of an iteration, as far as it is compared.
type lapOp struct {
	op    Op
	obj   int32
	taken int32 // of an operation that takes a case
	val   uint64
}

// callPlace is a memo of loopPlace. There are few of them, and a map would show the race detector
// accesses by the threads.
type callPlace struct {
	pcs  [24]uintptr
	text string
}

// lap is what is known about the iterations of a thread in one loop.
type lap struct {
	loop        uint64
	kind        loopKind
	ops, before []lapOp   // of this iteration, of the one before
	others      [][]lapOp // of earlier ones that took other cases of a select (thread_cases.go)
	chose       bool      // a select of this one had several ready cases
	progress    bool      // this one cannot be fruitless
	same        int       // fruitless ones in a row
	state       []any     // the loop's variables at the head of this iteration
	still       int       // iterations in a row that changed none of them
	blind       bool      // results were left out of ops: it may count
	at          string    // where the loop is, once the thread was tired of it
}

// A loopKind says what the rewriter knows about a loop.
type loopKind uint8

const (
	exactLoop loopKind = iota // it has no effect of its own (thread_spin.go)
	fairLoop                  // it changes variables that Turn is given, and nothing else
	anyLoop                   // it may do anything
)

// Turn is called at the head of each iteration of activation n of a loop that changes nothing but
// variables of its function. state has those of them that can decide how it goes on.
func Turn(n uint64, state ...any) {
	e := eng
	if e != nil && e.cfg.Before != nil {
		clear(state)
		return
	}
	if e == nil || n == 0 || e.quiet {
		return
	}
	l := e.lapHead(e.cur, n, fairLoop)
	moved := l.carry(state)
	if !moved && len(l.before) == 0 && e.tired.has(e.cur.id) {
		e.cur.spin.pause()
	}
}

// carry keeps the variables at the head of an iteration. It reports whether they differ from those
// at the head of the iteration before.
func (l *lap) carry(state []any) bool {
	moves := len(l.state) != len(state)
	for i, v := range state {
		moves = moves || !sameState(l.state[i], v)
	}
	if l.state = append(l.state[:0], state...); moves {
		l.still = 0
	}
	return moves
}

// sameState reports whether two values of a loop's variable are equal.
func sameState(a, b any) (same bool) {
	defer func() {
		if recover() != nil { // they cannot be compared
			same = false
		}
	}()
	return a == b
}

// Loop is called at the head of each iteration of a loop of which nothing is known. Its iterations
// are not compared until an execution has reached the bound on steps.
func Loop(n uint64) {
	e := eng
	switch {
	case e == nil || e.quiet || e.cfg.Before != nil:
	case !e.anyLoops:
		e.sawLoop = true
	default:
		e.lapHead(e.cur, n, anyLoop)
	}
}

// lapHead begins an iteration of t in the loop n, and ends the one before.
func (e *engine) lapHead(t *thread, n uint64, kind loopKind) *lap {
	s := &t.spin
	for i := len(s.laps) - 1; i >= 0 && s.on; i-- {
		if s.laps[i].loop == n {
			s.effects = s.effects || i < len(s.laps)-1
			s.laps = s.laps[:i+1] // the loops inside it have ended
			e.lapEnd(t)
			return s.laps[i]
		}
	}
	e.enterLoop(t, n, kind)
	return s.top()
}

// enterLoop begins the first iteration of t in the loop n.
func (e *engine) enterLoop(t *thread, n uint64, kind loopKind) {
	s := &t.spin
	e.sawLoop = true
	s.on = true
	s.begin()
	if len(s.laps) == maxNested { // most likely the first one has ended
		first := s.laps[0]
		for i := range maxNested - 1 { // the race detector would look at what copy moves
			s.laps[i] = s.laps[i+1]
		}
		s.laps[maxNested-1] = first
		s.laps = s.laps[:maxNested-1]
		e.judgeTired(t)
	}
	if len(s.laps) < cap(s.laps) {
		s.laps = s.laps[:len(s.laps)+1]
	} else {
		s.laps = append(s.laps, nil)
	}
	if s.top() == nil {
		s.laps[len(s.laps)-1] = new(lap)
	}
	l := s.top()
	*l = lap{
		loop: n, kind: kind,
		ops: l.ops[:0], before: l.before[:0], others: l.others[:0], state: l.state[:0],
	}
}

// lapEnd judges the iteration that has ended, of the innermost loop.
func (e *engine) lapEnd(t *thread) {
	l := t.spin.top()
	l.still++
	if !l.progress && l.repeats() {
		l.same++
	} else {
		l.same = 0
	}
	if l.same >= fruitlessLaps && l.at == "" {
		l.at = e.loopPlace()
		if l.kind == anyLoop || l.blind {
			l.at += " (which may have effects that are not seen)"
		}
	}
	e.judgeTired(t)
	l.next()
	l.progress = false
}

// tiredOf returns the outermost loop of which the thread is tired, nil if there is none.
func (s *spinning) tiredOf() *lap {
	for i := range s.laps {
		if s.laps[i].same >= fruitlessLaps {
			return s.laps[i]
		}
	}
	return nil
}

// judgeTired finds out whether t is tired.
func (e *engine) judgeTired(t *thread) {
	if t.spin.tiredOf() != nil {
		e.tired.add(t.id)
		e.tireApart()
	} else {
		e.tired.remove(t.id)
	}
}

// lapNote adds t's operation, which is event d, to its iteration.
func (e *engine) lapNote(t *thread, ev *event, d int32) {
	s := &t.spin
	if e.cfg.Before != nil {
		return
	}
	if n := e.ticks(t); n != 0 && (!s.on || s.top().loop>>63 == 1) {
		e.lapHead(t, n, fairLoop)
	}
	if !s.on {
		e.chosen += e.freely(t, ev)
		return
	}
	c := ev.did()
	s.note(t, c, d)
	progress, chose := false, false
	r := lapOp{op: t.op, obj: t.obj, val: uint64(c)}
	switch {
	case ev.op == OpSpin:
		return
	case ev.op == OpTimerStart || ev.op == OpTimerStop || ev.op == OpTimerReset:
		r.obj = -1 // each iteration may have its own
	case ops[ev.op].takes:
		chose = e.couldTakeAnother(t)
		e.chosen += e.freely(t, ev)
		progress = e.noteCase(t, &r)
	case ev.op == OpPost || ev.op == OpCall || ev.op == OpReturn:
		progress = true
	case ev.op == OpRequest:
		progress = e.noteCase(t, &r)
	}
	for _, l := range s.laps {
		l.chose = l.chose || chose
		l.progress = l.progress || progress || len(l.ops) == maxLap ||
			ev.op == OpCAS && c == read && l.outrun(t)
		if len(l.ops) < maxLap {
			l.ops = append(l.ops, r)
		}
	}
	if ev.idle != busy {
		s.turn = d
	}
}

// noteCase adds to an operation that takes a case which one it took, and reports whether a value
// has moved.
func (e *engine) noteCase(t *thread, r *lapOp) (moved bool) {
	r.taken, r.val = t.chanOp.taken, 0
	if r.taken < 0 {
		return false
	}
	ch := e.objs[t.chanOp.cases[r.taken].obj].ch
	if ch.timer != nil {
		r.obj = -1
	}
	return ch.timer == nil && !ch.closed
}

// outrun reports whether t's CompareAndSwap, which fails, expects what t has loaded in the same
// iteration: then another thread has changed the word in between.
func (l *lap) outrun(t *thread) bool {
	return slices.Contains(l.ops, lapOp{op: OpLoad, obj: t.obj, val: lapValue(read, t.old)})
}

// lapValue is a result of an operation of class c as iterations compare it.
func lapValue(c class, val uint64) uint64 { return val<<3 ^ uint64(c) }

const classMask = 1<<3 - 1 // of a lapValue

// ticks returns a loop number for the ticker that t has received from, 0 if it has not.
func (e *engine) ticks(t *thread) uint64 {
	if !ops[t.op].takes || t.chanOp.taken < 0 || t.op == OpTimerFire {
		return 0
	}
	c := t.chanOp.cases[t.chanOp.taken]
	if tm := e.objs[c.obj].ch.timer; tm == nil || tm.period == 0 || c.send {
		return 0
	}
	return 1<<63 | uint64(c.obj)
}

// lapResult completes the operation noted last by its result; pointer says that it is one.
func (e *engine) lapResult(t *thread, c class, val uint64, pointer bool) {
	s := &t.spin
	for _, l := range s.laps {
		if !s.on || len(l.ops) == 0 {
			continue
		}
		last := &l.ops[len(l.ops)-1]
		if c.changes() && (l.kind == anyLoop || e.anyLoops && last.op == OpAdd) {
			l.blind = true
		} else {
			last.val = lapValue(c, val)
		}
		if pointer && c.changes() {
			l.progress = true
		}
	}
}

// restIfNew ends t's tiredness if its last operation differs from that of the iteration before.
func (e *engine) restIfNew(t *thread) {
	for _, l := range t.spin.laps {
		if l.progress || !l.repeatsSoFar() {
			l.same = 0
		}
	}
	e.judgeTired(t)
}

// fairly restricts the enabled threads to those that may run: not the tired ones if others can. It
// returns none if nothing can run, and why the others run.
func (e *engine) fairly(enabled threadSet) (may threadSet, idle uint8) {
	freed := enabled.intersection(e.barred)
	e.barred, e.outrun = threadSet{}, threadSet{}
	if rested := enabled.without(e.tired); !rested.empty() {
		e.noteCut(enabled.intersection(e.tired), "")
		return rested, busy
	}
	e.barred = e.tired.without(enabled)
	l := e.cur.spin.tiredOf()
	if freed.empty() && enabled.has(e.cur.id) && l != nil && len(l.ops) > 0 {
		return only(e.cur.id), tiredRan
	}
	timeouts := threadSet{}
	if enabled.empty() || !e.timeRan {
		var late threadSet
		timeouts, late = e.forcedTimeout()
		e.noteCut(late, "")
		e.outrun = e.dueBefore(late, timeouts)
	}
	if !timeouts.empty() || enabled.count() > 1 {
		e.noteCut(enabled, "") // one order of turns
	}
	switch {
	case !timeouts.empty():
		return timeouts, timeRan
	case enabled.empty():
		return enabled, busy
	}
	if !freed.empty() {
		enabled = freed
	}
	best := -1
	for i := enabled.first(); i >= 0; i = enabled.next(i + 1) {
		if best < 0 || e.threads[i].spin.turn < e.threads[best].spin.turn {
			best = i
		}
	}
	return only(best), tiredRan
}

// hadTheirTurn returns the tired threads that ran since the last step of one that was not tired.
func (e *engine) hadTheirTurn() (who threadSet) {
	tired := e.tired.intersection(e.gated)
	for i := tired.first(); i >= 0; i = tired.next(i + 1) {
		if e.threads[i].spin.turn > e.restedAt {
			who.add(i)
		}
	}
	return who
}

// noteIdle keeps what fairly needs to know about the event that t executes at depth d.
func (e *engine) noteIdle(t *thread, ev *event, d int32) {
	switch {
	case ev.idle == timeRan:
		e.timeRan = true
		if !e.looksAtTimer(t) {
			t.spin.waits = true
			e.noteOutrun(t)
		}
	case ev.idle == tiredRan:
		e.timeRan = false
		e.idleSteps++
		if t.bubble == nil && !t.spin.waits && (t.op == OpNow || e.looksAtTimer(t)) {
			t.spin.hurry = min(2*t.spin.hurry+time.Millisecond, time.Hour)
			e.clock.now += t.spin.hurry
		}
	case !e.tired.has(t.id):
		e.restedAt = d
		t.spin.hurry, t.spin.waits = 0, false
	}
}

// looksAtTimer reports whether t's select found an armed timer that had not fired, and took default
// or another case.
func (e *engine) looksAtTimer(t *thread) bool {
	if t.op != OpPoll && t.op != OpSelect {
		return false
	}
	for i, c := range t.chanOp.cases {
		if c.obj >= 0 && int32(i) != t.chanOp.taken {
			if tm := e.objs[c.obj].ch.timer; tm != nil && tm.armed {
				return true
			}
		}
	}
	return false
}

// onlyBackground reports whether the body has returned and all that goes on are loops in which time
// passes: nobody waits for them.
func (e *engine) onlyBackground() bool {
	loops := e.alive.without(e.daemons)
	others := loops.without(e.background).without(e.tired)
	if !e.threads[0].fin || !others.empty() || e.depth-int(e.restedAt) < idleLaps {
		return false
	}
	for i := loops.first(); i >= 0; i = loops.next(i + 1) {
		if l := e.threads[i].spin.tiredOf(); l == nil || !l.passesTime() {
			return false
		}
	}
	e.noteCut(loops, "the end of the body stopped ")
	return true
}

// passesTime reports whether the iteration before contains a sleep or a wait for a timer.
func (l *lap) passesTime() bool {
	return slices.ContainsFunc(l.before, func(o lapOp) bool {
		return ops[o.op].takes && o.obj == -1
	})
}

// noteCut notes that iterations of the loops of these threads were left out.
func (e *engine) noteCut(who threadSet, why string) {
	for i := who.first(); i >= 0; i = who.next(i + 1) {
		l := e.threads[i].spin.tiredOf()
		if text := why + l.at; !slices.Contains(e.cuts, text) {
			e.cuts = append(e.cuts, text)
		}
	}
}

// cutText says which loops were cut short.
func cutText(cuts []string) string {
	if len(cuts) == 0 {
		return ""
	}
	slices.Sort(cuts)
	return fmt.Sprintf("of a loop that waits, %d fruitless iterations while others can run: %s",
		fruitlessLaps+1, strings.Join(cuts, ", "))
}

// loopPlace returns the file and line of the checked code that called.
func (e *engine) loopPlace() string {
	var pcs [24]uintptr
	n := runtime.Callers(2, pcs[:])
	for i := range e.places {
		if e.places[i].pcs == pcs {
			return e.places[i].text
		}
	}
	f := place(pcs[:n])
	text := fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
	e.places = append(e.places, callPlace{pcs, text})
	return text
}
