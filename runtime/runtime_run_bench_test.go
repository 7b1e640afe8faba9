package runtime_test

import (
	"context"
	"testing"

	"github.com/surewake/surewake/runtime"
)

// BenchmarkRun is a runtime for one call, which starts empty functions and waits for them, beside
// goroutines, which need no runtime, and beside a runtime that is there already.
func BenchmarkRun(b *testing.B) {
	for _, of := range []struct {
		name string
		n    int
	}{{"1 function", 1}, {"1000 functions", 1000}} {
		b.Run(of.name, func(b *testing.B) {
			starts := func(cx runtime.Cx) (int, error) {
				for range of.n {
					cx.Go(func(runtime.Cx) {})
				}
				return of.n, nil
			}
			b.Run("Run", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := runtime.Run(context.Background(), starts,
						runtime.Workers(2)); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("Group of a runtime", func(b *testing.B) {
				outside(b, func(rt *runtime.Runtime) {
					g := runtime.NewGroup(context.Background(), rt)
					for range of.n {
						g.Go(noError)
					}
					if err := g.Wait(); err != nil {
						b.Error(err)
					}
				})
			})
			b.Run("goroutines", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, end := context.WithCancel(context.Background())
					g := goGroup{end: end}
					for range of.n {
						g.run(func() error { return nil })
					}
					if err := g.wait(); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}
