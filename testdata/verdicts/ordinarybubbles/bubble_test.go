// Package ordinarybubbles has tests that use testing/synctest: what its documentation says, and
// what goes wrong.
package ordinarybubbles

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var midnight = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// The first example of the documentation.
//
// verdict: proved without assumptions
func TestTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if !start.Equal(midnight) {
			t.Error(start)
		}
		go func() {
			time.Sleep(1 * time.Second)
			if d := time.Since(start); d != time.Second {
				t.Error(d)
			}
		}()
		time.Sleep(2 * time.Second)
		if d := time.Since(start); d != 2*time.Second {
			t.Error(d)
		}
	})
}

// Two bubbles at the same time: what one of them waits for is no matter of the other.
//
// verdict: proved
func TestBubblesSideBySide(t *testing.T) {
	for _, d := range []time.Duration{time.Second, time.Hour} {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				done := false
				go func() {
					time.Sleep(d)
					done = true
				}()
				time.Sleep(d)
				synctest.Wait()
				if !done || time.Since(start) != d {
					t.Error(done, time.Since(start))
				}
			})
		})
	}
}

// Timers end when all wait, and not before: the goroutine has always written.
//
// verdict: proved
func TestTimeWaitsForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int32
		for range 2 {
			go func() {
				n.Add(1)
				n.Add(1)
			}()
		}
		<-time.After(time.Nanosecond)
		if n.Load() != 4 {
			t.Error(n.Load())
		}
	})
}

// A sleep is no synchronization: the race detector sees none in a bubble, too.
//
// verdict: FAILED data race
func TestSleepIsNoSynchronization(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := false
		go func() { done = true }()
		time.Sleep(time.Second)
		if !done {
			t.Error("not done")
		}
	})
}

// verdict: FAILED data race
func TestNoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := false
		go func() { done = true }()
		if done {
			t.Log("done")
		}
	})
}

// verdict: FAILED the first one was first
func TestEqualSleepsEndInOrderToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var first atomic.Int32
		for i := range int32(2) {
			go func() {
				time.Sleep(time.Second)
				first.CompareAndSwap(0, 1+i)
			}()
		}
		time.Sleep(2 * time.Second)
		if first.Load() == 1 {
			t.Error("the first one was first")
		}
	})
}

// verdict: FAILED the sleeper came first
func TestSleepAndTimerOfOneInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := atomic.Bool{}
		time.AfterFunc(time.Second, func() { ran.Store(true) })
		time.Sleep(time.Second)
		if !ran.Load() {
			t.Error("the sleeper came first")
		}
	})
}

// The same with a Wait.
//
// verdict: proved
func TestSleepThenWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := false
		time.AfterFunc(time.Second, func() { ran = true })
		time.Sleep(time.Second)
		synctest.Wait()
		if !ran {
			t.Error("did not run")
		}
	})
}

// verdict: proved
func TestTickerInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		time.Sleep(2500 * time.Millisecond)
		if got := <-tick.C; !got.Equal(midnight.Add(time.Second)) {
			t.Error(got)
		}
		if got := <-tick.C; !got.Equal(midnight.Add(3*time.Second)) || time.Now() != got {
			t.Error(got, time.Now())
		}
	})
}

// The example of the documentation.
//
// verdict: proved
func TestContextAfterFunc(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		afterFuncCalled := false
		context.AfterFunc(ctx, func() { afterFuncCalled = true })
		synctest.Wait()
		if afterFuncCalled {
			t.Fatalf("before context is canceled: AfterFunc called")
		}
		cancel()
		synctest.Wait()
		if !afterFuncCalled {
			t.Fatalf("after context is canceled: AfterFunc not called")
		}
	})
}

// verdict: FAILED AfterFunc not called
func TestContextAfterFuncWithoutWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var called atomic.Bool
		context.AfterFunc(ctx, func() { called.Store(true) })
		cancel()
		if !called.Load() {
			t.Fatalf("after context is canceled: AfterFunc not called")
		}
	})
}

// Without the second Wait.
//
// verdict: FAILED after timeout
func TestContextWithTimeoutWithoutWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const timeout = 5 * time.Second
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		defer cancel()
		time.Sleep(timeout)
		if err := ctx.Err(); err != context.DeadlineExceeded {
			t.Fatalf("after timeout: ctx.Err() = %v, want DeadlineExceeded\n", err)
		}
	})
}

// Each goroutine that Wait waits for can be in any order with the others.
//
// verdict: FAILED b was last
func TestWaitDoesNotOrderTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		last := ""
		for _, name := range []string{"a", "b"} {
			go func() {
				mu.Lock()
				last = name
				mu.Unlock()
			}()
		}
		synctest.Wait()
		if last == "b" {
			t.Error("b was last")
		}
	})
}

// A wait for a channel of nobody, which never ends, is durable.
//
// verdict: FAILED main bubble goroutine has exited
func TestNobodysChannels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		go func() { <-(chan int)(nil) }()
		go func() { select {} }()
		synctest.Wait()
	})
}

// verdict: proved
func TestChannelOfReflection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := reflect.MakeChan(reflect.TypeFor[chan int](), 0).Interface().(chan int)
		go func() { <-c }()
		synctest.Wait()
		close(c)
	})
}
