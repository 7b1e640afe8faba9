// Package ordinary has tests that do not know the checker. They are explored as they stand.
package ordinary

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// counter loses an addition when two goroutines add at once.
type counter struct{ n atomic.Int64 }

func (c *counter) add() { c.n.Store(c.n.Load() + 1) }

func addTwice(c *counter) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(c.add)
	}
	wg.Wait()
}

// verdict: FAILED ordinary_test.go:31: n is 1
func TestLostUpdate(t *testing.T) {
	var c counter
	addTwice(&c)
	if n := c.n.Load(); n != 2 {
		t.Errorf("n is %d", n)
	}
}

// verdict: proved, 6 traces
func TestAtomicAdd(t *testing.T) {
	var n atomic.Int64
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { n.Swap(1) })
	}
	wg.Wait()
}

// verdict: proved without assumptions
func TestOfOneGoroutine(*testing.T) {
	var c counter
	c.add()
}

// verdict: FAILED panic.*out of range
func TestBlankParameter(_ *testing.T) {
	var c counter
	addTwice(&c)
	_ = make([]int, 2)[3-c.n.Load()]
}

// verdict: FAILED every goroutine waits for ever|partial
func TestDeadlock(t *testing.T) {
	var a, b sync.Mutex
	done := make(chan bool)
	go func() {
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
		close(done)
	}()
	b.Lock()
	a.Lock()
	a.Unlock()
	b.Unlock()
	<-done
}

var shared int

// verdict: FAILED data race
func TestRace(t *testing.T) {
	done := make(chan bool)
	go func() {
		shared++
		close(done)
	}()
	shared++
	<-done
}

// verdict: skipped not today
func TestSkip(t *testing.T) {
	t.Skip("not today")
	addTwice(new(counter))
	t.Error("not skipped")
}

// verdict: bounded 1 of 2 executions skip TestSkipInSomeExecutions at ordinary_test.go:\d+: came first
func TestSkipInSomeExecutions(t *testing.T) {
	var n atomic.Int32
	done := make(chan bool)
	go func() {
		n.Store(1)
		close(done)
	}()
	if n.Load() == 0 {
		t.Skip("came first")
	}
	<-done
}

// verdict: FAILED after the skip
func TestCleanupOfASkippedTestRuns(t *testing.T) {
	t.Cleanup(func() { t.Error("after the skip") })
	t.Skip("early")
}

// verdict: FAILED :121: in a subtest
func TestErrorInASubtest(t *testing.T) {
	for _, name := range []string{"one", "two"} {
		t.Run(name, func(t *testing.T) {
			if t.Name() == "TestErrorInASubtest/two" {
				t.Error("in a subtest")
			}
		})
	}
	if !t.Failed() {
		t.Error("the test itself has not failed")
	}
}

// verdict: proved
func TestNamesOfSubtests(t *testing.T) {
	var names []string
	for _, name := range []string{"a", "a", "", "a b", "a#01", "\x00"} {
		t.Run(name, func(t *testing.T) { names = append(names, t.Name()) })
	}
	want := []string{"a", "a#01", "#00", "a_b", "a#01#01", `\x00`}
	for i := range want {
		if names[i] != "TestNamesOfSubtests/"+want[i] {
			t.Errorf("%q instead of %q", names[i], want[i])
		}
	}
}

// verdict: proved, 4 traces
func TestSubtestsAreOneExecution(t *testing.T) {
	for range 2 {
		t.Run("", func(t *testing.T) {
			var n atomic.Int32
			done := make(chan bool)
			go func() {
				n.Store(1)
				close(done)
			}()
			n.Load()
			<-done
		})
	}
}

// Parallel subtests begin when the function of the test has ended, and then run together.
//
// verdict: proved, 2 traces
func TestParallelSubtests(t *testing.T) {
	var n atomic.Int32
	returned := false
	t.Run("group", func(t *testing.T) {
		for range 2 {
			t.Run("", func(t *testing.T) {
				before := returned
				t.Parallel()
				if before || !returned {
					t.Error("not paused")
				}
				n.Add(1)
			})
		}
		returned = true
	})
	if n.Load() != 2 {
		t.Error("the group has ended before its parallel subtests")
	}
}

