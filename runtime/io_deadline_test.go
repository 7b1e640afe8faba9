//go:build unix && !aix

package runtime_test

import (
	"net"
	"os"
	goruntime "runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// past is a time that has passed.
var past = time.Unix(1, 0)

// isTimeout holds that err is a deadline that has passed, as package net tells of it.
func isTimeout(t testing.TB, err error) {
	t.Helper()
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	var timeout net.Error
	require.ErrorAs(t, err, &timeout)
	require.True(t, timeout.Timeout())
}

// inLine returns when so many calls wait for w.
func inLine(t testing.TB, w *runtime.Watch, readers, writers int) {
	t.Helper()
	waits(t, func() bool {
		r, w := w.Waiting()
		return r == readers && w == writers
	}, "the tasks do not come to wait")
}

// A deadline that is set while calls wait ends them, whoever sets it, at once or when it passes; it
// ends those that come after it; and it is gone when it is taken back. (runtime/R23)
func TestDeadlineEndsWaits(t *testing.T) {
	setters := map[string]func(*testing.T, *runtime.Runtime, func() error){
		"from a goroutine": func(t *testing.T, _ *runtime.Runtime, set func() error) {
			require.NoError(t, set())
		},
		"from a task": func(t *testing.T, rt *runtime.Runtime, set func() error) {
			run(t, rt, func(runtime.Cx) error { return set() })
		},
	}
	for name, by := range setters {
		t.Run(name, func(t *testing.T) {
			eachPoller(t, func(t *testing.T, poller runtime.Option) {
				rt := start(t, 2, poller)
				a, b := socketpair(t)
				watched := watch(t, rt, a)
				for _, left := range []time.Duration{-1, 2 * time.Millisecond} {
					waits := []*runtime.Handle[int]{
						runtime.Submit(rt, reader(watched)), runtime.Submit(rt, reader(watched)),
					}
					inLine(t, watched, 2, 0)
					at := time.Now().Add(left)
					by(t, rt, func() error { return watched.SetReadDeadline(at) })
					for _, h := range waits {
						_, err := get(t, h)
						isTimeout(t, err)
						require.False(t, time.Now().Before(at), "too early")
					}
					b.Write([]byte{1, 2}) // it can be read, but the deadline has passed still
					_, err := get(t, runtime.Submit(rt, reader(watched)))
					isTimeout(t, err)
					by(t, rt, func() error { return watched.SetReadDeadline(time.Time{}) })
					n, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
						return read(cx, watched, make([]byte, 10))
					}))
					require.NoError(t, err)
					require.Equal(t, 2, n)
				}
			})
		})
	}
}

// Each direction has its own deadline; SetDeadline sets both.
func TestDeadlinesOfBothDirections(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		rt := start(t, 2, poller)
		a, _ := socketpair(t)
		watched := watch(t, rt, a)
		fills := func(cx runtime.Cx) (int, error) {
			return 0, write(cx, watched, make([]byte, 10<<20))
		}
		in, out := runtime.Submit(rt, reader(watched)), runtime.Submit(rt, fills)
		inLine(t, watched, 1, 1)
		require.NoError(t, watched.SetWriteDeadline(past))
		_, err := get(t, out)
		isTimeout(t, err)
		inLine(t, watched, 1, 0)
		require.NoError(t, watched.SetReadDeadline(past))
		_, err = get(t, in)
		isTimeout(t, err)

		require.NoError(t, watched.SetDeadline(time.Time{}))
		in, out = runtime.Submit(rt, reader(watched)), runtime.Submit(rt, fills)
		inLine(t, watched, 1, 1)
		require.NoError(t, watched.SetDeadline(past))
		_, err = get(t, in)
		isTimeout(t, err)
		_, err = get(t, out)
		isTimeout(t, err)
	})
}

