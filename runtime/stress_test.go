package runtime_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// These are the situations that Tokio's runtime is checked in by loom, as they come by chance;
// sched_model_test.go has those of them that every interleaving is looked at in.

// rounds runs a test many times, fewer with -short.
func rounds(t *testing.T, test func(t *testing.T, round, workers int)) {
	n := 100
	if testing.Short() {
		n = 20
	}
	each(t, func(t *testing.T, workers int) {
		for round := range n {
			test(t, round, workers)
		}
	})
}

func TestShutdownRacesARunningTask(t *testing.T) {
	rounds(t, func(t *testing.T, round, workers int) {
		rt := start(t, workers)
		h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			child := runtime.Spawn(cx,
				func(cx runtime.Cx) (int, error) { cx.Yield(); return 1, nil })
			if round%2 == 0 {
				cx.Yield()
			}
			v, err := child.Join(cx)
			return v + 1, err
		})
		if round%3 == 0 {
			closes(t, rt)
			if v, err := get(t, h); err == nil {
				require.Equal(t, 2, v)
			} else {
				require.ErrorIs(t, err, runtime.ErrClosed)
			}
			return
		}
		drains(t, rt)
		v, err := get(t, h)
		require.NoError(t, err)
		require.Equal(t, 2, v)
	})
}

// Tasks spawn tasks that spawn tasks, and nobody joins them but the end of the runtime.
func TestTasksThatSpawnTasks(t *testing.T) {
	rounds(t, func(t *testing.T, round, workers int) {
		rt := start(t, workers, runtime.Ring(2))
		var ran atomic.Int32
		var grow func(cx runtime.Cx, depth int) (int, error)
		grow = func(cx runtime.Cx, depth int) (int, error) {
			ran.Add(1)
			for range min(depth, 2) {
				runtime.SpawnWith(cx, grow, depth-1).Detach()
			}
			return 0, nil
		}
		for range 2 {
			runtime.Submit(rt, func(cx runtime.Cx) (int, error) { return grow(cx, 6) }).Detach()
		}
		drains(t, rt)
		require.EqualValues(t, 2*95, ran.Load())
		s := rt.Stats()
		require.EqualValues(t, 2*95, s.Spawned)
		require.EqualValues(t, 2*95, s.Completed)
	})
}

// A wait outside ends although a task on the same worker never stops yielding.
func TestJoinFromOutsideBesideATaskThatYieldsForever(t *testing.T) {
	rounds(t, func(t *testing.T, round, workers int) {
		rt := start(t, workers)
		var stop atomic.Bool
		for range workers {
			runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				for !stop.Load() {
					cx.Yield()
				}
				return 0, nil
			}).Detach()
		}
		b := &bell{want: 1}
		waiting := runtime.SubmitFuture(rt, b)
		h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			b.ring().Wake()
			return waiting.Join(cx)
		})
		v, err := get(t, h)
		require.NoError(t, err)
		require.Equal(t, 1, v)
		stop.Store(true)
		drains(t, rt)
	})
}

// Wakes come while the runtime ends, and after. Each task ends once.
func TestWakesRaceTheEnd(t *testing.T) {
	rounds(t, func(t *testing.T, round, workers int) {
		rt := start(t, workers)
		var bells []*bell
		var hs []*runtime.Handle[int]
		for range 4 {
			bells = append(bells, &bell{want: 2})
			hs = append(hs, runtime.SubmitFuture(rt, bells[len(bells)-1]))
		}
		var wakers sync.WaitGroup
		for _, b := range bells {
			wakers.Go(func() {
				b.ring().Wake()
				b.ring().Wake()
				b.ring().Wake()
			})
		}
		if round%2 == 0 {
			closes(t, rt)
		} else {
			drains(t, rt)
		}
		wakers.Wait()
		for _, h := range hs {
			v, err, ended := h.TryJoin()
			require.True(t, ended)
			if round%2 == 0 && err != nil {
				require.ErrorIs(t, err, runtime.ErrClosed)
				continue
			}
			require.NoError(t, err)
			require.GreaterOrEqual(t, v, 2)
		}
	})
}

