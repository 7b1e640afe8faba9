package explore

import "github.com/surewake/surewake/model/wire"

// showCases says which case t's operation takes, and which others it could have taken: default if
// no case must be ready. The object becomes the channel of the case. A step with which a receiver
// goes on after its partner, and after another one that took the case, says no more than that.
func showCases(s *wire.Step, t *thread) {
	op := &t.chanOp
	if !op.def && len(op.cases) == 1 {
		return
	}
	if t.op == OpMet && op.shown {
		s.Object, s.Note = objectName(op.cases[op.taken].obj), "goes on"
		return
	}
	op.shown = op.taken >= 0
	letters := make([]byte, 0, len(op.cases)+1)
	add := func(taken, ready bool) {
		letter := byte(wire.CaseNotReady)
		switch {
		case taken:
			letter = wire.CaseTaken
		case ready && !t.found(): // its partner has chosen, at an earlier step
			letter = wire.CaseReady
		}
		letters = append(letters, letter)
	}
	sure := false
	for i, c := range op.cases {
		if c.obj < 0 {
			letters = append(letters, wire.CaseNil)
			continue
		}
		can := eng.can(t, c)
		sure = sure || can && eng.surely(c)
		add(int32(i) == op.taken, can)
	}
	if op.def {
		add(op.taken < 0, !sure)
	}
	s.Cases, s.Object = string(letters), ""
	if op.taken >= 0 {
		s.Object = objectName(op.cases[op.taken].obj)
	}
}

// showWait says for which cases t waits, if that is more than one, or that its channel is nil.
func showWait(b *wire.Blocked, t *thread) {
	if !t.op.takesCase() {
		return
	}
	cases := t.chanOp.cases
	if len(cases) == 1 {
		if cases[0].obj < 0 {
			b.Note = "a nil channel"
		}
		return
	}
	letters := make([]byte, 0, len(cases))
	for _, c := range cases {
		if c.obj < 0 {
			letters = append(letters, wire.CaseNil)
		} else {
			letters = append(letters, wire.CaseNotReady)
		}
	}
	b.Cases, b.Object = string(letters), ""
}
