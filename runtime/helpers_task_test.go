package runtime_test

import (
	"testing"

	"github.com/surewake/surewake/runtime"
)

// does is fn as the function of a task.
func does(fn func(runtime.Cx) error) func(runtime.Cx) (struct{}, error) {
	return func(cx runtime.Cx) (struct{}, error) { return struct{}{}, fn(cx) }
}

func answer(runtime.Cx) (int, error) { return 42, nil }

// eachRuntime runs a test on runtimes with 1, 2 and 4 workers.
func eachRuntime(t *testing.T, test func(t *testing.T, rt *runtime.Runtime)) {
	each(t, func(t *testing.T, workers int) { test(t, start(t, workers)) })
}

// panics calls fn, which must panic, and returns with what.
func panics(fn func()) (with any) {
	defer func() { with = recover() }()
	fn()
	return "it has not panicked"
}

// cancelled runs fn in a task that has been cancelled after it began, and returns what fn returns.
func cancelled[T any](
	t *testing.T,
	rt *runtime.Runtime,
	fn func(cx runtime.Cx) (T, error),
) (T, error) {
	t.Helper()
	began := make(chan struct{})
	h := runtime.Submit(rt, func(cx runtime.Cx) (T, error) {
		close(began)
		for cx.Err() == nil {
			cx.Yield()
		}
		return fn(cx)
	})
	receive(t, began)
	h.Cancel()
	return get(t, h)
}

// settle lets all other tasks run until they wait, those too that are woken from outside. It is
// enough on a runtime with one worker, which looks at the injector every 255 polls at least.
func settle(cx runtime.Cx) {
	for range 300 {
		cx.Yield()
	}
}

func hasEnded[T any](h *runtime.Handle[T]) bool {
	_, _, ok := h.TryJoin()
	return ok
}
