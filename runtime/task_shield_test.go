package runtime_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// inShieldDuringClose runs during in the shield of a task whose runtime is being closed, after
// before, which runs in the same shield while the runtime is open. Then it waits for the end.
func inShieldDuringClose(t *testing.T, rt *runtime.Runtime, before, during func(cx runtime.Cx)) {
	t.Helper()
	ended := make(chan error, 1)
	h := runtime.Submit(rt, does(func(cx runtime.Cx) error {
		cx.Shield(func() {
			before(cx)
			if err := cx.Close(); err != nil {
				ended <- err
			}
			during(cx)
		})
		ended <- cx.Err()
		return nil
	}))
	require.Equal(t, runtime.ErrClosed, receive(t, ended), "after the shield")
	_, err := get(t, h)
	require.NoError(t, err)
	ends(t, rt)
}

func TestTasksStartedInAShieldDoNotNoticeClose(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		sleeps := func(cx runtime.Cx) (int, error) { return 7, cx.Sleep(time.Millisecond) }
		seven := func(v int, err error) {
			t.Helper()
			require.NoError(t, err)
			require.Equal(t, 7, v)
		}
		var queued, waiting *runtime.Handle[int]
		var blocking []*runtime.Handle[int]
		var free runtime.Notify
		inShieldDuringClose(t, rt, func(cx runtime.Cx) {
			queued = runtime.Spawn(cx, sleeps)
			waiting = runtime.Spawn(cx,
				func(cx runtime.Cx) (int, error) { return 7, free.Wait(cx) })
			for range 20 {
				blocking = append(blocking,
					runtime.SpawnBlocking(cx, func() (int, error) { return 7, nil }))
			}
		}, func(cx runtime.Cx) {
			seven(queued.Join(cx))
			free.Signal()
			seven(waiting.Join(cx))
			for _, h := range blocking {
				seven(h.Join(cx))
			}
			seven(runtime.Spawn(cx, sleeps).Join(cx))
			seven(runtime.Spawn(cx, sleeps).JoinTimeout(cx, time.Hour))
			seven(runtime.SpawnBlocking(cx, func() (int, error) { return 7, nil }).Join(cx))
			seven(runtime.Timeout(cx, time.Hour, sleeps))
			seven(runtime.Spawn(cx, func(cx runtime.Cx) (int, error) { // and theirs
				cx.Shield(func() { seven(runtime.Spawn(cx, sleeps).Join(cx)) })
				return runtime.Timeout(cx, time.Hour, sleeps)
			}).Join(cx))
			_, err := runtime.SpawnBatch(cx, 5,
				func(cx runtime.Cx, _ int) (int, error) { return sleeps(cx) }).Join(cx)
			require.NoError(t, err)
			require.NoError(t, runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
				runtime.SpawnIn(cx, s, sleeps).Detach()
				return nil
			}))
			require.NoError(t, cx.Context().Err())
		})
	})
}

// Its own cancellation a task notices that was started in a shield.
func TestTasksStartedInAShieldAreCancelled(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		nothing := func(runtime.Cx) {}
		inShieldDuringClose(t, rt, nothing, func(cx runtime.Cx) {
			_, err := runtime.Timeout(cx, time.Millisecond, forever)
			require.Equal(t, runtime.ErrTimeout, err)
			h := runtime.Spawn(cx, forever)
			h.Cancel()
			_, err = h.Join(cx)
			require.Equal(t, runtime.ErrCancelled, err, "before it has started")
			h = runtime.Spawn(cx, forever)
			require.NoError(t, cx.Sleep(time.Millisecond))
			h.Cancel()
			_, err = h.Join(cx)
			require.Equal(t, runtime.ErrCancelled, err)
		})
	})
}

// Tasks that outlive the shield in which they were started end when it has been left.
func TestTasksStartedInAShieldNoticeCloseAfterIt(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		var starts []*runtime.Handle[int]
		start := func(cx runtime.Cx) {
			nested := func(cx runtime.Cx) (int, error) {
				_, err := runtime.Spawn(cx, forever).JoinTimeout(cx, time.Hour)
				return 0, err
			}
			for range 3 {
				starts = append(starts, runtime.Spawn(cx, forever), runtime.Spawn(cx, nested),
					runtime.SpawnFuture(cx, never{}))
			}
			cx.Yield()
			starts = append(starts, runtime.Spawn(cx, forever))
		}
		inShieldDuringClose(t, rt, start, start)
		for _, h := range starts {
			_, err, ended := h.TryJoin()
			require.True(t, ended)
			require.Equal(t, runtime.ErrClosed, err)
		}
	})
}

// never is a future that is never ready.
type never struct{}

func (never) Poll(runtime.Cx) (int, error, bool) { return 0, nil, false }

// A shield protects what is started in it, not what is joined in it.
func TestTasksStartedBeforeAShieldNoticeClose(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (v int, err error) {
			h := runtime.Spawn(cx, forever)
			cx.Shield(func() {
				require.NoError(t, cx.Close())
				_, err = h.Join(cx)
			})
			return 0, err
		}))
		require.Equal(t, runtime.ErrClosed, err)
	})
}
