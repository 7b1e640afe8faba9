// Package bubbles has checks that use testing/synctest; ../ordinarybubbles has more, as tests.
package bubbles

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surewake/surewake/model"
)

var midnight = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

var (
	outside  = make(chan int)
	variable sync.WaitGroup
)

// The clock of a bubble is its own: it begins at midnight, whatever time it is outside and whatever
// it was in the last bubble.
//
// verdict: proved
func TestEachBubbleHasItsClock(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		time.Sleep(time.Hour)
		outside := time.Now()
		for range 2 {
			synctest.Test(t, func(t *testing.T) {
				if !time.Now().Equal(midnight) {
					t.Error(time.Now())
				}
				time.Sleep(time.Minute)
			})
		}
		if d := time.Since(outside); d >= time.Minute {
			t.Error("time in the bubble has passed outside: ", d)
		}
	})
}

// verdict: proved without assumptions
func TestWaitIsSynchronization(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		synctest.Test(t, func(t *testing.T) {
			done := false
			go func() { done = true }()
			synctest.Wait()
			if !done {
				t.Error("not done")
			}
		})
	})
}

// Two that sleep to the same instant go on in any order.
//
// verdict: FAILED the second one was first
func TestEqualSleepsEndInAnyOrder(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		synctest.Test(t, func(t *testing.T) {
			var first atomic.Int32
			for i := range int32(2) {
				go func() {
					time.Sleep(time.Second)
					first.CompareAndSwap(0, 1+i)
				}()
			}
			time.Sleep(2 * time.Second)
			if first.Load() == 2 {
				t.Error("the second one was first")
			}
		})
	})
}

// verdict: FAILED nothing in it
func TestChannelOfATimerAtItsInstant(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		synctest.Test(t, func(t *testing.T) {
			c := time.After(time.Second)
			time.Sleep(time.Second)
			select {
			case <-c:
			default:
				t.Error("nothing in it")
			}
		})
	})
}

// verdict: proved
func TestChannelOfATimerAfterItsInstant(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		synctest.Test(t, func(t *testing.T) {
			a, b := time.After(time.Second), time.After(time.Second)
			time.Sleep(time.Second)
			synctest.Wait()
			select {
			case got := <-a:
				if !got.Equal(midnight.Add(time.Second)) {
					t.Error(got)
				}
			default:
				t.Error("nothing in a")
			}
			time.Sleep(time.Nanosecond)
			select {
			case <-b:
			default:
				t.Error("nothing in b")
			}
		})
	})
}

// A timer of no time fires when it is set.
//
// verdict: proved
func TestTimersOfNoTime(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		synctest.Test(t, func(t *testing.T) {
			select {
			case <-time.After(0):
			default:
				t.Error("nothing in it")
			}
			if time.AfterFunc(0, func() {}).Stop() {
				t.Error("stopped")
			}
			var ran atomic.Bool
			f := time.AfterFunc(time.Hour, func() { ran.Store(true) })
			f.Reset(-1)
			synctest.Wait()
			if !ran.Load() || !time.Now().Equal(midnight) {
				t.Error(ran.Load(), time.Now())
			}
		})
	})
}

// The example of the documentation.
//
// verdict: proved
func TestContextWithTimeout(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		synctest.Test(t, func(t *testing.T) {
			const timeout = 5 * time.Second
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			time.Sleep(timeout - time.Nanosecond)
			synctest.Wait()
			if err := ctx.Err(); err != nil {
				t.Fatalf("before timeout: ctx.Err() = %v, want nil\n", err)
			}
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			if err := ctx.Err(); err != context.DeadlineExceeded {
				t.Fatalf("after timeout: ctx.Err() = %v, want DeadlineExceeded\n", err)
			}
		})
	})
}

