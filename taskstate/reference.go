package taskstate

// Clone makes another reference. Any holder of one may call it. It panics if there are
// MaxReferences already.
func (w *Word) Clone() {
	for {
		s := w.Load()
		if !s.isLive() || s.isFull() {
			panic(s.broken("Clone"))
		}
		if w.swap(s, s+referenceOne) {
			return
		}
	}
}

// Drop gives up the caller's reference. It panics if this is the last one of a task that is not
// COMPLETE: that one is the task's own, which Complete drops.
//
// It returns DropKept or DropRelease. Every earlier transition synchronizes before the Drop that
// returns DropRelease.
func (w *Word) Drop() DropOutcome {
	for {
		s := w.Load()
		next, outcome := s.drop()
		if outcome == refused {
			panic(s.broken("Drop"))
		}
		// Partner: the other owners' drops, all of which the last one comes after.
		if w.swap(s, next) {
			return outcome
		}
	}
}

func (s State) drop() (State, DropOutcome) {
	dropped := s - referenceOne
	switch {
	case !s.isLive():
		return s, refused
	case dropped >= referenceOne:
		return dropped, DropKept
	case s.is(complete):
		return dropped, DropRelease
	}
	return s, refused
}

// Renew makes the memory of a COMPLETE task that of another one, as [New] with the same number of
// references would, and returns true; or it changes nothing and returns false, because the task has
// not ended, the handle was given up, or there are references besides the caller's: all but one of
// those that New was told of. So a runner that has yet to wake a joiner, and an entry that is
// stale, are in the way. The holder of the handle calls it, for all whose references it takes over:
// what is said of a task holds for each life between two calls, and whoever shares one of the
// caller's references may use it in the next life.
//
// Earlier transitions synchronize before a Renew that returns true, and it before later ones.
func (w *Word) Renew(references int) bool {
	for {
		s := w.Load()
		if !s.isLive() {
			panic(s.broken("Renew"))
		}
		next, renewed := s.renew(references)
		if !renewed {
			return false
		}
		// Receives what the last life did with its memory; partner: the drops of all others.
		if w.swap(s, next) {
			return true
		}
	}
}

func (s State) renew(references int) (State, bool) {
	if !s.is(complete) || s&detached != 0 || s.References() != references-1 {
		return s, false
	}
	return s&reservedMask | scheduled | State(references)<<referenceShift, true
}
