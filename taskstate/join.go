package taskstate

// Join asks to be woken by the completion. The holder of the handle calls it, after it has left beside the word what is to be
// woken; from then on, and as long as it is not withdrawn, that memory is read by the runner that is told CompleteWakeJoiner, and
// written by nobody. It panics once the task is detached.
//
// It returns JoinWait or JoinReady.
//
// Several joiners can share one handle if what they leave is a list with a lock of its own: a Join that finds join interest
// set already is as good as the first. One that finds JoinReady may be woken nevertheless.
func (w *Word) Join() JoinOutcome {
	for {
		s := w.Load()
		next, outcome := s.join()
		if outcome == refused {
			panic(s.broken("Join"))
		}
		// Another's join interest is as good as this one's: Complete's CAS, which is still to come, is the partner of either.
		if next == s || w.swap(s, next) {
			return outcome
		}
	}
}

func (s State) join() (State, JoinOutcome) {
	switch {
	case !s.live() || s&detached != 0:
		return s, refused
	case s.at(complete):
		return s, JoinReady
	}
	return s | joinInterest, JoinWait
}

// Unjoin withdraws Join, for a joiner that has waited long enough, or that has to leave something else to be woken. The
// holder of the handle calls it. It panics if there is nothing to withdraw.
//
// It returns JoinWithdrawn or JoinReady.
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
	case !s.live() || s&detached != 0:
		return s, refused
	case s.at(complete):
		return s, JoinReady
	case s&joinInterest == 0:
		return s, refused
	}
	return s &^ joinInterest, JoinWithdrawn
}

// Detach gives up the handle: nobody will collect the result, and nobody waits for it. The holder of the handle calls it, once, and
// its reference is dropped by the same CAS unless it still needs it for what it is told to do. A Join is withdrawn.
//
// It returns DetachDone, DetachDiscard or DetachRelease. The result is discarded by one party: here if the task is
// COMPLETE, else by the runner, who is told CompleteDiscard; or released with the task.
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
	case s.at(complete):
		return s | detached, DetachDiscard
	}
	return dropped&^joinInterest | detached, DetachDone
}
