package idle_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/idle"
	"github.com/surewake/surewake/internal/wide"
	"github.com/surewake/surewake/model"
)

// A setting is one configuration of a world.
type setting struct {
	workers, submitters, tasks int // tasks of each submitter
	asleep                     int // workers that are asleep at the beginning
	timeouts                   int // at most so many, in any sleeps
	search                     bool
	closes                     bool
	long                       bool // all workers but one are stuck while a task is queued
	apart                      bool // each worker has a word of its own
	widest                     bool // a check that is run only where there is time
}

func (s setting) String() string {
	b := fmt.Sprintf("%dx%dx%d", s.workers, s.submitters, s.tasks)
	if s.asleep > 0 {
		b += fmt.Sprintf("_asleep_%d", s.asleep)
	}
	if s.timeouts > 0 {
		b += fmt.Sprintf("_timeouts_%d", s.timeouts)
	}
	for _, o := range []struct {
		on   bool
		name string
	}{{s.search, "search"}, {s.closes, "close"}, {s.long, "long"}, {s.apart, "apart"}} {
		if o.on {
			b += "_" + o.name
		}
	}
	return b
}

func (s setting) check(t *testing.T, opts ...model.Option) {
	if s.widest && !wide.Checks {
		return
	}
	// More steps than any execution has: who goes round in circles fails at once.
	opts = append(opts, model.MaxSteps(2000))
	t.Run(s.String(), func(t *testing.T) { model.Check(t, s.body, opts...) })
}

// checkWithin is check of the interleavings with at most so many preemptions.
func (s setting) checkWithin(t *testing.T, preemptions int) {
	if s.widest && !wide.Checks {
		return
	}
	opts := []model.Option{model.Preemptions(preemptions), model.MaxSteps(2000)}
	names := []string{"no_preemption", "one_preemption", "two_preemptions"}
	t.Run(s.String()+"/"+names[preemptions], func(t *testing.T) { model.Check(t, s.body, opts...) })
}

func (s setting) body(x *model.Exec) {
	numbers := []int{0, 1, 2}[:s.workers]
	if s.apart {
		numbers = []int{0, 64, 128}[:s.workers]
	}
	w := newWorld(x, s.submitters*s.tasks, numbers...)
	w.search, w.asleep, w.closes = s.search, s.asleep, s.closes
	if s.long {
		w.long = int64(s.workers - 1)
	}
	w.budget(s.timeouts)
	w.run(s.submitters, s.tasks)
}

// Every task is taken, searching is exact, nobody has two tokens, and everything comes to rest: in
// these settings without a bound. They are written workers x submitters x tasks of each; budgets of
// timeouts include the smaller ones.
func TestNoWakeupIsLost(t *testing.T) {
	for _, s := range []setting{
		{workers: 1, submitters: 1, tasks: 1, timeouts: 2},
		{workers: 1, submitters: 1, tasks: 1, timeouts: 2, search: true},
		{workers: 1, submitters: 1, tasks: 2, search: true},
		{workers: 1, submitters: 1, tasks: 2, timeouts: 1, asleep: 1},
		{workers: 1, submitters: 1, tasks: 2, timeouts: 2, widest: true},
		{workers: 1, submitters: 2, tasks: 1},
		{workers: 1, submitters: 2, tasks: 1, asleep: 1},
		{workers: 1, submitters: 2, tasks: 1, asleep: 1, timeouts: 1},
		{workers: 2, submitters: 1, tasks: 1, asleep: 2},
		{workers: 2, submitters: 1, tasks: 1, asleep: 1},
		{workers: 2, submitters: 1, tasks: 1, asleep: 1, search: true},
		{workers: 2, submitters: 1, tasks: 1, asleep: 2, timeouts: 1, widest: true},
		{workers: 3, submitters: 1, tasks: 1, asleep: 3},
		{workers: 3, submitters: 1, tasks: 1, asleep: 2, widest: true},
	} {
		s.check(t)
	}
}

// A worker may publish itself in a word that a notifier has passed.
func TestNoWakeupIsLostBetweenWords(t *testing.T) {
	for _, s := range []setting{
		{workers: 2, submitters: 1, tasks: 1, asleep: 1, apart: true},
		{workers: 3, submitters: 1, tasks: 1, asleep: 3, apart: true},
	} {
		s.check(t)
	}
}

