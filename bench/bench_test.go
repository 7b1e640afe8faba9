package main

import (
	"testing"
	"time"
)

// Benchmarks of all rows; ns/op is a round, ns/task an operation. The command lets contenders take
// turns, these run one after the other.
func BenchmarkRows(b *testing.B) {
	for _, r := range rows() {
		b.Run(r.title, func(b *testing.B) {
			all, done := r.open()
			defer done()
			for _, c := range all {
				b.Run(c.name, func(b *testing.B) {
					b.ReportAllocs()
					var took time.Duration
					for b.Loop() {
						took += c.run()
					}
					b.ReportMetric(float64(took.Nanoseconds())/float64(b.N)/float64(c.ops),
						"ns/task")
				})
			}
		})
	}
}
