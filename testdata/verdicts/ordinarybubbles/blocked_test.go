package ordinarybubbles

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// verdict: proved
func TestSleepAfterTheLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		go func() {
			mu.Lock()
			mu.Unlock()
			time.Sleep(time.Second)
		}()
		mu.Lock()
		mu.Unlock()
		time.Sleep(time.Second)
		synctest.Wait()
	})
}

// verdict: FAILED waits for ever
func TestWaitWithALock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.RWMutex
		mu.Lock()
		go func() {
			mu.RLock()
			mu.RUnlock()
		}()
		synctest.Wait()
		mu.Unlock()
	})
}

var outside = make(chan int)

// The same channel, which somebody outside closes: then Wait waits for that.
//
// verdict: proved
func TestChannelClosedOutside(t *testing.T) {
	c := make(chan int)
	go func() {
		time.Sleep(time.Hour)
		close(c)
	}()
	synctest.Test(t, func(t *testing.T) {
		got := false
		go func() {
			<-c
			got = true
		}()
		synctest.Wait()
		if !got {
			t.Error("Wait has not waited")
		}
		if !time.Now().Equal(midnight) {
			t.Error("time has passed")
		}
	})
}

// A timer from outside keeps to the time outside.
//
// verdict: proved
func TestTimerFromOutside(t *testing.T) {
	timer := time.NewTimer(time.Hour)
	synctest.Test(t, func(t *testing.T) {
		<-timer.C
		if !time.Now().Equal(midnight) {
			t.Error("time has passed")
		}
	})
	if timer.Stop() {
		t.Error("the timer has not fired")
	}
}

// A WaitGroup of the outside does not block durably.
//
// verdict: proved
func TestWaitGroupFromOutside(t *testing.T) {
	var group sync.WaitGroup
	group.Add(1)
	go group.Done()
	synctest.Test(t, func(t *testing.T) {
		got := false
		go func() {
			group.Wait()
			got = true
		}()
		synctest.Wait()
		if !got {
			t.Error("Wait has not waited")
		}
	})
}

var pointer = new(sync.WaitGroup)

// One that a package variable points to can.
//
// verdict: proved
func TestWaitGroupBehindAVariable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pointer.Add(1)
		go pointer.Wait()
		synctest.Wait()
		pointer.Done()
	})
}

// verdict: FAILED all goroutines in bubble are blocked: .*bubble in channel receive
func TestAllBlocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		<-make(chan int)
	})
}

// A sender whose receiver gave up.
//
// verdict: FAILED main bubble goroutine has exited but blocked goroutines remain
func TestLeak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := make(chan int)
		go func() {
			time.Sleep(time.Second)
			c <- 1
		}()
		select {
		case <-c:
		case <-time.After(time.Second):
		}
	})
}

// verdict: proved
func TestNoLeak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := make(chan int, 1)
		go func() {
			time.Sleep(time.Second)
			c <- 1
		}()
		select {
		case <-c:
		case <-time.After(time.Second):
			synctest.Wait()
		}
	})
}

// The function of a timer that has not fired is left out.
//
// verdict: proved
func TestTimerIsLeft(t *testing.T) {
	ran := false
	synctest.Test(t, func(t *testing.T) {
		time.AfterFunc(time.Second, func() { ran = true })
	})
	if ran {
		t.Error("ran")
	}
}

// The deadlock is a panic of Test, from which its caller can recover.
//
// verdict: proved
func TestRecoversFromDeadlock(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok ||
			err.Error() != "deadlock: all goroutines in bubble are blocked" {
			t.Error(err)
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		select {}
	})
}

// A deadlock in one order only.
//
// verdict: FAILED all goroutines in bubble are blocked
func TestLostWakeup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		cond := sync.NewCond(&mu)
		go cond.Signal()
		mu.Lock()
		cond.Wait()
		mu.Unlock()
	})
}

// verdict: proved
func TestNoLostWakeup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		cond := sync.NewCond(&mu)
		go func() {
			synctest.Wait()
			cond.Signal()
		}()
		mu.Lock()
		cond.Wait()
		mu.Unlock()
	})
}
