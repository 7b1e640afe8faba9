package flaky

import (
	"sync"
	"testing"
)

type session struct{ done chan struct{} }

func (s *session) Close() {
	select {
	case <-s.done: // closed before
	default:
		close(s.done)
	}
}

// verdict: FAILED ^panic: .*close of closed channel
func TestDoubleClose(t *testing.T) {
	s := &session{done: make(chan struct{})}
	var both sync.WaitGroup
	both.Go(s.Close) // the reader, at the end of input
	both.Go(s.Close) // the writer, after an error
	both.Wait()
}
