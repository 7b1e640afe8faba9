package taskstate_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/taskstate"
)

// TestNoWakeupIsLost: two wakers each make an event true, wake the task and have done. A poll after
// which the task waits has not seen both; some poll does.
func TestNoWakeupIsLost(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var events [2]atomic.Bool
		t := newTask(x, 3, func(bool) bool { return events[0].Load() && events[1].Load() })
		x.Go("runner", t.run)
		for i := range events {
			x.Go("waker", func() {
				events[i].Store(true)
				t.wakeDrop()
			})
		}
		x.Join()
		t.ended()
	})
}

// TestWakerMayWakeAgain: the same with one waker that keeps its reference from one wake to the
// next.
func TestWakerMayWakeAgain(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var events atomic.Int32
		t := newTask(x, 2, func(bool) bool { return events.Load() == 3 })
		x.Go("runner", t.run)
		x.Go("waker", func() {
			for range 2 {
				events.Add(1)
				t.wake()
			}
			events.Add(1)
			t.wakeDrop()
		})
		x.Join()
		t.ended()
	})
}

// TestNoPollForNothing: a wake that has returned before a poll begins does not cause a poll after
// it.
func TestNoPollForNothing(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var returned atomic.Bool
		early := false
		t := newTask(x, 2, func(bool) bool { return false })
		run := func() {
			x.Assert(!early, "poll %d, though the only wake came before the one before it",
				t.polls+1)
			early = returned.Load()
			t.polled(t.word.ToRunning())
		}
		x.Go("runner", func() {
			for run(); t.word.ToIdle() == taskstate.IdleEnqueue; {
				run()
			}
		})
		x.Go("waker", func() {
			outcome := t.word.Wake()
			returned.Store(true)
			if outcome == taskstate.WakeEnqueue {
				run()
				x.Assert(t.word.ToIdle() == taskstate.IdleWaits, "woken by nobody")
			}
		})
		x.Join()
		x.Assert(t.word.Load().Lifecycle() == taskstate.Idle, "nobody woke it again, and it is %v",
			t.word.Load())
	})
}

// TestOneRunnerOneEntry: a task that yields, and wakers that wake it without a cause. That there
// are not two entries or two polls at a time is asserted by task, here as in all other checks.
func TestOneRunnerOneEntry(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		t := newTask(x, 2, func(bool) bool { return false })
		x.Go("runner", func() {
			t.entry = false
			t.polled(t.word.ToRunning())
			t.word.Yield()
			t.enqueue()
			t.run()
		})
		for range 2 {
			x.Go("waker", t.wake)
		}
		x.Join()
		x.Assert(!t.entry && t.polls >= 2 && t.polls <= 4, "%d polls by one yield and two wakes",
			t.polls)
		x.Assert(t.word.Load().Lifecycle() == taskstate.Idle, "nobody woke it again, and it is %v",
			t.word.Load())
	})
}

// TestNobodyTouchesAReleasedTask: as soon as it is released, the memory of a task is used for the
// next one. A late access finds a word without references, or is a race, or changes the word of the
// next task.
func TestNobodyTouchesAReleasedTask(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		var word taskstate.Word
		released := 0
		run := func() {
			for next := true; next; {
				switch next = false; {
				case word.ToRunning() != taskstate.RunPoll:
					x.Errorf("stale, without a claim")
				case !done.Load():
					next = word.ToIdle() == taskstate.IdleEnqueue
				case word.Complete() == taskstate.CompleteRelease:
					released++
					word = taskstate.New(7)
				}
			}
		}
		wake := func() {
			switch word.WakeDrop() {
			case taskstate.WakeEnqueue:
				run()
			case taskstate.WakeRelease:
				released++
				word = taskstate.New(7)
			}
		}
		word = taskstate.New(3)
		x.Go("runner", run)
		x.Go("waker", wake)
		x.Go("last waker", func() {
			done.Store(true)
			wake()
		})
		x.Join()
		x.Assert(released == 1, "released %d times", released)
		x.Assert(word.Load().String() == "SCHEDULED references=7", "the next task is %v",
			word.Load())
	})
}

