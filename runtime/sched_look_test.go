package runtime_test

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// The interval between two looks at the injector is what tasks take in the time that is set, within
// the bounds that are set. (runtime/R4)
func TestIntervalHasTheBoundsThatAreSet(t *testing.T) {
	for _, c := range []struct {
		target      time.Duration
		least, most int
		task        time.Duration
		want        int
	}{
		{time.Millisecond, 8, 255, 10 * time.Microsecond, 100},
		{200 * time.Microsecond, 8, 255, 10 * time.Microsecond, 20},
		{200 * time.Microsecond, 32, 255, 10 * time.Microsecond, 32},
		{time.Hour, 1, 1000, 10 * time.Microsecond, 1000},
		{1, 1, 1_000_000, time.Microsecond, 1},
	} {
		var clock atomic.Int64
		rt := start(t, 1, runtime.WithClock(clock.Load),
			runtime.InjectorInterval(c.target, c.least, c.most))
		run(t, rt, func(cx runtime.Cx) error {
			for range 20_000 {
				clock.Add(int64(c.task))
				cx.Yield()
			}
			require.InDelta(t, c.want, cx.LookInterval(), 1+float64(c.want)/20)
			return nil
		})
	}
	rt := start(t, 1, runtime.Seed(1), runtime.InjectorInterval(time.Second, 70, 80))
	run(t, rt, func(cx runtime.Cx) error {
		require.Equal(t, 70, cx.LookInterval())
		return nil
	})
}

// While the injector holds a batch more than was taken, the next look comes as soon as that has
// been run; but the worker's own tasks have their turns in between. (runtime/R3)
func TestABacklogIsTakenBatchByBatch(t *testing.T) {
	const tasks = 1000
	for _, target := range []runtime.BatchTarget{runtime.LocalRing, runtime.PrivateBuffer} {
		for _, c := range []struct{ most, ring int }{
			{1, 256}, {2, 256}, {8, 256}, {32, 256}, {60, 256}, {32, 2}, {256, 8},
		} {
			most := c.most
			rt := start(t, 1, runtime.InjectorBatch(most, target), runtime.IdleBatch(1),
				runtime.Ring(c.ring), runtime.WithClock(func() int64 { return 0 }))
			done, polls, gap, longest := 0, 0, 0, 0 // the worker's
			run(t, rt, func(cx runtime.Cx) error {
				for range tasks {
					runtime.Submit(rt, func(runtime.Cx) (int, error) {
						done, gap = done+1, gap+1
						return 0, nil
					}).Detach()
				}
				for done < tasks {
					polls++
					longest, gap = max(longest, gap), 0
					cx.Yield()
				}
				return nil
			})
			require.LessOrEqual(t, longest, most+1, "own tasks wait for more than a batch")
			require.Less(t, polls, tasks+5*mostPolls, "%+v", c)
		}
	}
}

// While tasks come from outside faster than they are run, the others have their turns, also if each
// of the former is as many polls as go by between two looks, by its joins. (runtime/R48)
func TestABacklogLeavesTurnsToOthers(t *testing.T) {
	for _, target := range []runtime.BatchTarget{runtime.LocalRing, runtime.PrivateBuffer} {
		for _, ring := range []int{2, 256} {
			for _, c := range []struct {
				children int
				task     time.Duration
				most     int
			}{{0, 0, 1}, {0, time.Millisecond, mostPolls}, {mostPolls + 1, 0, mostPolls}} {
				var clock atomic.Int64
				rt := start(t, 1, runtime.InjectorBatch(32, target), runtime.Ring(ring),
					runtime.InjectorInterval(time.Millisecond, min(8, c.most), c.most),
					runtime.WithClock(clock.Load))
				const turns, enough = 20, 100_000
				own, outside := 0, 0 // the worker's
				var again func(cx runtime.Cx) (int, error)
				again = func(cx runtime.Cx) (int, error) {
					clock.Add(int64(c.task))
					for range c.children {
						if _, err := runtime.Spawn(cx, empty).Join(cx); err != nil {
							return 0, err
						}
					}
					if outside++; own < turns && outside < enough {
						runtime.Submit(rt, again).Detach()
					}
					return 0, nil
				}
				var chain func(cx runtime.Cx)
				chain = func(cx runtime.Cx) { // is the next one each time
					if own < turns && outside < enough {
						cx.Go(chain)
					}
				}
				run(t, rt, func(cx runtime.Cx) error {
					for range 300 {
						runtime.Submit(rt, again).Detach()
					}
					cx.Go(chain)
					for ; own < turns && outside < enough; own++ {
						cx.Yield()
					}
					return nil
				})
				drains(t, rt)
				require.Less(t, outside, enough, "%v, ring %d, %+v", target, ring, c)
			}
		}
	}
}

