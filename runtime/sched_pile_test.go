package runtime

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// What overflows have moved to the injector piles up if it has been there for long, unless half of
// the most that were there have left, or most of it is stale and there are few tasks. (runtime/R72)
func TestWhatPilesUp(t *testing.T) {
	for _, c := range []struct {
		looks, entries, most, tasks int
		piles                       bool
	}{
		{pileLooks, 100, 100, 100, true},
		{pileLooks - 1, 100, 100, 100, false},
		{pileLooks, 100, 0, 100, true}, // there were never more than now
		{pileLooks, 100, 200, 100, true},
		{pileLooks, 100, 202, 100, false},
		{pileLooks, 100, 100, 50, true},
		{pileLooks, 100, 100, 49, false},
		{pileLooks, 300, 300, 128, true}, // 8 rings
		{pileLooks, 300, 300, 127, false},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			rt := scripted(t, Workers(1), Ring(16))
			w := rt.workers[0]
			pushLocal := func() (behind bool) {
				was := rt.injector.Len()
				w.pushLocal(w.queued()) // what was in the slot leaves it
				return rt.injector.Len() > was
			}
			for range c.entries {
				w.pushBehind(w.queued())
			}
			pushLocal()
			w.piled, w.pileHigh, w.spilled = c.looks, c.most, c.entries
			live := rt.live.Load()
			rt.live.Store(int64(c.tasks - c.entries)) // it is less by what is stale
			piles := w.pilesUp()
			w.piles = true
			behind := pushLocal()
			rt.live.Add(live - int64(c.tasks-c.entries))
			require.Equal(t, c.piles, piles)
			require.Equal(t, c.piles, behind, "a new task, if it was piled up")
			if c.entries < c.most/2 {
				require.Zero(t, w.piled, "the looks are counted anew")
			}
		})
	}
}

// A look asks whether anything piles up.
func TestALookAsksWhatPilesUp(t *testing.T) {
	rt := scripted(t, Workers(1), Ring(16))
	w := rt.workers[0]
	for range 100 {
		w.pushBehind(w.queued())
	}
	w.piled, w.spilled, w.pollsUntilInjector = pileLooks-1, 100, 0
	w.pushLocal(w.pick())
	require.True(t, w.piles)
}

// As long as tasks are in the injector that were there after an overflow, one that was woken, and
// must leave the slot, queues behind them, and one that is new does not. (runtime/R64)
func TestWhatHasHadTurnsQueuesBehind(t *testing.T) {
	w := scripted(t, Workers(1)).workers[0]
	w.pushBehind(w.queued())
	w.spilled = 1
	w.pushLocal(w.queued())
	w.pushWoken(w.queued())
	require.Equal(t, 1, w.rt.injector.Len())
	w.pushLocal(w.queued())
	require.Equal(t, 2, w.rt.injector.Len())
	require.Equal(t, 1, w.ring.Len())
}

// sleeping returns a task that waits.
func (w *worker) sleeping() *task {
	t := w.queued()
	t.state.ToRunning()
	t.state.ToIdle()
	return t
}

// A pile is one until the injector is empty, or half of it has left: what was there when it began
// has left before, where others go on to pile up. (runtime/R73)
func TestAPileEndsWithTheInjector(t *testing.T) {
	w := scripted(t, Workers(1), Ring(16)).workers[0]
	for range 100 {
		w.pushBehind(w.queued())
	}
	w.piled, w.spilled = pileLooks, 1
	require.True(t, w.pilesUp())
	first, _ := w.fetch(1, 1)
	require.Zero(t, w.spilled)
	w.dueEnd = w.ring.Tail() - uint32(w.ring.Cap()) // as if the ring was full, of what was not due
	w.overflow([]*task{first})
	require.True(t, w.piles)
	require.Equal(t, pileLooks, w.piled)
	var all []*task
	for n := 1; n > 0; {
		if first, n = w.fetch(1, 1); n > 0 {
			all = append(all, first)
		}
	}
	require.False(t, w.piles)
	require.Zero(t, w.piled)
	for _, task := range all {
		w.pushLocal(task)
	}
}
