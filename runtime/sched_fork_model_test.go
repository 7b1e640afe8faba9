package runtime

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// square is what these checks fork; it counts.
func (c *count) square(_ Cx, n int) int { c.Add(1); return n * n }

// twoForks is a task that forks twice and joins both.
func twoForks(workers int) func(x *model.Exec) {
	return func(x *model.Exec) {
		w := stillWorld(x, workers)
		var a, b count
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			fa := Fork(cx, a.square, 2)
			fb := Fork(cx, b.square, 3)
			sum := fb.Join(cx)
			sum += fa.Join(cx)
			w.last(cx)
			return sum, nil
		})
		w.start()
		v, err := w.await(h)
		x.Assert(err == nil && v == 13, "the forks have returned %d, %v", v, err)
		w.once(&a, &b)
	}
}

// Forks of one worker: nobody takes them.
func TestForksOfOneWorker(t *testing.T) { model.Check(t, twoForks(1)) }

// Two workers: each fork runs once, wherever, and its join returns its result; the joining task is
// woken when it has to wait.
func TestForksOfTwoWorkers(t *testing.T) { checkWithin(t, 2, twoForks(2), model.NoRescue()) }

// A task forks and then holds its worker until the fork has run: another worker gets it, whether it
// looks for work, falls asleep or sleeps when the first fork is made. (R33)
func TestAForkIsTakenFromABusyOwner(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 2)
		var ran sync.WaitGroup
		ran.Add(2)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			done := func(Cx, int) int { ran.Done(); return 1 }
			fa := Fork(cx, done, 0)
			fb := Fork(cx, done, 0)
			cx.Forks().Share()
			ran.Wait()
			sum := fb.Join(cx)
			sum += fa.Join(cx)
			w.last(cx)
			return sum, nil
		})
		w.start()
		v, err := w.await(h)
		x.Assert(err == nil && v == 2, "the forks have returned %d, %v", v, err)
	}, model.NoRescue())
}

// The same without Share: the first fork of a stack that nobody has seen is let out at once, since
// who sleeps cannot ask for it.
func TestTheFirstForkIsTakenFromABusyOwner(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 2)
		var ran sync.WaitGroup
		ran.Add(1)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			f := Fork(cx, func(Cx, int) int { ran.Done(); return 1 }, 0)
			ran.Wait()
			sum := f.Join(cx)
			w.last(cx)
			return sum, nil
		})
		w.start()
		v, err := w.await(h)
		x.Assert(err == nil && v == 1, "the fork has returned %d, %v", v, err)
	}, model.NoRescue())
}

// A fork is taken back, and the next one must be let out again: the worker that was woken for the
// first asks before it sleeps. (R33)
func TestAForkAfterOneThatWasTakenBack(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 2)
		var a count
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			sum := Fork(cx, a.square, 2).Join(cx)
			var ran sync.WaitGroup
			ran.Add(1)
			f := Fork(cx, func(Cx, int) int { ran.Done(); return 1 }, 0)
			s := cx.Forks()
			for !s.Asked() {
			}
			s.Poll()
			ran.Wait()
			sum += f.Join(cx)
			w.last(cx)
			return sum, nil
		})
		w.start()
		v, err := w.await(h)
		x.Assert(err == nil && v == 5, "the forks have returned %d, %v", v, err)
		w.once(&a)
	}, model.NoRescue())
}

// A task waits for what its forks do, all of them: they must not stay where only it can run them.
// (R34)
func TestWhoWaitsReleasesItsForks(t *testing.T) {
	for _, workers := range []int{1, 2} {
		t.Run(amount[workers], func(t *testing.T) {
			checkWithin(t, workers, func(x *model.Exec) {
				w := stillWorld(x, workers)
				var ran atomic.Int32
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					self := cx.task
					done := func(cx Cx, n int) int {
						ran.Add(1)
						self.wake(cx.coroutine.worker)
						return n
					}
					fa, fb := Fork(cx, done, 1), Fork(cx, done, 2)
					for ran.Load() < 2 {
						cx.coroutine.suspend(taskWaits)
					}
					sum := fb.Join(cx)
					sum += fa.Join(cx)
					w.last(cx)
					return sum, nil
				})
				w.start()
				v, err := w.await(h)
				x.Assert(err == nil && v == 3, "the forks have returned %d, %v", v, err)
			}, model.NoRescue())
		})
	}
}

