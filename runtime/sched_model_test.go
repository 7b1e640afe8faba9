package runtime

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/internal/wide"
	"github.com/surewake/surewake/model"
)

// A world is a runtime in a check: rings of 2, no rescuing, one look at the others.
type world struct {
	*Runtime
	x *model.Exec
}

func newWorld(x *model.Exec, workers int) world {
	w := stillWorld(x, workers)
	w.start()
	return w
}

// stillWorld is a world whose workers do not run yet: what is submitted now is there when they
// start, and the ways in which they fall asleep before it comes are left to other checks.
func stillWorld(x *model.Exec, workers int, options ...Option) world {
	c, err := configure(append(worldOptions(workers), options...))
	x.Assert(err == nil, "%v", err)
	return world{assemble(c), x}
}

func worldOptions(workers int) []Option {
	return []Option{
		Workers(workers), Ring(2), RescueInterval(0), Searches(1), SpareCoroutines(1), Seed(1),
	}
}

// last is the end of a task after which the runtime drains, which leaves out the ways in which a
// shutdown from outside meets a worker that falls asleep.
func (w world) last(cx Cx) { w.ok(cx.Shutdown()) }

func (w world) ok(err error) { w.x.Assert(err == nil, "%v", err) }

// await waits until the runtime has ended, which a task has seen to, and returns what h has ended
// with.
func (w world) await(h *Handle[int]) (int, error) {
	<-w.Done()
	w.over()
	v, err, over := h.TryJoin()
	w.x.Assert(over, "the task has not ended")
	return v, err
}

// shutdown drains the runtime, and holds that everything that has begun has ended.
func (w world) shutdown() {
	w.ok(w.Shutdown(context.Background()))
	w.over()
}

func (w world) over() {
	w.x.Assert(w.live.Load() == 0, "%d tasks are alive after the end", w.live.Load())
	w.x.Assert(w.injector.Len() == 0, "%d tasks are queued after the end",
		w.injector.Len())
	for w.timers.next.Load() == atOnce {
		runtime.Gosched() // who has added one after the end drops it
	}
	w.x.Assert(w.idle.Searching() <= 0 || w.idle.Searching() <= len(w.workers), "%d workers search",
		w.idle.Searching())
	for _, v := range w.workers {
		w.x.Assert(v.slot.Load() == nil && v.ring.Len() == 0, "worker %d has a task after the end",
			v.id)
	}
}

// A count is of the runs of one task.
type count struct{ atomic.Int32 }

func (c *count) run(Cx) (int, error) { return int(c.Add(1)), nil }

func (w world) once(counts ...*count) {
	for i := range counts {
		w.x.Assert(counts[i].Load() == 1, "task %d ran %d times", i, counts[i].Load())
	}
}

func wait[T comparable](x *model.Exec, h *Handle[T], want T) {
	got, err := h.Wait(context.Background())
	x.Assert(err == nil && got == want, "the result is %v, %v; want %v", got, err, want)
}

// In these settings every interleaving is looked at.

// One worker, one goroutine outside, two tasks, in every way in which they meet a worker that looks
// for work, falls asleep, sleeps or wakes: each runs once, both waits end, and the worker sleeps
// and stops.
func TestEverySubmittedTaskRunsOnce(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := newWorld(x, 1)
		var counts [2]count
		var all count
		run := func(i int) func(Cx) (int, error) {
			return func(cx Cx) (int, error) {
				if all.Add(1) == 2 {
					w.last(cx)
				}
				return counts[i].run(cx)
			}
		}
		first, second := Submit(w.Runtime, run(0)), Submit(w.Runtime, run(1))
		<-w.Done()
		w.over()
		w.once(&counts[0], &counts[1])
		wait(x, first, 1)
		wait(x, second, 1)
	})
}

