package runtime_test

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/runtime"
)

// soon is for tests of what would take for ever, or an hour: with the bug, they fail after this
// time.
const soon = 10 * time.Second

func inTime[T any](t *testing.T, h *runtime.Handle[T], what string) T {
	t.Helper()
	select {
	case <-h.Done():
	case <-time.After(soon):
		t.Fatal(what)
	}
	v, err := get(t, h)
	require.NoError(t, err)
	return v
}

// The driver sleeps until the next timer or the next scan, whichever comes first. (runtime/P2)
func TestTimerIsNotLateBecauseOfAWatch(t *testing.T) {
	rt := start(t, 2, runtime.RescueInterval(time.Hour))
	free := make(chan struct{})
	defer close(free)
	busy := make(chan struct{})
	runtime.Submit(rt, does(func(runtime.Cx) error { // while it runs, the slots are scanned
		close(busy)
		<-free
		return nil
	}))
	receive(t, busy)
	h := runtime.Submit(rt, does(func(cx runtime.Cx) error { return cx.Sleep(time.Millisecond) }))
	inTime(t, h, "the timer waits for the watch")
}

// Whoever sets a timer that is due before all others wakes the driver, who sleeps for longer.
// (runtime/P3)
func TestNewEarliestTimerIsNotLate(t *testing.T) {
	for name, others := range map[string]time.Duration{
		"the driver sleeps for ever":    0,
		"the driver sleeps for an hour": time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			rt := start(t, 2, runtime.RescueInterval(0))
			if others > 0 {
				runtime.Submit(rt, does(func(cx runtime.Cx) error { return cx.Sleep(others) }))
			}
			h := runtime.Submit(rt, does(func(cx runtime.Cx) error {
				d := -1
				for ; d < 0 || d == cx.Worker() || rt.Sleeping() != 1; d = runtime.Driver(rt) {
					time.Sleep(
						100 * time.Microsecond,
					) // it keeps its worker, so that the other becomes the driver
				}
				time.Sleep(5 * time.Millisecond) // now the driver has made up its mind
				return cx.Sleep(time.Millisecond)
			}))
			inTime(t, h, "the timer waits for another one")
		})
	}
}

// A fakeClock is a clock that stands still until it is told to move.
type fakeClock struct{ now atomic.Int64 }

func (c *fakeClock) option() runtime.Option { return runtime.WithClock(c.now.Load) }

func (c *fakeClock) set(rt *runtime.Runtime, now time.Duration) {
	c.now.Store(int64(now))
	runtime.Look(rt)
}

// Whatever tasks sleep for, and however the clock moves: each wakes when its time has come, and
// none before.
func TestSleepEndsInTimeAndNeverEarly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clock := new(fakeClock)
		rt, err := runtime.New(runtime.Workers(rapid.IntRange(1, 2).Draw(t, "workers")),
			clock.option(), runtime.RescueInterval(0))
		require.NoError(t, err)
		defer rt.Close()
		var tasks []*runtime.Handle[time.Duration] // the time at which it woke
		var due []time.Duration
		cancelled := map[int]bool{}
		var now time.Duration
		hours := rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.IntRange(1, 20).Draw(t, "hours")) * time.Hour
		})
		var asleep atomic.Int64
		t.Repeat(map[string]func(*rapid.T){
			"sleep": func(t *rapid.T) {
				d := hours.Draw(t, "for")
				before := runtime.Timers(rt)
				tasks = append(
					tasks,
					runtime.Submit(rt, func(cx runtime.Cx) (time.Duration, error) {
						asleep.Add(1)
						err := cx.Sleep(d)
						return time.Duration(clock.now.Load()), err
					}),
				)
				due = append(due, now+d)
				end := time.Now().Add(soon)
				for ; runtime.Timers(rt) != before+1; time.Sleep(10 * time.Microsecond) {
					require.True(t, time.Now().Before(end), "the task does not sleep")
				}
			},
			"cancel": func(t *rapid.T) {
				if len(tasks) == 0 {
					t.Skip("no task")
				}
				i := rapid.IntRange(0, len(tasks)-1).Draw(t, "task")
				if !hasEnded(tasks[i]) {
					cancelled[i] = true
				}
				tasks[i].Cancel()
			},
			"time passes": func(t *rapid.T) {
				now += hours.Draw(t, "by")
				clock.set(rt, now)
			},
			"": func(t *rapid.T) {
				set := 0
				for i, h := range tasks {
					if !cancelled[i] && due[i] > now {
						require.False(t, hasEnded(h), "task %d is due at %v and has ended at %v", i,
							due[i], now)
						set++
						continue
					}
					select {
					case <-h.Done():
					case <-time.After(soon):
						t.Fatalf("task %d is due at %v and has not ended at %v", i, due[i], now)
					}
					woke, err, _ := h.TryJoin()
					if cancelled[i] {
						require.ErrorIs(t, err, runtime.ErrCancelled)
						continue
					}
					require.NoError(t, err)
					require.GreaterOrEqual(t, woke, due[i])
				}
				require.Equal(t, set, runtime.Timers(rt), "timers are left")
			},
		})
	})
}

