package buggy

import (
	"sync"
	"testing"
)

// A refresher shares the answer of one call.
type refresher struct {
	mu      sync.Mutex
	current *refresh
}

type refresh struct {
	done  chan struct{}
	token string
}

func (r *refresher) token(fetch func() string) string {
	r.mu.Lock()
	c := r.current
	if c != nil {
		r.mu.Unlock()
		<-c.done
		return c.token
	}
	c = &refresh{done: make(chan struct{})}
	r.current = c
	r.mu.Unlock()
	token := fetch()
	close(c.done)
	c.token = token
	return token
}

// verdict: FAILED ^in the race run: data race
func TestSingleflightResult(t *testing.T) {
	r := &refresher{}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if token := r.token(func() string { return "secret" }); token != "secret" {
				t.Errorf("token %q", token)
			}
		})
	}
	both.Wait()
}
