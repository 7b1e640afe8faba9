//go:build unix && !aix

package runtime_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A select is told that a descriptor is ready, at once and after a wait; that its deadline has
// passed, and that its watch is closed; by a task, a goroutine and a future.
func TestSelectWaitsForADescriptor(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		rt := start(t, 2, poller)
		for name, with := range selectors {
			t.Run(name, func(t *testing.T) {
				with(t, rt, func(choose func(cases ...runtime.Case) (int, error)) {
					a, b := socketpair(t)
					w := watch(t, rt, a)
					cases := []runtime.Case{nil, w.ReadReadyCase(), runtime.AfterCase(time.Hour)}
					i, err := choose(w.WriteReadyCase(), cases[1])
					require.NoError(t, err)
					require.Zero(t, i)
					i, err = choose(cases[1], runtime.AfterCase(time.Millisecond))
					require.NoError(t, err)
					require.Equal(t, 1, i)
					time.AfterFunc(time.Millisecond, func() { _, _ = b.Write([]byte{1}) })
					for range 2 { // it waits, and it need not
						i, err = choose(cases...)
						require.NoError(t, err)
						require.Equal(t, 1, i)
					}
					_, err = a.Read(make([]byte, 2))
					require.NoError(t, err)
					require.NoError(t, w.SetReadDeadline(time.Now().Add(time.Millisecond)))
					for range 2 {
						for err = nil; err == nil; { // the byte that was read may be told once more
							i, err = choose(cases...)
						}
						require.ErrorIs(t, err, os.ErrDeadlineExceeded)
						require.Equal(t, 1, i)
					}
					require.NoError(t, w.SetReadDeadline(time.Time{}))
					time.AfterFunc(time.Millisecond, func() { _ = w.Close() })
					for range 2 {
						i, err = choose(cases...)
						require.ErrorIs(t, err, runtime.ErrWatchClosed)
						require.Equal(t, 1, i)
					}
				})
			})
		}
	})
}

// Of two that wait for the same descriptor, both are told; one that has given up is not.
func TestSelectsShareADescriptor(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		rt := start(t, 2, poller)
		a, b := socketpair(t)
		w := watch(t, rt, a)
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := runtime.SelectContext(ctx, w.ReadReadyCase())
			left <- err
		}()
		h := runtime.SubmitFuture(rt, &chooser{cases: []runtime.Case{w.ReadReadyCase()}})
		waits(t, func() bool { return runtime.Waiting(w) == 2 }, "they do not wait")
		leave()
		require.ErrorIs(t, receive(t, left), context.Canceled)
		require.Equal(t, 1, runtime.Waiting(w))
		_, err := b.Write([]byte{1})
		require.NoError(t, err)
		_, err = get(t, h)
		require.NoError(t, err)
		require.Zero(t, runtime.Waiting(w))
	})
}