// A shutdown ends when what was queued has been run. (runtime/R7)
func TestShutdownRunsWhatIsQueued(t *testing.T) {
	checkWholly(t, func(x *model.Exec) {
		w := newWorld(x, 1)
		var a count
		Submit(w.Runtime, a.run).Detach()
		w.shutdown()
		w.once(&a)
		_, err := Submit(w.Runtime, a.run).Wait(context.Background())
		x.Assert(errors.Is(err, ErrClosed), "a task after the end: %v", err)
		x.Assert(errors.Is(w.Shutdown(context.Background()), ErrClosed),
			"a second Shutdown does not say so")
	})
}

// Close races with a task that is queued, runs, or has ended: it ends, once, with its result or
// ErrClosed.
func TestCloseEndsEveryHandle(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := newWorld(x, 1)
		var a count
		h := Submit(w.Runtime, a.run)
		x.Assert(w.Close() == nil, "Close fails")
		w.over()
		v, err, over := h.TryJoin()
		x.Assert(over, "the task has not ended")
		x.Assert(
			err == nil && v == 1 && a.Load() == 1 || errors.Is(err, ErrClosed) && a.Load() == 0,
			"the task ran %d times, and its result is %v, %v", a.Load(), v, err)
	})
}

// Close wakes a task that waits for what never comes.
func TestCloseWakesWhoWaits(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		h := Submit(w.Runtime, func(cx Cx) (int, error) { return 0, cx.forEver() })
		w.start()
		x.Assert(w.Close() == nil, "Close fails")
		w.over()
		_, err, over := h.TryJoin()
		x.Assert(over && errors.Is(err, ErrClosed), "the task has ended: %v, with %v", over, err)
	})
}

// forEver waits until the task is to end.
func (cx Cx) forEver() error {
	for cx.stopErr() == nil {
		cx.coroutine.suspend(taskWaits)
	}
	return cx.stopErr()
}

// until waits until flag is set, by somebody who then wakes the task.
func (cx Cx) until(flag *atomic.Bool) error {
	for !flag.Load() {
		if err := cx.stopErr(); err != nil {
			return err
		}
		cx.coroutine.suspend(taskWaits)
	}
	return nil
}

func TestCancelWakesWhoWaits(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			return 0, cx.forEver()
		})
		w.start()
		h.Cancel()
		_, err := h.Wait(context.Background())
		x.Assert(errors.Is(err, ErrCancelled), "the task has ended with %v", err)
		if w.mode.Load() == open { // it had not begun
			w.shutdown()
		}
	})
}

// A wake from outside comes before the task waits, while its stack is being left, or later: it is
// never lost, and goes through the injector.
func TestWakeFromOutside(t *testing.T) {
	for _, workers := range []int{1, 2} {
		t.Run(amount[workers], func(t *testing.T) {
			checkWithin(t, workers, func(x *model.Exec) {
				w := stillWorld(x, workers)
				var flag atomic.Bool
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					err := cx.until(&flag)
					w.last(cx)
					return 1, err
				})
				w.start()
				flag.Store(true)
				h.wake(nil)
				v, err := w.await(h)
				x.Assert(err == nil && v == 1, "the task has ended with %v, %v", v, err)
			})
		})
	}
}

// The same with a second worker that comes only now: it may take the task at once, and resume its
// stack, which must have been left.
func TestAStackIsResumedByAnother(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 2)
		var flag atomic.Bool
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			err := cx.until(&flag)
			w.last(cx)
			return 1, err
		})
		go w.workers[0].run()
		flag.Store(true)
		h.wake(nil)
		go w.workers[1].run()
		v, err := w.await(h)
		x.Assert(err == nil && v == 1, "the task has ended with %v, %v", v, err)
	})
}

var amount = map[int]string{1: "one worker", 2: "two workers"}

// A shutdown from outside meets a task that is queued, on its way to a worker, or waits; the
// runtime does not end before it.
func TestShutdownWaitsForWhoWaits(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		var flag atomic.Bool
		h := Submit(w.Runtime, func(cx Cx) (int, error) { return 1, cx.until(&flag) })
		w.start()
		x.Assert(w.raiseMode(draining), "the runtime is closed already")
		flag.Store(true)
		h.wake(nil)
		v, err := w.await(h)
		x.Assert(err == nil && v == 1, "the task has ended with %v, %v", v, err)
	})
}