// A task that spawns more than the ring has room for, turn for turn, makes a backlog. What is in
// it, spawned or submitted, waits for some times as many tasks as were there before it, not for all
// that come. (runtime/R56)
func TestWhatOverflowsHasItsTurn(t *testing.T) { eachProcs(t, whatOverflowsHasItsTurn) }

func whatOverflowsHasItsTurn(t *testing.T) {
	for _, target := range []runtime.BatchTarget{runtime.LocalRing, runtime.PrivateBuffer} {
		for _, ring := range []int{2, 16, 256} {
			burst := ring + ring/4 + 2
			rt := start(t, 1, runtime.InjectorBatch(32, target), runtime.Ring(ring))
			run(t, rt, func(cx runtime.Cx) error {
				there, ran := 0, 0
				count := func() func(runtime.Cx) (int, error) {
					before, had := ran, there-ran
					there++
					return func(runtime.Cx) (int, error) {
						ran++
						if came := ran - before; came > 4*had+3*mostPolls {
							return 0, fmt.Errorf("%d were there, %d came before", had, came)
						}
						return 0, nil
					}
				}
				var all []*runtime.Handle[int]
				for range 100 {
					all = append(all, runtime.Submit(rt, count())) // as from outside
					for range burst {
						all = append(all, runtime.Spawn(cx, count()))
					}
					cx.Yield()
				}
				for ran < there {
					cx.Yield()
				}
				for _, h := range all {
					if _, err := h.Join(cx); err != nil {
						return err
					}
				}
				return nil
			})
			closes(t, rt)
		}
	}
}

// As long as one task is taken at a time, the next look comes as soon as that has run and one of
// the worker's own: a backlog does not wait for whole intervals. (runtime/R56)
func TestOneAtATimeIsTakenWithoutDelay(t *testing.T) {
	const interval, own = 20, 100
	rt := start(t, 1, runtime.InjectorInterval(time.Hour, interval, interval))
	run(t, rt, func(cx runtime.Cx) error {
		ran := 0
		for range 10 * own {
			runtime.Submit(rt, func(runtime.Cx) (int, error) {
				ran++
				return 0, nil
			})
		}
		runtime.TakeOneByOne(cx, rt.Stats().Injected)
		for range own {
			cx.Yield()
		}
		require.Greater(t, ran, own/2)
		require.Less(t, ran, 2*own)
		return nil
	})
	closes(t, rt)
}

// When what an overflow has left is gone, a look takes a whole batch again. (runtime/R56)
func TestBatchesAreWholeAfterAnOverflow(t *testing.T) {
	const most = 8
	rt := start(t, 1, runtime.InjectorBatch(most, runtime.LocalRing), runtime.IdleBatch(1),
		runtime.Ring(16), runtime.InjectorInterval(time.Hour, 10, 10))
	run(t, rt, func(cx runtime.Cx) error {
		for range 100 {
			cx.Go(func(runtime.Cx) {})
		}
		runtime.TakeOneByOne(cx, rt.Stats().Injected)
		for first := true; first || rt.Stats().Injected > 0; first = false {
			if err := cx.Sleep(time.Millisecond); err != nil { // the ring is found empty
				return err
			}
		}
		done, gap, longest := 0, 0, 0
		for range 50 {
			runtime.Submit(rt, func(runtime.Cx) (int, error) {
				done, gap = done+1, gap+1
				return 0, nil
			}).Detach()
		}
		for done < 50 {
			longest, gap = max(longest, gap), 0
			cx.Yield()
		}
		require.GreaterOrEqual(t, max(longest, gap), most-1)
		return nil
	})
}