// cancels ends a task from outside, at any moment after it has called ready; it must end with
// that.
func cancels(
	x *model.Exec, workers int, body func(cx Cx, ready func()) (int, error),
) {
	w := stillWorld(x, workers)
	var begun sync.WaitGroup
	begun.Add(1)
	h := Submit(w.Runtime, func(cx Cx) (int, error) {
		v, err := body(cx, begun.Done)
		w.last(cx)
		return v, err
	})
	w.start()
	begun.Wait()
	h.Cancel()
	_, err := w.await(h)
	x.Assert(errors.Is(err, ErrCancelled), "the task has ended with %v", err)
}

// A task that is cancelled tells its fork, which another task runs. (R35)
func TestACancelledTaskTellsItsFork(t *testing.T) {
	for _, workers := range []int{1, 2} {
		t.Run(amount[workers], func(t *testing.T) {
			checkWithin(t, 2, func(x *model.Exec) { // also one worker takes many executions
				cancels(x, workers, func(cx Cx, ready func()) (int, error) {
					f := Fork(cx, func(cx Cx, _ int) error { return cx.forEver() }, 0)
					if workers == 1 {
						cx.Yield() // the fork becomes a task
					}
					ready()
					return 1, f.Join(cx)
				})
			}, model.NoRescue())
		})
	}
}

// A task that waits for what its fork does when it is told, after it was told itself. (R43)
func TestACancelledTaskWaitsForWhatItsForkIsTold(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		cancels(x, 2, func(cx Cx, ready func()) (int, error) {
			var told Oneshot[int]
			f := Fork(cx, func(cx Cx, _ int) error {
				ready()
				err := cx.forEver()
				x.Assert(told.Send(1) == nil, "nobody waits")
				return err
			}, 0)
			err := cx.forEver()
			cx.Shield(func() { _, _ = told.Receive(cx) })
			return 1, errors.Join(err, f.Join(cx))
		})
	}, model.NoRescue())
}

// The same of a task that is cancelled in a shield, and leaves it. (R43)
func TestATaskThatLeavesAShieldTellsItsFork(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		cancels(x, 2, func(cx Cx, ready func()) (int, error) {
			var told Oneshot[int]
			f := Fork(cx, func(cx Cx, _ int) error {
				err := cx.forEver()
				x.Assert(told.Send(1) == nil, "nobody waits")
				return err
			}, 0)
			cx.Shield(func() { ready(); cx.Yield() })
			err := cx.forEver()
			cx.Shield(func() { _, _ = told.Receive(cx) })
			return 1, errors.Join(err, f.Join(cx))
		})
	}, model.NoRescue())
}

// The task beneath the one that forks is cancelled, which holds for both, and for the fork. (R35)
func TestACancelledTaskBeneathTellsTheFork(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		cancels(x, 2, func(cx Cx, ready func()) (int, error) {
			return Spawn(cx, func(cx Cx) (int, error) {
				f := Fork(cx, func(cx Cx, _ int) error { return cx.forEver() }, 0)
				ready()
				return 1, f.Join(cx)
			}).Join(cx)
		})
	}, model.NoRescue())
}

// Close comes at any moment: the fork is called all the same, also if it has been queued meanwhile,
// and the join returns what it has returned. (R36)
func TestCloseMeetsAFork(t *testing.T) {
	checkWithin(t, 1, func(x *model.Exec) {
		w := stillWorld(x, 1)
		var a count
		var sum int
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			f := Fork(cx, a.square, 2)
			cx.Yield()
			sum = f.Join(cx)
			return sum, nil
		})
		w.start()
		x.Assert(w.Close() == nil, "Close fails")
		w.over()
		v, err, over := h.TryJoin()
		x.Assert(over, "the task has not ended")
		x.Assert(err == nil && v == 4 && a.Load() == 1 || errors.Is(err, ErrClosed) && v == 0,
			"the fork ran %d times, and the result is %v, %v", a.Load(), v, err)
	}, model.NoRescue())
}

