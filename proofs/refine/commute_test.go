package refine_test

import (
	"testing"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/proofs/refine"
)

// park's and taskstate's tables have one object, so there is nothing to commute.
func TestARuleSpeaksOfOneObject(t *testing.T) {
	s := newScheduler(setting{workers: 2, submitters: 1, tasks: 1})
	s.begin(s.world(nil))
	r := newRings([]string{"owner", "thief", "other"}, [2]int{4, 2})
	r.left = 2
	r.begin()
	for _, c := range []struct {
		name string
		m    *refine.Machine
		but  []string
	}{
		// close_done waits for what Close itself has seen to on the word, before, and what does not come back (idle/I10).
		{"idle", s.idle, []string{"close_done"}},
		{"deque", r.all[0].Machine, nil},
	} {
		pairs, err := c.m.Commutes(1_000_000, c.but...)
		states, _, _ := c.m.Sizes()
		t.Logf("%s: %d states, %d pairs of moves", c.name, states, pairs)
		if err != nil || pairs == 0 {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

var _ = model.Check
