// Package time holds programs with timers and clocks: what may come early, and what may not.
package time

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/park"
)

// verdict: FAILED timing: deadlock.*timer of 1ms at time_test.go:21 ended the wait of flusher before user
func TestTickerBesideLockUsers(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		slots := make(chan int, 1)
		stop := make(chan bool)
		tick := time.NewTicker(time.Millisecond)
		x.Go("flusher", func() {
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					mu.Lock()
					slots <- 0
					<-slots
					mu.Unlock()
				case <-stop:
					return
				}
			}
		})
		x.Go("user", func() {
			slots <- 1
			mu.Lock() // the flusher may hold it and wait for the slot
			mu.Unlock()
			<-slots
			close(stop)
		})
		x.Join()
	})
}

// The flusher takes lock and slot in the same order as the user.
//
// verdict: bounded
func TestTickerBesideLockUsersInOrder(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		stop := make(chan bool)
		n := 0
		tick := time.NewTicker(time.Millisecond)
		x.Go("flusher", func() {
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					mu.Lock()
					n++
					mu.Unlock()
				case <-stop:
					return
				}
			}
		})
		x.Go("user", func() {
			mu.Lock()
			n++
			mu.Unlock()
			close(stop)
		})
		x.Join()
	})
}

// verdict: proved
func TestLongWatchdog(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		done := make(chan bool)
		x.Go("worker", func() { close(done) })
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			x.Assert(false, "the worker hangs")
		}
	})
}

// verdict: FAILED timing: assertion failed: too slow
func TestShortWatchdog(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		done := make(chan bool)
		x.Go("worker", func() { close(done) })
		select {
		case <-done:
		case <-time.After(10 * time.Millisecond):
			x.Assert(false, "too slow")
		}
	})
}

// meet: a receiver waits with a timer beside; a sender that looks whether it waits.
func meet(t *testing.T, opts ...model.Option) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int)
		x.Go("receiver", func() {
			select {
			case <-c:
				x.Assert(false, "they met")
			case <-time.After(time.Hour):
			}
		})
		x.Go("sender", func() {
			select {
			case c <- 1:
			default:
			}
		})
		x.Join()
	}, opts...)
}

// verdict: FAILED they met
func TestMeeting(t *testing.T) { meet(t) }

// verdict: FAILED they met
func TestMeetingOfOneThatMayTimeOut(t *testing.T) { meet(t, model.Timeouts(1)) }

// outcomes: the receiver times out, or gets the value.
func eitherOutcome(t *testing.T, bad bool) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int)
		var got atomic.Bool
		x.Go("receiver", func() {
			select {
			case <-c:
				got.Store(true)
			case <-time.After(time.Hour):
			}
		})
		sent := false
		x.Go("sender", func() {
			select {
			case c <- 1:
				sent = true
			default:
			}
		})
		x.Join()
		if bad {
			x.Assert(got.Load(), "timed out")
		}
		x.Assert(got.Load() == sent, "sent %t, got %t", sent, got.Load())
	}, model.Timeouts(1))
}

// verdict: proved
func TestMeetingOrTimeout(t *testing.T) { eitherOutcome(t, false) }

// verdict: FAILED timed out
func TestTimeoutInPlaceOfMeeting(t *testing.T) { eitherOutcome(t, true) }

// verdict: said no time passes between two looks
func TestElapsedTimeIsZero(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int64
		start := time.Now()
		x.Go("a", func() { n.Add(1) })
		x.Go("b", func() { n.Add(1) })
		x.Join()
		x.Assert(time.Since(start) == 0, "time has passed")
	})
}

// verdict: proved
func TestClockNeverGoesBack(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		start := time.Now()
		var other time.Duration
		x.Go("a", func() { other = time.Since(start) })
		own := time.Since(start)
		x.Join()
		x.Assert(own >= 0 && other >= 0, "back")
		x.Assert(time.Since(start) >= max(own, other), "back")
		x.Assert(time.Since(start) < time.Second, "a second has passed")
	})
}

// verdict: said no time passes between two looks
func TestTokenBucketOverflows(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		last, tokens := time.Now(), 0
		take := func() {
			mu.Lock()
			defer mu.Unlock()
			if now := time.Now(); now.After(last) {
				tokens += int(now.Sub(last) / time.Millisecond)
				last = now
				x.Assert(tokens <= 100, "too many tokens")
			}
		}
		x.Go("a", take)
		x.Go("b", take)
		x.Join()
	})
}

