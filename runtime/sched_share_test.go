package runtime

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A look at the injector by a worker that is busy, as all others are, takes all of the little that
// is there; but it leaves their shares to others who sleep or search, and what the worker would not
// run before its next look.
func TestALookTakesAllIfNobodyElseIsThereForIt(t *testing.T) {
	const tasks, most = 12, 32
	for name, c := range map[string]struct {
		before, after func(w, other *worker)
		taken         int
	}{
		"all are busy": {taken: tasks},
		"slow tasks": {
			before: func(w, _ *worker) { w.tick.interval = most - 1 },
			taken:  tasks/2 + 1,
		},
		"another sleeps": {
			before: func(_, other *worker) { other.idle.Publish() },
			after: func(_, other *worker) { // the look has claimed it
				other.parker.Park()
				other.idle.Woke(true)
				other.idle.Found()
			},
			taken: tasks/2 + 1,
		},
		"another searches": {
			before: func(_, other *worker) { other.idle.Search() },
			after:  func(_, other *worker) { other.idle.Found() },
			taken:  tasks/2 + 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			rt := scripted(t, Workers(2), InjectorBatch(most, LocalRing))
			w, other := rt.workers[0], rt.workers[1]
			for range tasks {
				rt.Go(func(Cx) {})
			}
			if c.before != nil {
				c.before(w, other)
			}
			w.pollsUntilInjector = 0
			first := w.pick()
			require.Equal(t, c.taken, 1+w.ring.Len())
			w.pushLocal(first)
			if c.after != nil {
				c.after(w, other)
			}
		})
	}
}
