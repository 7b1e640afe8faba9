package runtime

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// barks is a watchdog that looks when a test says so, and what it tells.
type barks struct {
	*watchdog
	alarms []Alarm
}

// watched returns a runtime whose watchdog barks.
func watched(t *testing.T, workers int, options ...Option) (*Runtime, *barks) {
	b := &barks{}
	rt, err := New(append(options, Workers(workers),
		Watchdog(24*time.Hour, func(a Alarm) { b.alarms = append(b.alarms, a) }))...)
	require.NoError(t, err)
	b.watchdog = newWatchdog(rt)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	return rt, b
}

// lookAt looks at a time in days.
func (b *barks) lookAt(days float64) { b.look(int64(days * float64(24*time.Hour))) }

// A task that holds its worker for the period is told of, once, with its name and its stack; what
// waits or ends in between, or joins, begins anew. (runtime/R32)
func TestWatchdogTellsOfAHoldOnce(t *testing.T) {
	for _, options := range [][]Option{nil, {Debug()}} {
		rt, b := watched(t, 1, options...)
		_, err := Submit(rt, func(cx Cx) (int, error) {
			holds := func(from float64, name string) {
				t.Helper()
				b.alarms = nil
				b.lookAt(from)
				b.lookAt(from + 0.5)
				require.Empty(t, b.alarms)
				b.lookAt(from + 1)
				require.Len(t, b.alarms, 1)
				a := b.alarms[0]
				require.Contains(t, a.Task, name)
				require.Equal(t, 24*time.Hour, a.For)
				require.Zero(t, a.Worker)
				require.Empty(t, a.Call)
				require.Contains(t, a.String(), "holds worker 0 for 24h0m0s")
				require.Contains(t, a.Stack(), "TestWatchdogTellsOfAHoldOnce")
				b.lookAt(from + 2)
				b.lookAt(from + 3)
				require.Len(t, b.alarms, 1)
			}
			holds(0, "TestWatchdogTells")
			cx.SetName("named")
			cx.Yield()
			holds(10, "named")
			_, err := Spawn(cx, func(cx Cx) (int, error) {
				holds(20, "TestWatchdogTells")
				return 0, nil
			}).Join(cx)
			require.NoError(t, err)
			holds(30, "named")
			b.alarms = nil
			for day := range 10 {
				b.lookAt(float64(40 + day))
				switch day % 3 {
				case 0:
					cx.Yield()
				case 1:
					_, _ = Spawn(cx, empty).Join(cx)
				default:
					require.NoError(t, cx.Sleep(1))
				}
			}
			require.Empty(t, b.alarms)
			return 0, nil
		}).Wait(context.Background())
		require.NoError(t, err)
		for day := range 5 {
			b.lookAt(float64(100 + day))
		}
		require.Empty(t, b.alarms)
	}
}

// A task that waits for another one by Wait, and so for itself, is told of with the call.
func TestWatchdogNamesAWaitInATask(t *testing.T) {
	rt, b := watched(t, 1)
	ctx, cancel := context.WithCancel(context.Background())
	h := Submit(rt, func(cx Cx) (int, error) {
		cx.SetName("waits")
		return Submit(rt, empty).Wait(ctx)
	})
	require.Eventually(t, func() bool {
		r, _ := rt.workers[0].looked()
		return r != nil && r.name() == "waits" && guards.call(r.goroutine) != ""
	}, 10*time.Second, 50*time.Microsecond)
	b.lookAt(0)
	b.lookAt(1)
	require.Len(t, b.alarms, 1)
	require.Equal(t, "Handle.Wait", b.alarms[0].Call)
	goroutine := b.alarms[0].goroutine
	require.Equal(t, `surewake: task "waits" holds worker 0 for 24h0m0s in Handle.Wait, `+
		`which blocks it; a task calls Handle.Join`, b.alarms[0].String())
	cancel()
	_, err := h.Wait(context.Background())
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, guards.call(goroutine))
}

// rests is a future that is never ready.
type rests struct{}

func (rests) Poll(Cx) (int, error, bool) { return 0, nil, false }

