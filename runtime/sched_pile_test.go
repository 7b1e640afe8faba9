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

// What is due and ready is put off while there are more tasks than when they began to pile up, for
// some milliseconds. (runtime/R73)
func TestWhatIsDueIsPutOffWhileTasksPileUp(t *testing.T) {
	rt := scripted(t, Workers(1), Ring(16))
	w := rt.workers[0]
	for range 100 {
		w.pushBehind(w.queued())
	}
	w.piled, w.spilled = pileLooks, 100
	require.True(t, w.pilesUp())
	require.Equal(t, w.tasks(), w.pileTasks)
	d := &w.dueOwed
	require.False(t, w.owes(d, 0), "as many as there were")
	for range 2 * lease { // more than the credit
		w.pushBehind(w.queued())
	}
	require.True(t, w.owes(d, leastOwed-1))
	require.False(t, w.owes(d, leastOwed), "for long enough")
	require.True(t, w.pilesUp())
	require.True(t, w.owes(d, 0), "the pile began before")
	rt.watches.count.Add(1)
	was := w.ioPolledAt
	w.pollIO(was + ioPollGap)
	rt.watches.count.Add(-1)
	require.Equal(t, was, w.ioPolledAt, "descriptors are put off, too")
	w.spilled = 0
	require.False(t, w.owes(d, 0))
	w.spilled, w.piles = 100, false
	require.False(t, w.owes(d, 0))
}

// What is put off waits for twice as long each time there are more tasks by a sixteenth, up to a
// limit, and for half as long when there are fewer by a quarter; until there are no more than when
// they began to pile up, or that begins again. (runtime/R75)
func TestWhatGrowsIsPutOffForLonger(t *testing.T) {
	w := scripted(t, Workers(1), Ring(16)).workers[0]
	w.pushBehind(w.queued())
	w.piles, w.spilled, w.pileTasks = true, 1, 1000
	live := w.rt.live.Load()
	defer func() { w.rt.live.Store(live) }()
	now, d := int64(0), &w.dueOwed
	pays := func(tasks int, wait int64) {
		t.Helper()
		w.rt.live.Add(int64(tasks - w.tasks()))
		now += mostOwed
		w.pay(d, now)
		w.rt.live.Add(int64(w.pileTasks + 1 - w.tasks()))
		require.True(t, w.owes(d, now+wait*leastOwed-1))
		require.False(t, w.owes(d, now+wait*leastOwed))
	}
	pays(1062, 1)
	pays(1063, 2)
	pays(1129, 2)
	pays(1001, 2)
	pays(1130, 4)
	w.spilled = 0
	w.pay(d, now)
	w.spilled = 1
	pays(1130, 4)
	pays(2000, 8)
	pays(1500, 8)
	pays(1499, 4)
	pays(1593, 8)
	pays(3000, 16)
	pays(4000, 16)
	pays(1001, 8)
	pays(1064, 16)
	pays(1000, 1)
	pays(1062, 1)
	pays(1063, 2)
	w.piles = false
	w.pay(d, now)
	require.Zero(t, w.readyOwed)
	w.readyOwed = *d
	w.piled, w.pileHigh = pileLooks, 1
	require.True(t, w.pilesUp(), "a pile begins")
	w.pileTasks = 1000
	pays(1062, 1)
	pays(1063, 2)
	d = &w.readyOwed
	pays(1062, 1)
	pays(1063, 2)
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