// Close ends what waits, of every kind, what is queued, and what is being spawned.
func TestCloseWithTasksPending(t *testing.T) {
	rounds(t, func(t *testing.T, round, workers int) {
		rt := start(t, workers, runtime.Ring(2))
		var hs []*runtime.Handle[int]
		for range 3 {
			hs = append(hs,
				runtime.Submit(rt, forever),
				runtime.SubmitFuture(rt, &bell{want: 1}),
				runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					h := runtime.Spawn(cx, forever)
					cx.Yield()
					return h.Join(cx)
				}),
				runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					return 0, runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
						runtime.SpawnIn(cx, s, forever)
						runtime.SpawnBatch(cx, 5,
							func(cx runtime.Cx, _ int) (int, error) { return forever(cx) })
						_, err := forever(cx)
						return err
					})
				}),
				runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					for {
						if _, err := runtime.Spawn(cx, returns(1)).Join(cx); err != nil {
							return 0, err
						}
					}
				}))
		}
		for range round % 50 {
			_ = rt.Stats()
		}
		closes(t, rt)
		for _, h := range hs {
			_, err, ended := h.TryJoin()
			require.True(t, ended)
			require.ErrorIs(t, err, runtime.ErrClosed)
		}
		s := rt.Stats()
		require.Equal(t, s.Spawned, s.Completed)
		require.Equal(t, "0+0", rt.Live())
	})
}

// What is submitted before the end runs if the runtime is drained; what comes after it is refused;
// in between it is one or the other.
func TestSubmittedBeforeAndAfterTheEnd(t *testing.T) {
	rounds(t, func(t *testing.T, round, workers int) {
		rt := start(t, workers)
		before := runtime.Submit(rt, returns(1))
		var between []*runtime.Handle[int]
		var batch *runtime.TaskBatch[int]
		var others sync.WaitGroup
		others.Go(func() {
			for i := range 10 {
				switch i % 3 {
				case 0:
					between = append(between, runtime.Submit(rt, returns(1)))
				case 1:
					between = append(between, runtime.SubmitBlocking(rt, one))
				case 2:
					between = append(between, runtime.SubmitFuture(rt, &bell{rung: 1}))
				}
			}
			batch = runtime.SubmitBatch(rt, 10,
				func(runtime.Cx, int) (int, error) { return 1, nil })
		})
		drains(t, rt)
		after := runtime.Submit(rt, returns(1))
		others.Wait()
		v, err, ended := before.TryJoin()
		require.True(t, ended)
		require.NoError(t, err)
		require.Equal(t, 1, v)
		_, err, ended = after.TryJoin()
		require.True(t, ended)
		require.ErrorIs(t, err, runtime.ErrClosed)
		first, firstErr, _ := batch.Handle(0).TryJoin()
		for _, h := range batch.All() { // all or none of a batch
			v, err, _ := h.TryJoin()
			require.Equal(t, first, v)
			require.Equal(t, firstErr, err)
			between = append(between, h)
		}
		refused := false
		for _, h := range between {
			v, err, ended := h.TryJoin()
			require.True(t, ended)
			refused = refused || err != nil
			if refused { // and all that come later
				require.ErrorIs(t, err, runtime.ErrClosed)
			} else {
				require.Equal(t, 1, v)
			}
		}
	})
}

// A task that yields is polled once for each yield, and everything else that is queued once before
// it is polled again.
func TestOneTurnPerYield(t *testing.T) {
	const yields = 100
	rt := start(t, 1)
	turns := make([]int, 4)
	take := func(cx runtime.Cx, i int) {
		for range yields {
			turns[i]++
			cx.Yield()
			for _, n := range turns {
				require.InDelta(t, turns[i], n, 1)
			}
		}
	}
	run(t, rt, func(cx runtime.Cx) error {
		for i := 1; i < len(turns); i++ {
			runtime.Spawn(cx, func(cx runtime.Cx) (int, error) { take(cx, i); return 0, nil }).
				Detach()
		}
		take(cx, 0)
		return nil
	})
	drains(t, rt)
	w := rt.Stats().Workers[0]
	require.EqualValues(t, len(turns)*(yields+1), w.Polled)
	require.LessOrEqual(t, w.Parked, uint64(2)) // before and after
}
