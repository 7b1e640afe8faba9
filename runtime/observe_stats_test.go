package runtime

import (
	"context"
	"encoding/json"
	"expvar"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/taskstate"
)

// The scripts below pin every number: each event happens another number of times than the others,
// so that a counter that counts something else is seen. (runtime/R9)

// Of the clock of a scripted runtime, each time that somebody looks at it.
const step = time.Microsecond

// scripted returns a runtime whose workers do nothing but what a test makes them do.
func scripted(t *testing.T, options ...Option) *Runtime {
	c, err := configure(append([]Option{Seed(1)}, options...))
	require.NoError(t, err)
	var now atomic.Int64
	c.clock = func() int64 { return now.Add(int64(step)) }
	rt := assemble(c)
	t.Cleanup(func() {
		if t.Failed() {
			return // tasks that the test has taken are nowhere
		}
		rt.raiseMode(draining)
		for _, w := range rt.workers {
			go w.run()
		}
		<-rt.done
	})
	return rt
}

// worked returns what has been counted of work, without what there is at the moment.
func (rt *Runtime) worked() Stats {
	s := rt.Stats()
	s.Live, s.Stacks, s.Spares = 0, 0, 0
	return s
}

// resume is a round of the trampoline.
func (w *worker) resume(co *coroutine) {
	w.enter(co)
	co.next()
	if w.reason != becameSpare {
		w.settle()
	}
}

// work makes w do all that it finds, and returns instead of going to sleep.
func (w *worker) work() {
	for {
		s := w.toResume
		w.toResume = nil
		if s == nil {
			t := w.take()
			if t == nil {
				t = w.search()
			}
			if t == nil && w.rt.timers.next.Load() == atOnce {
				w.lookForDue()
				t = w.take()
			}
			if t == nil {
				break
			}
			w.idle.Found()
			var ok bool
			if s, ok = t.body.(*coroutine); !ok {
				s = w.takeSpare()
				s.initial = t
			}
		}
		w.resume(s)
	}
	w.idle.Found()
	w.flush()
}

// do is a task for a worker's queue, as if a task that it runs had spawned it.
func (w *worker) do(fn func(Cx) (int, error)) *Handle[int] {
	c := &call[int]{fn: fn}
	c.state = taskstate.New(references)
	c.body = c
	c.rt = w.rt
	w.spawn(&c.task)
	return &c.Handle
}

func TestStatsCountPollsJoinsAndWhatJoinsLeaveBehind(t *testing.T) {
	rt := scripted(t, Workers(1))
	root := Submit(rt, func(cx Cx) (int, error) {
		a, b, c := Spawn(cx, empty), Spawn(cx, empty), Spawn(cx, empty)
		a.Join(cx) // out of the ring, in which a stale entry stays
		b.Join(cx) // as well
		c.Join(cx) // out of the slot
		for range 3 {
			cx.Yield()
		}
		Spawn(cx, empty)
		return 0, nil
	})
	require.Equal(t, Stats{Workers: make([]WorkerStats, 1), Injected: 1}, rt.worked())
	rt.workers[0].work()
	require.True(t, root.ended())
	require.Equal(t, Stats{Spawned: 5, Completed: 5, Workers: []WorkerStats{{
		Polled: 1 + 3 + 3 + 1, Inlined: 3, Spawned: 4, Completed: 5, LIFO: 1, Batches: 1, Stale: 2,
	}}}, rt.worked())
}

func TestStatsCountJoinsThatWaitAsPollsOnly(t *testing.T) {
	rt := scripted(t, Workers(1))
	Submit(rt, func(cx Cx) (int, error) {
		h := Spawn(cx, func(cx Cx) (int, error) { cx.Yield(); return 0, nil })
		cx.Yield()
		h.Join(cx) // has a stack of its own by now; its entry in the ring is stale
		return 0, nil
	})
	rt.workers[0].work()
	require.Equal(t, Stats{Spawned: 2, Completed: 2, Workers: []WorkerStats{{
		// The target is resumed at once, from no queue.
		Polled: 3 + 2, Spawned: 1, Completed: 2, LIFO: 2, Batches: 1, Stale: 1,
	}}}, rt.worked())
}

func TestStatsTellSearchersFromSleepers(t *testing.T) {
	rt := scripted(t, Workers(3))
	require.True(t, rt.workers[0].idle.Search())
	require.Equal(t, Stats{Workers: make([]WorkerStats, 3), Searching: 1}, rt.worked())
	rt.workers[0].idle.Publish()
	rt.workers[1].idle.Publish()
	require.Equal(t, Stats{Workers: make([]WorkerStats, 3), Sleeping: 2}, rt.worked())
	rt.workers[0].idle.Woke(false)
	rt.workers[1].idle.Woke(false)
}

