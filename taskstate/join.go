package taskstate

// Join asks that the completion wake a joiner. The holder of the handle calls it, after it has
// stored beside the word how to wake the joiner, its waker. From then on, unless it withdraws, the
// runner that is told CompleteWakeJoiner reads that memory, and nobody writes it. It panics once
// the task is detached.
//
// It returns JoinWait or JoinReady; JoinReady synchronizes after Complete.
//
// Several joiners can share one handle if the waker is a list with a lock of its own: a Join that
// finds join interest set already does as well as the first. One that is told JoinReady may be
// woken nevertheless.
func (w *Word) Join() JoinOutcome {
	for {
		s := w.Load()
		next, outcome := s.join()
		if outcome == refused {
			panic(s.broken("Join"))
		}
		// Passes the waker to the completion; partner: Complete's CAS, which is still to come, also
		// if another's join interest is found.
		if next == s || w.swap(s, next) {
			return outcome
		}
	}
}

func (s State) join() (State, JoinOutcome) {
	switch {
	case !s.isLive() || s&detached != 0:
		return s, refused
	case s.is(complete):
		return s, JoinReady
	}
	return s | joinInterest, JoinWait
}

// Unjoin withdraws a Join, for a joiner that has waited long enough, or that has to replace its
// waker. The holder of the handle calls it. It panics if there is no Join to withdraw.
//
// It returns JoinWithdrawn or JoinReady; JoinReady synchronizes after Complete.
func (w *Word) Unjoin() JoinOutcome {
	for {
		s := w.Load()
		next, outcome := s.unjoin()
		if outcome == refused {
			panic(s.broken("Unjoin"))
		}
		if next == s || w.swap(s, next) { // partner: Complete's CAS
			return outcome
		}
	}
}

func (s State) unjoin() (State, JoinOutcome) {
	switch {
	case !s.isLive() || s&detached != 0:
		return s, refused
	case s.is(complete):
		return s, JoinReady
	case s&joinInterest == 0:
		return s, refused
	}
	return s &^ joinInterest, JoinWithdrawn
}

// Detach gives up the handle: nobody will collect the result or wait for it. The holder of the
// handle calls it, once. A Join is withdrawn. The same CAS drops the caller's reference, unless the
// caller still needs it for what it is told to do.
//
// It returns DetachDone, DetachDiscard or DetachRelease. One party discards the result: here, if
// the task is COMPLETE; else the runner, which is told CompleteDiscard; or it is released with the
// task.
func (w *Word) Detach() DetachOutcome {
	for {
		s := w.Load()
		next, outcome := s.detach()
		if outcome == refused {
			panic(s.broken("Detach"))
		}
		if w.swap(s, next) { // partner: Complete's CAS
			return outcome
		}
	}
}

func (s State) detach() (State, DetachOutcome) {
	dropped, drop := s.drop()
	switch {
	case drop == refused || s&detached != 0:
		return s, refused
	case drop == DropRelease:
		return dropped | detached, DetachRelease
	case s.is(complete):
		return s | detached, DetachDiscard
	}
	return dropped&^joinInterest | detached, DetachDone
}