// verdict: proved
func TestTokenBucketIsCapped(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		last, tokens := time.Now(), 0
		take := func() {
			mu.Lock()
			defer mu.Unlock()
			if now := time.Now(); now.After(last) {
				tokens = min(100, tokens+int(now.Sub(last)/time.Millisecond))
				last = now
				x.Assert(tokens <= 100, "too many tokens")
			}
		}
		x.Go("a", take)
		x.Go("b", take)
		x.Join()
	})
}

// verdict: FAILED timing: assertion failed: the second came first
func TestEqualDeadlinesInOrder(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var wg sync.WaitGroup
		wg.Add(2)
		first := time.AfterFunc(time.Minute, wg.Done)
		time.AfterFunc(time.Minute, func() {
			x.Assert(!first.Stop(), "the second came first")
			wg.Done()
		})
		wg.Wait()
	})
}

// verdict: proved
func TestEqualDeadlinesInAnyOrder(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var wg sync.WaitGroup
		wg.Add(2)
		var n atomic.Int32
		for range 2 {
			time.AfterFunc(time.Minute, func() { n.Add(1); wg.Done() })
		}
		wg.Wait()
		x.Assert(n.Load() == 2, "%d", n.Load())
	})
}

// verdict: FAILED timing: .*cancelled
func TestShortDeadlineOfContext(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		done := make(chan int, 1)
		x.Go("worker", func() { done <- 1 })
		select {
		case <-done:
		case <-ctx.Done():
			x.Assert(false, "cancelled")
		}
	})
}

// verdict: proved
func TestLongDeadlineOfContext(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		done := make(chan int, 1)
		x.Go("worker", func() { done <- 1 })
		select {
		case <-done:
		case <-ctx.Done():
			x.Assert(false, "cancelled")
		}
	})
}

// A request that times out leaves its worker a place for the answer.
//
// verdict: proved
func TestTimeoutWithRoomForTheAnswer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		answer := make(chan int, 1)
		x.Go("worker", func() { answer <- 1 })
		select {
		case <-answer:
		case <-time.After(time.Millisecond):
		}
	})
}

// verdict: FAILED timing: goroutine leak
func TestTimeoutWithoutRoomForTheAnswer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		answer := make(chan int)
		x.Go("worker", func() { answer <- 1 })
		select {
		case <-answer:
		case <-time.After(time.Millisecond):
		}
	})
}

// verdict: proved
func TestTimerThatIsResetByAnother(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d := 1
		timer := time.NewTimer(100 * time.Millisecond)
		x.Go("b", func() { d++; timer.Reset(100 * time.Millisecond) })
		x.Join()
		<-timer.C
		d++
	})
}

// A heartbeat that a slow worker misses once.
//
// verdict: FAILED timing: assertion failed: given up
func TestHeartbeat(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		beat := make(chan bool, 1)
		tick := time.NewTicker(20 * time.Millisecond)
		x.Go("worker", func() { beat <- true })
		x.Go("monitor", func() {
			defer tick.Stop()
			<-tick.C
			select {
			case <-beat:
			default:
				x.Assert(false, "given up")
			}
		})
		x.Join()
	})
}

// verdict: FAILED ^deadlock
func TestDeadlockWithoutEarlyTick(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var a, b sync.Mutex
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		x.Go("ab", func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
		x.Go("ba", func() { b.Lock(); a.Lock(); a.Unlock(); b.Unlock() })
		<-tick.C
		x.Join()
	})
}

// verdict: bounded
func TestPollByTicker(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var ready atomic.Bool
		x.Go("worker", func() { ready.Store(true) })
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for range tick.C {
			if ready.Load() {
				return
			}
		}
	})
}

// verdict: FAILED timing: assertion failed: slow
func TestElapsedTimeBesideATimer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		start := time.Now()
		timer := time.NewTimer(time.Millisecond)
		defer timer.Stop()
		x.Go("worker", func() {})
		x.Join()
		x.Assert(time.Since(start) < 100*time.Millisecond, "slow")
	})
}

// Threads are slow by less than a second all in all: the watchdog does not bark.
//
// verdict: bounded
func TestWatchdogBesideTicker(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		done := make(chan bool)
		tick := time.NewTicker(900 * time.Millisecond)
		defer tick.Stop()
		x.Go("worker", func() { time.Now(); close(done) })
		dog := time.NewTimer(1100 * time.Millisecond)
		for {
			select {
			case <-tick.C:
			case <-done:
				return
			case <-dog.C:
				x.Assert(false, "hangs")
			}
		}
	})
}