func TestStatsCountOverflowsAndBatches(t *testing.T) {
	rt := scripted(t, Workers(1), Ring(4))
	for range 2 {
		Submit(rt, func(cx Cx) (int, error) {
			for range 8 { // one to the slot, four to the ring, 2+1 to the injector, two to the ring
				Spawn(cx, empty)
			}
			s := rt.Stats()
			require.Equal(t, 4, s.Queued)
			require.Equal(t, 4, s.Workers[0].Queued)
			require.Equal(t, 3, s.Injected)
			return 0, nil
		})
		rt.workers[0].work()
	}
	require.Equal(t, Stats{Spawned: 18, Completed: 18, Workers: []WorkerStats{{
		Polled: 18, Spawned: 16, Completed: 18, LIFO: 2, Batches: 4, Overflows: 2,
	}}}, rt.worked())
}

func TestStatsCountStaleEntriesInAnOverflow(t *testing.T) {
	rt := scripted(t, Workers(1), Ring(2))
	Submit(rt, func(cx Cx) (int, error) {
		a, b := Spawn(cx, empty), Spawn(cx, empty)
		a.Join(cx)
		b.Join(cx)
		// Slot; ring, after the entry of a; overflow of that entry and another one; ring.
		for range 4 {
			Spawn(cx, empty)
		}
		return 0, nil
	})
	rt.workers[0].work()
	require.Equal(t, Stats{Spawned: 7, Completed: 7, Workers: []WorkerStats{{
		Polled: 7, Inlined: 2, Spawned: 6, Completed: 7, LIFO: 1, Batches: 2, Overflows: 1,
		Stale: 1,
	}}}, rt.worked())
}

func TestStatsCountStealsAndRescues(t *testing.T) {
	for _, target := range []BatchTarget{LocalRing, PrivateBuffer} {
		rt := scripted(t, Workers(2), InjectorBatch(32, target))
		busy, thief := rt.workers[0], rt.workers[1]
		for range 9 {
			busy.do(empty)
		}
		busy.publish()
		require.Equal(t,
			Stats{Spawned: 9, Queued: 8, Workers: []WorkerStats{{Spawned: 9, Queued: 8}, {}}},
			rt.worked())
		thief.work() // 4 + 2 + 1 + 1, and in vain
		expected := WorkerStats{Polled: 8, Completed: 8, Steals: 4, Stolen: 8, Searching: 5 * step}
		require.Equal(t, []WorkerStats{{Spawned: 9}, expected}, rt.Stats().Workers)

		thief.scanSlots(1 << 40)
		thief.scanSlots(1 << 41)
		thief.work()
		expected.Polled, expected.Completed, expected.Rescued, expected.Searching = 9, 9, 1, 6*step
		require.Equal(t,
			Stats{Spawned: 9, Completed: 9, Workers: []WorkerStats{{Spawned: 9}, expected}},
			rt.worked())
	}
}

// The counts of a task that spawns and joins, and does not leave its worker for long, are those of
// the last tick, which ends in a join, or of a budget more.
func TestStatsOfABusyWorkerAreThoseOfItsLastTick(t *testing.T) {
	const tick, budget = 16, 8
	rt := scripted(t, Workers(1), TickBudget(tick), TaskBudget(budget))
	h := Submit(rt, func(cx Cx) (int, error) {
		most := uint64(0)
		for n := uint64(1); n <= 1000; n++ {
			Spawn(cx, empty).Join(cx)
			s := rt.Stats()
			most = max(most, n-s.Workers[0].Completed)
			require.LessOrEqual(t, s.Completed, n)
		}
		return int(most), nil
	})
	rt.workers[0].work()
	most, err, ended := h.TryJoin()
	require.True(t, ended)
	require.NoError(t, err)
	require.LessOrEqual(t, most, tick+budget+1)
}

// A steal counts what it took also if the thief's own queue was not empty.
func TestStatsCountNoEntryOfTheThiefAsStolen(t *testing.T) {
	rt := scripted(t, Workers(2))
	busy, thief := rt.workers[0], rt.workers[1]
	for range 5 {
		busy.do(empty)
		thief.do(empty)
	}
	stolen := thief.stealFrom(busy.ring)
	require.NotNil(t, stolen)
	s := thief.takeSpare()
	s.initial = stolen
	thief.resume(s)
	thief.publish()
	require.EqualValues(t, 2, rt.Stats().Workers[1].Stolen)
	thief.work()
	busy.work()
}

func TestStatsCountSleeps(t *testing.T) {
	rt, err := New(Workers(1))
	require.NoError(t, err)
	asleep := func(times uint64) {
		require.Eventually(t, func() bool {
			s := rt.Stats()
			return s.Workers[0].Parked == times && s.Sleeping == 1
		}, 10*time.Second, 50*time.Microsecond)
	}
	for i := range uint64(3) {
		asleep(i + 1)
		Submit(rt, empty).Wait(context.Background())
	}
	asleep(4)
	require.NoError(t, rt.Close())
	require.Equal(t, Stats{Spawned: 3, Completed: 3, Workers: []WorkerStats{{
		Polled: 3, Completed: 3, Batches: 3, Parked: 4,
	}}}, rt.worked())
}

