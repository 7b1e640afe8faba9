package found

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/alphadose/haxmap"
)

// The documentation of GetOrSet: "The loaded result is true if the value was loaded, false if
// stored", and a value that is there is returned.
//
// verdict: FAILED ^assertion failed: .*2 calls have stored
func TestGetOrSetStoresOnce(t *testing.T) {
	m := haxmap.New[int, int]()
	var stored atomic.Int32
	var both sync.WaitGroup
	for i := range 2 {
		both.Go(func() {
			if _, loaded := m.GetOrSet(1, i); !loaded {
				stored.Add(1)
			}
		})
	}
	both.Wait()
	if n := stored.Load(); n != 1 {
		t.Errorf("%d calls have stored", n)
	}
}

// The documentation of GetOrCompute: "the value constructor is called only once".
//
// verdict: FAILED ^assertion failed: .*called 2 times
func TestGetOrComputeComputesOnce(t *testing.T) {
	m := haxmap.New[int, int]()
	var called atomic.Int32
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			m.GetOrCompute(1, func() int { return int(called.Add(1)) })
		})
	}
	both.Wait()
	if n := called.Load(); n != 1 {
		t.Errorf("the constructor was called %d times", n)
	}
}

// A value is given out by one of those who delete it.
//
// verdict: FAILED ^assertion failed: .*2 calls have deleted
func TestGetAndDelDeletesOnce(t *testing.T) {
	m := haxmap.New[int, int]()
	m.Set(1, 1)
	var deleted atomic.Int32
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if _, ok := m.GetAndDel(1); ok {
				deleted.Add(1)
			}
		})
	}
	both.Wait()
	if n := deleted.Load(); n != 1 {
		t.Errorf("%d calls have deleted", n)
	}
}

// What was set, and not deleted, is visited.
//
// verdict: FAILED ^assertion failed: .*entry 2 is lost
func TestSetBesideDelIsVisited(t *testing.T) {
	m := haxmap.New[int, int]()
	m.SetHasher(func(key int) uintptr { return uintptr(key) })
	m.Set(1, 1)
	var both sync.WaitGroup
	both.Go(func() {
		m.Del(1)
		m.ForEach(func(int, int) bool { return true })
	})
	both.Go(func() { m.Set(2, 2) })
	both.Wait()
	found := false
	m.ForEach(func(key, _ int) bool {
		found = found || key == 2
		return true
	})
	if !found {
		t.Error("entry 2 is lost")
	}
}
