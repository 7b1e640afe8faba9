package repaired

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A sampler takes a sample at each tick, and a last one when it is stopped.
type sampler struct {
	samples []int
	value   atomic.Int64
	stop    chan struct{}
	loop    sync.WaitGroup
}

func (s *sampler) run() {
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			s.samples = append(s.samples, int(s.value.Load()))
		case <-s.stop:
			s.samples = append(s.samples, int(s.value.Load()))
			return
		}
	}
}

// verdict: proved
func TestTimerLastSample(t *testing.T) {
	s := &sampler{stop: make(chan struct{})}
	s.loop.Go(s.run)
	s.value.Store(5)
	close(s.stop)
	s.loop.Wait()
	if n := len(s.samples); n == 0 || s.samples[n-1] != 5 {
		t.Error("the last value is not sampled")
	}
}
