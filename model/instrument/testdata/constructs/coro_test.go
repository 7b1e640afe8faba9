package t

import (
	"context"
	"iter"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strings"
	"testing"
)

type numbers iter.Seq[int]

func upTo(n int) numbers {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func first[V any](pull func(iter.Seq[V]) (func() (V, bool), func()), seq iter.Seq[V]) V {
	next, stop := pull(seq)
	defer stop()
	v, _ := next()
	return v
}

func TestPull(t *testing.T) {
	next, stop := iter.Pull(iter.Seq[int](upTo(2)))
	for i := range 3 {
		v, ok := next()
		eq(t, v, i%2)
		eq(t, ok, i < 2)
	}
	stop()
	pairs := iter.Pull2[int, string]
	next2, stop2 := pairs(slices.All([]string{"a", "b"}))
	next2()
	k, v, ok := next2()
	eq(t, k, 1)
	eq(t, v, "b")
	eq(t, ok, true)
	stop2()
	eq(t, first(iter.Pull, slices.Values([]string{"x"})), "x")
	eq(t, first(iter.Pull[int], iter.Seq[int](upTo(0))), 0)
}

// What tells of a program's run, and changes nothing in it.
func TestRuntimeFunctions(t *testing.T) {
	eq(t, runtime.NumGoroutine() > 0, true)
	eq(t, runtime.GOMAXPROCS(0) > 0, true)
	eq(t, runtime.NumCPU() > 0, true)
	eq(t, runtime.Callers(0, make([]uintptr, 4)), 4)
	eq(t, strings.Contains(string(debug.Stack()), "coro_test.go:60"), true)
	eq(t, runtime.Stack(make([]byte, 1), true), 1)
	regions := 0
	trace.WithRegion(context.Background(), "region", func() { regions++ })
	ctx, task := trace.NewTask(context.Background(), "task")
	trace.StartRegion(ctx, "region").End()
	task.End()
	pprof.Do(ctx, pprof.Labels("key", "value"), func(ctx context.Context) {
		pprof.SetGoroutineLabels(ctx)
		regions++
	})
	pprof.SetGoroutineLabels(ctx)
	eq(t, regions, 2)
	eq(t, trace.Start(failing{}) == nil, true)
	trace.Stop()
	eq(t, pprof.StartCPUProfile(failing{}) == nil, true)
	pprof.StopCPUProfile()
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, context.Canceled }
