package runtime_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	goruntime "runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// stuckAfter is when a test takes something for stuck.
var stuckAfter = 30 * time.Second

func TestMain(m *testing.M) {
	if f := misuses()[os.Getenv(misuseVariable)]; f != nil {
		f()
		os.Exit(0)
	}
	flag.Parse()
	if testing.Short() {
		stuckAfter = 10 * time.Second
	}
	os.Exit(m.Run())
}

var started atomic.Int32 // runtimes of the tests that are not closed

// start starts a runtime that is closed at the end of the test if the test does not do it. With the
// last of them, all goroutines are gone.
func start(t testing.TB, workers int, options ...runtime.Option) *runtime.Runtime {
	t.Helper()
	before := goruntime.NumGoroutine()
	rt, err := runtime.New(append([]runtime.Option{runtime.Workers(workers)}, options...)...)
	require.NoError(t, err)
	started.Add(1)
	t.Cleanup(func() {
		go func() { _ = rt.Close() }()
		ends(t, rt)
		if started.Add(-1) == 0 {
			waits(t, func() bool { return goruntime.NumGoroutine() <= before },
				"goroutines are left")
		}
	})
	return rt
}

// ends fails the test if a closed runtime does not come to its end.
func ends(t failing, rt *runtime.Runtime) {
	t.Helper()
	awaitEnd(t, rt, rt.Done())
}

// A failing is a test, or a drawn one.
type failing interface {
	Helper()
	Fatal(...any)
}

// awaitEnd receives from over, which tells that rt has ended, and returns that. However slow the
// machine is: it fails the test only if no task has ended for a time in which one must.
func awaitEnd[T any](t failing, rt *runtime.Runtime, over <-chan T) T {
	t.Helper()
	for completed := rt.Stats().Completed; ; {
		select {
		case v := <-over:
			return v
		case <-time.After(stuckAfter):
			now := rt.Stats().Completed
			if now == completed {
				t.Fatal("the runtime does not end\n" + runtime.Dump(rt))
			}
			completed = now
		}
	}
}

// closes closes rt, but does not wait for ever.
func closes(t testing.TB, rt *runtime.Runtime) {
	t.Helper()
	over := make(chan error, 1)
	go func() { over <- rt.Close() }()
	require.NoError(t, awaitEnd(t, rt, over))
}

// drains shuts rt down, but does not wait for ever.
func drains(t testing.TB, rt *runtime.Runtime) {
	t.Helper()
	over := make(chan error, 1)
	go func() { over <- rt.Shutdown(context.Background()) }()
	require.NoError(t, awaitEnd(t, rt, over))
}

// each runs a test with 1, 2 and 4 workers.
func each(t *testing.T, test func(t *testing.T, workers int)) {
	for _, n := range []int{1, 2, 4} {
		t.Run(fmt.Sprint("workers=", n), func(t *testing.T) { test(t, n) })
	}
}

// eachProcs runs a test at GOMAXPROCS 1, 2 and 8.
func eachProcs(t *testing.T, test func(t *testing.T)) {
	for _, n := range []int{1, 2, 8} {
		t.Run(fmt.Sprint("procs=", n), func(t *testing.T) {
			defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(n))
			test(t)
		})
	}
}

// many returns n, or less with -short.
func many(n int) int {
	if testing.Short() {
		return n / 50
	}
	return n
}

// manyGoroutines is many for tasks that have a goroutine each: less under the race detector, too.
func manyGoroutines(n int) int { return min(many(n), mostAtOnce) }

// get waits for the end of a task, but not for ever.
func get[T any](t testing.TB, h *runtime.Handle[T]) (T, error) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), stuckAfter)
	defer stop()
	value, err := h.Wait(ctx)
	if ctx.Err() != nil {
		t.Fatal("the task does not end: ", runtime.DumpTask(h))
	}
	return value, err
}

// getAll waits for the end of a batch, but not for ever.
func getAll[T any](t testing.TB, b *runtime.TaskBatch[T]) ([]T, error) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), stuckAfter)
	defer stop()
	values, err := b.Wait(ctx)
	if ctx.Err() != nil {
		t.Fatal("the batch does not end")
	}
	return values, err
}

// run runs f as a task, and fails the test if it does not return nil.
func run(t testing.TB, rt *runtime.Runtime, f func(cx runtime.Cx) error) {
	t.Helper()
	_, err := get(t,
		runtime.Submit(rt, func(cx runtime.Cx) (struct{}, error) { return struct{}{}, f(cx) }))
	require.NoError(t, err)
}

// receive takes a value from c, but does not wait for ever.
func receive[T any](t testing.TB, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(stuckAfter):
		t.Fatal("nothing comes")
		panic("unreachable")
	}
}

// returns is a task that returns v.
func returns[T any](v T) func(runtime.Cx) (T, error) {
	return func(runtime.Cx) (T, error) { return v, nil }
}

// forever is a task that waits until it is told to end.
func forever(cx runtime.Cx) (int, error) { return 0, cx.Sleep(1 << 62) }

// waits spins until f holds, for goroutines that are no tasks.
func waits(t testing.TB, f func() bool, what string) {
	t.Helper()
	for end := time.Now().Add(stuckAfter); !f(); time.Sleep(20 * time.Microsecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

// noContext is what a caller must not pass.
var noContext context.Context
