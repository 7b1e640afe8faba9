package runtime

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// queued returns a new task that w counts and whoever calls this queues.
func (w *worker) queued() *task {
	w.takeCredit(1)
	w.count.spawned++
	return &newProcedure(w.rt, func(Cx) {}).task
}

// hands calls push as if a task of w were ending meanwhile.
func (w *worker) hands(push func()) {
	w.handing = true
	push()
	w.handing = false
}

// What the end of a task wakes is the next that its worker runs, the last one first; others see all
// but that.
func TestWhatAnEndWakesIsRunNext(t *testing.T) {
	w := scripted(t, Workers(1)).workers[0]
	first, last := w.queued(), w.queued()
	w.hands(func() {
		w.pushLocal(first)
		w.pushLocal(last)
	})
	require.Nil(t, w.slot.Load())
	require.Equal(t, 1, w.ring.Len())
	require.Same(t, last, w.take())
	require.Same(t, first, w.take())
	last.state.Yield()
	first.state.Yield()
	w.pushLocal(last)
	w.pushLocal(first)
}

// If the slot holds a task that has not been announced, what the end of a task wakes takes its
// place. (runtime/D7)
func TestWhatAnEndWakesMovesTheSlotToTheRing(t *testing.T) {
	w := scripted(t, Workers(1)).workers[0]
	before, woken := w.queued(), w.queued()
	w.pushLocal(before)
	w.hands(func() { w.pushLocal(woken) })
	require.Nil(t, w.handed)
	require.Same(t, woken, w.slot.Load())
	require.Equal(t, 1, w.ring.Len())
}

// What a worker was handed is in its slot, where others can rescue it, while the worker does
// something else: looks at the injector, and at what is due once a tick.
func TestWhatAnEndWakesIsShownWhileItWaits(t *testing.T) {
	t.Run("look", func(t *testing.T) {
		rt := scripted(t, Workers(1))
		w := rt.workers[0]
		rt.Go(func(Cx) {})
		woken := w.queued()
		w.hands(func() { w.pushLocal(woken) })
		w.pollsUntilInjector = 0
		foreign := w.pick()
		require.NotSame(t, woken, foreign)
		require.Same(t, woken, w.slot.Load())
		require.Nil(t, w.handed)
		w.pushLocal(foreign)
	})
	t.Run("tick", func(t *testing.T) {
		rt := scripted(t, Workers(1))
		w := rt.workers[0]
		woken := w.queued()
		w.hands(func() { w.pushLocal(woken) })
		w.tick.left = 0
		clock, shown := rt.config.clock, false
		rt.config.clock = func() int64 {
			shown = w.slot.Load() == woken
			return clock()
		}
		require.Same(t, woken, w.take())
		require.True(t, shown)
		rt.config.clock = clock
		woken.state.Yield()
		w.pushLocal(woken)
	})
}

// What a task spawns after another one has ended there is shown at once: others see it while the
// task goes on.
func TestWhatIsSpawnedAfterAnEndIsShown(t *testing.T) {
	rt, err := New(Workers(1))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	shown, err := Submit(rt, func(cx Cx) (bool, error) {
		ends := Spawn(cx, func(cx Cx) (int, error) { cx.Yield(); return 1, nil })
		cx.Yield() // it has yielded
		if _, err := ends.Join(cx); err != nil {
			return false, err
		}
		next := Spawn(cx, func(Cx) (int, error) { return 1, nil })
		w := rt.workers[0]
		shown := w.handed == nil && w.slot.Load() != nil
		_, err := next.Join(cx)
		return shown, err
	}).Wait(t.Context())
	require.NoError(t, err)
	require.True(t, shown)
}

// A worker that has run as many tasks from its slot as it may does not run what an end wakes before
// others. (runtime/R6)
func TestEndsThatWakeOneAnotherLetOthersRun(t *testing.T) {
	const cap, tasks = 3, 40
	rt, err := New(Workers(1), LIFOCap(cap))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	_, err = Submit(rt, func(cx Cx) (int, error) {
		ended, most := 0, 0
		gate := NewChannel[int](0)
		before := Spawn(cx, func(cx Cx) (int, error) { return gate.Receive(cx) })
		for range tasks {
			target := before
			before = Spawn(cx, func(cx Cx) (int, error) {
				_, err := target.Join(cx)
				ended++
				return 0, err
			})
			cx.Yield() // it waits
		}
		other := Spawn(cx, func(cx Cx) (int, error) {
			for last := ended; ended < tasks; last = ended {
				cx.Yield()
				most = max(most, ended-last)
			}
			return 0, nil
		})
		cx.Yield() // it has begun
		if err := gate.Send(cx, 1); err != nil {
			return 0, err
		}
		if _, err := before.Join(cx); err != nil {
			return 0, err
		}
		_, err := other.Join(cx)
		require.LessOrEqual(t, most, cap+1)
		return 0, err
	}).Wait(t.Context())
	require.NoError(t, err)
}

// A look that takes a stale entry, of a task that a join has taken, goes on until it has a task:
// joins leave such entries faster than looks come. (runtime/R62)
func TestALookGoesOnPastStaleEntries(t *testing.T) {
	w := scripted(t, Workers(1)).workers[0]
	joined, next := w.queued(), w.queued()
	w.pushBehind(joined)
	w.pushBehind(next)
	joined.state.Claim()
	first, n := w.fetch(1, 1)
	joined.state.Yield()
	w.pushLocal(joined)
	if first != nil {
		w.pushLocal(first)
	}
	require.Same(t, next, first)
	require.Equal(t, 1, n)
}
