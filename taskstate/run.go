package taskstate

// Wake asks for a poll that begins after it: the task becomes SCHEDULED if it is IDLE, and notified if it is RUNNING.
// Who has a reference may call it, and keeps that reference.
//
// It returns WakeEnqueue, WakeNoted or WakeFinished.
//
// Whatever the caller made visible before, by an atomic or under a mutex, that poll sees. Wake is not a
// substitute for these: if it returns WakeNoted, it need not have written anything.
func (w *Word) Wake() WakeOutcome {
	for {
		s := w.Load()
		if !s.live() {
			panic(s.broken("Wake"))
		}
		next, outcome := s.wake()
		// A state that stays is judged by this load: a later ToRunning, or an earlier Wake or Complete, is its partner.
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

// WakeDrop is Wake and Drop at once, for a waker that is used up. The caller's reference is gone when it returns, unless it
// panics; with WakeEnqueue, what the caller enqueues is the task's own reference.
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
	case !s.live() || dropped < referenceOne && !s.at(complete):
		return s, refused
	case dropped < referenceOne:
		return dropped, WakeRelease
	}
	return dropped.wake()
}

// ToRunning makes a SCHEDULED task RUNNING, and its caller the runner. Who took the task from a queue may call it, and whoever
// was told to enqueue it and would rather run it.
//
// It returns RunPoll, RunCancelled or RunStale. RunStale is the end of an entry that Claim was faster than; without
// Claim it does not occur.
//
// Everything that earlier runners did, and the transition that made the task SCHEDULED, synchronizes before it.
func (w *Word) ToRunning() RunOutcome {
	for {
		s := w.Load()
		if !s.live() {
			panic(s.broken("ToRunning"))
		}
		next, outcome := s.toRunning()
		if outcome == RunStale || w.swap(s, next) { // partner: the CAS that made it SCHEDULED, and Claim's
			return outcome
		}
	}
}

func (s State) toRunning() (State, RunOutcome) {
	switch {
	case !s.at(scheduled):
		return s, RunStale
	case s.CancelEffective():
		return s.move(running), RunCancelled
	}
	return s.move(running), RunPoll
}

// Claim makes a SCHEDULED task RUNNING, and its caller the runner, while the entry stays where it is queued and will find the
// task stale. It is for a joiner that runs its target rather than wait for it. Who has a reference may call it, and
// keeps it; the runner that it becomes has another, which Complete drops.
//
// It returns RunPoll, RunCancelled or RunStale. It synchronizes as ToRunning does.
func (w *Word) Claim() RunOutcome {
	for {
		s := w.Load()
		next, outcome := s.claim()
		if outcome == refused {
			panic(s.broken("Claim"))
		}
		if outcome == RunStale || w.swap(s, next) { // partner: the CAS that made it SCHEDULED, and ToRunning's
			return outcome
		}
	}
}

func (s State) claim() (State, RunOutcome) {
	switch {
	case !s.live():
		return s, refused
	case !s.at(scheduled):
		return s, RunStale
	case s.full():
		return s, refused
	}
	return (s + referenceOne).toRunning()
}

// ToIdle ends a poll after which the task waits: it becomes IDLE or, if it was notified, SCHEDULED again. Only the runner
// may call it, and is the runner no more.
//
// It returns IdleWaits or IdleEnqueue. It synchronizes before the ToRunning of the next poll.
func (w *Word) ToIdle() IdleOutcome {
	for {
		s := w.Load()
		next, outcome := s.toIdle()
		if outcome == refused {
			panic(s.broken("ToIdle"))
		}
		if w.swap(s, next) { // partner: Wake's CAS, which comes before it and set notified, or after it and finds IDLE
			return outcome
		}
	}
}

func (s State) toIdle() (State, IdleOutcome) {
	switch {
	case !s.polled():
		return s, refused
	case s&notified != 0:
		return s.move(scheduled), IdleEnqueue
	}
	return s.move(idle), IdleWaits
}

// Yield ends a poll after which the task wants to be polled again: it becomes SCHEDULED, and the caller must see that it is
// run. Only the runner may call it, and is the runner no more. It does what Wake and ToIdle would do, at once.
//
// It synchronizes before the ToRunning of the next poll.
func (w *Word) Yield() {
	for {
		s := w.Load()
		if !s.polled() {
			panic(s.broken("Yield"))
		}
		if w.swap(s, s.move(scheduled)) {
			return
		}
	}
}

// Complete ends the last poll. Only the runner may call it, after it has stored the result, and outside all shields; it is the runner
// no more. The task's own reference is dropped by the same CAS, unless the caller still needs it for what it is told to do.
//
// It returns CompleteDone, CompleteRelease, CompleteWakeJoiner or CompleteDiscard.
//
// It synchronizes before the return of any Join, Unjoin, Detach or Load that finds the task COMPLETE.
func (w *Word) Complete() CompleteOutcome {
	for {
		s := w.Load()
		next, outcome := s.complete()
		if outcome == refused {
			panic(s.broken("Complete"))
		}
		if w.swap(s, next) { // partner: Join's CAS, which comes before it and set join interest, or after it and finds COMPLETE
			return outcome
		}
	}
}

func (s State) complete() (State, CompleteOutcome) {
	if !s.polled() || s&shieldMask != 0 {
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