// Every task that was spawned, from wherever, has been completed in the end, however it ended.
func TestSpawnedIsCompletedAfterClose(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		rt, err := New(Workers(workers))
		require.NoError(t, err)
		for i := range 50 {
			h := Submit(rt, func(cx Cx) (int, error) {
				for range 20 {
					Spawn(cx, func(cx Cx) (int, error) {
						return 0, cx.Sleep(time.Duration(i) * time.Second)
					})
				}
				Spawn(cx, func(cx Cx) (int, error) { panic("as it should") })
				return fib(cx, 8)
			})
			if i%3 == 0 {
				h.Cancel()
			}
			SubmitBlocking(rt, func() (int, error) { return 1, nil })
			SubmitBatch(rt, 3, func(Cx, int) (int, error) { return 1, nil })
		}
		require.NoError(t, rt.Close())
		_, err = Submit(rt, empty).Wait(context.Background())
		require.ErrorIs(t, err, ErrClosed)
		_, err = SubmitBlocking(rt,
			func() (int, error) { return 1, nil }).Wait(context.Background())
		require.ErrorIs(t, err, ErrClosed)
		_, err = SubmitBatch(rt, 3,
			func(Cx, int) (int, error) { return 1, nil }).Wait(context.Background())
		require.ErrorIs(t, err, ErrClosed)
		s := rt.Stats()
		require.GreaterOrEqual(t, s.Spawned, uint64(255))
		require.Equal(t, s.Spawned, s.Completed)
		require.Zero(t, s.Queued)
		require.Zero(t, s.Injected)
		require.Zero(t, s.Sleeping)
		require.Zero(t, s.Blocking)
	}
}

func TestStatsCountBlockingTasksThatWait(t *testing.T) {
	rt, err := New(Workers(1), BlockingThreads(1))
	require.NoError(t, err)
	var begin, end sync.WaitGroup
	begin.Add(1)
	end.Add(1)
	for i := range 4 {
		SubmitBlocking(rt, func() (int, error) {
			if i == 0 {
				begin.Done()
				end.Wait()
			}
			return 0, nil
		})
	}
	begin.Wait()
	s := rt.Stats()
	require.Equal(t, 3, s.Blocking)
	require.EqualValues(t, 4, s.Spawned)
	require.Zero(t, s.Completed)
	end.Done()
	require.NoError(t, rt.Shutdown(context.Background()))
	s = rt.Stats()
	require.Zero(t, s.Blocking)
	require.EqualValues(t, 4, s.Completed)
}

// Looking is no part of what it looks at: it may be done at any time, and the race detector has
// nothing to say.
func TestStatsMayBeReadWhileWorkersWork(t *testing.T) {
	rt, err := New(Workers(2), TickBudget(1))
	require.NoError(t, err)
	h := Submit(rt, func(cx Cx) (int, error) { return fib(cx, 15) })
	var before Stats
	for !h.ended() {
		s := rt.Stats()
		require.GreaterOrEqual(t, s.Completed, before.Completed)
		require.GreaterOrEqual(t, s.Spawned, before.Spawned)
		before = s
	}
	require.NoError(t, rt.Close())
}

func TestVarsAreTheStatsAsJSON(t *testing.T) {
	rt, err := New(Workers(2))
	require.NoError(t, err)
	var published expvar.Map // as expvar.Publish, which takes a name only once
	published.Set("tasks", rt.Vars())
	_, err = Submit(rt, empty).Wait(context.Background())
	require.NoError(t, err)
	require.NoError(t, rt.Close())
	var s Stats
	require.NoError(t, json.Unmarshal([]byte(published.Get("tasks").String()), &s))
	require.Equal(t, rt.Stats(), s)
	require.EqualValues(t, 1, s.Completed)
}

func TestStatsCountForks(t *testing.T) {
	rt := scripted(t, Workers(2))
	Submit(rt, func(cx Cx) (int, error) {
		none := func(Cx, int) int { return 0 }
		a := Fork(cx, none, 0) // exposed at once
		rt.workers[1].work()   // takes it
		b, c := Fork(cx, none, 0), Fork(cx, none, 0)
		cx.Yield() // b was exposed, since the other worker has asked again, and then c
		c.Join(cx)
		b.Join(cx)
		a.Join(cx)
		return 0, nil
	})
	rt.workers[0].work()
	s := rt.Stats()
	require.Equal(t, uint64(4), s.Spawned)
	require.Equal(t, uint64(4), s.Completed)
	of := func(n func(WorkerStats) uint64) [2]uint64 {
		return [2]uint64{n(s.Workers[0]), n(s.Workers[1])}
	}
	require.Equal(t, [2]uint64{3, 0}, of(func(w WorkerStats) uint64 { return w.Exposed }))
	require.Equal(t, [2]uint64{0, 1}, of(func(w WorkerStats) uint64 { return w.ForksStolen }))
	require.Equal(t, [2]uint64{2, 0}, of(func(w WorkerStats) uint64 { return w.Released }))
}