func TestJoinGivesTheOutput(t *testing.T) {
	for _, c := range []struct {
		name  string
		child func(Cx) (int, error)
	}{
		{"inlined", func(Cx) (int, error) { return 7, nil }},
		{"of one that yields", func(cx Cx) (int, error) { cx.Yield(); return 7, nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				w := stillWorld(x, 1)
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					h := Spawn(cx, c.child)
					cx.Yield()
					defer w.last(cx)
					return h.Join(cx)
				})
				w.start()
				wait(x, h, 7)
				_, err := w.await(h)
				w.ok(err)
			})
		})
	}
}

// A goroutine outside and a task join the same task; both get the output.
func TestTwoJoiners(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		target := Submit(w.Runtime, func(cx Cx) (int, error) { cx.Yield(); return 7, nil })
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			return target.Join(cx)
		})
		w.start()
		wait(x, target, 7)
		v, err := w.await(h)
		x.Assert(err == nil && v == 7, "the joiner has ended with %v, %v", v, err)
	})
}

// A ring of 2 that has to hold 5 tasks sends some of them through the injector.
func TestOverflowLosesNothing(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		var counts [5]count
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			for i := range counts {
				Spawn(cx, counts[i].run).Detach()
			}
			w.last(cx)
			return 1, nil
		})
		w.start()
		wait(x, h, 1)
		<-w.Done()
		w.over()
		for i := range counts {
			w.once(&counts[i])
		}
	})
}

// A spawns B and C, C joins A, A joins B. None of them may wait for one that lies beneath it on its
// stack.
func TestNoJoinWaitsForWhatLiesBeneath(t *testing.T) {
	for _, workers := range []int{1, 2} {
		t.Run(amount[workers], func(t *testing.T) {
			checkWithin(t, workers, func(x *model.Exec) {
				w := stillWorld(x, workers)
				var a, c *Handle[int]
				root := Submit(w.Runtime, func(cx Cx) (int, error) {
					defer w.last(cx)
					a = Spawn(cx, func(cx Cx) (int, error) {
						b := Spawn(cx, func(cx Cx) (int, error) { cx.Yield(); return 2, nil })
						c = Spawn(cx, func(cx Cx) (int, error) { return a.Join(cx) })
						return b.Join(cx)
					})
					return a.Join(cx)
				})
				w.start()
				v, err := w.await(root)
				x.Assert(err == nil && v == 2, "A has ended with %v, %v", v, err)
				wait(x, c, 2)
			})
		})
	}
}

// checkWithin is model.Check. Two workers, or two goroutines outside, have more interleavings than
// anybody can wait for: those with one preemption are looked at, which most bugs need no more than,
// and those with two. Some fifteen checks have more of these than mostExecutions.
func checkWithin(t *testing.T, workers int, body func(*model.Exec), options ...model.Option) {
	if workers == 1 {
		model.Check(t, body, options...)
		return
	}
	within := func(preemptions int) func(*testing.T) {
		bounds := []model.Option{model.Preemptions(preemptions), model.Executions(mostExecutions)}
		return func(t *testing.T) { model.Check(t, body, append(bounds, options...)...) }
	}
	t.Run("one preemption", within(1))
	if runs(t.Name()) {
		t.Run("two preemptions", within(2))
	}
}

// checkWholly is model.Check of a body with tens of thousands of executions: those with two
// preemptions, and all where there is time.
func checkWholly(t *testing.T, body func(*model.Exec), options ...model.Option) {
	t.Run("two preemptions", func(t *testing.T) {
		model.Check(t, body, append(options, model.Preemptions(2))...)
	})
	if wide.Checks {
		t.Run("all", func(t *testing.T) { model.Check(t, body, options...) })
	}
}

// runs reports whether a check that may be one of the widest is run.
func runs(name string) bool { return wide.Checks || !slices.Contains(widest, name) }

