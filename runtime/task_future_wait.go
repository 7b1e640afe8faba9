package runtime

import (
	"fmt"
	"math"
	"time"
)

// What futures wait for
//
// A future waits for time by a [Nap], and for everything that [Select] waits for by a [Pending],
// which is a Select that returns instead of waiting, and goes on in a later poll.
//
//	Nap       each poll asks again for the times that it waits for; after the poll the alarm of
//	          the task is set for the earliest, or stopped if there is none. So a future may be
//	          composed of others, and has one timer
//	Pending   the first poll queues a waiter for each case, whose owner is the task; a source that
//	          decides wakes the task; the next poll finds the decision, and withdraws the others
//
// A future that must end is not polled, but its Pendings may be in the lines of their sources, or
// may have been given something. So its runner settles them first: each gives up. If one cannot,
// since its source has decided, the future is polled once more, and learns what it was given; only
// then it ends. Whatever is left when it has ended is withdrawn; permits and signals that it does
// not know of go to the next in line. (runtime/R50)
//
// What a Pending waits by is a thing of its own, which the runtime keeps: a future may overwrite or
// move the Pending as it does with all that is its own.
//
// Rejected alternatives
//
//   - A Pending that is itself in the list. A state machine that goes to its next state by an
//     assignment cuts the list, and what was behind it stays in line for ever.
//   - Withdrawing in Drop, by the future. One that forgets it leaves a waiter to which a source
//     gives what nobody takes.
//   - A timer in each Nap. It takes 16 bytes for each, and must be stopped by whoever drops it.

// A Nap is how a future waits for a time: what [Cx.Sleep] is for tasks that have a stack. The zero
// Nap has not begun. It takes 8 bytes, and belongs to one future.
type Nap struct {
	until int64 // on the clock of the runtime; 0 before it begins
}

// Over begins the nap unless it has begun, and reports whether d has passed since. If so, the
// next call begins another. If not, the task is polled again when it has, unless something else
// causes a poll before: then Over must be called again for this to hold. The d of calls after the
// first has no effect. A nap that begins with a d of zero or less is over at once.
//
// Only Poll of a [Future] may call it, and what Poll calls, but no [Fork]: Over panics in other
// tasks, and a fork may be one.
func (n *Nap) Over(cx Cx, d time.Duration) bool {
	cx.checkHere("Nap.Over")
	cx.futureState("Nap.Over")
	now := cx.task.rt.now()
	if n.until == 0 {
		if d <= 0 {
			cx.charge()
			return true
		}
		n.until = deadlineAfter(now, d)
	}
	if n.until <= now {
		n.until = 0
		cx.charge()
		return true
	}
	cx.coroutine.alarm = min(cx.coroutine.alarm, n.until)
	return false
}

// A Pending is a [Select] of a future. The zero Pending waits for nothing. A future may have
// several. It takes 8 bytes. A copy of one that waits stands for the same wait; a wait whose
// Pending is overwritten goes on until its future ends, and may take what nobody learns of.
type Pending struct {
	wait *pendingWait // nil or over if it does not wait
}

// A pendingWait is one wait of a Pending. The runner of its task accesses it.
type pendingWait struct {
	task           *task // for which it waits; nil when it is over
	next, previous *pendingWait
	list           **pendingWait // in which it is
	why            error         // why the task must end, once settle has looked
	selection
}

// waiting returns the wait of p, or nil if p does not wait; what is the name of the calling
// function.
func (p *Pending) waiting(cx Cx, what string) *pendingWait {
	w := p.wait
	switch {
	case w == nil || w.task == nil:
		return nil
	case w.task != cx.task:
		panic("surewake: " + what + ": it waits for another task")
	}
	return w
}

// Poll takes a case that can be taken, and returns its number, its error and true, as [Select]
// does. Otherwise it waits for all of them, and returns false: the task is polled again when one
// has been taken, and Poll with the same cases returns its number then. The cases belong to the
// Pending until Poll returns true; after that, Poll begins anew.
//
// If the task must end, Poll returns -1, [Cx.Err] and true, unless a case has been taken: a future
// that must end is polled once more if one of its Pendings has taken a case, so that nothing is
// lost that it was given. The others have given up by then, and say so also in a [Cx.Shield].
//
// A case is taken when its source has decided, not when the future is polled: permits that it has
// been given are its own until it releases them, and who comes later waits. So each poll polls all
// Pendings that wait, or stops them. When the future has ended, they are withdrawn. Of what they
// have been given since they were polled, permits go to the next in line, and so does a
// [Notify.Signal]; a value is dropped: a future that ends while one waits for a value calls
// [Pending.Stop] before.
//
// Only Poll of a [Future] may call it, and what Poll calls, but no [Fork]: it panics in other
// tasks, and a fork may be one. It also panics if it waits for another task, or for another number
// of cases.
func (p *Pending) Poll(cx Cx, cases ...Case) (number int, err error, ready bool) {
	cx.checkHere("Pending.Poll")
	f := cx.futureState("Pending.Poll")
	w := p.waiting(cx, "Pending.Poll")
	if w == nil {
		return p.begin(cx, f, cases)
	}
	if len(cases) != len(w.cases) {
		panic(fmt.Sprintf("surewake: Pending.Poll: %d cases, where it waits for %d", len(cases),
			len(w.cases)))
	}
	if w.look(); !w.decided() {
		return -1, nil, false
	}
	p.wait = nil
	s, why := w.leave(f)
	number, err = s.end(why, cx.coroutine.worker)
	cx.charge()
	return number, err, true
}

