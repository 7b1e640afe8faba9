package loops

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// An iteration takes one lock and releases another, which was taken before the loop. So the second
// one waits for a lock that its own goroutine holds.
//
// verdict: FAILED deadlock
func TestReleasesAnotherLock(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		over := false
		var guard, first, second sync.Mutex
		x.Go("ender", func() {
			guard.Lock()
			over = true
			guard.Unlock()
		})
		x.Go("waiter", func() {
			first.Lock()
			for {
				guard.Lock()
				if over {
					guard.Unlock()
					return
				}
				second.Lock()
				first.Unlock()
				guard.Unlock()
			}
		})
		x.Join()
	})
}

// The third iteration releases a read lock that the first two have released.
//
// verdict: FAILED RUnlock of unlocked
func TestReleasesAnotherReadLock(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var over atomic.Bool
		var first, second sync.RWMutex
		first.RLock()
		first.RLock()
		x.Go("ender", func() { over.Store(true) })
		for !over.Load() {
			second.RLock()
			first.RUnlock()
		}
		x.Join()
	})
}

// An iteration only releases a read lock, which was taken twice.
//
// verdict: FAILED RUnlock of unlocked
func TestReleasesALockOfBefore(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var over atomic.Bool
		var lock sync.RWMutex
		lock.RLock()
		lock.RLock()
		x.Go("ender", func() { over.Store(true) })
		for !over.Load() {
			lock.RUnlock()
		}
		x.Join()
	})
}

// An iteration that takes and releases the same locks begins and ends in one state, in whatever
// order it releases them.
//
// verdict: proved
func TestReleasesTheSameLocks(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var over atomic.Bool
		var first, second sync.RWMutex
		x.Go("ender", func() { over.Store(true) })
		for !over.Load() {
			first.RLock()
			second.RLock()
			first.RUnlock()
			second.RUnlock()
		}
		x.Join()
	})
}
