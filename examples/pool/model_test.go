package pool

import (
	"runtime"
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

// The checks forbid that a timeout rescues what a lost wakeup has stopped; the pool has none. In
// most of them somebody waits for the tasks before Close, which would wake those who run them.

// One worker, in every interleaving.
func TestOneWorkerRunsTwoTasks(t *testing.T) {
	for _, c := range []check{
		{"one after the other", func(p *Pool, done *sync.WaitGroup) {
			done.Add(2)
			p.shared.Submit([]Task{func(*Worker) { done.Done() }})
		}, func(x *model.Exec, p *Pool, done *sync.WaitGroup) {
			submit(x, p, func(*Worker) { done.Done() })
		}},
		{"in a batch", nil, func(x *model.Exec, p *Pool, done *sync.WaitGroup) {
			done.Add(2)
			one := func(*Worker) { done.Done() }
			submit(x, p, one, one)
		}},
		{"from inside", nil, func(x *model.Exec, p *Pool, done *sync.WaitGroup) {
			done.Add(1)
			submit(x, p, func(w *Worker) { w.Spawn(func(*Worker) { done.Done() }) })
		}},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, 1) })
	}
}

// A task that ends the goroutine, by a panic or by Goexit, does not end the worker, and leaves no
// searcher on the count that does not search.
func TestTheWorkerOfATaskThatDiesGoesOn(t *testing.T) {
	for name, die := range map[string]func(){
		"panic": func() { panic("a bug") }, "Goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			check{"", func(p *Pool, done *sync.WaitGroup) {
				done.Add(2)
				p.onPanic = func(v any) {
					if v != "a bug" {
						panic(v)
					}
				}
				one := func(*Worker) { defer done.Done(); die() }
				p.shared.Submit([]Task{one, one})
			}, nil}.run(t, 1)
		})
	}
	t.Run("Goexit of one of two/no preemption", func(t *testing.T) {
		check{"", nil, func(x *model.Exec, p *Pool, done *sync.WaitGroup) {
			for range 2 {
				done.Add(1)
				submit(x, p, func(*Worker) { done.Done(); runtime.Goexit() })
				done.Wait()
			}
		}}.run(t, 2, model.Preemptions(0))
	})
}

// Close comes before a Submit, or after it, or in the middle.
func TestCloseRefusesATaskOrRunsIt(t *testing.T) {
	t.Run("one preemption", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			p := New(1, 2, nil)
			ran, queued := 0, 0
			x.Go("submitter", func() {
				if p.Submit(func(*Worker) { ran++ }) == nil {
					queued++
				}
			})
			x.Go("closer", p.Close)
			x.Join()
			x.Assert(ran == queued, "%d tasks were queued, %d ran", queued, ran)
		}, model.NoRescue(), model.Preemptions(1))
	})
}

// A queue of two has no room for the third task; the overflow keeps it and the older ones.
func TestNoTaskOfAnOverflowIsLost(t *testing.T) {
	check{"", func(p *Pool, done *sync.WaitGroup) {
		done.Add(3)
		one := func(*Worker) { done.Done() }
		p.shared.Submit([]Task{func(w *Worker) { w.Spawn(one, one, one) }})
	}, nil}.run(t, 1)
}

// Two workers, and three tasks of which one waits for the next: if that is stranded, nobody else
// runs it. Which queue they are in says who has to announce them: a thief the rest of a steal, and
// whoever fetches a batch from the injector the rest of it.
func TestTasksThatMeetAreRunByTwoWorkers(t *testing.T) {
	meet := func(done *sync.WaitGroup) []Task {
		done.Add(3)
		var second sync.WaitGroup
		second.Add(1)
		return []Task{
			func(*Worker) { second.Wait(); done.Done() },
			func(*Worker) { second.Done(); done.Done() },
			func(*Worker) { done.Done() },
		}
	}
	for _, c := range []check{
		{"in a queue", func(p *Pool, done *sync.WaitGroup) {
			p.workers[0].local.PushBatch(meet(done))
		}, nil},
		{"in the injector", func(p *Pool, done *sync.WaitGroup) {
			p.shared.Submit(meet(done))
		}, nil},
		{"spawned", nil, func(x *model.Exec, p *Pool, done *sync.WaitGroup) {
			tasks := meet(done)
			submit(x, p, func(w *Worker) { w.Spawn(tasks...) })
		}},
	} {
		t.Run(c.name+"/one preemption", func(t *testing.T) { c.run(t, 2, model.Preemptions(1)) })
	}
}

// A check runs a pool until its tasks are done, and then closes it: Close would wake the workers.
type check struct {
	name  string
	fill  func(p *Pool, done *sync.WaitGroup)                // before the workers start
	queue func(x *model.Exec, p *Pool, done *sync.WaitGroup) // beside them
}

func (c check) run(t *testing.T, workers int, opts ...model.Option) {
	model.Check(t, func(x *model.Exec) {
		var done sync.WaitGroup
		p := newPool(workers, 2*workers, nil)
		if c.fill != nil {
			c.fill(p, &done)
		}
		p.start()
		if c.queue != nil {
			c.queue(x, p, &done)
		}
		done.Wait()
		p.Close()
	}, append(opts, model.NoRescue())...)
}

func submit(x *model.Exec, p *Pool, tasks ...Task) {
	x.Assert(p.Submit(tasks...) == nil, "an open pool refuses a task")
}
