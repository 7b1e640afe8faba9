package refine_test

import (
	"testing"

	"github.com/surewake/surewake/proofs/refine"
)

// In every state, what different goroutines do to different objects can be done in either order.
// The tables of park and taskstate have one object, so there is nothing to look at.
func TestARuleSpeaksOfOneObject(t *testing.T) {
	workers := 2
	if testing.Short() {
		workers = 1
	}
	s := newScheduler(setting{workers: workers, submitters: 1, tasks: 1})
	s.begin(s.world(nil))
	r := newRings([]string{"owner", "thief", "other"}, [2]int{4, 2})
	r.left = 2
	r.begin()
	for _, c := range []struct {
		name string
		m    *refine.Machine
		but  []string
	}{
		// close_done waits for what Close itself has seen to on the word, before, and what does not
		// come back (idle/I10).
		{"idle", s.Idle, []string{"close_done"}},
		{"deque", r.all[0].Machine, nil},
	} {
		pairs, err := c.m.Commutes(200_000, c.but...)
		states, _, _ := c.m.Sizes()
		t.Logf("%s: %d states, %d pairs of moves", c.name, states, pairs)
		if err != nil || pairs == 0 {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A rule that speaks of two objects is noticed.
func TestARuleOfTwoObjectsIsNoticed(t *testing.T) {
	c := setting{workers: 2, submitters: 1, tasks: 1}.binding()
	search := *c.System.Rule("search") // looks at the queue, too
	search.When += " && q == 0"
	c.System = c.System.With(search)
	s := setting{workers: 2, submitters: 1, tasks: 1}.following(c)
	s.begin(s.world(nil))
	if _, err := s.Idle.Commutes(200_000, "close_done"); err == nil {
		t.Error("search and push are said to be possible in either order")
	}
}
