package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

func observedTask(cx runtime.Cx) (int, error) {
	h := runtime.SpawnWith(cx, observedChild, 5)
	cx.Yield()
	return h.Join(cx)
}

func observedChild(cx runtime.Cx, n int) (int, error) {
	cx.Yield()
	return n, nil
}

// observedFuture is ready at its second poll.
type observedFuture struct{ polled bool }

func (f *observedFuture) Poll(cx runtime.Cx) (int, error, bool) {
	ready := f.polled
	f.polled = true
	cx.Waker().Wake()
	return 3, nil, ready
}

// traced returns what the execution tracer has to say of tasks of all kinds.
func traced(t *testing.T, options ...runtime.Option) string {
	rt := start(t, 2, options...)
	require.Equal(t, 5, get1(t, runtime.Submit(rt, observedTask))) // no trace is taken yet
	var out bytes.Buffer
	require.NoError(t, trace.Start(&out))
	require.Equal(t, 5, get1(t, runtime.Submit(rt, observedTask)))
	require.Equal(t, 3, get1(t, runtime.SubmitFuture(rt, &observedFuture{})))
	_, err := get(t, runtime.Submit(rt, observedPanic))
	require.Error(t, err)
	_, err = get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		_, err := runtime.SpawnBatch(cx, 2, observedPart).Join(cx)
		return 0, err
	}))
	require.NoError(t, err)
	require.NoError(t, rt.Shutdown(context.Background()))
	trace.Stop()
	return out.String()
}

func get1[T any](t *testing.T, h *runtime.Handle[T]) T {
	v, err := get(t, h)
	require.NoError(t, err)
	return v
}

func observedPanic(runtime.Cx) (int, error)     { panic("as it should") }
func observedPart(runtime.Cx, int) (int, error) { return 0, nil }

func TestTraceNamesTasks(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("somebody takes a trace")
	}
	names := []string{
		"runtime_test.observedTask",
		"runtime_test.observedChild",
		"*runtime_test.observedFuture",
		"runtime_test.observedPanic",
		"runtime_test.observedPart",
	}
	with, without := traced(t, runtime.Trace()), traced(t)
	for _, name := range names {
		require.Contains(t, with, name)
	}
	// The tracer has names of functions on its own account, in stacks, but not types.
	require.NotContains(t, without, "*runtime_test.observedFuture")
}

// labelled returns how many goroutines the profile shows with a label.
func labelled(t *testing.T, label string) int {
	var out strings.Builder
	require.NoError(t, pprof.Lookup("goroutine").WriteTo(&out, 1))
	n := 0
	for _, group := range strings.Split(out.String(), "\n\n") {
		var of int
		if strings.Contains(group, label) {
			fmt.Sscan(group[strings.LastIndex(group[:strings.Index(group, " @ ")], "\n")+1:], &of)
		}
		n += of
	}
	return n
}

// The goroutines of workers, stacks and blocking tasks have the labels, and no others do.
func TestLabelsAreThoseOfAllGoroutines(t *testing.T) {
	const label = `"crawler":"one"`
	for _, on := range []bool{false, true} {
		var options []runtime.Option
		if on {
			options = append(options, runtime.Labels("crawler", "one", "more", "labels"))
		}
		rt := start(t, 2, options...)
		var inside, blocked int
		_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			h := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) { // on another stack
				cx.Yield()
				inside = labelled(t, label)
				return 0, nil
			})
			cx.Yield()
			return h.Join(cx)
		}))
		require.NoError(t, err)
		_, err = get(t, runtime.SubmitBlocking(rt, func() (int, error) {
			blocked = labelled(t, label)
			return 0, nil
		}))
		require.NoError(t, err)
		if on {
			require.GreaterOrEqual(t, inside, 3) // two workers and a stack
			require.GreaterOrEqual(t, blocked, 3)
		} else {
			require.Zero(t, inside)
			require.Zero(t, blocked)
		}
		require.NoError(t, rt.Close())
	}
	_, err := runtime.New(runtime.Labels("key"))
	require.EqualError(t, err, "surewake: Labels: 1 strings: must be pairs of a key and a value")
}

func TestPanicsAreLogged(t *testing.T) {
	var out bytes.Buffer
	var reported any
	rt := start(
		t,
		1,
		runtime.LogPanics(slog.New(slog.NewTextHandler(&out, nil))),
		runtime.OnPanic(func(err *runtime.PanicError) {
			reported = err.Value
			require.Empty(t, out.String())
		}),
	)
	_, err := get(t,
		runtime.Submit(rt, func(runtime.Cx) (int, error) { return 0, errors.New("no panic") }))
	require.Error(t, err)
	require.Empty(t, out.String())
	_, err = get(t, runtime.Submit(rt, observedPanic))
	var p *runtime.PanicError
	require.ErrorAs(t, err, &p)
	require.Equal(t, "as it should", reported)
	require.Contains(
		t,
		out.String(),
		`level=ERROR msg="task panicked" value="as it should" stack="goroutine `,
	)
	require.Contains(t, out.String(), "observedPanic")
	_, err = runtime.New(runtime.LogPanics(nil))
	require.EqualError(t, err, "surewake: LogPanics: nil logger")
}
