package runtime_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

const mostPolls = 255 // between two looks at the injector

// Tasks that spawn their successors for ever keep a worker's own queues from ever being empty. What
// is injected is run all the same, after a bounded number of polls. (runtime/R3)
func TestWorkThatFeedsItselfDoesNotStarveTheInjector(t *testing.T) {
	for _, target := range []runtime.BatchTarget{runtime.LocalRing, runtime.PrivateBuffer} {
		for _, tick := range []int{1, 128, 1000} {
			rt := start(t, 1, runtime.InjectorBatch(32, target), runtime.TickBudget(tick),
				runtime.WithClock(func() int64 { return 0 }))
			const most = 20_000
			polls, stop := 0, false // the worker's
			var respawn func(cx runtime.Cx) (int, error)
			respawn = func(cx runtime.Cx) (int, error) {
				if polls++; !stop && polls < most {
					runtime.Spawn(cx, respawn).Detach()
				}
				return 0, nil
			}
			run(t, rt, func(cx runtime.Cx) error {
				for range 3 {
					runtime.Spawn(cx, respawn).Detach()
				}
				for range 20 {
					before, gap := polls, 0
					runtime.Submit(rt, func(runtime.Cx) (int, error) {
						gap = polls - before
						return 0, nil
					}).
						Detach()

						// as from outside
					for gap == 0 && polls < most {
						polls++
						cx.Yield()
					}
					require.Positive(t, gap)
					require.LessOrEqual(t, gap, mostPolls+1)
				}
				stop = true
				return nil
			})
		}
	}
}

// The interval between two looks at the injector is a millisecond of what tasks take, within
// bounds; time that nobody spends in a task is not in it. (runtime/R4)
func TestIntervalIsAMillisecondOfTaskTime(t *testing.T) {
	for _, workers := range []int{1, 2} {
		for _, c := range []struct {
			task time.Duration
			want int
		}{
			{0, 255}, {time.Microsecond, 255}, {4 * time.Microsecond, 250},
			{10 * time.Microsecond, 100}, {50 * time.Microsecond, 20},
			{100 * time.Microsecond, 10}, {time.Millisecond, 8}, {time.Second, 8},
		} {
			var clock atomic.Int64
			rt := start(t, workers, runtime.WithClock(clock.Load), runtime.RescueInterval(0))
			for round := range 5 {
				run(t, rt, func(cx runtime.Cx) error {
					for range 400 {
						clock.Add(int64(c.task))
						cx.Yield()
					}
					if round > 0 && workers == 1 {
						require.InDelta(t, c.want, cx.LookInterval(), 1+float64(c.want)/20,
							"tasks of %v", c.task) // some polls take no time
					}

					// What is injected waits for a millisecond, or the least number of polls, and
					// for the poll under way.
					before, after := clock.Load(), int64(0)
					runtime.Submit(rt, func(runtime.Cx) (int, error) {
						after = clock.Load()
						return 0, nil
					}).
						Detach()
					for range 2 * mostPolls {
						if workers == 1 && after == 0 {
							clock.Add(int64(c.task))
							cx.Yield()
						}
					}
					if workers == 1 {
						require.LessOrEqual(t, after-before,
							int64(max(time.Millisecond, 8*c.task)+c.task), "tasks of %v", c.task)
					}
					return nil
				})
				waits(t, func() bool { return rt.Sleeping() == workers },
					"the workers do not sleep")
				clock.Add(int64(time.Hour)) // nobody was in a task
			}
		}
	}
}

// After so many tasks in a row from the slot, others have their turn, whatever a tick is.
// (runtime/R6)
func TestTasksThatSpawnTheirSuccessorsLetOthersRun(t *testing.T) {
	for _, most := range []int{0, 1, 3, 5} {
		for _, tick := range []int{1, 2, 4, 128} {
			t.Run(fmt.Sprintf("cap=%d,tick=%d", most, tick), func(t *testing.T) {
				rt := start(t, 1, runtime.LIFOCap(most), runtime.TickBudget(tick))
				row, stop := 0, false
				var chain func(cx runtime.Cx) (int, error)
				// Each is in the slot when the one before it ends.
				chain = func(cx runtime.Cx) (int, error) {
					if row++; !stop && row < 1000 {
						runtime.Spawn(cx, chain).Detach()
					}
					return 0, nil
				}
				run(t, rt, func(cx runtime.Cx) error {
					runtime.Spawn(cx, chain).Detach()
					cx.Yield()
					require.Equal(t, most, row)
					for range 50 {
						row = 0
						cx.Yield()
						require.Equal(t, 1+most, row) // the first came after this task
					}
					stop = true
					return nil
				})
			})
		}
	}
}