// Stop ends the wait and returns true; nothing was taken. It returns false if a case has been
// taken: then Poll returns its number. It returns true if the Pending does not wait. Poll of its
// future may call it, and what that calls: it panics as Poll does.
func (p *Pending) Stop(cx Cx) bool {
	cx.checkHere("Pending.Stop")
	f := cx.futureState("Pending.Stop")
	w := p.waiting(cx, "Pending.Stop")
	if w == nil {
		return true
	}
	if w.giveUp(); w.taken() {
		return false
	}
	p.wait = nil
	s, _ := w.leave(f)
	s.abandon(cx.coroutine.worker)
	return true
}

// begin is Poll if it does not wait yet.
func (p *Pending) begin(cx Cx, f *futureState, cases []Case) (number int, err error, ready bool) {
	if err := cx.stopErr(); err != nil {
		return -1, err, true
	}
	by := cx.coroutine.worker
	s := newSelection("Pending.Poll", cx.task, cases)
	first := 0
	if len(cases) > 1 {
		first = by.randomBelow(len(cases))
	}
	if i, err := s.begin(cx.task, cx.task, first, by); i >= 0 {
		cx.charge()
		return i, err, true
	}
	if s.decided() { // the end of a task that begin has found does not wake
		i, err := s.end(nil, by)
		return i, err, true
	}
	w := &pendingWait{task: cx.task, list: f.list(cx.task), selection: s}
	if w.next = *w.list; w.next != nil {
		w.next.previous = w
	}
	*w.list, f.pending = w, true
	p.wait = w
	return -1, nil, false
}

// taken reports whether a case has been taken.
func (w *pendingWait) taken() bool { return w.choice.made.Load() >= 0 }

// leave takes w, which is over, out of its list, and returns what is to be ended, and why the task
// must end.
func (w *pendingWait) leave(f *futureState) (s selection, why error) {
	if w.next != nil {
		w.next.previous = w.previous
	}
	if w.previous != nil {
		w.previous.next = w.next
	} else {
		*w.list, f.pending = w.next, w.next != nil
	}
	s, why = w.selection, w.why
	*w = pendingWait{}
	return s, why
}

// futureState returns the state of the running task, which is a future; what is the name of the
// calling function.
func (cx Cx) futureState(what string) *futureState {
	f, ok := cx.task.ownBody().(interface{ stateOfFuture() *futureState })
	if !ok {
		if cx.task.forkedIn() != nil {
			panic("surewake: " + what + ": in a fork, which a worker has taken; call it in Poll itself")
		}
		panic("surewake: " + what + ": the task is not a future; it can wait by Sleep and Select")
	}
	return f.stateOfFuture()
}

func (f *futureState) stateOfFuture() *futureState { return f }

// list returns the list of the Pendings of t, whose runner calls it.
func (f *futureState) list(t *task) **pendingWait {
	f.enter(t)
	return t.rt.futures.pendings(f.slot)
}

// enter gives t a slot, if it has none.
func (f *futureState) enter(t *task) {
	if f.slot == noSlot {
		f.slot = t.rt.futures.add(t)
	}
}

// rest is called after a poll of t that was not ready, for which the alarm is asked for at when, or
// not at all if that is math.MaxInt64. The runner calls it.
func (f *futureState) rest(t *task, when int64) {
	if f.slot == noSlot && when == math.MaxInt64 && t.state.Load().Notified() {
		return // it does not become IDLE: only the runner's next step takes the wake back
	}
	f.enter(t)
	if when == math.MaxInt64 {
		f.stopAlarm(t)
		return
	}
	f.alarming = true
	if t.rt.timers.move(t.rt.futures.alarm(f.slot), when) {
		t.rt.wakeDriver() // runtime/P3
	}
}

func (f *futureState) stopAlarm(t *task) {
	if f.alarming {
		t.rt.timers.stop(t.rt.futures.alarm(f.slot))
		f.alarming = false
	}
}

// settle lets all Pendings of t give up, which must end, and reports whether one could not, since
// it has taken a case. The runner calls it.
func (f *futureState) settle(t *task) (taken bool) {
	if !f.pending {
		return false
	}
	for w := *t.rt.futures.pendings(f.slot); w != nil; w = w.next {
		w.giveUp()
		w.why = t.closedErr()
		taken = taken || w.taken()
	}
	return taken
}

// release gives back everything that t has of the runtime, which has ended. The runner calls it.
func (f *futureState) release(t *task) {
	if f.slot == noSlot {
		return
	}
	for f.pending {
		s, _ := (*t.rt.futures.pendings(f.slot)).leave(f)
		s.abandon(nil)
	}
	f.stopAlarm(t)
	t.rt.futures.remove(f.slot)
	f.slot = noSlot
}
