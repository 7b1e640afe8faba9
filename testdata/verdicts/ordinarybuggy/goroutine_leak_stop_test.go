package buggy

import (
	"errors"
	"sync"
	"testing"
)

// A flusher writes what it is given, until it is stopped or a write fails.
type flusher struct {
	lines chan string
	stop  chan struct{}
	write func(string) error
}

func (f *flusher) run() {
	for {
		select {
		case line := <-f.lines:
			if f.write(line) != nil {
				return
			}
		case <-f.stop:
			return
		}
	}
}

func (f *flusher) Stop() {
	f.stop <- struct{}{}
}

// verdict: FAILED ^deadlock: .*wait
func TestGoroutineLeakStop(t *testing.T) {
	full := errors.New("disk full")
	f := &flusher{
		lines: make(chan string, 1),
		stop:  make(chan struct{}),
		write: func(string) error { return full },
	}
	f.lines <- "a line"
	var running sync.WaitGroup
	running.Go(f.run)
	f.Stop()
	running.Wait()
}
