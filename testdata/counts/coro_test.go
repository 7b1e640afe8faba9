package counts

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"testing"
)

// A coroutine adds no traces. Two goroutines drive one each, which adds to a
// shared variable k times: (2k)!/(k!k!).
func TestPull(t *testing.T) {
	for k := 1; k <= 3; k++ {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			check(t, func() {
				var x atomic.Int64
				drive := func() {
					next, stop := iter.Pull(func(yield func(int64) bool) {
						for yield(x.Add(1)) {
						}
					})
					defer stop()
					for range k {
						next()
					}
				}
				parallel(drive, drive)
			})
		})
	}
}

// One coroutine that goes from goroutine to goroutine under a mutex: n! orders.
func TestPullUnderAMutex(t *testing.T) {
	for n := 1; n <= 4; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			check(t, func() {
				var mu sync.Mutex
				total := 0
				next, stop := iter.Pull2(func(yield func(int, error) bool) {
					for ; yield(total, nil); total++ {
					}
				})
				parallel(repeat(n, func(int) func() {
					return func() {
						mu.Lock()
						defer mu.Unlock()
						next()
					}
				})...)
				if v, err, ok := next(); v != n || err != nil || !ok {
					panic(fmt.Sprint(v, err, ok))
				}
				stop()
			})
		})
	}
}

// A coroutine goes from one goroutine to the other by an atomic pointer: the
// taker finds it or comes too early, 2 traces.
func TestPullHandedOver(t *testing.T) {
	check(t, func() {
		var box atomic.Pointer[func() (int, bool)]
		plain := 0
		next, stop := iter.Pull(func(yield func(int) bool) {
			for plain++; yield(plain); plain++ {
			}
		})
		defer stop()
		parallel(func() {
			next()
			box.Store(&next)
		}, func() {
			if next := box.Load(); next != nil {
				if v, ok := (*next)(); v != 2 || !ok {
					panic(v)
				}
			}
		})
	})
}

// Each goroutine ends by a Goexit inside a coroutine inside a coroutine.
func TestPullGoexit(t *testing.T) {
	check(t, func() {
		var x atomic.Int64
		leave := func() {
			defer x.Add(1)
			outer, _ := iter.Pull(func(func(int) bool) {
				inner, _ := iter.Pull(func(func(int) bool) { runtime.Goexit() })
				inner()
				panic("a Goexit ended its coroutine only")
			})
			outer()
			panic("a Goexit ended its coroutine only")
		}
		parallel(leave, leave)
	})
}

// What tells of a program's run may be called, and adds no traces.
func TestRuntimeFunctions(t *testing.T) {
	check(t, func() {
		var x atomic.Int64
		ctx := pprof.WithLabels(context.Background(), pprof.Labels("key", "value"))
		add := func() {
			pprof.SetGoroutineLabels(ctx)
			pprof.Do(ctx, pprof.Labels("other", "value"), func(ctx context.Context) {
				trace.WithRegion(ctx, "add", func() { x.Add(1) })
			})
			trace.Log(ctx, "category", "message")
			runtime.Gosched()
			if runtime.Callers(0, make([]uintptr, 1)) != 1 || len(debug.Stack()) == 0 || runtime.NumGoroutine() < 1 || runtime.GOMAXPROCS(0) < 1 {
				panic("the runtime does not answer")
			}
		}
		parallel(add, add)
	})
}
