package repaired

import (
	"sync"
	"testing"
	"time"
)

// A request times out by a message on the channel of its answer.
type request struct {
	mu     sync.Mutex
	ended  bool
	answer chan string
}

func newRequest() *request {
	r := &request{answer: make(chan string, 1)}
	time.AfterFunc(time.Millisecond, func() { r.end("timeout") })
	return r
}

func (r *request) end(how string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	r.ended = true
	r.answer <- how
	close(r.answer)
}

// verdict: proved
func TestSendOnClosedTimer(t *testing.T) {
	r := newRequest()
	go r.end("yes")
	if a := <-r.answer; a != "yes" && a != "timeout" {
		t.Errorf("answer %q", a)
	}
	if a, ok := <-r.answer; ok {
		t.Errorf("another answer, %q", a)
	}
}
