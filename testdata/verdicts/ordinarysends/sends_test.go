// Package sends has tests that send on channels which others close.
package sends

import (
	"sync"
	"testing"
)

// A pool keeps what it has accepted, but its channel may be closed between the look and the send.
type pool struct {
	mu      sync.Mutex
	closed  bool
	jobs    chan int
	kept    int
	workers sync.WaitGroup
}

func newPool() *pool {
	p := &pool{jobs: make(chan int, 1)}
	p.workers.Go(func() {
		for n := range p.jobs {
			p.kept += n
		}
	})
	return p
}

func (p *pool) submit(n int) bool {
	p.mu.Lock()
	closed := p.closed
	p.mu.Unlock()
	if closed {
		return false
	}
	p.jobs <- n
	return true
}

func (p *pool) close() int {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	close(p.jobs)
	p.workers.Wait()
	return p.kept
}

// verdict: FAILED ^panic: .*send on closed channel
func TestJobsAreKept(t *testing.T) {
	p := newPool()
	accepted := make(chan bool)
	go func() { accepted <- p.submit(2) }()
	p.submit(1)
	if kept, more := p.close(), <-accepted; kept != 1 && !more {
		t.Fatalf("kept %d", kept)
	}
}

// The race detector knows of no lines in the hooks: it is told of those that call them.
//
// verdict: FAILED Read at [^\n]*\n[^\n]*\n[^\n]*sends_test\.go:69\n.*write at [^\n]*\n[^\n]*\n[^\n]*sends_test\.go:71\n
func TestASendBesideAClose(t *testing.T) {
	jobs, done := make(chan int, 1), make(chan bool)
	go func() {
		defer func() {
			_ = recover()
			done <- true
		}()
		jobs <- 1
	}()
	close(jobs)
	<-done
}

// verdict: FAILED Read at [^\n]*\n[^\n]*\n[^\n]*sends_test\.go:84\n.*write at [^\n]*\n[^\n]*\n[^\n]*sends_test\.go:88\n
func TestASelectBesideAClose(t *testing.T) {
	jobs, done := make(chan int, 1), make(chan bool)
	go func() {
		defer func() {
			_ = recover()
			done <- true
		}()
		select {
		case jobs <- 1:
		default:
		}
	}()
	close(jobs)
	<-done
}
