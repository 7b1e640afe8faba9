package taskstate_test

import (
	"testing"

	"github.com/surewake/surewake/taskstate"
)

// reservedPatterns are put into the reserved bits, which nobody touches.
var reservedPatterns = []uint64{0, reservedBits, 0xa000_5555}

// everyOperation performs each of them on a word of its own in state p, with each of the patterns
// in the reserved bits. It returns what comes out of them, without these patterns.
func everyOperation(t *testing.T, p plain, patterns []uint64) []plain {
	t.Helper()
	var after []plain
	for _, p.reserved = range patterns {
		for _, o := range operations {
			w, q := taskstate.WordAt(p.state()), p
			if err := o.hold(&w, &q); err != nil {
				t.Fatal(err)
			}
			q.reserved = 0
			after = append(after, q)
		}
	}
	return after
}

// TestEveryReachableState goes through all states that transitions lead to, and performs every
// transition in each of them. Left out are only numbers of references and shields between the small
// and the largest ones.
func TestEveryReachableState(t *testing.T) {
	// SCHEDULED, IDLE, and RUNNING twice (notified or not): 5 shields, cancelled or not, with join
	// interest, detached or neither, 5 numbers of references; COMPLETE: cancelled or not, with
	// both, one or none of the two, 6 numbers of references.
	const reachable = 4*(5*2*3*5) + 2*4*6
	within := func(p plain) bool {
		return (p.references <= 3 || p.references >= taskstate.MaxReferences-1) &&
			(p.shield <= 2 || p.shield >= 254)
	}
	// What 252 shields lead to, in either direction, provided that nothing else happens;
	// TestWordBehavesAsAStruct goes there.
	jump := func(p plain) plain {
		switch p.shield {
		case 2:
			p.shield = 254
		case 254:
			p.shield = 2
		}
		return p
	}
	seen := map[plain]bool{}
	var todo []plain
	add := func(p plain) {
		if within(p) && !seen[p] {
			seen[p] = true
			todo = append(todo, p)
		}
	}
	for _, n := range []int{1, 2, 3, taskstate.MaxReferences - 1, taskstate.MaxReferences} {
		w := taskstate.New(n)
		add(plainOf(w.Load()))
	}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, rule := range []struct {
			holds bool
			text  string
		}{
			{!p.notified || p.lifecycle == taskstate.Running, "notified only while RUNNING"},
			{p.shield == 0 || p.lifecycle != taskstate.Complete, "no shield once COMPLETE"},
			{p.references > 0 || p.lifecycle == taskstate.Complete, "released only once COMPLETE"},
			{!p.detached || !p.interest || p.lifecycle == taskstate.Complete,
				"nobody waits for a detached task"},
			{p.references <= taskstate.MaxReferences, "not too many references"},
		} {
			if !rule.holds {
				t.Errorf("%v is reachable, but: %s", p, rule.text)
			}
		}
		for _, q := range everyOperation(t, p, reservedPatterns) {
			add(q)
		}
		if p.lifecycle == taskstate.Running {
			add(jump(p))
		}
	}
	t.Logf("%d reachable states, %d transitions from each, with %d patterns in the reserved bits",
		len(seen), len(operations), len(reservedPatterns))
	if len(seen) != reachable {
		t.Errorf("%d reachable states; there were %d when this was written", len(seen), reachable)
	}
}

// TestNoFieldCarriesIntoAnother performs every transition in every combination of edge values,
// reachable or not. What transitions may change is said by plain, field by field; everything else
// stays.
func TestNoFieldCarriesIntoAnother(t *testing.T) {
	n := 0
	for _, references := range []int{0, 1, 2, 1<<23 - 1, 1 << 23, 1<<23 + 1, 1<<24 - 1} {
		for _, shield := range []int{0, 1, 2, 127, 128, 254, 255} {
			for flags := range 16 {
				for _, lifecycle := range []taskstate.Lifecycle{0, 1, 2, 3, 4, 255} {
					everyOperation(t, plain{
						lifecycle, flags&1 != 0, flags&2 != 0, flags&4 != 0, flags&8 != 0, shield,
						references, 0,
					}, reservedPatterns[n%3:n%3+1])
					n++
				}
			}
		}
	}
	t.Logf("%d states at the edges", n)
}
