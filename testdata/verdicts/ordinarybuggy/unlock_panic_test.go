package buggy

import (
	"errors"
	"sync"
	"testing"
)

// A dispatcher survives the panics of its handlers.
type dispatcher struct {
	mu      sync.Mutex
	handled int
	handler func(event string)
}

func (d *dispatcher) dispatch(event string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("the handler panicked")
		}
	}()
	d.mu.Lock()
	d.handled++
	d.handler(event)
	d.mu.Unlock()
	return nil
}

// verdict: FAILED ^deadlock: .*Lock
func TestUnlockPanic(t *testing.T) {
	d := &dispatcher{handler: func(event string) {
		if event == "" {
			panic("no event")
		}
	}}
	var both sync.WaitGroup
	both.Go(func() { d.dispatch("") })
	both.Go(func() { d.dispatch("login") })
	both.Wait()
	if d.handled != 2 {
		t.Errorf("%d events handled", d.handled)
	}
}
