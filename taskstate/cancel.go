package taskstate

// Cancel asks the task to end. It takes effect when a runner is told RunCancelled, which comes about without any other
// wake: the task becomes SCHEDULED if it is IDLE, and notified if it is RUNNING. While it is in a shield, Cancel leaves a
// mark only, and the rest is LeaveShield's. Who has a reference may call it, and keeps that reference.
//
// It returns CancelEnqueue, CancelNoted, CancelDeferred, CancelAlready or CancelFinished.
//
// Only the first Cancel of a task has an effect. A task that is told RunCancelled and goes on waiting all the same
// is not told again until something else wakes it.
func (w *Word) Cancel() CancelOutcome {
	for {
		s := w.Load()
		if !s.live() {
			panic(s.broken("Cancel"))
		}
		next, outcome := s.cancel()
		if next == s || w.swap(s, next) { // partner: ToRunning's CAS if it is SCHEDULED, ToIdle's or LeaveShield's if it is RUNNING
			return outcome
		}
	}
}

func (s State) cancel() (State, CancelOutcome) {
	switch {
	case s.at(complete):
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

// EnterShield holds cancellation back until the matching LeaveShield. Only the runner may call it, from the poll; a
// shield lasts across polls. It panics beyond MaxShield.
func (w *Word) EnterShield() {
	for {
		s := w.Load()
		if !s.polled() || s&shieldMask == shieldMask {
			panic(s.broken("EnterShield"))
		}
		if w.swap(s, s+shieldOne) { // partner: Cancel's CAS, which comes before it or is deferred
			return
		}
	}
}

// LeaveShield is the end of EnterShield. If it was the outermost shield and the task is cancelled, the task is notified, so
// that it does not become IDLE. Only the runner may call it, from the poll. It panics outside of all shields.
//
// It returns ShieldLeft, ShieldHeld or ShieldCancelled.
func (w *Word) LeaveShield() ShieldOutcome {
	for {
		s := w.Load()
		next, outcome := s.leaveShield()
		if outcome == refused {
			panic(s.broken("LeaveShield"))
		}
		if w.swap(s, next) { // partner: Cancel's CAS, which comes before it and set cancelled, or after it and notifies
			return outcome
		}
	}
}

func (s State) leaveShield() (State, ShieldOutcome) {
	if !s.polled() || s&shieldMask == 0 {
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
