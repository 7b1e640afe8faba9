package taskstate

// Wake asks for a poll that begins after the call: an IDLE task becomes SCHEDULED, a RUNNING one
// notified. Any holder of a reference may call it, and keeps the reference.
//
// It returns WakeEnqueue, WakeNoted or WakeFinished.
//
// That poll sees whatever the caller made visible before, by an atomic or under a mutex. Wake is no
// substitute for these: if it returns WakeNoted it need not have written anything.
func (w *Word) Wake() WakeOutcome {
	for {
		s := w.Load()
		if !s.isLive() {
			panic(s.broken("Wake"))
		}
		next, outcome := s.wake()
		// If the state stays, the load decides; partner: a later ToRunning's CAS, or an earlier
		// Wake's or Complete's.
		if next == s || w.swap(s, next) {
			return outcome
		}
	}
}

func (s State) wake() (State, WakeOutcome) {
	switch s & lifecycleMask {
	case idle:
		return s.move(scheduled), WakeEnqueue
	case running:
		return s | notified, WakeNoted
	case scheduled:
		return s, WakeNoted
	}
	return s, WakeFinished
}

// WakeDrop is Wake and Drop in one transition, for a waker that is used up. Any holder of a
// reference may call it; the reference is gone when it returns. With WakeEnqueue, what the caller
// enqueues is the task's own reference. It panics where Drop does.
//
// It returns WakeEnqueue, WakeNoted, WakeFinished or WakeRelease.
func (w *Word) WakeDrop() WakeOutcome {
	for {
		s := w.Load()
		next, outcome := s.wakeDrop()
		if outcome == refused {
			panic(s.broken("WakeDrop"))
		}
		if w.swap(s, next) {
			return outcome
		}
	}
}

func (s State) wakeDrop() (State, WakeOutcome) {
	dropped := s - referenceOne
	switch {
	case !s.isLive() || dropped < referenceOne && !s.is(complete):
		return s, refused
	case dropped < referenceOne:
		return dropped, WakeRelease
	}
	return dropped.wake()
}

// ToRunning makes a SCHEDULED task RUNNING, and its caller the runner. It is for the one that took
// the task from a queue, or that was told to enqueue it and would rather run it.
//
// It returns RunPoll, RunCancelled or RunStale. RunStale says that a Claim has taken the right to
// run from the caller's entry: the caller must not touch the task except to drop the entry's
// reference. Without Claim it does not occur.
//
// Everything that earlier runners did, and the transition that made the task SCHEDULED,
// synchronizes before the return.
func (w *Word) ToRunning() RunOutcome {
	for {
		s := w.Load()
		if !s.isLive() {
			panic(s.broken("ToRunning"))
		}
		next, outcome := s.toRunning()
		// Receives the right to run; partner: the CAS that made it SCHEDULED, and Claim's.
		if outcome == RunStale || w.swap(s, next) {
			return outcome
		}
	}
}

func (s State) toRunning() (State, RunOutcome) {
	switch {
	case !s.is(scheduled):
		return s, RunStale
	case s.CancelEffective():
		return s.move(running), RunCancelled
	}
	return s.move(running), RunPoll
}

// Claim makes a SCHEDULED task RUNNING, and its caller the runner, while the entry stays where it
// is queued and will be stale. It is for a joiner that runs its target rather than wait for it. Any
// holder of a reference may call it, and keeps the reference; the runner gets another, which
// Complete drops. It panics if there are MaxReferences already.
//
// It returns RunPoll, RunCancelled or RunStale, and synchronizes as ToRunning does.
func (w *Word) Claim() RunOutcome {
	for {
		s := w.Load()
		next, outcome := s.claim()
		if outcome == refused {
			panic(s.broken("Claim"))
		}
		// Receives the right to run; partner: the CAS that made it SCHEDULED, and ToRunning's.
		if outcome == RunStale || w.swap(s, next) {
			return outcome
		}
	}
}

func (s State) claim() (State, RunOutcome) {
	switch {
	case !s.isLive():
		return s, refused
	case !s.is(scheduled):
		return s, RunStale
	case s.isFull():
		return s, refused
	}
	return (s + referenceOne).toRunning()
}

// ToIdle ends a poll after which the task waits: it becomes IDLE or, if it was notified, SCHEDULED
// again. Only the runner may call it, and is the runner no more.
//
// It returns IdleWaits or IdleEnqueue. It synchronizes before the ToRunning of the next poll.
func (w *Word) ToIdle() IdleOutcome {
	for {
		s := w.Load()
		next, outcome := s.toIdle()
		if outcome == refused {
			panic(s.broken("ToIdle"))
		}
		// Partner: Wake's CAS, which came before this one and set notified, or comes after it and
		// finds IDLE.
		if w.swap(s, next) {
			return outcome
		}
	}
}

func (s State) toIdle() (State, IdleOutcome) {
	switch {
	case !s.isRunning():
		return s, refused
	case s&notified != 0:
		return s.move(scheduled), IdleEnqueue
	}
	return s.move(idle), IdleWaits
}

// Yield ends a poll after which the task wants to be polled again: it becomes SCHEDULED, and the
// caller must get it run. Only the runner may call it, and is the runner no more. It does what Wake
// and then ToIdle would do, in one transition.
//
// It synchronizes before the ToRunning of the next poll.
func (w *Word) Yield() {
	for {
		s := w.Load()
		if !s.isRunning() {
			panic(s.broken("Yield"))
		}
		if w.swap(s, s.move(scheduled)) {
			return
		}
	}
}

// Complete ends the last poll. Only the runner may call it, after it has stored the result, and
// outside all shields; it is the runner no more. The same CAS drops the task's own reference,
// unless the caller still needs it for what it is told to do.
//
// It returns CompleteDone, CompleteRelease, CompleteWakeJoiner or CompleteDiscard.
//
// It synchronizes before the return of any Join, Unjoin, Detach or Load that finds the task
// COMPLETE.
func (w *Word) Complete() CompleteOutcome {
	for {
		s := w.Load()
		next, outcome := s.complete()
		if outcome == refused {
			panic(s.broken("Complete"))
		}
		// Passes the result to the joiner, receives its waker; partner: Join's CAS, which came
		// before this one and set join interest, or comes after it and finds COMPLETE.
		if w.swap(s, next) {
			return outcome
		}
	}
}

func (s State) complete() (State, CompleteOutcome) {
	if !s.isRunning() || s&shieldMask != 0 {
		return s, refused
	}
	s = s.move(complete)
	dropped := s - referenceOne
	switch {
	case s&joinInterest != 0:
		return s, CompleteWakeJoiner
	case dropped < referenceOne:
		return dropped, CompleteRelease
	case s&detached != 0:
		return s, CompleteDiscard
	}
	return dropped, CompleteDone
}