// A worker that has none takes as many tasks at a time as IdleBatch says; or else InjectorBatch, if
// that is given; or else half of the ring, but at least 32. What the ring has no room for stays.
func TestAnIdleWorkerTakesABatchOfItsOwnSize(t *testing.T) {
	type options = []runtime.Option
	tick := func(most int) runtime.Option {
		return runtime.InjectorBatch(most, runtime.LocalRing)
	}
	for _, c := range []struct {
		options
		want int
	}{
		{options{runtime.IdleBatch(1)}, 256},
		{options{runtime.IdleBatch(16)}, 16},
		{options{runtime.IdleBatch(1000)}, 1},
		{options{runtime.IdleBatch(32768), runtime.Ring(16)}, 16},
		{options{tick(16), runtime.IdleBatch(128)}, 2},
		{options{runtime.IdleBatch(128), tick(16)}, 2},
		{options{tick(16)}, 16},
		{options{tick(32)}, 8},
		{nil, 2},
		{options{runtime.Ring(128)}, 4},
		{options{runtime.Ring(32)}, 8},
		{options{runtime.Ring(512)}, 1},
		{options{runtime.Ring(16)}, 16},
	} {
		rt := start(t, 1, append(c.options,
			runtime.InjectorInterval(time.Hour, 1_000_000, 1_000_000))...)
		block, held := make(chan struct{}), make(chan struct{})
		holds := runtime.Submit(rt, func(runtime.Cx) (int, error) {
			close(held)
			<-block
			return 0, nil
		})
		<-held
		for range 256 {
			rt.Go(func(runtime.Cx) {})
		}
		close(block)
		_, err := holds.Wait(context.Background())
		require.NoError(t, err)
		require.NoError(t, rt.Close())
		require.EqualValues(t, 1+c.want, rt.Stats().Workers[0].Batches, "%+v", c.want)
	}
}

// Workers that have all processors, and never run out of tasks, let a goroutine run whom one of
// them has woken: Go alone would let it wait for 10 ms. (runtime/R45)
func TestAGoroutineThatIsWokenRuns(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	rt := start(t, 1)
	var stop atomic.Bool
	var polls atomic.Int64
	var again func(cx runtime.Cx)
	again = func(cx runtime.Cx) {
		polls.Add(1)
		if !stop.Load() {
			cx.Go(again)
		}
	}
	rt.Go(again)
	for name, wait := range wakings(rt) {
		long := 0 // waits for which many tasks were run after what they waited for
		for i := 0; i < 500 && long < 5; i++ {
			var ended int64
			wait(t, func() { ended = polls.Load() })
			if polls.Load()-ended > 1000 {
				long++
			}
		}
		require.Less(t, long, 5, name)
	}
	stop.Store(true)
}

// wakings are ways in which a task of rt wakes the calling goroutine, or starts another: it calls
// last before.
func wakings(rt *runtime.Runtime) map[string]func(t *testing.T, last func()) {
	task := func(last func()) *runtime.Handle[int] {
		return runtime.Submit(rt, func(runtime.Cx) (int, error) { last(); return 0, nil })
	}
	return map[string]func(t *testing.T, last func()){
		"Wait": func(t *testing.T, last func()) {
			_, err := get(t, task(last))
			require.NoError(t, err)
		},
		"Done": func(t *testing.T, last func()) { <-task(last).Done() },
		"receive": func(t *testing.T, last func()) {
			c := runtime.NewChannel[int](0)
			runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				for range 10 { // the other one waits
					cx.Yield()
				}
				last()
				return 0, c.Send(cx, 1)
			}).Detach()
			_, err := c.ReceiveContext(context.Background())
			require.NoError(t, err)
		},
		"refused": func(t *testing.T, last func()) {
			g := runtime.NewGroup(context.Background(), rt)
			g.SetLimit(1)
			failure := errors.New("failure")
			var waits atomic.Bool
			g.Go(func(cx runtime.Cx) error {
				for !waits.Load() {
					cx.Yield()
				}
				for range 10 {
					cx.Yield()
				}
				last()
				return failure
			})
			waits.Store(true)
			g.Go(func(runtime.Cx) error { return nil })
			require.Equal(t, failure, g.Wait())
		},
		"blocking": func(t *testing.T, last func()) {
			began := make(chan struct{})
			runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				last()
				runtime.SpawnBlocking(cx, func() (int, error) {
					close(began)
					return 0, nil
				}).Detach()
				return 0, nil
			}).Detach()
			<-began
		},
	}
}
