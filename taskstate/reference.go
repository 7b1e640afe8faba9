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
