package loops

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// verdict: proved|bounded
func TestLockLeftAndTakenAgain(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		ready := false
		x.Go("setter", func() { mu.Lock(); ready = true; mu.Unlock() })
		mu.Lock()
		for !ready {
			mu.Unlock()
			runtime.Gosched()
			mu.Lock()
		}
		mu.Unlock()
		x.Join()
	})
}

// verdict: bounded at most 2 timers and sleeps of an execution end early
func TestSleepsThatDouble(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var lock atomic.Int32
		for range 2 {
			x.Go("worker", func() {
				d := time.Microsecond
				for !lock.CompareAndSwap(0, 1) {
					time.Sleep(d)
					d *= 2
				}
				lock.Store(0)
			})
		}
		x.Join()
	})
}

// verdict: proved
func TestErrOfAContext(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithCancel(context.Background())
		x.Go("poller", func() {
			for ctx.Err() == nil {
				runtime.Gosched()
			}
		})
		x.Go("canceller", func() { cancel() })
		x.Join()
	})
}

// verdict: proved|bounded
func TestUntilADeadline(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		x.Go("poller", func() {
			deadline := time.Now().Add(time.Second)
			for !done.Load() && time.Now().Before(deadline) {
				runtime.Gosched()
			}
		})
		x.Join()
	})
}

// verdict: proved|bounded
func TestFlagReadTwice(t *testing.T) {
	ends(t, flag(func(p *atomic.Bool) {
		for n := 0; ; n++ {
			if p.Load() && p.Load() {
				return
			}
		}
	}))
}

// verdict: proved|bounded
func TestTwoFlags(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var a, b atomic.Bool
		x.Go("poller", func() {
			for n := 0; !a.Load() || !b.Load(); n++ {
				runtime.Gosched()
			}
		})
		x.Go("first", func() { a.Store(true) })
		x.Go("second", func() { b.Store(true) })
		x.Join()
	})
}

// A right program of three: two that try, one that lets them.
//
// verdict: proved|bounded
func TestTwoTakeBack(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var holders atomic.Int32
		for range 2 {
			x.Go("worker", func() {
				for holders.Add(1) != 1 {
					holders.Add(-1)
					runtime.Gosched()
				}
				holders.Add(-1)
			})
		}
		x.Join()
	})
}

// A loop that gives up by itself.
//
// verdict: proved|bounded
func TestGivesUp(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		x.Go("poller", func() {
			for n := 0; n < 100 && !done.Load(); n++ {
				runtime.Gosched()
			}
		})
		x.Go("other", func() { done.Load() })
		x.Join()
	})
}

// A goroutine in the background works by a ticker, another by sleeping, as long as the process
// lives.
//
// verdict: bounded the end of the body stopped
func TestBackgroundLoops(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		tick := time.NewTicker(time.Millisecond)
		var n atomic.Int32
		go func() {
			for range tick.C {
				n.Load()
			}
		}()
		go func() {
			for {
				time.Sleep(time.Second)
			}
		}()
		x.Go("worker", func() { n.Store(1) })
		x.Join()
	})
}

// Work under a lock is no waiting, although each iteration does the same operations.
//
// verdict: proved
func TestWorkUnderALock(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		left := 5
		for range 2 {
			x.Go("worker", func() {
				for {
					mu.Lock()
					if left == 0 {
						mu.Unlock()
						return
					}
					left--
					mu.Unlock()
				}
			})
		}
		x.Join()
	})
}

// The poller waits for one that looks ten times for something else.
//
// verdict: proved|bounded
func TestTurnsOfTwoPollers(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var never, done atomic.Bool
		x.Go("poller", func() {
			for n := 0; !done.Load(); n++ {
				runtime.Gosched()
			}
		})
		x.Go("other", func() {
			for n := 0; n < 10 && !never.Load(); n++ {
				runtime.Gosched()
			}
			done.Store(true)
		})
		x.Join()
	})
}

// Time passes while a goroutine polls.
//
// verdict: proved|bounded
func TestTimerEndsThePolling(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		time.AfterFunc(time.Second, func() { done.Store(true) })
		x.Go("poller", func() {
			for n := 0; !done.Load(); n++ {
				runtime.Gosched()
			}
		})
		x.Join()
	})
}

// A CompareAndSwap that fails since its load shows that another goroutine got on, however often the
// word has the same value again.
//
// verdict: proved
func TestOutrunByOneWhoGoesToAndFro(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var word atomic.Int32
		x.Go("to and fro", func() {
			for range 3 {
				word.Store(2)
				word.Store(0)
			}
		})
		for {
			v := word.Load()
			if word.CompareAndSwap(v, v+1) {
				break
			}
		}
		x.Join()
	})
}
