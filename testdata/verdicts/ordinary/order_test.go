package ordinary

import (
	"sync"
	"testing"
)

// In which order goroutines register cleanups is tried out.
//
// verdict: FAILED the second is called last
func TestCleanupsOfTwoGoroutines(t *testing.T) {
	last := 0
	t.Cleanup(func() {
		if last == 2 {
			t.Error("the second is called last")
		}
	})
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { t.Cleanup(func() { last = 1 + i }) })
	}
	wg.Wait()
}

// verdict: FAILED the first is called last
func TestCleanupsOfTwoGoroutinesTheOtherWayRound(t *testing.T) {
	last := 0
	t.Cleanup(func() {
		if last == 1 {
			t.Error("the first is called last")
		}
	})
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { t.Cleanup(func() { last = 1 + i }) })
	}
	wg.Wait()
}

// A cleanup that is registered when the test has ended does not run.
//
// verdict: said do so each time
func TestCleanupAfterTheTestHasEnded(t *testing.T) {
	ran := false
	t.Run("sub", func(t *testing.T) {
		go t.Cleanup(func() { ran = true })
	})
	if ran {
		t.Log("it has run")
	}
}

// Which subtest of two of one name is the first is tried out.
//
// verdict: FAILED the second has the name x#01
func TestSubtestsOfOneName(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			t.Run("x", func(t *testing.T) {
				if i == 1 && t.Name() == "TestSubtestsOfOneName/x#01" {
					t.Error("the second has the name x#01")
				}
			})
		})
	}
	wg.Wait()
}

// verdict: FAILED the first has the name x#01
func TestSubtestsOfOneNameTheOtherWayRound(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			t.Run("x", func(t *testing.T) {
				if i == 0 && t.Name() == "TestSubtestsOfOneNameTheOtherWayRound/x#01" {
					t.Error("the first has the name x#01")
				}
			})
		})
	}
	wg.Wait()
}

func logs(t *testing.T) { t.Log("here") }

// verdict: FAILED panic.*nil pointer
func TestMethodOfANilTest(*testing.T) { logs(nil) }