// What blocks durably, each in a goroutine of its own.
//
// verdict: proved
func TestWhatBlocksDurably(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		synctest.Test(t, func(t *testing.T) {
			quit, full, work := make(chan int), make(chan int, 1), make(chan int)
			full <- 0
			var group sync.WaitGroup
			group.Add(1)
			var mu sync.Mutex
			cond := sync.NewCond(&mu)
			begun := 0
			begin := func() {
				mu.Lock()
				begun++
				mu.Unlock()
			}
			go func() { begin(); <-quit }()
			go func() { begin(); full <- 1 }()
			go func() { begin(); work <- 1 }()
			go func() { begin(); group.Wait() }()
			synctest.Wait()
			if begun != 4 {
				t.Error(begun)
			}
			go func() {
				begin()
				mu.Lock()
				cond.Wait()
				mu.Unlock()
			}()
			go func() {
				begin()
				select {
				case <-quit:
				case <-work:
				}
			}()
			go func() { begin(); time.Sleep(time.Hour) }()
			synctest.Wait()
			if begun != 7 {
				t.Error(begun)
			}
			<-full
			close(quit)
			group.Done()
			cond.Broadcast()
			synctest.Wait()
			time.Sleep(time.Hour)
		})
	})
}

// A goroutine that waits for a lock is not durably blocked: time stands still while it waits, and so
// does the one that sleeps with the lock.
//
// verdict: FAILED waits for ever
func TestSleepWithALock(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			go func() {
				mu.Lock()
				time.Sleep(time.Second)
				mu.Unlock()
			}()
			mu.Lock()
			mu.Unlock()
		})
	})
}

// A channel from outside does not block durably, and neither does a select with one.
//
// verdict: FAILED waits for ever
func TestChannelFromOutside(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		synctest.Test(t, func(t *testing.T) {
			inside := make(chan int)
			go func() {
				select {
				case <-outside:
				case <-inside:
				}
			}()
			synctest.Wait()
			close(inside)
		})
	})
}

// A WaitGroup that is a package variable cannot belong to a bubble.
//
// verdict: FAILED waits for ever
func TestWaitGroupInAVariable(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		synctest.Test(t, func(t *testing.T) {
			variable.Add(1)
			go variable.Wait()
			synctest.Wait()
			variable.Done()
		})
	})
}

// Time stops when the first goroutine has ended.
//
// verdict: FAILED main bubble goroutine has exited but blocked goroutines remain
func TestSleeperIsLeft(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		synctest.Test(t, func(t *testing.T) {
			go time.Sleep(time.Second)
		})
	})
}

// verdict: FAILED fatal error: send on synctest channel from outside bubble
func TestSendFromOutside(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		var c chan int
		synctest.Test(t, func(*testing.T) { c = make(chan int, 1) })
		c <- 1
	})
}

// Who uses it first decides whether others may.
//
// verdict: FAILED WaitGroup.Add called from inside and outside synctest bubble
func TestWaitGroupShared(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		var group sync.WaitGroup
		go func() {
			group.Add(1)
			group.Done()
		}()
		synctest.Test(t, func(*testing.T) {
			group.Add(1)
			group.Done()
		})
	})
}

// Who waits for a lock is not durably blocked, so Wait waits for him.
//
// verdict: proved
func TestWaitForALock(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		var mu sync.Mutex
		mu.Lock()
		go func() {
			time.Sleep(time.Second)
			mu.Unlock()
		}()
		synctest.Test(t, func(t *testing.T) {
			got := false
			go func() {
				mu.Lock()
				got = true
				mu.Unlock()
			}()
			synctest.Wait()
			if !got {
				t.Error("Wait has not waited")
			}
		})
	})
}

// A timer that another goroutine may stop at the instant at which it fires.
//
// verdict: FAILED stopped
func TestStopAtTheInstant(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		synctest.Test(t, func(t *testing.T) {
			timer := time.AfterFunc(time.Second, func() {})
			time.Sleep(time.Second)
			if timer.Stop() {
				t.Error("stopped")
			}
		})
	})
}

// The channel of a context belongs to the bubble that asks for it first.
//
// verdict: FAILED fatal error: close of synctest channel from outside bubble
func TestContextCancelledOutside(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		ctx, cancel := context.WithCancel(context.Background())
		synctest.Test(t, func(*testing.T) {
			go func() {
				select {
				case <-ctx.Done():
				case <-time.After(time.Second):
				}
			}()
			time.Sleep(time.Second)
			synctest.Wait()
		})
		cancel()
	})
}

// One after the other they may.
//
// verdict: proved
func TestTwoWaitInTurn(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		synctest.Test(t, func(t *testing.T) {
			c := make(chan int)
			go func() {
				<-c
				synctest.Wait()
			}()
			synctest.Wait()
			c <- 1
			time.Sleep(time.Second)
			synctest.Wait()
		})
	})
}