// verdict: FAILED both are here
func TestParallelSubtestsMeet(t *testing.T) {
	var here atomic.Int32
	for range 2 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			if here.Add(1) == 2 {
				t.Error("both are here")
			}
			here.Add(-1)
		})
	}
}

// verdict: FAILED data race
func TestParallelSubtestsRace(t *testing.T) {
	n := 0
	for range 2 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			n++
		})
	}
}

// verdict: proved
func TestParallelAlone(t *testing.T) {
	t.Parallel()
	addTwice(new(counter))
}

// verdict: FAILED t.Parallel called multiple times
func TestParallelTwice(t *testing.T) {
	t.Parallel()
	t.Parallel()
}

// verdict: FAILED test using t.Setenv or t.Chdir can not use t.Parallel
func TestParallelAndSetenv(t *testing.T) {
	t.Parallel()
	t.Run("sub", func(t *testing.T) { t.Setenv("SUREWAKE_ORDINARY", "1") })
}

// verdict: FAILED test using t.Setenv or t.Chdir can not use t.Parallel
func TestSetenvAndParallel(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Parallel()
}

// verdict: proved
func TestCleanupsFollowParallelSubtests(t *testing.T) {
	var n atomic.Int32
	ctx := t.Context()
	t.Cleanup(func() {
		if n.Load() != 2 || ctx.Err() == nil {
			t.Errorf("%d parallel subtests have ended, %v", n.Load(), ctx.Err())
		}
	})
	for range 2 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			if ctx.Err() != nil {
				t.Error("the context of the test has ended")
			}
			n.Add(1)
		})
	}
}

// verdict: said the order of changes
func TestEnvironmentOfASubtest(t *testing.T) {
	old, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("sub", func(t *testing.T) {
		t.Setenv("SUREWAKE_ORDINARY", "1")
		t.Chdir("..")
		if now, _ := os.Getwd(); now == old || os.Getenv("PWD") != now {
			t.Errorf("in %s, PWD is %s", now, os.Getenv("PWD"))
		}
	})
	if v, ok := os.LookupEnv("SUREWAKE_ORDINARY"); ok {
		t.Errorf("the variable is still %q", v)
	}
	if now, _ := os.Getwd(); now != old {
		t.Errorf("in %s, not back in %s", now, old)
	}
}

// verdict: said goroutines may outlive the test.*receive
func TestGoroutineThatOutlivesIt(t *testing.T) {
	c := make(chan int)
	go func() { <-c }()
}

// verdict: FAILED late
func TestErrorAtAnyTime(t *testing.T) {
	go func() { t.Error("late") }()
}

// verdict: FAILED panic.*Fail in goroutine after TestErrorAfterTheEnd has completed: late
func TestErrorAfterTheEnd(t *testing.T) {
	ends := make(chan bool)
	t.Cleanup(func() { close(ends) })
	go func() {
		<-ends
		t.Error("late")
	}()
}

// verdict: FAILED panic.*Log in goroutine after TestLogAfterTheEnd has completed: late
func TestLogAfterTheEnd(t *testing.T) {
	begun := make(chan bool)
	go func() {
		close(begun)
		t.Log("late")
	}()
	<-begun
}

// verdict: proved
func TestLogAfterTheEndOfASubtest(t *testing.T) {
	done := make(chan bool)
	t.Run("sub", func(t *testing.T) {
		go func() {
			t.Log("late")
			close(done)
		}()
	})
	<-done
}

// verdict: FAILED TestGoexit called runtime.Goexit
func TestGoexit(t *testing.T) {
	runtime.Goexit()
}

// verdict: FAILED FailNow was called
func TestFailNowOfAGoroutine(t *testing.T) {
	done := make(chan bool)
	go func() {
		defer close(done)
		t.FailNow()
	}()
	<-done
}

// verdict: proved
func TestNoDeadline(t *testing.T) {
	if _, ok := t.Deadline(); ok {
		t.Error("a deadline")
	}
	time.Sleep(time.Hour)
}

var once sync.Once

// Each execution has package variables of its own.
//
// verdict: proved, 2 traces
func TestPackageVariables(t *testing.T) {
	ran := false
	once.Do(func() { ran = true })
	if !ran {
		t.Error("an execution before it has used the variable")
	}
	var n atomic.Int32
	done := make(chan bool)
	go func() {
		n.Store(1)
		close(done)
	}()
	n.Load()
	<-done
}
