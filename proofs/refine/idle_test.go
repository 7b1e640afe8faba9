package refine_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/surewake/surewake/idle"
	"github.com/surewake/surewake/internal/wide"
	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/proofs/refine"
)

// A setting is one configuration of a scheduler: the real idle and the real park, with the loop of
// idle's documentation, around a queue that is one atomic word.
type setting struct {
	workers, submitters, tasks int // tasks of each submitter
	asleep                     int // workers that are asleep at the beginning, the last ones
	timeouts                   int // sleeps that end early, by a timeout or a signal
	search                     bool
	// a searcher that finds nothing leaves once, as from a join, before it goes to sleep
	leaves bool
	claims bool // somebody claims worker 0
}

func (s setting) String() string {
	text := fmt.Sprintf("%dx%dx%d asleep %d timeouts %d", s.workers, s.submitters, s.tasks,
		s.asleep, s.timeouts)
	for _, o := range []struct {
		on   bool
		name string
	}{{s.search, " search"}, {s.leaves, " leaves"}, {s.claims, " claims"}} {
		if o.on {
			text += o.name
		}
	}
	return text
}

// A world is a setting in an execution.
type world struct {
	setting
	x       *model.Exec
	c       *idle.Coordinator
	parkers []*park.Parker
	queue   atomic.Int64 // tasks pushed, in the upper half, and taken
	// returned is set when Close has returned.
	returned atomic.Bool
}

const pushed = 1 << 32

func (w *world) put() { w.queue.Add(pushed) }

func (w *world) queued() bool { return waiting(w.queue.Load()) > 0 }

func waiting(q int64) int { return int(q>>32 - q&(pushed-1)) }

// take returns which task it took, counted from 0.
func (w *world) take() (task int, ok bool) {
	for q := w.queue.Load(); waiting(q) > 0; q = w.queue.Load() {
		if w.queue.CompareAndSwap(q, q+1) {
			return int(q & (pushed - 1)), true
		}
	}
	return 0, false
}

func (w *world) submit() {
	w.put()
	w.unpark(w.c.Notify())
}

func (w *world) unpark(worker int, ok bool) {
	if ok {
		w.parkers[worker].Unpark()
	}
}

// run does a task. The last one ends everything.
func (w *world) run(task int) {
	if task == w.submitters*w.tasks-1 {
		w.close()
	}
}

func (w *world) close() {
	w.c.Close(func(worker int) { w.unpark(worker, true) })
	w.returned.Store(true)
}

// work is the loop of idle's documentation, with one queue; a sleep may have a timeout.
func (w *world) work(me int) {
	worker := w.c.Worker(me)
	if me >= w.workers-w.asleep && !w.sleep(me, idle.Recheck, false) {
		return
	}
	for leaves := w.leaves; ; {
		task, ok := w.take()
		if !ok && w.search && worker.Search() {
			task, ok = w.take()
		}
		if ok {
			w.unpark(worker.Found())
			w.run(task)
			continue
		}
		if leaves {
			w.unpark(worker.Found())
			leaves = false
		}
		if !w.sleep(me, worker.Publish(), true) {
			return
		}
	}
}

// sleep is what the loop does after Publish; it is false if the worker must end.
func (w *world) sleep(me int, next idle.Outcome, looks bool) bool {
	worker, sleep := w.c.Worker(me), w.parkers[me]
	if next == idle.Recheck {
		if looks && w.queued() {
			w.unpark(w.c.Notify())
		}
		if w.timeouts > 0 {
			next = worker.Woke(sleep.ParkTimeout(10 * time.Millisecond))
		} else {
			next = idle.AwaitToken
		}
	}
	if next == idle.AwaitToken {
		sleep.Park()
		next = worker.Woke(true)
	}
	return next != idle.Closed || w.queued()
}

// loop is where the world does what the table leaves to callers.
var loop = refine.Loop{
	Push: "refine_test.put: queue.Add", Take: "refine_test.take: queue.CompareAndSwap",
	Recheck:   "refine_test.queued: queue.Load",
	CloseDone: "refine_test.close: returned.Store",
}

// scheduler is what follows the executions of a setting.
type scheduler struct {
	setting
	*refine.Scheduler
}

func newScheduler(s setting) *scheduler { return s.following(s.binding()) }

