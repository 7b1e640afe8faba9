package fork_test

import (
	"fmt"
	"testing"

	"github.com/surewake/surewake/fork"
)

// BenchmarkFib has calls that do nothing but fork and join: one fork for each call with n > 1.
func BenchmarkFib(b *testing.B) {
	const n, forks = 25, 121392
	perFork := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/forks, "ns/fork")
	}
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			plain(n)
		}
		perFork(b)
	})
	for _, workers := range []int{1, 2} {
		for _, c := range []struct {
			name string
			fib  func(*worker, int) int
		}{{"Join", fib}, {"Mine", fibMine}, {"Both", fibBoth}} {
			b.Run(fmt.Sprintf("%s/%d", c.name, workers), func(b *testing.B) {
				p := newPool(workers)
				defer p.Close()
				b.ReportAllocs()
				for b.Loop() {
					c.fib(p.workers[0], n)
				}
				perFork(b)
			})
		}
	}
}

// BenchmarkLoop has loops of additions, against the plain loop, and of iterations of about 1 us.
func BenchmarkLoop(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 1_000_000} {
		values := make([]int, n)
		for i := range values {
			values[i] = i
		}
		sum := func(values []int) (sum int) {
			for _, v := range values {
				sum += v
			}
			return sum
		}
		b.Run(fmt.Sprintf("plain/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sum(values)
			}
		})
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("Reduce/%d/%d", n, workers), func(b *testing.B) {
				p := newPool(workers)
				defer p.Close()
				b.ReportAllocs()
				for b.Loop() {
					fork.Reduce(p.workers[0], 0, n, func(_ *worker, lo, hi int) int {
						return sum(values[lo:hi])
					}, func(a, b int) int { return a + b })
				}
			})
		}
	}
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("microseconds/%d", workers), func(b *testing.B) {
			p := newPool(workers)
			defer p.Close()
			var out [1000]int
			b.ReportAllocs()
			for b.Loop() {
				fork.For(p.workers[0], 0, len(out), func(_ *worker, i int) { out[i] = plain(13) })
			}
		})
	}
}