// Equal deadlines beside a short timer.
//
// verdict: FAILED timing: assertion failed: the second came first
func TestEqualDeadlinesBesideATimer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var wg sync.WaitGroup
		wg.Add(2)
		<-time.After(time.Millisecond)
		first := time.AfterFunc(time.Minute, wg.Done)
		time.AfterFunc(time.Minute, func() {
			x.Assert(!first.Stop(), "the second came first")
			wg.Done()
		})
		wg.Wait()
	})
}

// verdict: proved
func TestWatchdogBesideAShortTimer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		done := make(chan bool)
		x.Go("worker", func() { <-time.After(time.Millisecond); close(done) })
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			x.Assert(false, "the worker hangs")
		}
	})
}

// Two goroutines that sleep for two seconds wake after two seconds, or less than one later.
//
// verdict: proved
func TestSleepsOverlap(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		start := time.Now()
		for range 2 {
			x.Go("sleeper", func() { time.Sleep(2 * time.Second) })
		}
		x.Join()
		took := time.Since(start)
		x.Assert(took >= 2*time.Second && took < 3*time.Second, "%v", took)
	})
}

// verdict: FAILED timing: (?s:assertion failed: not yet.*sleep of 100ms .* before worker)
func TestShortSleepInPlaceOfAJoin(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var ready atomic.Bool
		x.Go("worker", func() { ready.Store(true) })
		time.Sleep(100 * time.Millisecond)
		x.Assert(ready.Load(), "not yet")
	})
}

// verdict: proved
func TestLongSleepLetsOthersWork(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var ready atomic.Bool
		x.Go("worker", func() { ready.Store(true) })
		time.Sleep(time.Second)
		x.Assert(ready.Load(), "not yet")
	})
}

// beats go on as long as the process.
func beats() {
	for _, every := range []time.Duration{time.Millisecond, time.Second} {
		go func() {
			for range time.Tick(every) {
			}
		}()
	}
}

// A sleep that is longer by far than what repeats itself beside it ends.
//
// verdict: bounded the end of the body stopped
func TestSleepThatOutlastsABeat(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		beats()
		go func() { time.Sleep(time.Hour) }()
	})
}

// verdict: FAILED goroutine leak.*func1\.1 in select
func TestLeakAfterASleepThatOutlastsABeat(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		beats()
		go func() {
			time.Sleep(time.Hour)
			select {}
		}()
	})
}

// verdict: proved
func TestFunctionOfATimerEndsTheWait(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		done := make(chan bool)
		time.AfterFunc(time.Hour, func() { close(done) })
		<-done
	})
}

// verdict: proved
func TestFunctionOfATimerThatNobodyAwaits(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		time.AfterFunc(time.Hour, func() { x.Assert(false, "an hour") })
		x.Go("worker", func() {})
		x.Join()
	})
}

// Either of two goroutines gets the one value of a timer; the other one waits for ever.
//
// verdict: FAILED goroutine leak|deadlock
func TestTwoReceiversOfATimer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		timer := time.NewTimer(time.Minute)
		x.Go("first", func() { <-timer.C })
		<-timer.C
	})
}

// A body that does nothing but wait for the next tick never ends, however the check is explored.
//
// verdict: FAILED livelock.*main at time_test\.go
func TestTickerOfALoneBody(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		for range time.NewTicker(time.Second).C {
		}
	})
}

// The search does not see that an early end of a futex wait moves the clock for others.
//
// verdict: said the order of timeouts of futex waits, of timers and of looks at the clock
func TestClockBesideAFutexThatEndsEarly(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		p := park.New(park.Futex)
		x.Go("looks", func() {
			start := time.Now()
			x.Assert(!time.Now().Before(start), "the clock goes back")
		})
		p.ParkTimeout(time.Second)
		x.Join()
	}, model.Timeouts(1))
}

// verdict: proved
func TestNowIsLocal(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Assert(time.Now().Location() == time.Local, "in %v", time.Now().Location())
		timer := time.NewTimer(time.Hour)
		x.Assert((<-timer.C).Location() == time.Local, "the timer sends another time zone")
	})
}

// A timer that fired and that nobody received from is stopped by Reset, which returns true.
//
// verdict: proved
func TestResetToNow(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		timer := time.NewTimer(time.Hour)
		x.Assert(timer.Reset(0), "it was set")
		x.Assert(timer.Reset(0), "nobody has received")
		<-timer.C
		x.Assert(!timer.Reset(0), "it was received from")
		select {
		case <-timer.C:
		case <-time.After(time.Hour):
			x.Errorf("it does not fire")
		}
	})
}