func (s setting) binding() refine.Binding {
	var actors []string
	for i := range s.workers {
		actors = append(actors, fmt.Sprint("worker ", i))
	}
	for i := range s.submitters {
		actors = append(actors, fmt.Sprint("submitter ", i))
	}
	if s.claims {
		actors = append(actors, "claimer")
	}
	return refine.Idle(s.workers, actors, loop)
}

func (s setting) following(c refine.Binding) *scheduler {
	m := &scheduler{s, refine.NewScheduler(s.workers, c)}
	m.Idle.Share("returned", "returned", "either(closed == 2, 1, 0)")
	return m
}

func (m *scheduler) begin(w *world) {
	state := map[string]int{"left": m.submitters * m.tasks, "hands": m.workers + m.submitters}
	if m.claims {
		state["other"] = 1
	}
	queue, returned := unsafe.Pointer(&w.queue), unsafe.Pointer(&w.returned)
	m.Begin(w.c, w.parkers, state, func(worker int) bool { return worker >= m.workers-m.asleep },
		queue, func() int { return waiting(int64(refine.Read64(queue))) },
		[]refine.Object{{Name: "returned", Address: returned}},
		func() int { return int(refine.Read32(returned)) })
}

func (m *scheduler) world(x *model.Exec) *world {
	w := &world{setting: m.setting, x: x, c: idle.New(m.workers)}
	for range m.workers {
		w.parkers = append(w.parkers, park.New(park.Futex))
	}
	for i := m.workers - m.asleep; i < m.workers; i++ {
		w.c.Worker(i).Publish()
	}
	return w
}

func (m *scheduler) body(x *model.Exec) {
	w := m.world(x)
	m.begin(w)
	for i := range m.workers {
		x.Go(fmt.Sprint("worker ", i), func() { w.work(i) })
	}
	for i := range m.submitters {
		x.Go(fmt.Sprint("submitter ", i), func() {
			for range m.tasks {
				w.submit()
			}
		})
	}
	if m.claims {
		x.Go("claimer", func() { w.unpark(0, w.c.Claim(0)) })
	}
	x.Join()
	x.Assert(!w.queued(), "a task is left")
	x.Assert(m.Over(), "somebody has not notified, has not woken whom it saw asleep, or still sleeps")
}

// The accesses of idle and park are transitions of their tables.
func TestSchedulerIsTheTable(t *testing.T) {
	for _, s := range []setting{
		{workers: 1, submitters: 1, tasks: 1},
		{workers: 1, submitters: 1, tasks: 1, timeouts: 1},
		{workers: 1, submitters: 2, tasks: 1, asleep: 1},
		{workers: 1, submitters: 2, tasks: 1, asleep: 1, search: true},
		{workers: 1, submitters: 1, tasks: 1, asleep: 1, leaves: true, claims: true},
		{workers: 2, submitters: 1, tasks: 1, asleep: 2},
	} {
		s.check(t)
	}
}

// The same for larger ones, with as many preemptions as can be waited for. Here every transition of
// idle's table is an access.
func TestWiderSchedulersAreTheTable(t *testing.T) {
	var all []*refine.Machine
	for _, c := range []struct {
		setting
		preemptions int
		widest      bool
	}{
		{setting{workers: 1, submitters: 1, tasks: 2, timeouts: 1, search: true}, 3, false},
		{setting{workers: 1, submitters: 2, tasks: 1, search: true}, 3, false},
		{setting{workers: 2, submitters: 1, tasks: 2, asleep: 2, search: true, leaves: true,
			claims: true}, 1, false},
		{setting{workers: 2, submitters: 2, tasks: 1, asleep: 2, timeouts: 1}, 1, true},
		{setting{workers: 2, submitters: 2, tasks: 1, search: true, leaves: true}, 1, false},
		{setting{workers: 2, submitters: 1, tasks: 1, asleep: 1, claims: true}, 2, true},
	} {
		if c.widest && !wide.Checks {
			continue
		}
		all = append(all, c.check(t, model.Preemptions(c.preemptions)))
	}
	everyRule(t, 50_000, all)
}

func (s setting) check(t *testing.T, opts ...model.Option) *refine.Machine {
	m := newScheduler(s)
	t.Run(s.String(), func(t *testing.T) {
		if !park.Futex.Available() {
			t.Skip("there is no futex here")
		}
		model.Check(t, m.body, append(opts, model.MaxSteps(2000), model.Timeouts(s.timeouts),
			model.NoRescue(), model.Observe(m.Step))...)
	})
	return m.Idle
}