// verdict: FAILED panicked: testing: t.Run called inside synctest bubble
func TestRunInside(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		synctest.Test(t, func(t *testing.T) { t.Run("sub", func(*testing.T) {}) })
	})
}

// Cleanups run in the bubble, before Test returns, and may end what is left of it.
//
// verdict: proved
func TestCleanupInside(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		done := false
		synctest.Test(t, func(t *testing.T) {
			c := make(chan int)
			t.Cleanup(func() { close(c) })
			go func() {
				<-c
				done = true
			}()
		})
		if !done {
			t.Error("not done")
		}
	})
}

// What is none of Go's executions fails no check, however it fails.
//
// verdict: proved
func TestFailuresAfterAValueThatWasNotHandedOver(t *testing.T) {
	for _, fail := range []func(x *model.Exec){
		func(x *model.Exec) { x.Assert(false, "it is in the channel") },
		func(*model.Exec) { new(sync.Mutex).Unlock() },
		func(*model.Exec) { panic("it is in the channel") },
		func(*model.Exec) { select {} },
		func(*model.Exec) {
			var never atomic.Bool
			for !never.Load() {
			}
		},
		func(*model.Exec) { // is not modelled
			var next, stop func()
			pull, end := iter.Pull(func(func(int) bool) { stop() })
			next, stop = func() { pull() }, end
			next()
		},
		func(*model.Exec) { // which is no durable wait
			var mu sync.Mutex
			mu.Lock()
			mu.Lock()
		},
	} {
		model.Check(t, func(x *model.Exec) {
			synctest.Test(t, func(*testing.T) {
				c := make(chan int, 1)
				go func() { <-c }()
				synctest.Wait()
				c <- 1
				if len(c) != 0 {
					fail(x)
				}
			})
		})
	}
}

// A select that waits to receive, and then one that waits to send, before one that does nothing
// else.
//
// verdict: proved without assumptions
func TestSelectsThatHaveWaitedLonger(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		synctest.Test(t, func(*testing.T) {
			c, d, never := make(chan int), make(chan int), make(chan struct{})
			go func() {
				select {
				case v := <-c:
					x.Assert(v == 1, "first %d", v)
				case <-never:
				}
			}()
			synctest.Wait()
			go func() {
				v := <-c
				x.Assert(v == 2, "then %d", v)
			}()
			synctest.Wait()
			c <- 1
			c <- 2
			go func() {
				select {
				case d <- 3:
				case <-never:
				}
			}()
			synctest.Wait()
			x.Assert(<-d == 3, "another value of d")
		})
	})
	model.Check(t, func(x *model.Exec) {
		synctest.Test(t, func(*testing.T) {
			c, never := make(chan int), make(chan struct{})
			go func() {
				select {
				case c <- 1:
				case <-never:
				}
			}()
			synctest.Wait()
			go func() { c <- 2 }()
			synctest.Wait()
			first := <-c
			x.Assert(first == 1, "first %d", first)
			<-c
		})
	})
}

// This one has a race in executions that are none of Go's, the next one in all others.
//
// verdict: proved without assumptions
func TestNoRaceAfterAValueThatWasNotHandedOver(t *testing.T) {
	raceIfLeft(t, 1)
}

// verdict: FAILED data race
func TestRaceAfterAValueThatWasHandedOver(t *testing.T) {
	raceIfLeft(t, 0)
}

func raceIfLeft(t *testing.T, left int) {
	model.Check(t, func(*model.Exec) {
		synctest.Test(t, func(*testing.T) {
			c, n := make(chan int, 1), 0
			go func() {
				<-c
				n++
			}()
			synctest.Wait()
			c <- 1
			if len(c) == left {
				n++
			}
		})
	})
}

// Who waits to send has looked at the channel before that, as the race detector sees it.
//
// verdict: proved without assumptions
func TestCloseAfterTheValueOfOneWhoWaited(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		synctest.Test(t, func(*testing.T) {
			c := make(chan int, 1)
			c <- 1
			go func() { c <- 2 }()
			synctest.Wait()
			<-c
			close(c)
		})
	})
}
