package runtime_test

import (
	"context"
	"errors"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

const ages = 20 * time.Second // for what comes at once unless it never comes

// start starts a runtime, which is closed at the end of the test.
func start(t testing.TB, options ...runtime.Option) *runtime.Runtime {
	rt, err := runtime.New(options...)
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := rt.Close(); !errors.Is(err, runtime.ErrClosed) {
			require.NoError(t, err)
		}
	})
	return rt
}

// result waits for the end of a task.
func result[T any](t testing.TB, h *runtime.Handle[T]) (T, error) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), ages)
	defer stop()
	v, err := h.Wait(ctx)
	require.NotErrorIs(t, err, context.DeadlineExceeded, "the task has not ended")
	return v, err
}

// run runs fn as a task and waits for its end.
func run(t testing.TB, rt *runtime.Runtime, fn func(runtime.Cx) error) error {
	t.Helper()
	_, err := result(t, runtime.Submit(rt, does(fn)))
	return err
}

// does is fn as the function of a task.
func does(fn func(runtime.Cx) error) func(runtime.Cx) (struct{}, error) {
	return func(cx runtime.Cx) (struct{}, error) { return struct{}{}, fn(cx) }
}

// eachNumber runs a test with 1, 2 and 4 workers.
func eachNumber(t *testing.T, test func(t *testing.T, rt *runtime.Runtime)) {
	for _, n := range []int{1, 2, 4} {
		t.Run(map[int]string{1: "1 worker", 2: "2 workers", 4: "4 workers"}[n], func(t *testing.T) {
			test(t, start(t, runtime.Workers(n)))
		})
	}
}

// eventually waits for what needs no more than time.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(ages); !ok(); {
		require.True(t, time.Now().Before(end), what)
		time.Sleep(100 * time.Microsecond)
	}
}

// noGoroutineIsLeft runs test and waits until there are as many goroutines as before.
func noGoroutineIsLeft(t *testing.T, test func()) {
	t.Helper()
	before := goruntime.NumGoroutine()
	test()
	eventually(t, "goroutines are left", func() bool { return goruntime.NumGoroutine() <= before })
}

// panics calls fn, which must panic, and returns with what.
func panics(fn func()) (with any) {
	defer func() { with = recover() }()
	fn()
	return "it has not panicked"
}

// settle lets all other tasks run until they wait, those too that are woken from outside. It is enough on a runtime with one worker,
// which looks at the injector every 255 polls at least.
func settle(cx runtime.Cx) {
	for range 300 {
		cx.Yield()
	}
}