// A task leaves its forks, by a return or a panic: they run once at most, and not after it. (R37)
func TestNoForkOutlivesItsTask(t *testing.T) {
	for name, leave := range map[string]func(){
		"return": func() {}, "panic": func() { panic("expected") }, "goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			checkWithin(t, 2, func(x *model.Exec) {
				w := stillWorld(x, 2)
				var a, b count
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					Fork(cx, func(cx Cx, n int) int { cx.Yield(); return a.square(cx, n) }, 1)
					Fork(cx, func(cx Cx, n int) int { cx.Yield(); return b.square(cx, n) }, 1)
					w.last(cx)
					leave()
					return 1, nil
				})
				w.start()
				target := &h.task
				for !target.ended() {
					runtime.Gosched()
				}
				runs := a.Load() + b.Load()
				<-w.Done()
				w.over()
				x.Assert(a.Load() <= 1 && b.Load() <= 1 && a.Load()+b.Load() == runs,
					"the forks ran %d and %d times, %d in all when their task ended",
					a.Load(), b.Load(), runs)
			}, model.NoRescue(), wholly)
		})
	}
}

// A pollTwice is a future that leaves a fork to another task, and wakes itself, in its first poll.
type pollTwice struct {
	polls int
	fork  count
}

func (p *pollTwice) Poll(cx Cx) (int, error, bool) {
	if p.polls++; p.polls == 2 {
		return int(p.fork.Load()), nil, true
	}
	Fork(cx, p.fork.square, 2)
	cx.coroutine.forks.release()
	cx.task.wake(cx.coroutine.worker)
	return 0, nil, false
}

// The wait for the fork must not consume the wake of the future. (R37)
func TestAFutureThatLeavesAForkIsWoken(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 1)
		h := SubmitFuture[int](w.Runtime, &pollTwice{})
		w.start()
		wait(x, h, 1)
		w.shutdown()
	}, model.NoRescue())
}

// What a fork panics with, or Goexit, is what its join does; its worker goes on.
func TestAForkThatPanics(t *testing.T) {
	for name, leave := range map[string]func(){
		"panic": func() { panic("expected") }, "goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			checkWithin(t, 2, func(x *model.Exec) {
				w := stillWorld(x, 2)
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					defer w.last(cx)
					return Fork(cx, func(Cx, int) int { leave(); return 0 }, 1).Join(cx), nil
				})
				w.start()
				_, err := w.await(h)
				var panicked *PanicError
				x.Assert(errors.Is(err, ErrGoexit) && name == "goexit" ||
					errors.As(err, &panicked) && panicked.Value == "expected" && name == "panic",
					"the task has ended with %v", err)
			}, model.NoRescue())
		})
	}
}

// Two tasks fork on the same stack, one on top of the other; each fork belongs to its own. (R39)
func TestAForkBelongsToItsTask(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 2)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			return Timeout(cx, 1<<40, func(cx Cx) (int, error) {
				outer := cx.task.heritage()
				same := func(cx Cx, of *heritage) bool {
					return cx.task.heritage() == of
				}
				f := Fork(cx, same, outer)
				c := Spawn(cx, func(cx Cx) (int, error) {
					g := Fork(cx, same, &noHeritage)
					x.Assert(g.Join(cx), "the upper task's fork has another's heritage")
					return 1, nil
				})
				v, err := c.Join(cx)
				x.Assert(f.Join(cx), "the lower task's fork has another's heritage")
				w.last(cx)
				return v, err
			})
		})
		w.start()
		v, err := w.await(h)
		x.Assert(err == nil && v == 1, "the task has ended with %v, %v", v, err)
	}, model.NoRescue())
}

// A fork is claimed before its task is cancelled, and becomes a task while that task, which has
// been told, enters a shield, in which it may wait for the fork: that is told, too. (R49)
func TestAForkThatIsTakenLateIsTold(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 2)
		owner := runningTask()
		owner.rt, owner.body = w.Runtime, &procedure{}
		cx := Cx{&coroutine{worker: w.workers[0], task: owner}, owner}
		Fork(cx, func(Cx, int) int { return 0 }, 0)
		f := cx.coroutine.forks
		f.stack.Share()
		claim := f.stack.Claim(true)
		var taken *task
		x.Go("thief", func() { taken = &w.workers[1].newForkTask(f, claim).task })
		x.Go("cancels", func() { owner.cancel(nil) })
		if cx.stopErr() != nil {
			cx.enterShield()
		}
		x.Join()
		x.Assert(taken.state.Load().CancelEffective(), "the fork is not told")
	})
}
