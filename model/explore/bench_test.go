//go:build !race

// The engine is compiled without instrumentation when the race detector watches
// a check, which a plain go test -race does not do. Races are tested through
// the command.

package explore_test

import (
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

// Two goroutines with eight additions each, whose results are used: 12,870
// traces.
func BenchmarkAdds(b *testing.B) {
	b.ReportAllocs()
	var execs, steps int64
	for b.Loop() {
		r := explore.Run(explore.Config{Preemptions: -1}, func() {
			var x atomic.Int64
			w := func() {
				for range 8 {
					hook.Int64Add(&x, 1)
				}
			}
			explore.Go("a", w, true)
			explore.Go("b", w, true)
			explore.Join()
		})
		if r.Complete != 12870 {
			b.Fatal(r.Complete)
		}
		execs += r.Executions()
		steps += r.Steps
	}
	b.ReportMetric(float64(execs)/b.Elapsed().Seconds(), "execs/s")
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
}

// Two goroutines that drive a coroutine each, which adds seven times: 3,432 traces,
// each with two coroutines made and sixteen rounds of next and yield.
func BenchmarkPull(b *testing.B) {
	b.ReportAllocs()
	var execs, steps int64
	for b.Loop() {
		r := explore.Run(explore.Config{Preemptions: -1}, func() {
			var x atomic.Int64
			w := func() {
				next, stop := hook.Pull(func(yield func(int64) bool) {
					for yield(hook.Int64Add(&x, 1)) {
					}
				})
				for range 7 {
					next()
				}
				stop()
			}
			explore.Go("a", w, true)
			explore.Go("b", w, true)
			explore.Join()
		})
		if r.Complete != 3432 {
			b.Fatal(r.Complete)
		}
		execs += r.Executions()
		steps += r.Steps
	}
	b.ReportMetric(float64(execs)/b.Elapsed().Seconds(), "execs/s")
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
}
