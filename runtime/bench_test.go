package runtime_test

import (
	"context"
	"testing"

	"github.com/surewake/surewake/runtime"
)

func fib(cx runtime.Cx, n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	h := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) { return fib(cx, n-1) })
	y, _ := fib(cx, n-2)
	x, err := h.Join(cx)
	return x + y, err
}

func fibWith(cx runtime.Cx, n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	h := runtime.SpawnWith(cx, fibWith, n-1)
	y, _ := fibWith(cx, n-2)
	x, err := h.Join(cx)
	return x + y, err
}

// spawns returns how many tasks fib(n) starts.
func spawns(n int) int {
	if n < 2 {
		return 0
	}
	return 1 + spawns(n-1) + spawns(n-2)
}

func empty(runtime.Cx) (int, error)            { return 0, nil }
func emptyOf(_ runtime.Cx, i int) (int, error) { return i, nil }

// inside runs f as a task on 2 workers.
func inside(b *testing.B, f func(cx runtime.Cx)) {
	rt := start(b, 2)
	b.ReportAllocs()
	run(b, rt, func(cx runtime.Cx) error {
		f(cx)
		return nil
	})
}

func outside(b *testing.B, f func(rt *runtime.Runtime)) {
	rt := start(b, 2)
	b.ReportAllocs()
	for b.Loop() {
		f(rt)
	}
}

func per(b *testing.B, n int, unit string) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/"+unit)
}

func BenchmarkSpawnJoin(b *testing.B) {
	inside(b, func(cx runtime.Cx) {
		for b.Loop() {
			_, _ = runtime.Spawn(cx, empty).Join(cx)
		}
	})
}

func BenchmarkSubmitWait(b *testing.B) {
	outside(b,
		func(rt *runtime.Runtime) { _, _ = runtime.Submit(rt, empty).Wait(context.Background()) })
}

func BenchmarkYield(b *testing.B) {
	inside(b, func(cx runtime.Cx) {
		for b.Loop() {
			cx.Yield()
		}
	})
}

func BenchmarkSuspendingJoin(b *testing.B) {
	inside(b, func(cx runtime.Cx) {
		for b.Loop() {
			h := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) { cx.Yield(); return 0, nil })
			cx.Yield()
			_, _ = h.Join(cx)
		}
	})
}

func BenchmarkFib(b *testing.B) {
	for name, f := range map[string]func(runtime.Cx, int) (int, error){
		"closure": fib, "argument": fibWith,
	} {
		b.Run(name, func(b *testing.B) {
			inside(b, func(cx runtime.Cx) {
				for b.Loop() {
					_, _ = f(cx, 25)
				}
			})
			per(b, spawns(25), "spawn")
		})
	}
}

// Benchmark10000 is 10,000 empty tasks, all awaited.
func Benchmark10000(b *testing.B) {
	const n = 10_000
	handles := make([]*runtime.Handle[int], n)
	b.Run("inside", func(b *testing.B) {
		inside(b, func(cx runtime.Cx) {
			for b.Loop() {
				for i := range handles {
					handles[i] = runtime.Spawn(cx, empty)
				}
				for _, h := range handles {
					_, _ = h.Join(cx)
				}
			}
		})
		per(b, n, "task")
	})
	b.Run("inside-batch", func(b *testing.B) {
		inside(b, func(cx runtime.Cx) {
			for b.Loop() {
				_, _ = runtime.SpawnBatch(cx, n, emptyOf).Join(cx)
			}
		})
		per(b, n, "task")
	})
	b.Run("outside", func(b *testing.B) {
		outside(b, func(rt *runtime.Runtime) {
			for i := range handles {
				handles[i] = runtime.Submit(rt, empty)
			}
			for _, h := range handles {
				_, _ = h.Wait(context.Background())
			}
		})
		per(b, n, "task")
	})
	b.Run("outside-batch", func(b *testing.B) {
		outside(b, func(rt *runtime.Runtime) {
			_, _ = runtime.SubmitBatch(rt, n, emptyOf).Wait(context.Background())
		})
		per(b, n, "task")
	})
}

// BenchmarkFuture is a poll-style task that is woken and polled once more, and one that is ready at
// once.
func BenchmarkFuture(b *testing.B) {
	b.Run("wake-and-poll", func(b *testing.B) {
		inside(b, func(cx runtime.Cx) {
			s := &sleeper{}
			runtime.SpawnFuture(cx, s).Detach()
			cx.Yield()
			for s.waker == (runtime.Waker{}) {
				cx.Yield()
			}
			for b.Loop() {
				s.waker.WakeFrom(cx)
				cx.Yield()
			}
			s.ready = true
			s.waker.WakeFrom(cx)
		})
	})
	b.Run("ready", func(b *testing.B) {
		inside(b, func(cx runtime.Cx) {
			s := &sleeper{ready: true}
			for b.Loop() {
				_, _ = runtime.SpawnFuture(cx, s).Join(cx)
			}
		})
	})
}

func BenchmarkBlocking(b *testing.B) {
	inside(b, func(cx runtime.Cx) {
		for b.Loop() {
			_, _ = runtime.SpawnBlocking(cx, one).Join(cx)
		}
	})
}

func BenchmarkScope(b *testing.B) {
	inside(b, func(cx runtime.Cx) {
		for b.Loop() {
			_ = runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
				for range 10 {
					runtime.SpawnIn(cx, s, empty)
				}
				return nil
			})
		}
	})
	per(b, 10, "child")
}
