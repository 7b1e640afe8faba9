package explore

import "time"

// Timers that nobody compares.
//
// Timers and sleeps depend on one another by the clock: an early firing moves it, and each timer
// that is set reads it. So n goroutines that wait for a timer each have n! times as many traces as
// would tell them apart, if nobody can see the order of their timers. The search therefore begins
// without these dependences: a timer is then an object like any other, and depends on what sets,
// stops and receives from it. The clock moves all the same, and what may fire is decided as ever
// (mayFire), so that whatever is executed is an execution of the search with the clock, and none of
// its failures is a false alarm. When an execution sees the clock, the exploration starts again
// with all dependences (engine.clocked). That is so for timers outside of bubbles, and only with a
// budget of early timeouts: without one a timeout comes after everything that could run, and what
// is left between timers that are due costs nothing.
//
// # Why nothing is lost
//
// Take from the state of an execution the clock, the deadlines, and the number and the sum of early
// timeouts: call them hidden. Consider the system S in which the hidden state does not exist, every
// armed timer may fire at any time, and a goroutine stops at an operation by which the execution
// would see the clock. In S two operations on different timers commute, and neither enables nor
// disables the other. So S has traces, and the search executes one of each. As long as no execution
// sees the clock, the engine and S do the same:
//
//   - Every armed timer that a goroutine waits for may fire, whatever the hidden state is. Each
//     early firing uses up one of the budget, and each timer that is set fires at most once; so the
//     budget is not used up if the timers set in an execution are no more (checkArmed). The sum of
//     what they are set to is no less than how slow threads are, as a firing moves the clock at
//     most from when the timer was set, which is a sum of others, to its deadline. That bounds the
//     other limit on early timeouts (Config.Short). What is counted are the events of the
//     execution, so it is the same in each execution of a trace.
//   - So no timeout is ever forced, and no deadline compared with another one.
//   - No operation has another result: the value of Stop and Reset says whether the timer is armed,
//     which is not hidden.
//
// An execution of the full search that does not see the clock is one of S. If the full search has
// one that does, then it is one of S up to that operation, so S has a trace with it, and the engine
// comes to it, or to another such operation before. So if no execution has seen the clock, there is
// none that does.
//
// # What sees the clock
//
//   - A time.Now or the like (lookApart), unless it is before all firings of the execution by the
//     order of its steps: then it finds the clock where all executions of the trace do. It is not
//     known yet whether a firing is to come, so both ask. One that may let the clock move by itself
//     uses up the sum of early timeouts. A context with a deadline looks at the clock.
//   - A receive from a timer whose value is used (fireApart). It is the deadline. The rewriter says
//     where it is not used (Case.Unused).
//   - More timers set than may be early, tickers with each tick (checkArmed). Timers that the only
//     goroutine so far waits for do not count: those are forced, in the order of their deadlines,
//     and are no matter of order between goroutines.
//   - A timer that is set to Config.Short or more, if there is that limit, as it can only be
//     forced.
//   - A select with default that waits for an armed timer, and one of those that queue
//     (chan_rendezvous.go): whether they may find that it has not fired depends on whether it is
//     due (surely).
//   - A thread that is tired of a loop (thread_fair.go), in an execution with timers: its steps
//     wait for timeouts and move the clock.
//   - A futex wait, in an execution with timers: it may have a deadline, and move the clock.
//
// A select that waits for two timers does not see the clock: both may fire first anyway, as a
// goroutine may come late to both (time_timer.go).
//
// # What it does not save
//
// A goroutine that looks at the clock after a sleep makes all timers depend on one another, though
// a clock of its own could tell as much; so does a budget of fewer early timeouts than timers.
//
// # Rejected
//
// To leave out only the dependences between timers that nobody compares, in programs that look at
// the clock elsewhere. What is compared is known at the end of the execution, and a value of
// time.Now goes anywhere.

