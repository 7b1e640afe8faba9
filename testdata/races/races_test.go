// Package races holds programs with and without data races. The tests at the
// root say in how many schedules each has one.
package races

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

func check(t *testing.T, body func(x *model.Exec)) {
	t.Helper()
	model.Check(t, body)
}

// The race needs the reader's three loads to come before the store: one
// schedule of four.
func TestPlanted(t *testing.T) {
	check(t, func(x *model.Exec) {
		var stored atomic.Int32
		plain := new(int)
		x.Go("writer", func() {
			*plain = 1
			stored.Store(1)
		})
		x.Go("reader", func() {
			first, second, third := stored.Load(), stored.Load(), stored.Load()
			if first+second+third == 0 {
				*plain = 2
			}
		})
		x.Join()
	})
}

// Plain accesses that nothing orders race in every schedule, whichever
// goroutine happens to run first. The counter makes twenty schedules.
func TestInEverySchedule(t *testing.T) {
	check(t, func(x *model.Exec) {
		var counter atomic.Int32
		plain := new(int)
		count := func() {
			counter.Add(1)
			counter.Add(1)
			counter.Add(1)
		}
		x.Go("writer", func() { count(); *plain = 1 })
		x.Go("reader", func() { count(); _ = *plain + 1 })
		x.Join()
	})
}

// A value is published before it is complete.
func TestPublishedTooEarly(t *testing.T) {
	check(t, func(x *model.Exec) {
		type box struct{ n int }
		var shared atomic.Pointer[box]
		x.Go("publisher", func() {
			b := &box{}
			shared.Store(b)
			b.n = 1
		})
		x.Go("user", func() {
			if b := shared.Load(); b != nil {
				_ = b.n + 1
			}
		})
		x.Join()
	})
}

// A reader under the read lock writes.
func TestWriteUnderReadLock(t *testing.T) {
	check(t, func(x *model.Exec) {
		var mu sync.RWMutex
		plain := new(int)
		bump := func() {
			mu.RLock()
			defer mu.RUnlock()
			*plain++
		}
		x.Go("a", bump)
		x.Go("b", bump)
		x.Join()
	})
}

// Two Once guard the same variable.
func TestTwoOnces(t *testing.T) {
	check(t, func(x *model.Exec) {
		var a, b sync.Once
		plain := new(int)
		x.Go("a", func() { a.Do(func() { *plain = 1 }) })
		x.Go("b", func() { b.Do(func() { *plain = 2 }) })
		x.Join()
	})
}

// Starting a goroutine orders what came before it, not what comes after.
func TestWriteAfterStart(t *testing.T) {
	check(t, func(x *model.Exec) {
		plain := new(int)
		var wg sync.WaitGroup
		wg.Go(func() { *plain++ })
		*plain++
		wg.Wait()
	})
}

func TestCleanMessage(t *testing.T) {
	check(t, func(x *model.Exec) {
		var ready atomic.Bool
		plain := new(int)
		x.Go("sender", func() { *plain = 1; ready.Store(true) })
		x.Go("receiver", func() {
			if ready.Load() {
				*plain++
			}
		})
		x.Join()
		*plain++
	})
}

func TestCleanCompareAndSwap(t *testing.T) {
	check(t, func(x *model.Exec) {
		var lock atomic.Int32
		plain := new(int)
		try := func() {
			if lock.CompareAndSwap(0, 1) {
				*plain++
				lock.Store(0)
			}
		}
		x.Go("a", try)
		x.Go("b", try)
		x.Go("c", try)
		x.Join()
	})
}

// reused is the same memory in thousands of executions.
var reused struct {
	mu sync.Mutex
	rw sync.RWMutex
	n  int
	m  map[int]int
}

func TestCleanReusedMemory(t *testing.T) {
	check(t, func(x *model.Exec) {
		reused.n, reused.m = 0, map[int]int{}
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				for range 2 {
					reused.mu.Lock()
					reused.n++
					reused.m[i]++
					reused.mu.Unlock()
				}
			})
		}
		wg.Wait()
		x.Assert(reused.n == 8 && len(reused.m) == 4, "%d", reused.n)
	})
}

// The mutex is new in each execution: its own memory is not in a race either.
func TestCleanNewRWMutex(t *testing.T) {
	check(t, func(x *model.Exec) {
		var mu sync.RWMutex
		plain := new(int)
		read := func() {
			if mu.TryRLock() {
				_ = *plain + 1
				mu.RUnlock()
			}
		}
		x.Go("reader", read)
		x.Go("another", read)
		x.Go("writer", func() {
			mu.Lock()
			defer mu.Unlock()
			*plain++
		})
		x.Join()
	})
}

func TestCleanRWMutex(t *testing.T) {
	check(t, func(x *model.Exec) {
		reused.n = 0
		read := func() {
			reused.rw.RLock()
			defer reused.rw.RUnlock()
			_ = reused.n + 1
		}
		x.Go("reader", read)
		x.Go("another", read)
		x.Go("writer", func() {
			reused.rw.Lock()
			reused.n++
			reused.rw.Unlock()
		})
		x.Join()
	})
}

func TestCleanOnce(t *testing.T) {
	check(t, func(x *model.Exec) {
		plain := 0
		get := sync.OnceValue(func() int { plain++; return plain })
		x.Go("a", func() { _ = get() + plain })
		x.Go("b", func() { _ = get() + plain })
		x.Join()
		x.Assert(plain == 1, "%d", plain)
	})
}

func TestCleanCond(t *testing.T) {
	check(t, func(x *model.Exec) {
		var mu sync.Mutex
		ready := sync.NewCond(&mu)
		full, plain := false, 0
		x.Go("producer", func() {
			plain = 7
			mu.Lock()
			full = true
			mu.Unlock()
			ready.Signal()
		})
		x.Go("consumer", func() {
			mu.Lock()
			for !full {
				ready.Wait()
			}
			mu.Unlock()
			plain++
		})
		x.Join()
		x.Assert(plain == 8, "%d", plain)
	})
}

// A goroutine that starts others, and is joined by none of them.
func TestCleanStartAndJoin(t *testing.T) {
	check(t, func(x *model.Exec) {
		results := make([]int, 3)
		var n atomic.Int32
		x.Go("parent", func() {
			results[0] = 1
			x.Go("child", func() { results[1] = results[0] + 1; n.Add(1) })
			x.Go("other", func() { results[2] = results[0] + 2; n.Add(1) })
			x.Join()
			results[0] = results[1] + results[2]
		})
		x.Join()
		x.Assert(results[0] == 5, "%v", results)
	})
}

// What one check found is not the next one's.
func TestTwoChecks(t *testing.T) {
	t.Run("race", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			n := 0
			x.Go("a", func() { n++ })
			x.Go("b", func() { n++ })
			x.Join()
		})
	})
	t.Run("none", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			var n atomic.Int32
			x.Go("a", func() { n.Add(1) })
			x.Go("b", func() { n.Add(1) })
			x.Join()
		})
	})
}
