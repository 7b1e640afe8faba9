package runtime

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/proofs/refine"
)

// As in sched_refinement_model_test.go, with rings and batches. The table speaks of one queue, and
// of others in which anything may happen; what it says is held of each queue: of the injector,
// from which batches are taken, and of the ring of each worker, into which batches, tasks that were
// evicted and tasks that have yielded are pushed, and from which others steal. What is pushed to
// one is announced to the sleepers, and who is about to sleep looks at each.

var ringPath = refine.Loop{
	Push:      "deque.Push, deque.publish: queue.Store",
	Take:      "deque.Pop, deque.claim, deque.pushFull: queue.CompareAndSwap",
	Recheck:   "deque.Len: queue.Load",
	Silent:    parkPath.Silent,
	Elsewhere: true, Most: 2,
}

var batchPath = func() refine.Loop {
	l := parkPath
	l.Elsewhere, l.Most = true, 2
	return l
}()

// A queuesMachine follows the injector and each ring, each in a table of its own.
type queuesMachine struct {
	injector *refine.Scheduler
	rings    []*refine.Scheduler
}

func newQueuesMachine(c parkSetting) *queuesMachine {
	m := &queuesMachine{
		injector: refine.NewScheduler(c.workers, refine.Idle(c.workers, c.actors(), batchPath)),
	}
	for range c.workers {
		m.rings = append(m.rings,
			refine.NewScheduler(c.workers, refine.Idle(c.workers, c.actors(), ringPath)))
	}
	return m
}

func (m *queuesMachine) all() []*refine.Scheduler {
	return append([]*refine.Scheduler{m.injector}, m.rings...)
}

func (m *queuesMachine) step(s *model.Step) (err error) {
	for _, q := range m.all() {
		if e := q.Step(s); err == nil {
			err = e
		}
	}
	return err
}

// begin begins an execution in each table.
func (m *queuesMachine) begin(w world, c parkSetting) {
	var parkers []*park.Parker
	for _, v := range w.workers {
		parkers = append(parkers, v.parker)
	}
	awake := func(int) bool { return false }
	state := func() map[string]int {
		return map[string]int{"left": 50, "other": 50, "hands": c.workers + c.submitters}
	}
	length := unsafe.Pointer(&w.injector) // its first field
	m.injector.Begin(w.idle, parkers, state(), awake, length,
		func() int { return int(refine.Read64(length)) }, nil)
	for i, v := range w.workers {
		head, tail := refine.Field(v.ring, "head"), refine.Field(v.ring, "tail")
		m.rings[i].Begin(w.idle, parkers, state(), awake, head,
			func() int { return int(int32(refine.Read32(tail) - uint32(refine.Read64(head)))) },
			[]refine.Object{{Name: "queue", Address: tail}})
	}
}

// runQueues is one execution. Each task from outside spawns two, so that one of these is evicted
// into the ring, and the last task of all ends the runtime.
func (c parkSetting) runQueues(x *model.Exec, m *queuesMachine) {
	w := stillWorld(x, c.workers, InjectorBatch(2, LocalRing), IdleBatch(2))
	m.begin(w, c)
	names := c.actors()
	for i, v := range w.workers {
		x.Go(names[i], v.run)
	}
	var ran count
	end := func(cx Cx) {
		if int(ran.Add(1)) == 3*c.submitters {
			w.last(cx)
		}
	}
	for _, name := range names[c.workers:] {
		x.Go(name, func() {
			Submit(w.Runtime, func(cx Cx) (int, error) {
				for range 2 {
					Spawn(cx, func(cx Cx) (int, error) { end(cx); return 0, nil }).Detach()
				}
				end(cx)
				return 0, nil
			}).Detach()
		})
	}
	x.Join()
	w.over()
	x.Assert(int(ran.Load()) == 3*c.submitters, "%d tasks have run", ran.Load())
	for _, q := range m.all() {
		x.Assert(q.Over(),
			"somebody has not notified, has not woken whom it saw asleep, or still sleeps")
	}
}

func TestEachQueueIsTheTable(t *testing.T) {
	if !park.Futex.Available() {
		t.Skip("there is no futex here")
	}
	for _, c := range []struct {
		parkSetting
		bounds []model.Option
	}{
		{parkSetting{1, 1}, []model.Option{model.Preemptions(2), model.Executions(4000)}},
		{parkSetting{1, 2}, []model.Option{model.Preemptions(1), model.Executions(4000)}},
		{parkSetting{2, 1}, []model.Option{model.Preemptions(1), model.Executions(4000)}},
	} {
		m := newQueuesMachine(c.parkSetting)
		t.Run(fmt.Sprintf("workers %d submitters %d", c.workers, c.submitters), func(t *testing.T) {
			model.Check(
				t,
				func(x *model.Exec) { c.runQueues(x, m) },
				append(c.bounds, model.NoRescue(), model.Observe(m.step))...)
		})
	}
}