// Every configuration of up to three workers, two submitters and two tasks each, with as many
// timeouts and preemptions as can be waited for: each check is complete within its bounds.
func TestEverySmallConfiguration(t *testing.T) {
	for _, c := range []struct {
		workers, submitters, tasks int
		bounds                     [][2]int // timeouts, preemptions
	}{
		{1, 1, 1, [][2]int{{2, 2}}},
		{1, 1, 2, [][2]int{{2, 2}}},
		{1, 2, 1, [][2]int{{2, 2}}},
		{1, 2, 2, [][2]int{{1, 2}, {2, 1}}},
		{2, 1, 1, [][2]int{{1, 2}, {2, 1}}},
		{2, 1, 2, [][2]int{{1, 2}, {2, 1}}},
		{2, 2, 1, [][2]int{{1, 1}, {2, 0}}},
		{2, 2, 2, [][2]int{{1, 1}, {2, 0}}},
		{3, 1, 1, [][2]int{{1, 1}, {2, 0}}},
		{3, 1, 2, [][2]int{{1, 1}, {2, 0}}},
		{3, 2, 1, [][2]int{{0, 1}, {1, 0}}},
		{3, 2, 2, [][2]int{{2, 0}}},
	} {
		for _, b := range c.bounds {
			setting{workers: c.workers, submitters: c.submitters, tasks: c.tasks, timeouts: b[0],
				search: true, widest: c.workers == 3 && c.submitters == 2}.checkWithin(t, b[1])
		}
	}
}

// All workers but one are stuck in tasks that end only when nothing is queued: no task may wait for
// one of these.
func TestNoTaskIsStrandedBehindLongOnes(t *testing.T) {
	for _, s := range []setting{
		{workers: 2, submitters: 1, tasks: 2, asleep: 2, long: true},
		{workers: 2, submitters: 2, tasks: 1, asleep: 2, long: true, apart: true, widest: true},
		{workers: 3, submitters: 1, tasks: 2, asleep: 3, long: true, apart: true, widest: true},
	} {
		s.checkWithin(t, 2)
	}
	setting{workers: 2, submitters: 2, tasks: 1, asleep: 2, timeouts: 1, long: true}.
		checkWithin(t, 1)
}

// Close wakes everybody, once, and nobody falls asleep afterwards: neither when the last task has
// been taken, nor when anybody closes at any time, nor when two do.
func TestCloseWakesEverybody(t *testing.T) {
	for _, s := range []setting{
		{workers: 1, submitters: 1, tasks: 1, timeouts: 2, asleep: 1, closes: true},
		{workers: 1, submitters: 1, tasks: 1, timeouts: 1, search: true, closes: true},
		{workers: 2, submitters: 1, tasks: 1, asleep: 2, closes: true},
	} {
		s.check(t)
	}
	for _, c := range []struct {
		name                               string
		workers, asleep, timeouts, closers int
		search                             bool
	}{
		{"two_awake", 2, 0, 0, 1, false},
		{"two_asleep_in_part", 2, 1, 0, 1, false},
		{"one_timeout", 1, 0, 1, 1, true},
		{"two_closers", 1, 0, 0, 2, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				w := newWorld(x, 0, []int{0, 1}[:c.workers]...)
				w.closes, w.asleep, w.search, w.closers = true, c.asleep, c.search, c.closers
				w.budget(c.timeouts)
				w.run(0, 0)
			}, model.MaxSteps(500))
		})
	}
}

// As many searchers as the limit allows are granted, however they meet.
func TestSearchersAreGrantedUpToTheLimit(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := idle.New(3)
		var granted atomic.Int32
		for i := range 3 {
			x.Go("worker", func() {
				if c.Worker(i).Search() {
					granted.Add(1)
				}
			})
		}
		x.Join()
		x.Assert(granted.Load() == 2 && c.Searching() == 2,
			"%d of 3 workers search, the limit is 2", granted.Load())
	})
}

