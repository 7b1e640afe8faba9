package ordinarybubbles

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// bubbled gives what f makes in a bubble.
func bubbled[V any](t *testing.T, f func() V) (v V) {
	synctest.Test(t, func(*testing.T) { v = f() })
	return v
}

func channel() chan int { return make(chan int, 1) }

// verdict: FAILED fatal error: receive on synctest channel from outside bubble
func TestReceiveFromOutside(t *testing.T) { <-bubbled(t, channel) }

// verdict: FAILED fatal error: close of synctest channel from outside bubble
func TestCloseFromOutside(t *testing.T) { close(bubbled(t, channel)) }

// verdict: FAILED fatal error: select on synctest channel from outside bubble
func TestSelectFromOutside(t *testing.T) {
	select {
	case <-bubbled(t, channel):
	case <-outside:
	}
}

// verdict: FAILED fatal error: send on synctest channel from outside bubble
func TestSendFromAnotherBubble(t *testing.T) {
	c := bubbled(t, channel)
	synctest.Test(t, func(*testing.T) { c <- 1 })
}

// len and cap are for all.
//
// verdict: proved
func TestLengthFromOutside(t *testing.T) {
	if c := bubbled(t, channel); len(c) != 0 || cap(c) != 1 {
		t.Error(len(c), cap(c))
	}
}

// A channel from outside is for all, too.
//
// verdict: proved
func TestChannelIntoBubbles(t *testing.T) {
	c := make(chan int, 1)
	synctest.Test(t, func(*testing.T) { c <- 1 })
	synctest.Test(t, func(*testing.T) { <-c })
	c <- 2
}

// verdict: FAILED fatal error: stop of synctest timer from outside bubble
func TestStopFromOutside(t *testing.T) {
	bubbled(t, func() *time.Timer { return time.NewTimer(time.Second) }).Stop()
}

// verdict: FAILED fatal error: reset of synctest timer from outside bubble
func TestResetFromOutside(t *testing.T) {
	bubbled(t, func() *time.Timer { return time.AfterFunc(time.Second, func() {}) }).Reset(1)
}

// verdict: FAILED fatal error: receive on synctest channel from outside bubble
func TestTimerChannelFromOutside(t *testing.T) {
	<-bubbled(t, func() *time.Timer { return time.NewTimer(time.Second) }).C
}

// verdict: FAILED WaitGroup.Add called from inside and outside synctest bubble
func TestWaitGroupMovedIn(t *testing.T) {
	var group sync.WaitGroup
	group.Add(1)
	synctest.Test(t, func(*testing.T) { group.Done() })
}

// verdict: FAILED WaitGroup.Add called from inside and outside synctest bubble
func TestWaitGroupMovedOut(t *testing.T) {
	bubbled(t, func() *sync.WaitGroup {
		group := new(sync.WaitGroup)
		group.Add(1)
		return group
	}).Done()
}

// verdict: FAILED WaitGroup.Add called from multiple synctest bubbles
func TestWaitGroupMovedOn(t *testing.T) {
	var group sync.WaitGroup
	synctest.Test(t, func(*testing.T) { group.Add(1) })
	synctest.Test(t, func(*testing.T) { group.Add(1) })
}

// A WaitGroup that is not in use belongs to no bubble.
//
// verdict: proved
func TestWaitGroupUsedAgain(t *testing.T) {
	var group sync.WaitGroup
	for range 2 {
		synctest.Test(t, func(*testing.T) {
			group.Go(func() {})
			group.Wait()
		})
	}
}

// verdict: FAILED fatal error: semaphore wake of synctest goroutine from outside bubble
func TestWakeFromOutside(t *testing.T) {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	ready := make(chan bool)
	go func() {
		<-ready
		mu.Lock()
		cond.Broadcast()
		mu.Unlock()
	}()
	synctest.Test(t, func(*testing.T) {
		go func() { <-outside }() // not durably blocked: or else there is a deadlock
		mu.Lock()
		ready <- true
		cond.Wait()
		mu.Unlock()
	})
}

// verdict: proved
func TestContextAskedForOutside(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	ctx.Done()
	synctest.Test(t, func(t *testing.T) {
		if ctx.Err() != nil {
			t.Error(ctx.Err())
		}
	})
	cancel()
}

// verdict: FAILED panicked: synctest.Run called from within a synctest bubble
func TestNested(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		synctest.Test(t, func(*testing.T) {})
	})
}

// verdict: FAILED panicked: goroutine is not in a bubble
func TestWaitOutside(t *testing.T) { synctest.Wait() }

// verdict: FAILED panicked: wait already in progress
func TestTwoWait(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		go synctest.Wait()
		synctest.Wait()
	})
}

// verdict: FAILED panicked: testing: t.Parallel called inside synctest bubble
func TestParallelInside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { t.Parallel() })
}

// verdict: FAILED panicked: testing: t.Deadline called inside synctest bubble
func TestDeadlineInside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { t.Deadline() })
}

// verdict: FAILED panicked: testing: synctest.Run called during t.Cleanup
func TestBubbleInCleanup(t *testing.T) {
	t.Cleanup(func() { synctest.Test(t, func(*testing.T) {}) })
}

// The context of the test belongs to the bubble, and is cancelled before Test returns.
//
// verdict: proved
func TestContextInside(t *testing.T) {
	state := "not started"
	synctest.Test(t, func(t *testing.T) {
		go func() {
			state = "waiting"
			<-t.Context().Done()
			state = "done"
		}()
		synctest.Wait()
		if state != "waiting" {
			t.Error(state)
		}
	})
	if state != "done" {
		t.Error(state)
	}
}

// A test that failed in a bubble ends with it.
//
// verdict: FAILED isolated_test.go:\d+: inside
func TestFailsInside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Error("inside")
	})
	panic("after")
}

// verdict: FAILED inside by a goroutine
func TestFailsInAGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		go t.Error("inside by a goroutine")
		synctest.Wait()
	})
}

// verdict: skipped for a reason
func TestSkipsInside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Skip("for a reason")
	})
}

// verdict: proved
func TestNameInside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if t.Name() != "TestNameInside" || t.Failed() {
			t.Error(t.Name())
		}
		t.Log("fine")
	})
}

// verdict: FAILED panicked: in a goroutine
func TestPanicInside(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		go func() { panic(fmt.Sprint("in a goroutine")) }()
		time.Sleep(time.Second)
	})
}

// verdict: FAILED called runtime.Goexit
func TestGoexitInside(t *testing.T) {
	synctest.Test(t, func(*testing.T) { runtime.Goexit() })
}
