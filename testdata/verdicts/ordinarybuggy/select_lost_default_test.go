package buggy

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A tracer must never block the request that it traces.
type tracer struct {
	spans   chan string
	done    chan struct{}
	dropped atomic.Int32
	writer  sync.WaitGroup
}

func (r *tracer) trace(span string) {
	select {
	case r.spans <- span:
	}
}

func (r *tracer) run() {
	for {
		select {
		case <-r.spans:
		case <-r.done:
			return
		}
	}
}

// verdict: FAILED ^deadlock: .*channel send
func TestSelectLostDefault(t *testing.T) {
	r := &tracer{spans: make(chan string, 1), done: make(chan struct{})}
	r.writer.Go(r.run)
	var requests sync.WaitGroup
	requests.Go(func() {
		r.trace("begin")
		r.trace("end")
	})
	close(r.done)
	r.writer.Wait()
	requests.Wait()
}
