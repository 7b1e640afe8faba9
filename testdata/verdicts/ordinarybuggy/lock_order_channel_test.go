package buggy

import (
	"sync"
	"testing"
)

// A journal hands its lines to one writer.
type journal struct {
	mu      sync.Mutex
	pending int
	lines   chan string
	written sync.WaitGroup
}

func newJournal() *journal {
	j := &journal{lines: make(chan string)}
	j.written.Go(func() {
		for range j.lines {
			j.mu.Lock()
			j.pending--
			j.mu.Unlock()
		}
	})
	return j
}

func (j *journal) log(line string) {
	j.mu.Lock()
	j.pending++
	j.lines <- line
	j.mu.Unlock()
}

func (j *journal) close() int {
	close(j.lines)
	j.written.Wait()
	return j.pending
}

// verdict: FAILED ^deadlock: every goroutine waits for ever
func TestLockOrderChannel(t *testing.T) {
	j := newJournal()
	j.log("started")
	j.log("ready")
	if n := j.close(); n != 0 {
		t.Errorf("%d lines are not written", n)
	}
}