func TestSleepersWakeInTheOrderOfTheirTimes(t *testing.T) {
	clock := new(fakeClock)
	rt := start(t, 1, clock.option())
	var order []int
	run(t, rt, func(cx runtime.Cx) error {
		hours := []int{5, 1, 3, 3, 2, 4, 1}
		var tasks []*runtime.Handle[struct{}]
		for i, h := range hours {
			tasks = append(tasks, runtime.Spawn(cx, does(func(cx runtime.Cx) error {
				if err := cx.Sleep(time.Duration(h) * time.Hour); err != nil {
					return err
				}
				order = append(order, i)
				return nil
			})))
			settle(cx)
		}
		for now := range 6 {
			clock.set(rt, time.Duration(now)*time.Hour)
			settle(cx)
		}
		for _, h := range tasks {
			if _, err := h.Join(cx); err != nil {
				return err
			}
		}
		return nil
	})
	require.Equal(t, []int{1, 6, 4, 2, 3, 5, 0}, order)
}

// However many sleepers are due at once, and however long ago: they begin in the order of their
// deadlines. (runtime/R13)
func TestDueTasksBeginInTheOrderOfTheirDeadlines(t *testing.T) {
	for _, ring := range []int{2, 64, 256} {
		for _, target := range []runtime.BatchTarget{runtime.LocalRing, runtime.PrivateBuffer} {
			clock := new(fakeClock)
			rt := start(t, 1, clock.option(), runtime.Ring(ring),
				runtime.InjectorBatch(min(ring, 32), target))
			const many = 1000
			var order, want []int
			var all []*runtime.Handle[struct{}]
			for i := range many {
				want = append(want, i)
				all = append(all, runtime.Submit(rt, does(func(cx runtime.Cx) error {
					defer func() { order = append(order, i) }()
					return cx.Sleep(time.Hour + time.Duration(i))
				})))
			}
			waits(t, func() bool { return runtime.Timers(rt) == many }, "they do not all sleep")
			clock.set(rt, 2*time.Hour)
			for _, h := range all {
				_, err := get(t, h)
				require.NoError(t, err)
			}
			require.Equal(t, want, order, "ring of %d, batches to %v", ring, target)
		}
	}
}

// The ring is full when they are due, after an overflow, and a task that was woken is in the slot.
// (runtime/R71)
func TestDueTasksKeepTheirOrderAfterAnOverflow(t *testing.T) {
	for children := range 20 {
		clock := new(fakeClock)
		rt := start(t, 1, clock.option(), runtime.Ring(2), runtime.TickBudget(1))
		var order, want []int
		run(t, rt, func(cx runtime.Cx) error {
			var signal runtime.Notify
			var all []*runtime.Handle[struct{}]
			for i := range 12 {
				want = append(want, i)
				all = append(all, cx.Go(func(cx runtime.Cx) {
					_ = cx.Sleep(time.Hour + time.Duration(i))
					order = append(order, i)
				}))
			}
			waiter := cx.Go(func(cx runtime.Cx) { _ = signal.Wait(cx) })
			for runtime.Timers(rt) < len(all) {
				cx.Yield()
			}
			for range children {
				cx.Go(func(runtime.Cx) {}).Detach()
			}
			signal.SignalFrom(cx)
			clock.set(rt, 2*time.Hour)
			cx.Yield()
			for _, h := range all {
				if _, err := h.Join(cx); err != nil {
					return err
				}
			}
			_, err := waiter.Join(cx)
			return err
		})
		require.Equal(t, want, order, "%d children", children)
	}
}

// Very many sleepers, for random times that follow closely, all due at once: they begin in the
// order of their deadlines. (runtime/R13)
func TestVeryManySleepersBeginInTheOrderOfTheirDeadlines(t *testing.T) {
	sleepers := manyGoroutines(200_000)
	clock := new(fakeClock)
	rt := start(t, 1, clock.option())
	rng := rand.New(rand.NewPCG(1, 2))
	order := make([]time.Duration, 0, sleepers)
	all := make([]*runtime.Handle[struct{}], sleepers)
	for i := range all {
		due := time.Duration(rng.IntN(int(time.Second)))
		all[i] = runtime.Submit(rt, does(func(cx runtime.Cx) error {
			err := cx.Sleep(time.Hour + due)
			order = append(order, due)
			return err
		}))
	}
	waits(t, func() bool { return runtime.Timers(rt) == sleepers }, "they do not all sleep")
	clock.set(rt, 2*time.Hour)
	for _, h := range all {
		_, err := get(t, h)
		require.NoError(t, err)
	}
	require.Len(t, order, sleepers)
	require.True(t, slices.IsSorted(order))
}