// A task that makes calls which could wait, and never do, lets others run. (runtime/R52)
func TestCallsThatNeedNotWaitLetOthersRun(t *testing.T) {
	over, stop := context.WithCancel(context.Background())
	stop()
	past := time.Now()
	calls := map[string]func(cx runtime.Cx, slow *runtime.Handle[int]) error{
		"Sleep": func(cx runtime.Cx, _ *runtime.Handle[int]) error {
			return cx.Sleep(0)
		},
		"SleepUntil": func(cx runtime.Cx, _ *runtime.Handle[int]) error {
			return cx.SleepUntil(past)
		},
		"JoinTimeout": func(cx runtime.Cx, slow *runtime.Handle[int]) error {
			_, err := slow.JoinTimeout(cx, 0)
			return err
		},
		"JoinContext": func(cx runtime.Cx, slow *runtime.Handle[int]) error {
			_, err := slow.JoinContext(cx, over)
			return err
		},
		"AwaitContext": func(cx runtime.Cx, _ *runtime.Handle[int]) error {
			return cx.AwaitContext(over)
		},
		"Select": func(cx runtime.Cx, _ *runtime.Handle[int]) error {
			_, err := runtime.Select(cx, runtime.AfterCase(0))
			return err
		},
	}
	for name, lock := range lockings {
		locks := lock()
		calls[name] = func(cx runtime.Cx, _ *runtime.Handle[int]) error { return locks(cx) }
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			rt := start(t, 1)
			run(t, rt, func(cx runtime.Cx) error {
				calls, stop := 0, false
				slow := runtime.Spawn(cx, forever)
				busy := runtime.Spawn(cx, does(func(cx runtime.Cx) error {
					for ; !stop; calls++ {
						err := call(cx, slow)
						if cx.Err() != nil {
							return err
						}
					}
					return nil
				}))
				cx.Yield()
				cx.Yield()
				stop = true
				require.Positive(t, calls)
				slow.Cancel()
				_, err := busy.Join(cx)
				return err
			})
		})
	}
}

// A task that joins its children, each of which it runs itself, or makes calls that could wait and
// do not, lets the injector's tasks have their turns: as soon as a look is due and the budget is
// spent. (runtime/R52)
func TestJoinsLetTheInjectorsTasksRun(t *testing.T) {
	const budget, ring, least, most = 16, 16, 8, 64
	for _, c := range []struct {
		task     time.Duration
		overflow int
		calls    bool // instead of joins
		want     int
	}{
		{0, 0, false, most + budget}, {time.Millisecond, 0, false, least + budget},
		{0, 2 * ring, false, (ring + 1) * (most + budget)},
		{time.Millisecond, 2 * ring, false, (ring + 1) * (least + budget)},
		{0, 0, true, (most + 1) * budget},
	} {
		var clock atomic.Int64
		rt := start(t, 1, runtime.TaskBudget(budget), runtime.Ring(ring),
			runtime.InjectorInterval(time.Millisecond, least, most), runtime.WithClock(clock.Load))
		run(t, rt, func(cx runtime.Cx) error {
			once := func() error {
				clock.Add(int64(c.task))
				if c.calls {
					return cx.Sleep(0)
				}
				_, err := runtime.Spawn(cx, empty).Join(cx)
				return err
			}
			for range 10_000 {
				if err := once(); err != nil {
					return err
				}
			}
			for range c.overflow {
				cx.Go(func(runtime.Cx) {})
			}
			times, ran := 0, false
			runtime.Submit(rt, func(runtime.Cx) (int, error) {
				ran = true
				return 0, nil
			}).Detach()
			for ; !ran && times < 1_000_000; times++ {
				if err := once(); err != nil {
					return err
				}
			}
			require.LessOrEqual(t, times, c.want+2, "%+v", c)
			return nil
		})
	}
}

