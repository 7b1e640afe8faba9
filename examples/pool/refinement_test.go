package pool

import (
	"fmt"
	"sync"
	"testing"
	"unsafe"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/proofs/refine"
)

// How workers of a pool look for work, fall asleep, sleep and wake, what wakes them, and how they
// end, are transitions of the tables of idle and park: each access to the count of searchers, the
// bits, the tokens, the closed flag and the length of the injector. The tables' loop takes one task
// at a time from one queue; so do these pools, in whose queues a batch is one task.

var sleepPath = refine.Loop{
	Push: "injector.push: queue.Store", Take: "injector.TakeFunc: queue.Store",
	Recheck: "injector.Len: queue.Load",
	Silent:  []string{"close_done"}, // nothing that is seen comes after it
}

// A sleepSetting is how many workers there are, and how many goroutines submit a task each.
type sleepSetting struct{ workers, submitters int }

func (c sleepSetting) actors() (names []string) {
	for i := range c.workers {
		names = append(names, fmt.Sprint("worker ", i))
	}
	for i := range c.submitters {
		names = append(names, fmt.Sprint("submitter ", i))
	}
	return names
}

// run is one execution: when all tasks have run, one submitter closes the pool, and every worker
// ends.
func (c sleepSetting) run(x *model.Exec, m *refine.Scheduler) {
	p := newPool(c.workers, 2, nil)
	var parkers []*park.Parker
	for _, w := range p.workers {
		parkers = append(parkers, &w.token)
	}
	length := unsafe.Pointer(&p.shared) // its first field
	m.Begin(
		p.idle,
		parkers,
		map[string]int{"left": c.submitters, "hands": c.workers + c.submitters},
		func(int) bool { return false },
		length,
		func() int { return int(refine.Read64(length)) },
		nil,
	)
	names := c.actors()
	p.running.Add(c.workers)
	for i, w := range p.workers {
		x.Go(names[i], w.work)
	}
	var done sync.WaitGroup
	done.Add(c.submitters)
	for i, name := range names[c.workers:] {
		x.Go(name, func() {
			submit(x, p, func(*Worker) { done.Done() })
			if i == 0 {
				done.Wait()
				p.Close()
			}
		})
	}
	x.Join()
	x.Assert(m.Over(),
		"somebody has not notified, has not woken whom it saw asleep, or still sleeps")
}

func TestTheSleepOfThePoolIsTheTable(t *testing.T) {
	if !park.Futex.Available() {
		t.Skip("there is no futex here")
	}
	used := map[string]bool{}
	var executions int64
	for _, c := range []struct {
		sleepSetting
		bounds []model.Option
	}{
		{sleepSetting{1, 1}, nil},
		{sleepSetting{1, 2}, []model.Option{model.Preemptions(2), model.Executions(6000)}},
		{sleepSetting{2, 1}, []model.Option{model.Preemptions(1)}},
		{sleepSetting{2, 2}, []model.Option{model.Preemptions(1), model.Executions(8000)}},
	} {
		m := refine.NewScheduler(c.workers, refine.Idle(c.workers, c.actors(), sleepPath))
		t.Run(fmt.Sprintf("workers %d submitters %d", c.workers, c.submitters), func(t *testing.T) {
			model.Check(
				t,
				func(x *model.Exec) { c.run(x, m) },
				append(c.bounds, model.NoRescue(), model.Observe(m.Step))...)
		})
		executions += m.Idle.Used(used)
	}
	t.Run("every rule", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			for _, rule := range []string{
				"push", "take", "take_searching", "publish", "publish_searching", "uncount_b",
				"open_b", "recheck_none_b", "recheck_work_b",
				"notify_leave", "notify_go", "claim_none", "claim_P", "count_P", "token_P",
				"claim_B", "token_B", "woke", "search", "found", "found_last",
				"close", "close_claim_P", "closed_own", "closed_t",
			} {
				x.Assert(used[rule] || executions < 20_000, "in %d executions, no access was %s",
					executions, rule)
			}
		})
	})
}
