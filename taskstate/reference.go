package taskstate

// Clone makes another reference. Who has one may call it. It panics beyond MaxReferences.
func (w *Word) Clone() {
	for {
		s := w.Load()
		if !s.live() || s.full() {
			panic(s.broken("Clone"))
		}
		if w.swap(s, s+referenceOne) {
			return
		}
	}
}

// Drop gives up the caller's reference. It panics if the task is not COMPLETE and this is the task's own.
//
// It returns DropKept or DropRelease. Every earlier transition synchronizes before the Drop that returns DropRelease.
func (w *Word) Drop() DropOutcome {
	for {
		s := w.Load()
		next, outcome := s.drop()
		if outcome == refused {
			panic(s.broken("Drop"))
		}
		if w.swap(s, next) { // partner: the other owners' drops, each of which the last one comes after
			return outcome
		}
	}
}

func (s State) drop() (State, DropOutcome) {
	dropped := s - referenceOne
	switch {
	case !s.live():
		return s, refused
	case dropped >= referenceOne:
		return dropped, DropKept
	case s.at(complete):
		return dropped, DropRelease
	}
	return s, refused
}
