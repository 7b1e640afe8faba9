package runtime_test

import (
	"io"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/surewake/surewake/runtime"
)

// BenchmarkObserved is a spawn and its join while nobody looks, and with what shows runs.
func BenchmarkObserved(b *testing.B) {
	for name, options := range map[string][]runtime.Option{
		"plain":    nil,
		"watchdog": {runtime.Watchdog(time.Hour, func(runtime.Alarm) {})},
		"debug":    {runtime.Debug()},
	} {
		b.Run(name, func(b *testing.B) {
			rt := start(b, 2, options...)
			b.ReportAllocs()
			run(b, rt, func(cx runtime.Cx) error {
				for b.Loop() {
					_, _ = runtime.Spawn(cx, empty).Join(cx)
				}
				return nil
			})
		})
	}
}

// BenchmarkSetName is a task that names itself.
func BenchmarkSetName(b *testing.B) {
	inside(b, func(cx runtime.Cx) {
		for b.Loop() {
			_, _ = runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
				cx.SetName("name")
				return 0, nil
			}).Join(cx)
		}
	})
}

// BenchmarkDump looks at 1,000 tasks that wait, and at as many goroutines.
func BenchmarkDump(b *testing.B) {
	const n = 1000
	b.Run("tasks", func(b *testing.B) {
		rt := start(b, 2)
		for range n {
			runtime.Submit(rt, forever)
		}
		waits(b, func() bool { return rt.Stats().Timers == n }, "they do not wait")
		b.ReportAllocs()
		for b.Loop() {
			_ = rt.Dump(io.Discard)
		}
	})
	b.Run("goroutines", func(b *testing.B) {
		over := make(chan struct{})
		defer close(over)
		for range n {
			go func() { <-over }()
		}
		text := make([]byte, 1<<20)
		b.ReportAllocs()
		for b.Loop() {
			goruntime.Stack(text, true)
		}
	})
}