// Tasks that wait for each other are told of, once; not while anything else may wake one, which
// the runtime knows of. (runtime/R32)
func TestWatchdogTellsOfTasksThatWaitForEver(t *testing.T) {
	rt, b := watched(t, 2)
	settles := func() {
		require.Eventually(t, func() bool {
			s := rt.Stats()
			return rt.Idle() && s.Injected+s.Queued+s.Ready == 0
		}, 10*time.Second, 50*time.Microsecond)
	}
	day := 0.0
	looks := func() int {
		settles()
		b.alarms = nil
		for range 6 {
			day += 0.5
			b.lookAt(day)
		}
		return len(b.alarms)
	}
	require.Zero(t, looks()) // there is no task
	var never Notify
	Submit(rt, func(cx Cx) (int, error) { cx.SetName("stuck"); return 0, never.Wait(cx) })
	require.Equal(t, 1, looks())
	require.Equal(t, -1, b.alarms[0].Worker)
	require.Contains(t, b.alarms[0].String(), "tasks wait for each other or for the outside")
	require.Contains(t, b.alarms[0].Dump, "\ntask 1 \"stuck\": waits\n")
	require.Empty(t, b.alarms[0].Stack())
	require.Zero(t, looks()) // it has been told
	Submit(rt, empty)
	require.Equal(t, 1, looks()) // something has run since

	over := make(chan int)
	ctx, cancel := context.WithCancel(context.Background())
	for _, start := range []func() *Handle[int]{
		func() *Handle[int] {
			return Submit(rt, func(cx Cx) (int, error) { return 0, cx.Sleep(time.Hour) })
		},
		func() *Handle[int] {
			return Submit(rt, func(cx Cx) (int, error) {
				_, _, err := Receive(cx, over)
				return 0, err
			})
		},
		func() *Handle[int] {
			return Submit(rt, func(cx Cx) (int, error) { return 0, cx.AwaitContext(ctx) })
		},
		func() *Handle[int] {
			return Submit(rt, func(cx Cx) (int, error) { return Select(cx, DoneCase(ctx)) })
		},
		func() *Handle[int] { return SubmitFuture(rt, rests{}) },
	} {
		h := start()
		require.Zero(t, looks())
		h.Cancel()
		_, err := h.Wait(context.Background())
		require.ErrorIs(t, err, ErrCancelled)
		require.Equal(t, 1, looks())
	}
	for _, waits := range []func(Cx) error{
		func(cx Cx) error { _, _, err := Receive[int](cx, nil); return err },
		func(cx Cx) error { return Send(cx, nil, 1) },
		func(cx Cx) error { return cx.AwaitContext(context.Background()) },
		func(cx Cx) error { _, err := Select(cx, DoneCase(context.Background())); return err },
	} {
		h := Submit(rt, func(cx Cx) (int, error) { return 0, waits(cx) })
		require.Equal(t, 1, looks(), "nobody can end it")
		h.Cancel()
		_, err := h.Wait(context.Background())
		require.ErrorIs(t, err, ErrCancelled)
		require.Equal(t, 1, looks())
	}
	h := SubmitBlocking(rt, func() (int, error) { return <-over, nil })
	require.Zero(t, looks())
	close(over)
	_, err := h.Wait(context.Background())
	require.NoError(t, err)
	require.Eventually(t, func() bool { return rt.BlockingStats().Idle == 1 }, 10*time.Second,
		50*time.Microsecond)
	require.Equal(t, 1, looks())
	cancel()
}

// The goroutine of the watchdog looks by itself, outlives what its function does, and ends with the
// runtime.
func TestWatchdogLooksByItself(t *testing.T) {
	alarms := make(chan Alarm)
	panics := make(chan *PanicError, 1)
	rt, err := New(Workers(1), OnPanic(func(e *PanicError) { panics <- e }),
		Watchdog(time.Millisecond, func(a Alarm) {
			alarms <- a
			switch a.Task {
			case "panics":
				panic("as it should")
			case "exits":
				runtime.Goexit()
			}
		}))
	require.NoError(t, err)
	for _, name := range []string{"panics", "exits", "last"} {
		over := make(chan int)
		h := Submit(rt, func(cx Cx) (int, error) {
			cx.SetName(name)
			return <-over, nil
		})
		require.Equal(t, name, (<-alarms).Task)
		if name == "panics" {
			require.Equal(t, "as it should", (<-panics).Value)
		}
		close(over)
		_, err = h.Wait(context.Background())
		require.NoError(t, err)
	}
	require.NoError(t, rt.Close())
	require.Eventually(t, func() bool {
		text := make([]byte, 1<<20)
		return !strings.Contains(string(text[:runtime.Stack(text, true)]), "(*watchdog).run")
	}, 10*time.Second, time.Millisecond)
}