// widest are the checks that with two preemptions, or as they are named, take a few seconds each,
// or more than anybody waits for. Some bugs show only there: mutants are put back with the build
// tag wide.
var widest = []string{
	"TestACancelledTaskBeneathTellsTheFork",
	"TestACancelledTaskTellsItsFork/two_workers",
	"TestACancelledTaskWaitsForWhatItsForkIsTold",
	"TestALoopIsCancelled/For/two_workers",
	"TestALoopIsCancelled/ForEach/two_workers",
	"TestALoopIsCancelled/Map/two_workers",
	"TestALoopIsCancelled/Reduce/two_workers",
	"TestATaskThatLeavesAShieldTellsItsFork",
	"TestBatchBehindAnOpenSteal",
	"TestCloseFindsWhoWaitsForAPlace/Close",
	"TestCloseMeetsAPrivateBuffer",
	"TestCloseMeetsARescue",
	"TestCloseMeetsATimer",
	"TestEvictedTaskIsTakenByAnother",
	"TestForErrIsCancelled/two_workers",
	"TestNoForkOutlivesItsTask/goexit",
	"TestNoForkOutlivesItsTask/panic",
	"TestNoForkOutlivesItsTask/return",
	"TestOverflowMeetsAnOpenSteal",
	"TestPlaceIsGivenOrLeft",
	"TestPlaceOfWhoGivesUpIsNotLost",
	"TestRestOfABatchInABuffer",
	"TestRestOfABatchIsTakenByAnother",
	"TestSlotOfABusyWorkerIsNoWork",
	"TestStolenTasksRunOnce",
	"TestTheDriverRescuesFromASlot",
	"TestTwoSubmittersAndTwoWorkers",
	"TestWakeFromOutside/two_workers",
	"TestWhoHasYieldedIsTakenByAnother",
	"TestWhoWaitsReleasesItsForks/two_workers",
}

// wholly is an option of checks that have more executions than mostExecutions, but not many more.
var wholly = model.Executions(50_000)

// A task spawns two and blocks its worker until one of them has run: the one that was evicted from
// the slot, which another worker must have been told of.
func TestEvictedTaskIsTakenByAnother(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := newWorld(x, 2)
		var ran sync.WaitGroup
		ran.Add(1)
		wait(x, Submit(w.Runtime, func(cx Cx) (int, error) {
			Spawn(cx, func(Cx) (int, error) { ran.Done(); return 0, nil }).Detach()
			Spawn(cx, func(Cx) (int, error) { return 0, nil }).Detach()
			ran.Wait()
			return 1, nil
		}), 1)
		w.shutdown()
	})
}

// A task spawns one, which goes to the slot, and yields. The other comes first and blocks the
// worker until the first has gone on, which another worker must have been told of.
func TestWhoHasYieldedIsTakenByAnother(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := newWorld(x, 2)
		var ran sync.WaitGroup
		ran.Add(1)
		wait(x, Submit(w.Runtime, func(cx Cx) (int, error) {
			c := Spawn(cx, func(Cx) (int, error) { ran.Wait(); return 0, nil })
			cx.Yield()
			ran.Done()
			c.Join(cx)
			return 1, nil
		}), 1)
		w.shutdown()
	})
}

// All that comes with one batch is run. (runtime/R5)
func TestABatchIsRun(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		var counts [4]count
		for i := range counts {
			Submit(w.Runtime, counts[i].run).Detach()
		}
		w.start()
		w.shutdown()
		for i := range counts {
			w.once(&counts[i])
		}
	})
}

// The same for what came with a batch from the injector: while the first blocks its worker, the
// others are run elsewhere. (runtime/R5)
func TestRestOfABatchIsTakenByAnother(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := newWorld(x, 2)
		var ran sync.WaitGroup
		ran.Add(1)
		first := Submit(w.Runtime, func(Cx) (int, error) { ran.Wait(); return 1, nil })
		second := Submit(w.Runtime, func(Cx) (int, error) { ran.Done(); return 2, nil })
		wait(x, first, 1)
		wait(x, second, 2)
		w.shutdown()
	})
}