// A deadline that passes, or a Close that comes, between the failed try and the wait ends the call.
func TestWhatEndsACallBetweenTryAndWaitIsNotMissed(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		rt := start(t, 1, poller)
		for _, c := range []struct {
			ends func(*runtime.Watch) error
			want error
		}{
			{func(w *runtime.Watch) error { return w.SetDeadline(past) }, os.ErrDeadlineExceeded},
			{(*runtime.Watch).Close, runtime.ErrWatchClosed},
		} {
			a, _ := socketpair(t)
			watched := watch(t, rt, a)
			_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				tries := 0
				err := watched.Read(cx, func(uintptr) bool {
					require.NoError(t, c.ends(watched))
					tries++
					return false
				})
				return tries, err
			}))
			require.ErrorIs(t, err, c.want)
		}
	})
}

// A later deadline replaces an earlier one, and none replaces both, also when the timer of the
// earlier one has fired already and comes too late.
func TestReplacedDeadlineEndsNothing(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller runtime.Option) {
		rt := start(t, 2, poller)
		a, b := socketpair(t)
		watched := watch(t, rt, a)
		for _, next := range []time.Time{time.Now().Add(time.Hour), {}} {
			h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				return read(cx, watched, make([]byte, 1))
			})
			inLine(t, watched, 1, 0)
			require.NoError(t, watched.SetReadDeadline(time.Now().Add(time.Hour)))
			require.NoError(t, watched.SetReadDeadline(next))
			watched.FireReadDeadline()
			b.Write([]byte{1})
			n, err := get(t, h)
			require.NoError(t, err)
			require.Equal(t, 1, n)
		}
	})
}

func TestDeadlineOfAClosedWatch(t *testing.T) {
	rt := start(t, 1)
	a, _ := socketpair(t)
	watched := watch(t, rt, a)
	require.NoError(t, watched.SetDeadline(time.Now().Add(time.Hour)))
	require.NoError(t, watched.Close())
	for _, set := range []func(time.Time) error{
		watched.SetDeadline, watched.SetReadDeadline, watched.SetWriteDeadline,
	} {
		require.Equal(t, runtime.ErrWatchClosed, set(past))
	}
	_, err := get(t, runtime.Submit(rt, reader(watched)))
	require.Equal(t, runtime.ErrWatchClosed, err)
}

// Close of a Watch, and the end of the runtime, leave no goroutine in Go's poller, and the
// connection as it was.
func TestNoGoroutineIsLeftInGosPoller(t *testing.T) {
	for name, closes := range map[string]func(*runtime.Runtime, *runtime.Watch) error{
		"Close of the Watch": func(_ *runtime.Runtime, w *runtime.Watch) error {
			return w.Close()
		},
		"end of the runtime": func(rt *runtime.Runtime, _ *runtime.Watch) error {
			return rt.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := socketpair(t)
			f, _ := pipe(t)
			before := goruntime.NumGoroutine()
			rt := start(t, 2, runtime.Poller(runtime.Netpoll))
			var all []*runtime.Watch
			for _, c := range []any{a, f} {
				w := watch(t, rt, c)
				all = append(all, w)
				runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					return 0, w.ReadReady(cx)
				}).Detach()
				if c == a {
					runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
						return 0, write(cx, w, make([]byte, 10<<20))
					}).Detach()
				}
			}
			for i, w := range all {
				inLine(t, w, 1, 1-i)
			}
			for _, w := range all {
				_ = closes(rt, w)
			}
			_ = rt.Close()
			<-rt.Done()
			waits(t, func() bool { return goruntime.NumGoroutine() <= before },
				"goroutines are left")

			b.Write([]byte{1})
			n, err := a.Read(make([]byte, 1)) // no deadline is left either
			require.NoError(t, err)
			require.Equal(t, 1, n)
		})
	}
}

// A connection without deadlines can be watched, and keeps the goroutine until it is ready.
func TestConnectionWithoutDeadlines(t *testing.T) {
	rt := start(t, 1, runtime.Poller(runtime.Netpoll))
	a, b := socketpair(t)
	watched, err := rt.Watch(struct{ syscall.Conn }{a.(syscall.Conn)})
	require.NoError(t, err)
	h := runtime.Submit(rt, reader(watched))
	inLine(t, watched, 1, 0)
	require.NoError(t, watched.Close())
	_, err = get(t, h)
	require.ErrorIs(t, err, runtime.ErrWatchClosed)
	b.Close()
}