// Sleepers until random times of one second, by the clock there is: none awakes early, and none is
// lost; how late they are depends on the machine.
func TestNoneOfVeryManySleepersIsEarly(t *testing.T) {
	sleepers := manyGoroutines(50_000)
	rt := start(t, 2)
	rng := rand.New(rand.NewPCG(3, 4))
	begin := time.Now().Add(time.Second)
	all := make([]*runtime.Handle[time.Duration], sleepers)
	for i := range all {
		due := begin.Add(time.Duration(rng.IntN(int(time.Second))))
		all[i] = runtime.Submit(rt, func(cx runtime.Cx) (time.Duration, error) {
			err := cx.SleepUntil(due)
			return time.Since(due), err
		})
	}
	late := make([]time.Duration, sleepers)
	for i, h := range all {
		var err error
		late[i], err = get(t, h)
		require.NoError(t, err)
	}
	require.Zero(t, runtime.Timers(rt))
	slices.Sort(late)
	t.Logf("late by %v, 1 in 100 by %v, at most by %v", late[sleepers/2], late[sleepers*99/100],
		late[sleepers-1])
	require.GreaterOrEqual(t, late[0], time.Duration(0))
	require.Less(t, late[sleepers/2], stuckAfter)
}

func TestManySleepers(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		begin := time.Now()
		var tasks []*runtime.Handle[time.Duration]
		for i := range 2000 {
			d := time.Duration(i%50) * 100 * time.Microsecond
			tasks = append(tasks, runtime.Submit(rt, func(cx runtime.Cx) (time.Duration, error) {
				from := time.Now()
				err := cx.Sleep(d)
				return d - time.Since(from), err
			}))
		}
		for _, h := range tasks {
			early, err := get(t, h)
			require.NoError(t, err)
			require.LessOrEqual(t, early, time.Duration(0), "it woke early")
		}
		require.GreaterOrEqual(t, time.Since(begin), 49*100*time.Microsecond)
		require.Zero(t, runtime.Timers(rt))
	})
}

func TestSleepUntil(t *testing.T) {
	rt := start(t, 1)
	for _, strip := range []bool{false, true} { // the monotonic reading
		until := time.Now().Add(3 * time.Millisecond)
		if strip {
			until = until.Round(0)
		}
		run(t, rt, func(cx runtime.Cx) error { return cx.SleepUntil(until) })
		require.False(t, time.Now().Before(until), "it woke early")
		run(t, rt, func(cx runtime.Cx) error { return cx.SleepUntil(until) }) // at once
	}
	h := runtime.Submit(rt,
		does(func(cx runtime.Cx) error { return cx.SleepUntil(time.Now().Add(time.Hour)) }))
	waits(t, func() bool { return runtime.Timers(rt) == 1 }, "it does not sleep")
	h.Cancel()
	_, err := get(t, h)
	require.ErrorIs(t, err, runtime.ErrCancelled)
	require.Zero(t, runtime.Timers(rt))
}

func TestSleepInATaskThatIsToEnd(t *testing.T) {
	rt := start(t, 1)
	_, err := cancelled(t, rt, does(func(cx runtime.Cx) error {
		require.ErrorIs(t, cx.Sleep(0), runtime.ErrCancelled)
		require.ErrorIs(t, cx.Sleep(time.Hour), runtime.ErrCancelled)
		return cx.SleepUntil(time.Now())
	}))
	require.ErrorIs(t, err, runtime.ErrCancelled)
}

func TestLongestSleepDoesNotOverflow(t *testing.T) {
	rt := start(t, 1)
	for _, d := range []time.Duration{1<<63 - 1, 1<<63 - 1000} {
		h := runtime.Submit(rt, does(func(cx runtime.Cx) error { return cx.Sleep(d) }))
		waits(t, func() bool { return runtime.Timers(rt) == 1 || hasEnded(h) }, "it does not sleep")
		time.Sleep(time.Millisecond)
		require.False(t, hasEnded(h))
		h.Cancel()
		_, err := get(t, h)
		require.ErrorIs(t, err, runtime.ErrCancelled)
	}
}

func BenchmarkSleepers(b *testing.B) {
	b.ReportAllocs()
	benchIn(b, 2, func(cx runtime.Cx) {
		for b.Loop() {
			var tasks [1000]*runtime.Handle[struct{}]
			for i := range tasks {
				tasks[i] = runtime.SpawnWith(cx, func(cx runtime.Cx, i int) (struct{}, error) {
					return struct{}{}, cx.Sleep(time.Duration(i) * time.Microsecond)
				}, i)
			}
			for _, h := range tasks {
				_, _ = h.Join(cx)
			}
		}
	})
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000-1,
		"µs/sleeper-over") // beside the millisecond of the last
}
