//go:build !race

// The engine is compiled without instrumentation when the race detector watches
// a check, which a plain go test -race does not do. Races are tested through
// the command.

package explore_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

func count(t *testing.T, name string, complete, dead int64, body func()) {
	r := explore.Run(explore.Config{Preemptions: -1}, body)
	msg := ""
	if r.Failure != nil {
		msg = r.Failure.Error()
	}
	fmt.Printf("%-20s complete=%d dead=%d pruned=%d steps=%d %.2fM steps/s %.0fk exec/s %s %s\n", name, r.Complete, r.Deadlocked, r.Pruned, r.Steps, float64(r.Steps)/r.Seconds/1e6, float64(r.Executions())/r.Seconds/1e3, msg, r.Bounded)
	if r.Complete != complete || r.Deadlocked != dead {
		t.Errorf("%s: got %d complete %d deadlocked, want %d, %d", name, r.Complete, r.Deadlocked, complete, dead)
	}
}
func par(fs ...func()) func() {
	return func() {
		for i, f := range fs {
			explore.Go(fmt.Sprint("t", i), f, true)
		}
		explore.Join()
	}
}
func TestCounts(t *testing.T) {
	count(t, "SB", 3, 0, func() {
		var x, y atomic.Int32
		par(func() { hook.Int32Store(&x, 1); hook.Int32Load(&y) }, func() { hook.Int32Store(&y, 1); hook.Int32Load(&x) })()
	})
	count(t, "IRIW", 15, 0, func() {
		var x, y atomic.Int32
		par(func() { hook.Int32Store(&x, 1) }, func() { hook.Int32Store(&y, 1) }, func() { hook.Int32Load(&x); hook.Int32Load(&y) }, func() { hook.Int32Load(&y); hook.Int32Load(&x) })()
	})
	count(t, "4 writers", 24, 0, func() {
		var x atomic.Int32
		w := func() { hook.Int32Store(&x, 1) }
		par(w, w, w, w)()
	})
	count(t, "4 cas", 4, 0, func() {
		var x atomic.Int32
		w := func(i int32) func() { return func() { hook.Int32CompareAndSwap(&x, 0, i) } }
		par(w(1), w(2), w(3), w(4))()
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
			par([]func(){w, w, w}[:n]...)()
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
		par(w, w)()
	})
	count(t, "mutex 3x2", 90, 0, func() {
		var m sync.Mutex
		w := func() {
			for range 2 {
				hook.MutexLock(&m)
				hook.MutexUnlock(&m)
			}
		}
		par(w, w, w)()
	})
	count(t, "AB-BA", 2, 1, func() {
		var a, b sync.Mutex
		par(func() { hook.MutexLock(&a); hook.MutexLock(&b); hook.MutexUnlock(&b); hook.MutexUnlock(&a) },
			func() { hook.MutexLock(&b); hook.MutexLock(&a); hook.MutexUnlock(&a); hook.MutexUnlock(&b) })()
	})
	count(t, "lost wakeup", 2, 1, func() {
		var flag, asleep atomic.Int32
		var m sync.Mutex
		hook.MutexLock(&m)
		par(func() {
			if hook.Int32Load(&flag) == 0 {
				hook.Int32Store(&asleep, 1)
				hook.MutexLock(&m)
			}
		}, func() {
			hook.Int32Store(&flag, 1)
			if hook.Int32Load(&asleep) == 1 {
				hook.MutexUnlock(&m)
			}
		})()
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
	for range 3 {
		count(t, "2x8 adds", 12870, 0, func() {
			var x atomic.Int64
			w := func() {
				for range 8 {
					hook.Int64Add(&x, 1)
				}
			}
			par(w, w)()
		})
	}
}
