package runtime_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A task that spawns more than half a ring has room for, and joins them all, leaves stale entries
// in the injector. They do not pile up there, and keep nobody waiting. (runtime/R62)
func TestStaleEntriesDoNotPileUpInTheInjector(t *testing.T) {
	for _, workers := range []int{1, 2} {
		for _, oldestFirst := range []bool{false, true} {
			rt := start(t, workers)
			const fan, rounds = 300, 500
			most := 0
			var now atomic.Int64
			waits := make(chan int64, rounds)
			run(t, rt, func(cx runtime.Cx) error {
				for round := range int64(rounds) {
					now.Store(round)
					rt.Go(func(cx runtime.Cx) { waits <- now.Load() - round })
					handles := make([]*runtime.Handle[int], fan)
					for i := range handles {
						handles[i] = runtime.Spawn(cx, returns(1))
					}
					for i := range handles {
						if !oldestFirst {
							i = fan - 1 - i
						}
						if _, err := handles[i].Join(cx); err != nil {
							return err
						}
					}
					most = max(most, rt.Stats().Injected)
					cx.Yield()
				}
				return nil
			})
			drains(t, rt)
			require.Less(t, most, 8*fan)
			require.Len(t, waits, rounds)
			close(waits)
			for rounds := range waits {
				if workers == 1 { // another one may take a task, and lose its processor
					require.Less(t, rounds, int64(40))
				}
			}
		}
	}
}

// As many tasks as fit into some rings start others, turn for turn: each is begun before ten times
// as many as there are at a time have been polled. Else the same one is always in the part of a
// batch that an overflow takes back. Looks come after a number of polls, whatever the time.
// (runtime/R56)
func TestNoTaskIsTakenBackForEver(t *testing.T) {
	for _, c := range []struct{ ring, actors, children, yields, interval int }{
		{2, 2, 5, 0, 61}, {4, 4, 7, 1, 61}, {16, 8, 12, 0, 61}, {2, 8, 3, 0, 8}, {2, 8, 3, 0, 255},
	} {
		for _, outside := range []bool{false, true} {
			t.Run(fmt.Sprintf("%+v, %v", c, outside), func(t *testing.T) {
				w := waiting{polls: 30_000}
				rt := start(t, 1, runtime.Ring(c.ring), runtime.Seed(1),
					runtime.InjectorInterval(time.Hour, c.interval, c.interval))
				var act func(cx runtime.Cx)
				next := func(cx runtime.Cx) {
					f := w.counted(act)
					if outside {
						rt.Go(f)
					} else {
						cx.Go(f)
					}
				}
				act = func(cx runtime.Cx) {
					for range c.yields {
						cx.Yield()
					}
					for range c.children {
						cx.Go(w.counted(func(runtime.Cx) {}))
					}
					if w.polls > 0 {
						next(cx)
					}
				}
				run(t, rt, func(cx runtime.Cx) error {
					for range c.actors {
						next(cx)
					}
					for w.polls > 0 { // a runtime that drains refuses what comes from outside
						if err := cx.Sleep(time.Millisecond); err != nil {
							return err
						}
					}
					return nil
				})
				drains(t, rt)
				require.Less(t, w.longest, 10*w.most)
			})
		}
	}
}

// Tasks that start others and themselves again, turn for turn: by a successor, by a yield, by a
// sleep, or by waking one another. Each turn queues more than a ring holds, or all together do. How
// many there are stays within some turns of each. (runtime/R64)
func TestABoundedPopulationDoesNotGrow(t *testing.T) {
	for _, c := range []struct{ actors, children int }{
		{8, 20}, {4, 20}, {1, 100}, {1, 200}, {1, 1000}, {100, 3},
	} {
		bound := int64(20*c.actors*(c.children+1) + 1000)
		for _, way := range []string{
			"successor", "successor, then a child", "yield", "wake", "sleep", "select",
		} {
			bound := bound
			if way == "sleep" || way == "select" { // turns before so many looks tell of a pile
				bound *= 3
			}
			polls := 10 * bound
			if testing.Short() {
				polls /= 3
			}
			for _, workers := range []int{1, 2} {
				t.Run(fmt.Sprintf("%+v, %s, %d", c, way, workers), func(t *testing.T) {
					rt := start(t, workers, runtime.Seed(1))
					var queued, most, polled atomic.Int64
					turn := func(cx runtime.Cx) {
						for range c.children {
							queued.Add(1)
							cx.Go(func(runtime.Cx) { queued.Add(-1); polled.Add(1) })
						}
						if n := queued.Load(); n > most.Load() {
							most.Store(n)
						}
					}
					var act func(cx runtime.Cx)
					act = func(cx runtime.Cx) {
						if turn(cx); polled.Load() < polls {
							cx.Go(act)
						}
						if way != "successor" {
							cx.Go(func(runtime.Cx) {})
						}
					}
					for range c.actors {
						switch way {
						case "successor", "successor, then a child":
							rt.Go(act)
						case "yield", "sleep", "select":
							rt.Go(func(cx runtime.Cx) {
								for polled.Load() < polls {
									switch turn(cx); way {
									case "yield":
										cx.Yield()
									case "sleep":
										_ = cx.Sleep(time.Microsecond)
									case "select":
										after := runtime.AfterCase(time.Microsecond)
										_, _ = runtime.Select(cx, after)
									}
								}
							})
						case "wake":
							takeTurns(rt, func(cx runtime.Cx) bool {
								turn(cx)
								return polled.Load() < polls
							})
						}
					}
					for polled.Load() < polls {
						time.Sleep(time.Millisecond)
					}
					drains(t, rt)
					require.Less(t, most.Load(), bound)
				})
			}
		}
	}
}

