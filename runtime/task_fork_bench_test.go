package runtime_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/surewake/surewake/runtime"
)

func fibFork(cx runtime.Cx, n int) int {
	if n < 2 {
		return n
	}
	f := runtime.Fork(cx, fibFork, n-1)
	b := fibFork(cx, n-2)
	return f.Join(cx) + b
}

func fibMine(cx runtime.Cx, n int) int {
	if n < 2 {
		return n
	}
	f := runtime.Fork(cx, fibMine, n-1)
	b := fibMine(cx, n-2)
	if f.Mine() {
		return fibMine(cx, n-1) + b
	}
	return f.Result() + b
}

func fibBoth(cx runtime.Cx, n int) int {
	if n < 2 {
		return n
	}
	a, b := runtime.Both(cx,
		func(cx runtime.Cx) int { return fibBoth(cx, n-1) },
		func(cx runtime.Cx) int { return fibBoth(cx, n-2) })
	return a + b
}

func plainFib(n int) int {
	if n < 2 {
		return n
	}
	return plainFib(n-1) + plainFib(n-2)
}

// BenchmarkForkFib is fib(25), beside BenchmarkFib.
func BenchmarkForkFib(b *testing.B) {
	for _, c := range []struct {
		name string
		fib  func(runtime.Cx, int) int
	}{
		{"plain", func(_ runtime.Cx, n int) int { return plainFib(n) }},
		{"fork", fibFork}, {"mine", fibMine}, {"both", fibBoth},
	} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprint(c.name, "/workers=", workers), func(b *testing.B) {
				insideOf(b, workers, func(cx runtime.Cx) {
					for b.Loop() {
						c.fib(cx, 25)
					}
				})
				per(b, spawns(25), "fork")
			})
		}
	}
}

func insideOf(b *testing.B, workers int, f func(cx runtime.Cx)) {
	rt := start(b, workers)
	b.ReportAllocs()
	run(b, rt, func(cx runtime.Cx) error {
		f(cx)
		return nil
	})
}

func leaf(_ runtime.Cx, d time.Duration) (none struct{}) {
	if d > 0 {
		spin(d)
	}
	return none
}

// BenchmarkForkLeaves is 16 forks of 1 ms, and then a leaf of 16 ms by the task itself; and a loop
// of leaves of 1 us. The ideal is half the sum.
func BenchmarkForkLeaves(b *testing.B) {
	for _, share := range []bool{false, true} {
		b.Run(fmt.Sprint("16x1ms+16ms/share=", share), func(b *testing.B) {
			insideOf(b, 2, func(cx runtime.Cx) {
				for b.Loop() {
					forkLeaves(cx, 16, share)
				}
			})
		})
	}
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint("4096x1us/workers=", workers), func(b *testing.B) {
			insideOf(b, workers, func(cx runtime.Cx) {
				for b.Loop() {
					_ = runtime.For(cx, 0, 4096, func(runtime.Cx, int) { spin(time.Microsecond) })
				}
			})
		})
	}
}

// forkLeaves forks n leaves of 1 ms, runs one of n ms, and joins.
func forkLeaves(cx runtime.Cx, n int, share bool) {
	var join func(left int)
	join = func(left int) {
		if left == 0 {
			if share {
				cx.Forks().Share()
			}
			spin(time.Duration(n) * time.Millisecond)
			return
		}
		f := runtime.Fork(cx, leaf, time.Millisecond)
		join(left - 1)
		f.Join(cx)
	}
	join(n)
}

// BenchmarkEmptyFork is a fork of nothing, with an idle worker beside.
func BenchmarkEmptyFork(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint("workers=", workers), func(b *testing.B) {
			insideOf(b, workers, func(cx runtime.Cx) {
				for b.Loop() {
					runtime.Fork(cx, leaf, 0).Join(cx)
				}
			})
		})
	}
}
