package fork_test

import (
	"fmt"
	"testing"
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
