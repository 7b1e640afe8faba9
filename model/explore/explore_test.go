//go:build !race

// The engine is compiled without instrumentation when the race detector watches
// a check, which a plain go test -race does not do. Races are tested through
// the command.

package explore_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model/hook"
)

// count holds the exploration of body to the number of traces it has.
func count(t *testing.T, name string, complete, deadlocked int64, body func()) {
	t.Helper()
	r := all(body)
	if r.Complete != complete || r.Deadlocked != deadlocked || r.Bounded != "" {
		t.Errorf("%s: %d complete and %d deadlocked executions (%s), want %d and %d",
			name, r.Complete, r.Deadlocked, r.Bounded, complete, deadlocked)
	}
}

// The same programs as in testdata/counts, and some more, with the hooks
// written by hand.
func TestCounts(t *testing.T) {
	count(t, "SB", 3, 0, func() {
		var x, y atomic.Int32
		spawn(
			func() { hook.Int32Store(&x, 1); hook.Int32Load(&y) },
			func() { hook.Int32Store(&y, 1); hook.Int32Load(&x) })
	})
	count(t, "IRIW", 15, 0, func() {
		var x, y atomic.Int32
		spawn(
			func() { hook.Int32Store(&x, 1) },
			func() { hook.Int32Store(&y, 1) },
			func() { hook.Int32Load(&x); hook.Int32Load(&y) },
			func() { hook.Int32Load(&y); hook.Int32Load(&x) })
	})
	count(t, "4 writers", 24, 0, func() {
		var x atomic.Int32
		w := func() { hook.Int32Store(&x, 1) }
		spawn(w, w, w, w)
	})
	count(t, "4 cas", 4, 0, func() {
		var x atomic.Int32
		w := func(i int32) func() { return func() { hook.Int32CompareAndSwap(&x, 0, i) } }
		spawn(w(1), w(2), w(3), w(4))
	})
	for n, want := range map[int]int64{2: 4, 3: 60} {
		count(t, "cas loop", want, 0, func() {
			var x atomic.Int32
			w := func() {
				for {
					v := hook.Int32Load(&x)
					if hook.Int32CompareAndSwap(&x, v, v+1) {
						return
					}
				}
			}
			spawn([]func(){w, w, w}[:n]...)
		})
	}
	count(t, "mutex 2x3", 20, 0, func() {
		var m sync.Mutex
		w := func() {
			for range 3 {
				hook.MutexLock(&m)
				hook.MutexUnlock(&m)
			}
		}
		spawn(w, w)
	})
	count(t, "mutex 3x2", 90, 0, func() {
		var m sync.Mutex
		w := func() {
			for range 2 {
				hook.MutexLock(&m)
				hook.MutexUnlock(&m)
			}
		}
		spawn(w, w, w)
	})
	count(t, "AB-BA", 2, 1, func() {
		var a, b sync.Mutex
		nest := func(outer, inner *sync.Mutex) func() {
			return func() {
				hook.MutexLock(outer)
				hook.MutexLock(inner)
				hook.MutexUnlock(inner)
				hook.MutexUnlock(outer)
			}
		}
		spawn(nest(&a, &b), nest(&b, &a))
	})
	count(t, "lost wakeup", 2, 1, func() {
		var flag, asleep atomic.Int32
		var m sync.Mutex
		hook.MutexLock(&m)
		spawn(func() {
			if hook.Int32Load(&flag) == 0 {
				hook.Int32Store(&asleep, 1)
				hook.MutexLock(&m)
			}
		}, func() {
			hook.Int32Store(&flag, 1)
			if hook.Int32Load(&asleep) == 1 {
				hook.MutexUnlock(&m)
			}
		})
	})
	for _, wgGo := range []bool{false, true} {
		count(t, "wg", 24, 0, func() {
			var x atomic.Int32
			var wg sync.WaitGroup
			for range 4 {
				if wgGo {
					hook.WaitGroupGo(&wg, func() { hook.Int32Add(&x, 1) })
					continue
				}
				hook.WaitGroupAdd(&wg, 1)
				hook.Go(func() { defer hook.WaitGroupDone(&wg); hook.Int32Add(&x, 1) })
			}
			hook.WaitGroupWait(&wg)
		})
	}
	count(t, "2x8 adds", 12870, 0, func() {
		var x atomic.Int64
		w := func() {
			for range 8 {
				hook.Int64Add(&x, 1)
			}
		}
		spawn(w, w)
	})
}
