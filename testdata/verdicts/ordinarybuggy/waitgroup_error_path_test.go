package buggy

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// fetchAll returns how many of the fetches have failed.
func fetchAll(fetches []func() error) int32 {
	var all sync.WaitGroup
	var failed atomic.Int32
	all.Add(len(fetches))
	for _, fetch := range fetches {
		go func() {
			if err := fetch(); err != nil {
				failed.Add(1)
				return
			}
			all.Done()
		}()
	}
	all.Wait()
	return failed.Load()
}

// verdict: FAILED ^deadlock: .*wait
func TestWaitgroupErrorPath(t *testing.T) {
	good := func() error { return nil }
	bad := func() error { return errors.New("not found") }
	if n := fetchAll([]func() error{good, bad}); n != 1 {
		t.Errorf("%d have failed", n)
	}
}
