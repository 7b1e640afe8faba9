package buggy

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A server counts its requests, so that a shutdown can wait for them.
type countingServer struct {
	mu       sync.Mutex
	closed   bool
	requests sync.WaitGroup
	served   atomic.Int32
}

func (s *countingServer) handle() bool {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return false
	}
	s.requests.Go(func() { s.served.Add(1) })
	return true
}

func (s *countingServer) shutdown() int32 {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.requests.Wait()
	return s.served.Load()
}

// verdict: FAILED ^assertion failed: .*a request was served after the shutdown
func TestWaitgroupShutdown(t *testing.T) {
	s := &countingServer{}
	accepted := make(chan bool)
	go func() { accepted <- s.handle() }()
	served := s.shutdown()
	if <-accepted && served == 0 {
		t.Error("a request was served after the shutdown")
	}
}