// A batch comes while a thief still copies from the ring that it is to land in: what it has no room
// for is not lost.
func TestBatchBehindAnOpenSteal(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := newWorld(x, 2)
		var counts [6]count
		var all count
		run := func(i int) func(Cx) (int, error) {
			return func(cx Cx) (int, error) {
				if all.Add(1) == int32(len(counts)) {
					w.last(cx)
				}
				return counts[i].run(cx)
			}
		}
		Submit(w.Runtime, func(cx Cx) (int, error) {
			Spawn(cx, run(0)).Detach()
			Spawn(cx, run(1)).Detach()
			Spawn(cx, func(Cx) (int, error) {
				for i := 2; i < len(counts); i++ {
					Submit(w.Runtime, run(i)).Detach()
				}
				return 0, nil
			}).Detach()
			return 1, nil
		}).Detach()
		<-w.Done()
		w.over()
		for i := range counts {
			w.once(&counts[i])
		}
	}, wholly)
}

// A worker that finds nothing but what is in another's slot sleeps, and does not wake itself.
func TestSlotOfABusyWorkerIsNoWork(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := newWorld(x, 2)
		var goOn sync.WaitGroup
		goOn.Add(1)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			c := Spawn(cx, func(Cx) (int, error) { return 1, nil })
			goOn.Wait()
			return c.Join(cx)
		})
		goOn.Done()
		wait(x, h, 1)
		w.shutdown()
	}, model.MaxSteps(3000))
}

// Two workers run and steal what a task has spawned: each once, and the joins end.
func TestStolenTasksRunOnce(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := newWorld(x, 2)
		var counts [3]count
		wait(x, Submit(w.Runtime, func(cx Cx) (int, error) {
			var handles [3]*Handle[int]
			for i := range handles {
				handles[i] = Spawn(cx, counts[i].run)
			}
			sum := 0
			for _, h := range handles {
				v, err := h.Join(cx)
				if err != nil {
					return 0, err
				}
				sum += v
			}
			return sum, nil
		}), 3)
		w.once(&counts[0], &counts[1], &counts[2])
		w.shutdown()
	})
}

// Two goroutines outside, two workers.
func TestTwoSubmittersAndTwoWorkers(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := newWorld(x, 2)
		var a, b count
		x.Go("other", func() { wait(x, Submit(w.Runtime, a.run), 1) })
		wait(x, Submit(w.Runtime, b.run), 1)
		x.Join()
		w.once(&a, &b)
		w.shutdown()
	})
}

// A task closes its own runtime while another waits.
func TestCloseFromInside(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := newWorld(x, 1)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			Spawn(cx, func(cx Cx) (int, error) { return 0, cx.forEver() })
			cx.Yield()
			x.Assert(cx.Close() == nil, "Close fails")
			return 1, nil
		})
		wait(x, h, 1)
		<-w.Done()
		w.over()
	})
}

// The same, and the task then joins the one that waits, which ends with ErrClosed.
func TestJoinAfterCloseFromInside(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := newWorld(x, 1)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			c := Spawn(cx, func(cx Cx) (int, error) { return 0, cx.forEver() })
			cx.Yield()
			x.Assert(cx.Close() == nil, "Close fails")
			_, err := c.Join(cx)
			x.Assert(errors.Is(err, ErrClosed), "the other task has ended with %v", err)
			return 1, nil
		})
		wait(x, h, 1)
		<-w.Done()
		w.over()
	})
}

// A task that calls Goexit ends, and so does the one that has inlined it; their worker goes on.
func TestGoexitEndsNoWorker(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			return Spawn(cx, func(Cx) (int, error) { runtime.Goexit(); return 0, nil }).Join(cx)
		})
		next := Submit(w.Runtime, func(cx Cx) (int, error) { w.last(cx); return 1, nil })
		w.start()
		v, err := w.await(next)
		x.Assert(err == nil && v == 1, "the next task has ended with %v, %v", v, err)
		_, err, _ = h.TryJoin()
		x.Assert(errors.Is(err, ErrGoexit), "the joiner has ended with %v", err)
	})
}
