package idle_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/idle"
)

// A pool is a scheduler on real goroutines: a queue under a mutex, a channel for each worker's
// token.
type pool struct {
	c       *idle.Coordinator
	tokens  []chan struct{}
	timeout time.Duration // 0: none

	mu    sync.Mutex
	queue []func(worker int)
}

func newPool(workers int, timeout time.Duration) *pool {
	p := &pool{c: idle.New(workers), tokens: make([]chan struct{}, workers), timeout: timeout}
	for i := range p.tokens {
		p.tokens[i] = make(chan struct{}, 1)
	}
	return p
}

func (p *pool) submit(task func(worker int)) {
	p.mu.Lock()
	p.queue = append(p.queue, task)
	p.mu.Unlock()
	p.unpark(p.c.Notify())
}

func (p *pool) unpark(worker int, ok bool) {
	if !ok {
		return
	}
	select {
	case p.tokens[worker] <- struct{}{}:
	default:
		panic(fmt.Sprintf("worker %d gets a second token", worker))
	}
}

func (p *pool) take() func(worker int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 {
		return nil
	}
	task := p.queue[0]
	p.queue = p.queue[1:]
	return task
}

func (p *pool) queued() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.queue) > 0
}

func (p *pool) park(me int) bool {
	if p.timeout == 0 {
		<-p.tokens[me]
		return true
	}
	timer := time.NewTimer(p.timeout)
	defer timer.Stop()
	select {
	case <-p.tokens[me]:
		return true
	case <-timer.C:
		return false
	}
}

func (p *pool) work(me int) {
	w := p.c.Worker(me)
	for {
		task := p.take()
		if task == nil && w.Search() {
			task = p.take()
		}
		if task != nil {
			p.unpark(w.Found())
			task(me)
			continue
		}
		next := w.Publish()
		if next == idle.Recheck {
			if p.queued() {
				p.unpark(p.c.Notify())
			}
			next = w.Woke(p.park(me))
		}
		if next == idle.AwaitToken {
			<-p.tokens[me]
			next = w.Woke(true)
		}
		if next == idle.Closed && !p.queued() {
			return
		}
	}
}

// start runs the workers; the returned function closes, waits for their end, and looks at what they
// leave.
func (p *pool) start(t testing.TB) (stop func()) {
	var wg sync.WaitGroup
	for i := range p.tokens {
		wg.Go(func() { p.work(i) })
	}
	return func() {
		t.Helper()
		p.c.Close(func(worker int) { p.unpark(worker, true) })
		wg.Wait()
		require.Empty(t, p.queue)
		require.Zero(t, p.c.Searching())
		require.Zero(t, p.c.Parked())
		for i := range p.tokens {
			require.Empty(t, p.tokens[i], "worker %d has a token left", i)
		}
	}
}

// within fails, with everybody's stack, when done is not closed in time: somebody has been left
// asleep.
func within(t testing.TB, done <-chan struct{}, p *pool) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(60 * time.Second):
		t.Fatalf("after a minute %d workers are parked, %d search, and tasks are queued: %v",
			p.c.Parked(), p.c.Searching(), p.queued())
	}
}

// Every task runs, those that tasks submit too, whatever the number of workers, with timeouts and
// without.
func TestEveryTaskRuns(t *testing.T) {
	for _, workers := range sizes {
		for _, timeout := range []time.Duration{0, 20 * time.Microsecond} {
			t.Run(fmt.Sprintf("%d_workers_timeout_%v", workers, timeout), func(t *testing.T) {
				const submitters, tasks = 3, 100
				p := newPool(workers, timeout)
				stop := p.start(t)
				var left atomic.Int32
				left.Store(2 * submitters * tasks)
				done := make(chan struct{})
				ran := func() {
					if left.Add(-1) == 0 {
						close(done)
					}
				}
				for s := range submitters {
					go func() {
						for i := range tasks {
							p.submit(func(int) {
								p.submit(func(int) { ran() })
								ran()
							})
							if i%(7+s) == 0 {
								time.Sleep(10 * time.Microsecond) // workers fall asleep
							}
						}
					}()
				}
				within(t, done, p)
				stop()
			})
		}
	}
}

// Work conservation: tasks that wait for one another, as many as there are workers, all run at the
// same time. Had one of them been left in the queue while a worker sleeps, none would ever end.
func TestAsManyTasksAsWorkersRunAtOnce(t *testing.T) {
	for _, workers := range sizes {
		t.Run(fmt.Sprintf("%d_workers", workers), func(t *testing.T) {
			p := newPool(workers, 0)
			stop := p.start(t)
			for range max(1, 200/workers) {
				var arrived atomic.Int32
				all := make(chan struct{})
				for range workers {
					p.submit(func(int) {
						if arrived.Add(1) == int32(workers) {
							close(all)
						}
						<-all
					})
				}
				within(t, all, p)
			}
			stop()
		})
	}
}

// Close at any time ends all workers, and what was submitted before runs.
func TestCloseAtAnyTimeEndsAllWorkers(t *testing.T) {
	for _, workers := range []int{1, 2, 65} {
		for round := range 100 {
			p := newPool(workers, time.Duration(round%2)*10*time.Microsecond)
			stop := p.start(t)
			var ran atomic.Int32
			for range round % 5 {
				p.submit(func(int) { ran.Add(1) })
			}
			for range round % 7 {
				runtime.Gosched()
			}
			stop()
			require.EqualValues(t, round%5, ran.Load())
		}
	}
}
