package taskstate

// Cancel asks the task to end. A runner is told so by RunCancelled, without any other wake: an IDLE
// task becomes SCHEDULED, a RUNNING one notified. While the task is in a shield, Cancel only marks
// it, and LeaveShield does the rest. Any holder of a reference may call it, and keeps the
// reference.
//
// It returns CancelEnqueue, CancelNoted, CancelDeferred, CancelAlready or CancelFinished. Only the
// first Cancel of a task changes anything. A task that is told RunCancelled and waits all the same
// is not told again until something else wakes it.
func (w *Word) Cancel() CancelOutcome {
	for {
		s := w.Load()
		if !s.isLive() {
			panic(s.broken("Cancel"))
		}
		next, outcome := s.cancel()
		// Partner: ToRunning's CAS if it is SCHEDULED, ToIdle's or LeaveShield's if it is RUNNING.
		if next == s || w.swap(s, next) {
			return outcome
		}
	}
}

func (s State) cancel() (State, CancelOutcome) {
	switch {
	case s.is(complete):
		return s, CancelFinished
	case s&cancelled != 0:
		return s, CancelAlready
	case s&shieldMask != 0:
		return s | cancelled, CancelDeferred
	}
	next, outcome := s.wake()
	if outcome == WakeEnqueue {
		return next | cancelled, CancelEnqueue
	}
	return next | cancelled, CancelNoted
}

// EnterShield defers cancellation until the matching LeaveShield. Only the runner may call it,
// during a poll; a shield lasts across polls. It panics if MaxShield shields are entered already.
//
// It reports whether the task has been told of its cancellation before: it is cancelled, and was in
// no shield.
func (w *Word) EnterShield() (told bool) {
	for {
		s := w.Load()
		if !s.isRunning() || s&shieldMask == shieldMask {
			panic(s.broken("EnterShield"))
		}
		// Partner: Cancel's CAS, which comes before this one or is deferred.
		if w.swap(s, s+shieldOne) {
			return s.CancelEffective()
		}
	}
}

// LeaveShield ends the innermost shield. If it was the outermost one and the task is cancelled, the
// task is notified, so that it does not become IDLE. Only the runner may call it, during a poll. It
// panics if the task is in no shield.
//
// It returns ShieldLeft, ShieldHeld or ShieldCancelled.
func (w *Word) LeaveShield() ShieldOutcome {
	for {
		s := w.Load()
		next, outcome := s.leaveShield()
		if outcome == refused {
			panic(s.broken("LeaveShield"))
		}
		// Partner: Cancel's CAS, which came before this one and set cancelled, or comes after it
		// and notifies.
		if w.swap(s, next) {
			return outcome
		}
	}
}

func (s State) leaveShield() (State, ShieldOutcome) {
	if !s.isRunning() || s&shieldMask == 0 {
		return s, refused
	}
	s -= shieldOne
	switch {
	case s&shieldMask != 0:
		return s, ShieldHeld
	case s&cancelled != 0:
		return s | notified, ShieldCancelled
	}
	return s, ShieldLeft
}
