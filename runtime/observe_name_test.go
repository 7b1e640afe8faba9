package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	goruntime "runtime"
	"runtime/trace"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A task's panic says what the task was named, and the log does; what was not named says nothing.
func TestPanicsTellTheNameOfTheirTask(t *testing.T) {
	var out bytes.Buffer
	rt := start(t, 1, runtime.LogPanics(slog.New(slog.NewTextHandler(&out, nil))))
	for _, name := range []string{"loader 7", ""} {
		out.Reset()
		_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			cx.SetName("before")
			cx.SetName(name)
			panic("as it should")
		}))
		var p *runtime.PanicError
		require.ErrorAs(t, err, &p)
		require.Equal(t, name, p.Task)
		if name != "" {
			require.Contains(t, err.Error(), `surewake: task "loader 7" panicked: as it should`)
			require.Contains(t, out.String(), ` task="loader 7"`)
		} else {
			require.Contains(t, err.Error(), "surewake: task panicked: as it should")
			require.NotContains(t, out.String(), " task=")
		}
	}
}

// A name ends with its task, however that ends, and keeps nothing. (runtime/R31)
func TestANameEndsWithItsTask(t *testing.T) {
	for _, debug := range []bool{false, true} {
		var options []runtime.Option
		if debug {
			options = append(options, runtime.Debug())
		}
		rt := start(t, 1, options...)
		named := func(end func(cx runtime.Cx)) func(cx runtime.Cx) (int, error) {
			return func(cx runtime.Cx) (int, error) {
				cx.SetName("named")
				require.Contains(t, dumped(t, rt), ` "named": runs`)
				end(cx)
				return 0, nil
			}
		}
		for _, end := range []func(runtime.Cx){
			func(runtime.Cx) {},
			func(cx runtime.Cx) { cx.SetName(""); cx.SetName("named") },
			func(cx runtime.Cx) { cx.Yield() },
			func(runtime.Cx) { panic("as it should") },
			func(runtime.Cx) { goruntime.Goexit() },
		} {
			_, _ = get(t, runtime.Submit(rt, named(end)))
			run(t, rt, func(cx runtime.Cx) error {
				require.NotContains(t, dumped(t, rt), `"named"`)
				h := runtime.Spawn(cx, named(end))
				h.Detach()
				cx.Yield()
				return nil
			})
		}
		f := runtime.SubmitFuture(rt, namedFuture{})
		atRest(t, rt)
		require.Contains(t, dumped(t, rt), ` "future": waits`)
		f.Cancel()
		_, err := get(t, f)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		run(t, rt, func(cx runtime.Cx) error {
			cx.SetName("")
			require.NotContains(t, dumped(t, rt), `"`)
			return nil
		})
		waits(t, func() bool { return runtime.Records(rt) == 0 }, "a record is left")
	}
}

// namedFuture is never ready.
type namedFuture struct{}

func (namedFuture) Poll(cx runtime.Cx) (int, error, bool) {
	cx.SetName("future")
	return 0, nil, false
}

// Profiles show the name as a label while the task runs on its stack, that of the innermost one
// that has a name, and neither before nor after. (runtime/R31)
func TestLabelsShowTheNamesOfTasks(t *testing.T) {
	for _, options := range [][]runtime.Option{nil, {runtime.Debug()}} {
		rt := start(t, 1, append(options, runtime.Labels("pool", "one"))...)
		has := func(name string, want int) {
			t.Helper()
			require.Equal(t, want, labelled(t, fmt.Sprintf(`"pool":"one", "task":%q`, name)), name)
		}
		is := func(name string) {
			t.Helper()
			for _, n := range []string{"outer", "inner", "future"} {
				want := 0
				if n == name {
					want = 1
				}
				has(n, want)
			}
		}
		run(t, rt, func(cx runtime.Cx) error {
			is("")
			cx.SetName("outer")
			is("outer")
			inner := func(name string, end func()) {
				_, _ = runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
					is("outer")
					if name != "" {
						cx.SetName(name)
						is(name)
						cx.SetName("")
						is("outer")
						cx.SetName(name)
					}
					end()
					return 0, nil
				}).Join(cx)
				is("outer")
			}
			inner("", func() {})
			inner("inner", func() {})
			inner("inner", func() { panic("as it should") })
			_, _ = runtime.SpawnFuture(cx, &labelledFuture{has: has}).Join(cx)
			is("outer")
			cx.SetName("")
			is("")
			cx.SetName("outer")
			return nil
		})
		run(t, rt, func(runtime.Cx) error { is(""); return nil })
		_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			cx.SetName("outer")
			goruntime.Goexit()
			return 0, nil
		}))
		require.ErrorIs(t, err, runtime.ErrGoexit)
		run(t, rt, func(runtime.Cx) error { is(""); return nil })
		f := runtime.SubmitFuture(rt, namedFuture{}) // its poll ends, it does not
		run(t, rt, func(runtime.Cx) error { is(""); return nil })
		f.Cancel()
	}
}

// labelledFuture is ready at its second poll, which is on another stack than the first.
type labelledFuture struct {
	has    func(name string, goroutines int)
	polled bool
}

func (f *labelledFuture) Poll(cx runtime.Cx) (int, error, bool) {
	f.has("future", 0)
	cx.SetName("future")
	f.has("future", 1)
	ready := f.polled
	f.polled = true
	cx.Waker().Wake()
	return 0, nil, ready
}

// A trace has the name of a task, and the regions of a future that has one are named after it.
func TestTracesShowTheNamesOfTasks(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("somebody takes a trace")
	}
	rt := start(t, 1, runtime.Trace())
	var out bytes.Buffer
	require.NoError(t, trace.Start(&out))
	require.Equal(t, 5, get1(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		cx.SetName("a task of the test")
		return 5, nil
	})))
	require.Equal(t, 3, get1(t, runtime.SubmitFuture(rt, &tracedFuture{})))
	require.NoError(t, rt.Shutdown(context.Background()))
	trace.Stop()
	require.Contains(t, out.String(), "a task of the test")
	require.Contains(t, out.String(), "a future of the test")
	require.True(t, strings.Contains(out.String(), "*runtime_test.tracedFuture"))
}

// tracedFuture is ready at its second poll.
type tracedFuture struct{ polled bool }

func (f *tracedFuture) Poll(cx runtime.Cx) (int, error, bool) {
	if f.polled {
		return 3, nil, true
	}
	f.polled = true
	cx.SetName("a future of the test")
	cx.Waker().Wake()
	return 0, nil, false
}
