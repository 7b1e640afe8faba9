package runtime_test

import (
	"context"
	"sync"
	"testing"

	"github.com/surewake/surewake/runtime"
)

// BenchmarkMaxTasks is 1000 empty tasks of which at most so many are there at a time, beside
// goroutines that take a token from a buffered channel and put it back.
func BenchmarkMaxTasks(b *testing.B) {
	const n = 1000
	for name, limit := range map[string]int{"16": 16, "1000": 1000, "unlimited": 0} {
		b.Run(name, func(b *testing.B) {
			b.Run("tasks", func(b *testing.B) {
				var options []runtime.Option
				if limit > 0 {
					options = append(options, runtime.MaxTasks(limit))
				}
				rt := start(b, 2, options...)
				b.ReportAllocs()
				var all sync.WaitGroup
				for b.Loop() {
					all.Add(n)
					for range n {
						rt.Go(func(runtime.Cx) { all.Done() }).Detach()
					}
					all.Wait()
				}
				per(b, n, "task")
			})
			b.Run("goroutines", func(b *testing.B) {
				tokens := make(chan struct{}, max(limit, 1))
				b.ReportAllocs()
				var all sync.WaitGroup
				for b.Loop() {
					for range n {
						if limit > 0 {
							tokens <- struct{}{}
						}
						all.Go(func() {
							if limit > 0 {
								<-tokens
							}
						})
					}
					all.Wait()
				}
				per(b, n, "task")
			})
		})
	}
}

// BenchmarkTrySubmit is a task that is started if there is a place for it, and one for which there
// is none, beside a goroutine that is started if a token can be taken from a buffered channel.
func BenchmarkTrySubmit(b *testing.B) {
	b.Run("place/task", func(b *testing.B) {
		rt := start(b, 2, runtime.MaxTasks(1))
		b.ReportAllocs()
		for b.Loop() {
			h, err := runtime.TrySubmit(rt, empty)
			if err != nil {
				b.Fatal(err)
			}
			_, _ = h.Wait(context.Background())
		}
	})
	b.Run("place/goroutine", func(b *testing.B) {
		tokens := make(chan struct{}, 1)
		b.ReportAllocs()
		for b.Loop() {
			select {
			case tokens <- struct{}{}:
			default:
				b.Fatal("no token")
			}
			var one sync.WaitGroup
			one.Go(func() { <-tokens })
			one.Wait()
		}
	})
	b.Run("no place/task", func(b *testing.B) {
		rt := start(b, 2, runtime.MaxTasks(1))
		h := runtime.Submit(rt, forever)
		b.ReportAllocs()
		for b.Loop() {
			_, _ = runtime.TrySubmit(rt, empty)
		}
		h.Cancel()
	})
	b.Run("no place/goroutine", func(b *testing.B) {
		tokens := make(chan struct{})
		b.ReportAllocs()
		for b.Loop() {
			select {
			case tokens <- struct{}{}:
				go func() { <-tokens }()
			default:
			}
		}
	})
}