// A task that sleeps starts others in each turn that take 50 ms together. They do not pile up
// without bound. (runtime/R73)
func TestSlowTasksOfASleeperDoNotPileUp(t *testing.T) {
	rt := start(t, 1, runtime.Seed(1))
	const children, polls = 1000, 50_000
	var queued, most, polled int
	run(t, rt, func(cx runtime.Cx) error {
		for polled < polls {
			for range children {
				queued++
				cx.Go(func(runtime.Cx) {
					takes(50 * time.Microsecond)
					queued, polled = queued-1, polled+1
				})
			}
			most = max(most, queued)
			if err := cx.Sleep(time.Microsecond); err != nil {
				return err
			}
		}
		return nil
	})
	drains(t, rt)
	require.Less(t, most, 100*children)
}

// Among many tasks that yield, those that sleep and have come later have a turn about as often,
// however many they are and however short they sleep. (runtime/R75)
func TestWhatIsDueGoesOnAsOftenAsAPile(t *testing.T) {
	rt := start(t, 1, runtime.Seed(1))
	const yielders, sleepers, turns = 5000, 2000, 100
	yielded, slept := 0, 0
	over := func() bool { return yielded > yielders*turns }
	for range yielders {
		rt.Go(func(cx runtime.Cx) {
			for !over() {
				cx.Yield()
				yielded++
			}
		})
	}
	rt.Go(func(cx runtime.Cx) {
		for yielded < 5*yielders { // they have piled up then
			cx.Yield()
		}
		for range sleepers {
			cx.Go(func(cx runtime.Cx) {
				for !over() && cx.Sleep(time.Microsecond) == nil {
					slept++
				}
			})
		}
	})
	drains(t, rt)
	require.Greater(t, slept, sleepers*turns/4)
}

// When a burst from outside has been run, what sleeps and starts others in each turn has as many
// queued as before. (runtime/R75)
func TestABurstDoesNotRaiseAPile(t *testing.T) {
	rt := start(t, 1, runtime.Seed(1))
	const sleepers, children, burst, polls = 4, 1000, 100_000, 200_000
	queued, most, polled, left := 0, 0, 0, burst
	for range sleepers {
		rt.Go(func(cx runtime.Cx) {
			for polled < polls {
				for range children {
					queued++
					cx.Go(func(runtime.Cx) {
						if queued--; left == 0 {
							polled++
						}
					})
				}
				if left == 0 && polled > polls/2 {
					most = max(most, queued)
				}
				if cx.Sleep(time.Microsecond) != nil {
					return
				}
			}
		})
	}
	for range burst {
		rt.Go(func(runtime.Cx) { left-- })
	}
	drains(t, rt)
	require.Positive(t, most)
	require.Less(t, most, 10*sleepers*children)
}

// takes keeps the processor for d.
func takes(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
	}
}

// takeTurns starts two tasks that wake each other after each turn, as long as it returns true.
func takeTurns(rt *runtime.Runtime, turn func(cx runtime.Cx) bool) {
	a, b := runtime.NewChannel[int](1), runtime.NewChannel[int](1)
	for _, ends := range [][2]*runtime.Channel[int]{{a, b}, {b, a}} {
		rt.Go(func(cx runtime.Cx) {
			for {
				if _, err := ends[0].Receive(cx); err != nil || !turn(cx) {
					ends[1].Close()
					return
				}
				_ = ends[1].Send(cx, 1)
				cx.Go(func(runtime.Cx) {})
			}
		})
	}
	rt.Go(func(cx runtime.Cx) { _ = a.Send(cx, 1) })
}

// A task that sleeps goes on while many that were cancelled before they began are ended.
// (runtime/R66)
func TestCancelledTasksDoNotKeepTimersWaiting(t *testing.T) {
	rt := start(t, 1)
	const tasks = 300_000
	var b *runtime.TaskBatch[int]
	ended := 0
	run(t, rt, func(cx runtime.Cx) error {
		b = runtime.SubmitBatch(rt, tasks, func(runtime.Cx, int) (int, error) { return 0, nil })
		b.Cancel()
		if err := cx.Sleep(time.Microsecond); err != nil {
			return err
		}
		for i := range tasks {
			if _, _, over := b.Handle(i).TryJoin(); over {
				ended++
			}
		}
		return nil
	})
	drains(t, rt)
	require.Less(t, ended, tasks)
}

// waiting counts the tasks that have not begun, and how many others are polled meanwhile.
type waiting struct{ polls, polled, queued, most, longest int }

// counted is f, in a task that is queued now.
func (w *waiting) counted(f func(cx runtime.Cx)) func(cx runtime.Cx) {
	at := w.polled
	w.queued++
	w.most = max(w.most, w.queued)
	return func(cx runtime.Cx) {
		w.polled, w.polls, w.queued = w.polled+1, w.polls-1, w.queued-1
		w.longest = max(w.longest, w.polled-at)
		f(cx)
	}
}