// apart is what an execution has done so far with timers outside of bubbles.
type apart struct {
	on      bool          // the dependences by the clock are left out
	leftOut bool          // some were, in any execution so far
	armed   int           // timers set, except those that were forced
	sum     time.Duration // of what they were set to
	fired   int           // of these, while there were other threads
	futex   bool          // a futex wait
	looks   []int32       // the events that looked at the clock
}

func (e *engine) beginApart() {
	a := &e.apart
	*a = apart{leftOut: a.leftOut, looks: a.looks[:0]}
	a.on = e.reduce && !e.clocked && e.cfg.EarlyTimeouts > 0 && e.cfg.Before == nil
}

// compareTimers is called when the execution sees the clock. From here on it is explored with the
// clock, and so is everything. If nothing was left out so far, the search is what it would be.
func (e *engine) compareTimers() {
	a := &e.apart
	if !a.on {
		return
	}
	a.on = false
	if a.leftOut || e.isPart() {
		e.wantClocked = true
	} else {
		e.clocked = true
	}
}

// isApart reports whether the state of the clock is not to be seen. While there is no other thread
// it does not matter.
func (e *engine) isApart(c *virtualClock) bool {
	is := e.apart.on && c.of == nil && e.n > 1
	e.apart.leftOut = e.apart.leftOut || is
	return is
}

// leavesOut reports whether a timer does not depend on its clock.
func (e *engine) leavesOut(c *virtualClock) bool {
	return e.isApart(c) || e.apart.on && c.of == nil
}

// armApart notes that a timer is set to d; again says that it was armed.
func (e *engine) armApart(d time.Duration, again bool) {
	a := &e.apart
	if !again {
		a.armed++
	}
	a.sum += e.upToShort(d)
	if a.futex || !e.tired.empty() {
		e.compareTimers()
	}
	e.checkArmed()
}

// upToShort returns what a timer that is set to d adds to apart.sum: at most what is too much.
func (e *engine) upToShort(d time.Duration) time.Duration { return min(max(d, 0), e.cfg.Short) }

// checkArmed finds out whether all timers can be early.
func (e *engine) checkArmed() {
	a := &e.apart
	if a.on && e.n > 1 && (a.armed > e.cfg.EarlyTimeouts ||
		e.cfg.TimePasses && a.armed > 0 && a.sum >= e.cfg.Short) {
		e.compareTimers()
	}
}

// fireApart notes that the timer of case c fires into t's operation, the event d.
func (e *engine) fireApart(t *thread, c chanCase, d int32) {
	a, tm := &e.apart, e.objs[c.obj].ch.timer
	if !a.on || tm.clock.of != nil {
		return
	}
	if e.n == 1 {
		if e.due(tm) {
			a.armed--
			a.sum -= e.upToShort(tm.length)
		}
	} else {
		a.fired++
		if !c.unused && t.op != OpAwake && t.op != OpTimerFire {
			e.compareTimers()
		}
		for _, l := range a.looks {
			if d >= 0 && !e.before(l, d) {
				e.compareTimers()
			}
		}
	}
	if tm.period > 0 {
		e.armApart(tm.period, false)
	}
}

// lookApart notes that t looks at the clock; the event is d.
func (e *engine) lookApart(t *thread, d int32) {
	switch a := &e.apart; {
	case !a.on:
	case e.mayMove(t) || a.fired > 0:
		e.compareTimers()
	case d >= 0:
		a.looks = append(a.looks, d)
	}
}

// pollApart is called before t's operation chooses among its cases.
func (e *engine) pollApart(t *thread) {
	if !e.apart.on || e.n == 1 || t.op != OpPoll && t.op != OpArrive {
		return
	}
	for _, c := range t.chanOp.cases {
		if c.obj < 0 {
			continue
		}
		if tm := e.objs[c.obj].ch.timer; tm != nil && tm.armed && tm.clock.of == nil {
			e.compareTimers()
		}
	}
}

// tireApart is called when a thread is tired.
func (e *engine) tireApart() {
	if e.apart.armed > 0 {
		e.compareTimers()
	}
}

// waitApart is called at a futex wait.
func (e *engine) waitApart() {
	e.apart.futex = true
	e.tireApart()
}