// TestReleasedOnce: references that are made and dropped on all sides while the task completes.
func TestReleasedOnce(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		t := newTask(x, 3, func(bool) bool { return true })
		x.Go("runner", t.run)
		x.Go("holder", func() {
			t.word.Clone()
			t.drop()
			t.drop()
		})
		x.Go("holder", t.drop)
		x.Join()
		t.ended()
	})
}

// TestNoUpdateIsLost: transitions of different parts of the word at the same time.
func TestNoUpdateIsLost(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := taskstate.New(2)
		w.ToRunning()
		x.Go("runner", func() { w.EnterShield() })
		x.Go("canceller", func() { w.Cancel() })
		x.Go("waker", func() { w.Wake() })
		x.Go("holder", func() { w.Clone() })
		x.Join()
		s := w.Load()
		// A waker leaves notified, whatever else there is; a canceller does unless the shield came
		// first.
		x.Assert(s.String() == "RUNNING notified cancelled shield=1 references=3",
			"all of them together make %v", s)
	})
}

// The targets of the following checks go on waiting unless they are told RunCancelled.

func TestCancelReachesComplete(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		t := newTask(x, 3, func(cancelled bool) bool { return cancelled })
		x.Go("runner", t.run)
		x.Go("waker", t.wakeDrop)
		x.Go("canceller", func() { t.cancel() })
		x.Join()
		t.drop()
		t.ended()
	})
}

// TestOneCancelTakesEffect: of two, one is told that it is not the first, or too late.
func TestOneCancelTakesEffect(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var first [2]bool
		t := newTask(x, 1, func(cancelled bool) bool { return cancelled })
		t.word.Clone()
		x.Go("runner", t.run)
		for i := range first {
			x.Go("canceller", func() {
				outcome := t.cancel()
				first[i] = outcome == taskstate.CancelEnqueue || outcome == taskstate.CancelNoted
			})
		}
		x.Join()
		x.Assert(first[0] != first[1], "first: %v", first)
		t.drop()
		t.ended()
	})
}

// TestCancelReachesCompleteBehindAShield: the task waits for an event in a shield, is never told to
// end there, and is told afterwards, whether or not it looks at what LeaveShield returns.
func TestCancelReachesCompleteBehindAShield(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var event atomic.Bool
		looks := x.Choose(2) == 1
		t := newTask(x, 3, nil)
		in := false
		t.poll = func(cancelled bool) bool {
			x.Assert(!in || !cancelled, "cancellation reached a shielded task")
			switch {
			case cancelled:
				return true
			case t.polls == 1:
				t.word.EnterShield()
				in = true
			case in && event.Load():
				in = false
				return t.word.LeaveShield() == taskstate.ShieldCancelled && looks
			}
			return false
		}
		t.run()
		x.Assert(t.word.Load().String() == "IDLE shield=1 references=3", "the task is %v",
			t.word.Load())
		x.Go("canceller", func() { t.cancel() })
		x.Go("waker", func() {
			t.wake()
			event.Store(true)
			t.wakeDrop()
		})
		x.Join()
		t.drop()
		t.ended()
	})
}

// TestCancelReachesCompleteBehindTwoShields: the same for shields in one another, left in one poll.
func TestCancelReachesCompleteBehindTwoShields(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		t := newTask(x, 2, nil)
		t.poll = func(cancelled bool) bool {
			if cancelled {
				return true
			}
			t.word.EnterShield()
			t.word.EnterShield()
			x.Assert(t.word.LeaveShield() == taskstate.ShieldHeld, "still in the outer shield")
			x.Assert(!t.word.Load().CancelEffective(), "cancellation reached a shielded task")
			t.word.LeaveShield()
			return false
		}
		x.Go("runner", t.run)
		x.Go("canceller", func() { t.cancel() })
		x.Join()
		t.drop()
		t.ended()
	})
}

