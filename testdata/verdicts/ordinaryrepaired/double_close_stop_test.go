package repaired

import (
	"sync"
	"testing"
)

// A service is stopped by its owner and by a signal.
type service struct {
	mu      sync.Mutex
	running bool
	stop    chan struct{}
	loop    sync.WaitGroup
}

func (s *service) start() {
	s.running, s.stop = true, make(chan struct{})
	s.loop.Go(func() { <-s.stop })
}

func (s *service) Stop() {
	s.mu.Lock()
	running := s.running
	s.running = false
	s.mu.Unlock()
	if !running {
		return
	}
	close(s.stop)
	s.loop.Wait()
}

// verdict: proved without assumptions
func TestDoubleCloseStop(t *testing.T) {
	s := &service{}
	s.start()
	var both sync.WaitGroup
	both.Go(s.Stop)
	both.Go(s.Stop)
	both.Wait()
}
