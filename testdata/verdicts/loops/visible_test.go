package loops

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// A poller that takes the lock of writers announces itself once for each look.
func pollsAsWriter(x *model.Exec, lock *sync.RWMutex, done *atomic.Bool) {
	x.Go("poller", func() {
		for {
			lock.Lock()
			d := done.Load()
			lock.Unlock()
			if d {
				return
			}
		}
	})
}

// verdict: FAILED deadlock
func TestSecondAnnouncementBetweenTwoReadLocks(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var lock sync.RWMutex
		var done atomic.Bool
		pollsAsWriter(x, &lock, &done)
		x.Go("reader", func() {
			if lock.TryRLock() {
				lock.RUnlock()
				done.Store(true)
				return
			}
			lock.RLock()
			lock.RLock()
			lock.RUnlock()
			lock.RUnlock()
			done.Store(true)
		})
		x.Join()
	})
}

// verdict: FAILED no second read
func TestSecondAnnouncementFailsTryRLock(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var lock sync.RWMutex
		var done atomic.Bool
		pollsAsWriter(x, &lock, &done)
		x.Go("reader", func() {
			if lock.TryRLock() {
				lock.RUnlock()
			} else {
				lock.RLock()
				ok := lock.TryRLock()
				x.Assert(ok, "no second read")
				lock.RUnlock()
				lock.RUnlock()
			}
			done.Store(true)
		})
		x.Join()
	})
}

func pollsWithSleep(x *model.Exec, done *atomic.Bool) {
	x.Go("poller", func() {
		for !done.Load() {
			time.Sleep(10 * time.Millisecond)
		}
	})
}

// verdict: FAILED slow
func TestTwoSleepsBetweenTwoTimes(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		pollsWithSleep(x, &done)
		x.Go("worker", func() {
			start := time.Now()
			x.Assert(time.Since(start) < 15*time.Millisecond, "slow")
			done.Store(true)
		})
		x.Join()
	})
}

// verdict: FAILED slow
func TestTwoSleepsThatComeEarly(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		pollsWithSleep(x, &done)
		x.Go("worker", func() {
			start := time.Now()
			x.Assert(time.Since(start) < 15*time.Millisecond, "slow")
			done.Store(true)
		})
		x.Join()
	}, model.Timeouts(2))
}

// verdict: FAILED expired
func TestTwoSleepsPassADeadline(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		pollsWithSleep(x, &done)
		x.Go("worker", func() {
			ctx, cancel := context.WithTimeout(context.Background(), 15*time.Millisecond)
			defer cancel()
			var n atomic.Int32
			n.Add(1)
			x.Assert(ctx.Err() == nil, "expired")
			done.Store(true)
		})
		x.Join()
	})
}