// A task that makes calls which could wait, and do not, or joins children that it runs itself, ends
// ticks: a timer of its worker that is due fires, and whom it wakes has a turn after eight budgets.
// (runtime/R52)
func TestCallsThatNeedNotWaitEndTicks(t *testing.T) {
	const budget, tick = 16, 16
	for name, c := range map[string]struct {
		call func(cx runtime.Cx) error
		most int // how many calls a tick has
	}{
		"Sleep": {func(cx runtime.Cx) error { return cx.Sleep(0) }, tick * budget},
		"Join": {func(cx runtime.Cx) error {
			_, err := runtime.Spawn(cx, empty).Join(cx)
			return err
		}, tick + budget},
	} {
		var clock atomic.Int64
		rt := start(t, 1, runtime.TaskBudget(budget), runtime.TickBudget(tick),
			runtime.RescueInterval(0), runtime.WithClock(clock.Load))
		run(t, rt, func(cx runtime.Cx) error {
			woken := false
			sleeper := runtime.Spawn(cx, does(func(cx runtime.Cx) error {
				err := cx.Sleep(time.Millisecond)
				woken = true
				return err
			}))
			cx.Yield()
			clock.Add(int64(time.Millisecond))
			calls := 0
			for ; !woken && calls < 1_000_000; calls++ {
				if err := c.call(cx); err != nil {
					return err
				}
			}
			require.LessOrEqual(t, calls, c.most+(8+1)*budget, name)
			_, err := sleeper.Join(cx)
			return err
		})
	}
}

// A worker that has pushed two tasks and then is in a long one leaves one of them to others, who
// are told of it; the last one pushed is rescued. (runtime/D7)
func TestWorkBehindALongTaskIsTakenByOthers(t *testing.T) {
	for _, c := range []struct {
		watch  time.Duration
		tasks  int
		others int // how many are run meanwhile
	}{{0, 2, 1}, {0, 40, 39}, {time.Millisecond, 1, 1}, {time.Millisecond, 3, 3}} {
		rt := start(t, 2, runtime.RescueInterval(c.watch), runtime.Ring(16))
		for range 20 {
			ran := make(chan int, c.tasks)
			waits(t, func() bool { return rt.Sleeping() == 2 }, "the workers do not sleep")
			run(t, rt, func(cx runtime.Cx) error {
				me := cx.Worker()
				for range c.tasks {
					runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
						ran <- cx.Worker()
						return 0, nil
					}).
						Detach()
				}
				for range c.others {
					require.NotEqual(t, me, receive(t, ran))
				}
				return nil
			})
		}
	}
}

// What a busy worker is about to run next is no work for others: they sleep, and do not wake
// themselves for it. (runtime/I6)
func TestSlotOfABusyWorkerWakesNobody(t *testing.T) {
	rt := start(t, 4, runtime.RescueInterval(0))
	run(t, rt, func(cx runtime.Cx) error {
		runtime.Spawn(cx, empty).Detach()
		waits(t, func() bool { return rt.Sleeping() == 3 }, "the others do not sleep")
		before := parked(rt)
		time.Sleep(5 * time.Millisecond)
		require.LessOrEqual(t, parked(rt)-before,
			uint64(3)) // somebody may still have been woken by the submission
		return nil
	})
}

func parked(rt *runtime.Runtime) (n uint64) {
	for _, w := range rt.Stats().Workers {
		n += w.Parked
	}
	return n
}

// A worker's queues are its own: what is woken from elsewhere comes through the injector, also if
// the waker is a task of another runtime, and runs on a worker of its own runtime. (runtime/R1)
func TestWakeFromAnotherRuntimeRunsAtHome(t *testing.T) {
	a, b := start(t, 1), start(t, 1)
	for round := range 100 {
		bell := &bell{want: 1}
		h := runtime.SubmitFuture(b, bell)
		if round%2 == 0 {
			waits(t, func() bool { return b.Sleeping() == 1 }, "it is not listed")
		}
		run(t, a, func(cx runtime.Cx) error {
			bell.ring().WakeFrom(cx)
			v, err := get(t, h) // blocks the worker that has woken it
			require.Equal(t, 1, v)
			return err
		})
	}
}
