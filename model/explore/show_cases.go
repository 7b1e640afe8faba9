package explore

import "github.com/surewake/surewake/model/wire"

// showCases says which case t's operation takes, and which others it could have taken: default if
// no case must be ready. The object becomes the channel of the case.
func showCases(s *wire.Step, t *thread) {
	op := &t.chanOp
	if !op.def && len(op.cases) == 1 {
		return
	}
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