// Of searchers that find something at once, one is the last, and wakes the worker that sleeps: a
// push that saw them has relied on that.
func TestOneOfTheLastSearchersWakesAnother(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := idle.New(3)
		c.Worker(2).Publish()
		var woken atomic.Int32
		for i := range 2 {
			x.Assert(c.Worker(i).Search(), "worker %d may not search", i)
			x.Go("searcher", func() {
				if worker, ok := c.Worker(i).Found(); ok {
					x.Assert(worker == 2, "worker %d is woken", worker)
					woken.Add(1)
				}
			})
		}
		x.Join()
		x.Assert(woken.Load() == 1 && c.Searching() == 1, "%d are woken, %d search",
			woken.Load(), c.Searching())
	})
}

// What concerns one worker reaches it: it is claimed, or sees what was registered in its recheck. A
// push may claim it at the same time.
func TestClaimReachesOneWorker(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := newWorld(x, 0, 0, 1)
		var deadline atomic.Bool
		x.Go("worker", func() {
			worker := w.c.Worker(1)
			for !deadline.Load() {
				worker.Publish()
				if deadline.Load() {
					if worker.Woke(false) == idle.AwaitToken {
						w.park(1)
						worker.Woke(true)
					}
					break
				}
				w.park(1)
				worker.Woke(true)
			}
			w.unpark(worker.Found())
		})
		x.Go("notifier", func() { w.unpark(w.c.Notify()) })
		deadline.Store(true)
		w.unpark(1, w.c.Claim(1))
		x.Join()
		x.Assert(w.c.Searching() == 0 && w.c.Parked() == 0, "searching %d, parked %d",
			w.c.Searching(), w.c.Parked())
	}, model.MaxSteps(500))
}

// A notifier that aims at a worker that times out at that instant turns to the next: whoever times
// out takes one task and wakes nobody.
func TestNotifyWakesSomebodyThoughTheFirstTimesOut(t *testing.T) {
	for _, numbers := range [][]int{{0, 1}, {0, 64}} {
		t.Run(fmt.Sprint(numbers[1]), func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				c := idle.New(numbers[1] + 1)
				for _, i := range numbers {
					c.Worker(i).Publish()
				}
				x.Go("first", func() { c.Worker(0).Woke(false) })
				worker, ok := c.Notify()
				x.Join()
				x.Assert(ok && !c.IsParked(worker) && c.Searching() == 1, "worker %d, %v", worker,
					ok)
				x.Assert(worker != 0 || c.Worker(0).Woke(true) == idle.Searching,
					"worker 0 is claimed, and not told to await its token")
			})
		})
	}
}

// Notifiers that meet claim different workers, and no more workers than they are.
func TestNotifiersClaimDifferentWorkers(t *testing.T) {
	for _, numbers := range [][]int{{0, 1, 2}, {0, 64, 128}} {
		t.Run(fmt.Sprint(len(numbers), "_of_", numbers[2]+1), func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				w := newWorld(x, 0, numbers...)
				for _, i := range numbers {
					w.c.Worker(i).Publish()
				}
				for range 2 {
					x.Go("notifier", func() { w.unpark(w.c.Notify()) })
				}
				x.Join()
				tokens := 0
				for i := range w.tokens {
					if w.tokens[i].Load() {
						tokens++
					}
				}
				x.Assert(tokens >= 1 && tokens == w.c.Searching() && tokens == 3-w.c.Parked(),
					"%d tokens, searching %d, parked %d",
					tokens, w.c.Searching(), w.c.Parked())
			})
		})
	}
}

// A searcher that dies leaves no task to a worker that sleeps, if its Release is deferred.
func TestASearcherThatDiesWakesAnother(t *testing.T) {
	for name, die := range map[string]func(){
		"panic": func() { panic("a bug") }, "Goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				c, token := idle.New(2), make(chan bool, 1)
				var queued atomic.Bool
				unpark := func(int) { token <- true } // only worker 1 ever sleeps
				notify := func() {
					if worker, ok := c.Notify(); ok {
						unpark(worker)
					}
				}
				x.Go("searcher", func() {
					w := c.Worker(0)
					defer func() { _ = recover() }()
					defer w.Release(unpark)
					w.Search()
					die()
				})
				x.Go("sleeper", func() {
					w := c.Worker(1)
					for !queued.Load() {
						w.Publish()
						if queued.Load() {
							notify()
						}
						<-token
						w.Woke(true)
					}
				})
				queued.Store(true)
				notify()
				x.Join()
			}, model.NoRescue())
		})
	}
}
