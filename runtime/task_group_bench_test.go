package runtime_test

import (
	"context"
	"sync"
	"testing"

	"github.com/surewake/surewake/runtime"
)

// A goGroup is what errgroup does, for comparison: a WaitGroup, the first error, and places.
type goGroup struct {
	all    sync.WaitGroup
	once   sync.Once
	err    error
	end    context.CancelFunc
	places chan struct{}
}

func (g *goGroup) run(fn func() error) {
	if g.places != nil {
		g.places <- struct{}{}
	}
	g.all.Go(func() {
		if err := fn(); err != nil {
			g.once.Do(func() { g.err = err; g.end() })
		}
		if g.places != nil {
			<-g.places
		}
	})
}

func (g *goGroup) wait() error {
	g.all.Wait()
	g.end()
	return g.err
}

// BenchmarkGroup is 100 empty functions that are waited for.
func BenchmarkGroup(b *testing.B) {
	const n = 100
	for name, limit := range map[string]int{"unlimited": 0, "limit-2": 2} {
		b.Run(name, func(b *testing.B) {
			b.Run("outside", func(b *testing.B) {
				outside(b, func(rt *runtime.Runtime) {
					g := runtime.NewGroup(context.Background(), rt)
					if limit > 0 {
						g.SetLimit(limit)
					}
					for range n {
						g.Go(noError)
					}
					_ = g.Wait()
				})
				per(b, n, "function")
			})
			b.Run("inside", func(b *testing.B) {
				inside(b, func(cx runtime.Cx) {
					for b.Loop() {
						g := runtime.NewGroup(context.Background(), cx.Runtime())
						if limit > 0 {
							g.SetLimit(limit)
						}
						for range n {
							_ = g.Spawn(cx, noError)
						}
						_ = g.Join(cx)
					}
				})
				per(b, n, "function")
			})
			b.Run("goroutines", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, end := context.WithCancel(context.Background())
					g := goGroup{end: end}
					if limit > 0 {
						g.places = make(chan struct{}, limit)
					}
					for range n {
						g.run(func() error { return nil })
					}
					_ = g.wait()
				}
				per(b, n, "function")
			})
		})
	}
}
