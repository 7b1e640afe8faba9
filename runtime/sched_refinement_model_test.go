package runtime

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/proofs/refine"
)

// How workers here look for work, fall asleep, sleep and wake, what wakes them, and how they end,
// are transitions of the tables of idle and park: each access to the count of searchers, the bits,
// the tokens, the closed flag and the length of the injector. The tables' loop is that of workers
// who take one task at a time from one queue: so that is what these runtimes do.

var parkPath = refine.Loop{
	Push: "injector.push: queue.Store", Take: "injector.TakeFunc: queue.Store",
	Recheck: "injector.Len: queue.Load",
	Silent:  []string{"close_done"}, // nothing that is seen comes after it
}

// A parkSetting is how many workers there are, and how many goroutines outside submit a task each.
type parkSetting struct{ workers, submitters int }

func (c parkSetting) actors() (names []string) {
	for i := range c.workers {
		names = append(names, fmt.Sprint("worker ", i))
	}
	for i := range c.submitters {
		names = append(names, fmt.Sprint("submitter ", i))
	}
	return names
}

// run is one execution: the last task ends the runtime, in which every worker ends.
func (c parkSetting) run(x *model.Exec, m *refine.Scheduler) {
	w := stillWorld(x, c.workers, InjectorBatch(1, LocalRing))
	var parkers []*park.Parker
	for _, v := range w.workers {
		parkers = append(parkers, v.parker)
	}
	length := unsafe.Pointer(&w.injector) // its first field
	m.Begin(
		w.idle,
		parkers,
		map[string]int{"left": c.submitters, "hands": c.workers + c.submitters},
		func(int) bool { return false },
		length,
		func() int { return int(refine.Read64(length)) },
		nil,
	)
	names := c.actors()
	for i, v := range w.workers {
		x.Go(names[i], v.run)
	}
	var ran count
	for _, name := range names[c.workers:] {
		x.Go(name, func() {
			Submit(w.Runtime, func(cx Cx) (int, error) {
				if int(ran.Add(1)) == c.submitters {
					w.last(cx)
				}
				return 0, nil
			}).Detach()
		})
	}
	x.Join()
	w.over()
	x.Assert(int(ran.Load()) == c.submitters, "%d tasks have run", ran.Load())
	x.Assert(m.Over(),
		"somebody has not notified, has not woken whom it saw asleep, or still sleeps")
}

func TestParkPathIsTheTable(t *testing.T) {
	if !park.Futex.Available() {
		t.Skip("there is no futex here")
	}
	used := map[string]bool{}
	var executions int64
	for _, c := range []struct {
		parkSetting
		bounds []model.Option
	}{
		{parkSetting{1, 1}, nil},
		{parkSetting{1, 2}, []model.Option{model.Preemptions(2)}},
		{parkSetting{2, 1}, []model.Option{model.Preemptions(1)}},
		{parkSetting{2, 2}, []model.Option{model.Preemptions(1)}},
	} {
		m := refine.NewScheduler(c.workers, refine.Idle(c.workers, c.actors(), parkPath))
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
				x.Assert(used[rule] || executions < 6000, "in %d executions, no access was %s",
					executions, rule)
			}
		})
	})
}