// TestJoinWakesOnce: a joiner against a task that another waker keeps waiting. The joiner gets the
// result, and is woken if and only if it waits.
func TestJoinWakesOnce(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var event atomic.Bool
		t := newTask(x, 3, func(bool) bool { return event.Load() })
		var joiner *sleeper
		waited := false
		x.Go("runner", t.run)
		x.Go("waker", func() {
			event.Store(true)
			t.wakeDrop()
		})
		x.Go("joiner", func() {
			waited = t.join()
			joiner = t.joiner
			t.collect()
			t.drop()
		})
		x.Join()
		x.Assert(joiner.woken == 1 == waited, "waited: %v, woken %d times", waited, joiner.woken)
		t.ended()
	})
}

// TestJoinCanBeWithdrawn: a joiner leaves a sleeper, takes it back, and leaves another in its
// place.
func TestJoinCanBeWithdrawn(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		t := newTask(x, 2, func(bool) bool { return true })
		first, second := newSleeper(), newSleeper()
		want := [2]int{}
		x.Go("runner", t.run)
		x.Go("joiner", func() {
			t.joiner = first
			if t.word.Join() == taskstate.JoinWait {
				if t.word.Unjoin() == taskstate.JoinWithdrawn {
					t.joiner = second
					if t.word.Join() == taskstate.JoinWait {
						second.sleep()
						want[1] = 1
					}
				} else {
					want[0] = 1
				}
			}
			t.collect()
			t.drop()
		})
		x.Join()
		got := [2]int{first.woken, second.woken}
		x.Assert(got == want, "the two sleepers were woken %v times, not %v", got, want)
		t.ended()
	})
}

// TestSeveralJoiners: two share a handle and a list with a lock of its own, and both are woken.
func TestSeveralJoiners(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := taskstate.New(3)
		var mu sync.Mutex
		var list []*sleeper
		result := 0
		x.Go("runner", func() {
			w.ToRunning()
			result = 7
			if w.Complete() == taskstate.CompleteWakeJoiner {
				mu.Lock()
				all := list
				mu.Unlock()
				for _, s := range all {
					s.wake(x)
				}
			}
		})
		for range 2 {
			x.Go("joiner", func() {
				s := newSleeper()
				mu.Lock()
				list = append(list, s)
				mu.Unlock()
				if w.Join() == taskstate.JoinWait {
					s.sleep()
				}
				x.Assert(result == 7, "the result is not there")
			})
		}
		x.Join()
	})
}

// TestResultIsDiscardedOnce: the handle is given up while the task completes. While somebody still
// has a reference, the result is gone already, discarded by one of the two.
func TestResultIsDiscardedOnce(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		t := newTask(x, 3, func(bool) bool { return true })
		x.Go("runner", t.run)
		x.Go("handle", func() {
			if x.Choose(2) == 1 { // a joiner that gives up
				t.joiner = newSleeper()
				t.word.Join()
			}
			t.detach()
		})
		x.Join()
		x.Assert(t.result == discarded, "the result is %d", t.result)
		t.drop()
		t.ended()
	})
}

// TestLastReferenceDiscards: the same, while the last other reference goes.
func TestLastReferenceDiscards(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		t := newTask(x, 3, func(bool) bool { return true })
		x.Go("runner", t.run)
		x.Go("handle", t.detach)
		x.Go("waker", t.wakeDrop)
		x.Join()
		x.Assert(t.result == discarded, "the result is %d", t.result)
		t.ended()
	})
}

// TestClaimedTaskRunsOnce: a joiner runs its target itself if it can. Whoever has the entry finds
// it stale then, or runs what was meant for a later entry; every poll has one runner, and no
// reference is lost.
func TestClaimedTaskRunsOnce(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var event atomic.Bool
		t := newTask(x, 3, func(bool) bool { return event.Load() })
		run := func(now taskstate.RunOutcome) {
			for t.turn(now) {
				t.entry = false // one that turn has made; the first may be anywhere
				now = t.word.ToRunning()
			}
		}
		t.entry = false
		x.Go("worker", func() { run(t.word.ToRunning()) })
		x.Go("joiner", func() {
			if now := t.word.Claim(); now != taskstate.RunStale {
				run(now)
			}
		})
		x.Go("waker", func() {
			event.Store(true)
			if t.word.WakeDrop() == taskstate.WakeEnqueue {
				run(t.word.ToRunning())
			}
		})
		x.Join()
		t.collect()
		t.drop()
		t.ended()
	})
}
