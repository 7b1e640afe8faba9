package runtime_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/runtime"
)

// BenchmarkForErr is a loop of short calls that could fail, beside a loop, and goroutines that each
// make the calls of one half, until one has failed.
func BenchmarkForErr(b *testing.B) {
	const n = 10_000
	body := func(_ runtime.Cx, i int) error {
		if i < 0 {
			return runtime.ErrTimeout
		}
		return nil
	}
	b.Run("loop", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for i := range n {
				if err := body(runtime.Cx{}, i); err != nil {
					b.Fatal(err)
				}
			}
		}
		per(b, n, "call")
	})
	b.Run("goroutines", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = byHalves(n, func(i int) error { return body(runtime.Cx{}, i) })
		}
		per(b, n, "call")
	})
	b.Run("ForErr", func(b *testing.B) {
		insideOf(b, 2, func(cx runtime.Cx) {
			for b.Loop() {
				_ = runtime.ForErr(cx, 0, n, body)
			}
		})
		per(b, n, "call")
	})
}

// byHalves calls body for each i below n, on two goroutines, until one call has failed, and returns
// the first error.
func byHalves(n int, body func(i int) error) error {
	var failed atomic.Bool
	g := goGroup{end: func() { failed.Store(true) }}
	half := func(lo, hi int) func() error {
		return func() error {
			for i := lo; i < hi && !failed.Load(); i++ {
				if err := body(i); err != nil {
					return err
				}
			}
			return nil
		}
	}
	g.run(half(0, n/2))
	g.run(half(n/2, n))
	return g.wait()
}

// BenchmarkMapErr is MapErr of a short call, beside a loop and two goroutines.
func BenchmarkMapErr(b *testing.B) {
	in := make([]int, 10_000)
	square := func(_ runtime.Cx, i int) (int, error) {
		if i < 0 {
			return 0, runtime.ErrTimeout
		}
		return i * i, nil
	}
	b.Run("loop", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			out := make([]int, len(in))
			for i, v := range in {
				var err error
				if out[i], err = square(runtime.Cx{}, v); err != nil {
					b.Fatal(err)
				}
			}
		}
		per(b, len(in), "call")
	})
	b.Run("goroutines", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			out := make([]int, len(in))
			_ = byHalves(len(in), func(i int) (err error) {
				out[i], err = square(runtime.Cx{}, in[i])
				return err
			})
		}
		per(b, len(in), "call")
	})
	b.Run("MapErr", func(b *testing.B) {
		insideOf(b, 2, func(cx runtime.Cx) {
			for b.Loop() {
				_, _ = runtime.MapErr(cx, in, square)
			}
		})
		per(b, len(in), "call")
	})
}

// BenchmarkForEach is 100 values of an iterator with a call of a microsecond for each, beside a
// loop, and two goroutines that receive them from a channel.
func BenchmarkForEach(b *testing.B) {
	values := make([]time.Duration, 100)
	for i := range values {
		values[i] = time.Microsecond
	}
	all := slices.Values(values)
	b.Run("loop", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for d := range all {
				spin(d)
			}
		}
		per(b, len(values), "value")
	})
	b.Run("goroutines", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c := make(chan time.Duration, 16)
			g := goGroup{end: func() {}}
			for range 2 {
				g.run(func() error {
					for d := range c {
						spin(d)
					}
					return nil
				})
			}
			for d := range all {
				c <- d
			}
			close(c)
			_ = g.wait()
		}
		per(b, len(values), "value")
	})
	b.Run("ForEach", func(b *testing.B) {
		insideOf(b, 2, func(cx runtime.Cx) {
			for b.Loop() {
				_ = runtime.ForEach(cx, all, func(_ runtime.Cx, d time.Duration) { spin(d) })
			}
		})
		per(b, len(values), "value")
	})
}
