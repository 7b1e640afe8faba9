//go:build unix && !aix

package runtime_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// With Debug, nothing waits, forks or wakes others by a Cx on another goroutine, and what was
// refused has changed nothing: nobody is in line, no lock is taken or left, nothing is sent.
// (runtime/R54)
func TestDebugRefusesWaitsAndWakesOnAnotherGoroutine(t *testing.T) {
	eachProcs(t, func(t *testing.T) {
		rt := start(t, 1, runtime.Debug())
		run(t, rt, func(cx runtime.Cx) error {
			var free, locked runtime.Mutex
			var rw, read, written runtime.RWMutex
			var bell, cond runtime.Notify
			var group runtime.WaitGroup
			var shot, sent runtime.Oneshot[int]
			var again runtime.Task[int]
			var nap runtime.Nap
			var pending runtime.Pending
			require.NoError(t, locked.Lock(cx))
			require.NoError(t, read.RLock(cx))
			require.NoError(t, written.Lock(cx))
			require.NoError(t, sent.Send(1))
			group.Add(1)
			semaphore, taken := runtime.NewSemaphore(1), runtime.NewSemaphore(1)
			require.NoError(t, taken.Acquire(cx, 1))
			empty, full := runtime.NewChannel[int](1), runtime.NewChannel[int](1)
			require.NoError(t, full.Send(cx, 1))
			condition := runtime.NewCond(&locked)
			limiter := runtime.NewLimiter(1, 1)
			child := runtime.Spawn(cx, answer)
			batch := runtime.SpawnBatch(cx, 2, fib)
			again.Spawn(cx, answer)
			ticker := cx.NewTicker(time.Hour, runtime.Skip)
			waker := cx.Waker()
			goes := make(chan int, 1)
			conn := connected(t, rt)
			joined := runtime.NewGroup(t.Context(), rt)
			for what, call := range map[string]func(){
				"Mutex.Lock":          func() { _ = free.Lock(cx) },
				"Mutex.UnlockFrom":    func() { locked.UnlockFrom(cx) },
				"RWMutex.Lock":        func() { _ = rw.Lock(cx) },
				"RWMutex.RLock":       func() { _ = rw.RLock(cx) },
				"RWMutex.UnlockFrom":  func() { written.UnlockFrom(cx) },
				"RWMutex.RUnlockFrom": func() { read.RUnlockFrom(cx) },
				"WaitGroup.Wait":      func() { _ = group.Wait(cx) },
				"WaitGroup.DoneFrom":  func() { group.DoneFrom(cx) },
				"Cond.Wait":           func() { _ = condition.Wait(cx) },
				"Cond.SignalFrom":     func() { condition.SignalFrom(cx) },
				"Notify.Wait":         func() { _ = bell.Wait(cx) },
				"Notify.WaitFor": func() {
					_ = cond.WaitFor(cx, func() bool { return false })
				},
				"Notify.SignalFrom":     func() { bell.SignalFrom(cx) },
				"Oneshot.Receive":       func() { _, _ = sent.Receive(cx) },
				"Oneshot.SendFrom":      func() { _ = shot.SendFrom(cx, 1) },
				"Semaphore.Acquire":     func() { _ = semaphore.Acquire(cx, 1) },
				"Semaphore.ReleaseFrom": func() { taken.ReleaseFrom(cx, 1) },
				"Channel.Send":          func() { _ = empty.Send(cx, 1) },
				"Channel.Receive":       func() { _, _ = full.Receive(cx) },
				"Channel.All": func() {
					for range full.All(cx) {
						break
					}
				},
				"Select": func() {
					var v int
					_, _ = runtime.Select(cx, full.ReceiveCase(&v), runtime.AfterCase(0))
				},
				"Limiter.Wait":       func() { _ = limiter.Wait(cx) },
				"Limiter.WaitN":      func() { _ = limiter.WaitN(cx, 1) },
				"Receive":            func() { _, _, _ = runtime.Receive(cx, goes) },
				"Send":               func() { _ = runtime.Send(cx, goes, 1) },
				"Sleep":              func() { _ = cx.Sleep(time.Microsecond) },
				"SleepUntil":         func() { _ = cx.SleepUntil(time.Now().Add(1000)) },
				"Ticker.Next":        func() { _ = ticker.Next(cx) },
				"AwaitContext":       func() { _ = cx.AwaitContext(t.Context()) },
				"Handle.Join":        func() { _, _ = child.Join(cx) },
				"Handle.JoinTimeout": func() { _, _ = child.JoinTimeout(cx, 1) },
				"Handle.JoinContext": func() { _, _ = child.JoinContext(cx, t.Context()) },
				"TaskBatch.Join":     func() { _, _ = batch.Join(cx) },
				"Group.Join":         func() { _ = joined.Join(cx) },
				"Task.Join":          func() { _, _ = again.Join(cx) },
				"Task.Cancel":        func() { again.Cancel(cx) },
				"Next":               func() { _, _ = runtime.Next(cx, child) },
				"AsEnded": func() {
					for range runtime.AsEnded(cx, child) {
						break
					}
				},
				"Waker.WakeFrom": func() { waker.WakeFrom(cx) },
				"Nap.Over":       func() { nap.Over(cx, 1) },
				"Pending.Poll":   func() { _, _, _ = pending.Poll(cx) },
				"Pending.Stop":   func() { pending.Stop(cx) },
				"Conn.Read":      func() { _, _ = conn.Read(cx, make([]byte, 1)) },
				"Conn.Write":     func() { _, _ = conn.Write(cx, make([]byte, 1)) },
				"Fork":           func() { runtime.Fork(cx, fibFork, 3).Join(cx) },
				"Both": func() {
					runtime.Both(cx, func(runtime.Cx) int { return 1 },
						func(runtime.Cx) int { return 2 })
				},
				"For":    func() { _ = runtime.For(cx, 0, 3, func(runtime.Cx, int) {}) },
				"Range":  func() { _ = runtime.Range(cx, 0, 3, func(runtime.Cx, int, int) {}) },
				"Sort":   func() { _ = runtime.Sort(cx, make([]int, 10_000)) },
				"Forks":  func() { cx.Forks() },
				"ForErr": func() { _ = runtime.ForErr(cx, 0, 3, noErrorOf) },
			} {
				for _, forked := range []bool{false, true} {
					if forked { // the task has a strand already
						require.Equal(t, 2, runtime.Fork(cx, fibFork, 3).Join(cx))
					}
					told := make(chan any)
					go func() { //cxcheck:ignore it is refused
						told <- panics(call)
					}()
					require.Equal(t,
						"surewake: a Cx must be used on the goroutine of its task only", <-told,
						what)
				}
			}
			require.True(t, free.TryLock())
			require.False(t, locked.TryLock())
			require.True(t, rw.TryLock())
			require.False(t, read.TryLock())
			require.True(t, read.TryRLock())
			require.False(t, written.TryRLock())
			require.True(t, semaphore.TryAcquire(1))
			require.False(t, taken.TryAcquire(1))
			require.Zero(t, empty.Len())
			require.Equal(t, 1, full.Len())
			require.True(t, limiter.Allow())
			require.Empty(t, goes)
			require.Zero(t, rt.Stats().Timers)
			_, err := shot.TryReceive()
			require.ErrorIs(t, err, runtime.ErrWouldWait)
			group.Done()
			if err := group.Wait(cx); err != nil {
				return err
			}
			_, err = again.Join(cx)
			require.NoError(t, err)
			_, err = batch.Join(cx)
			require.NoError(t, err)
			v, err := child.Join(cx)
			require.Equal(t, 42, v)
			return err
		})
		closes(t, rt)
		s := rt.Stats()
		require.Equal(t, s.Spawned, s.Completed)
	})
}

// connected returns the one end of a connection whose other end is silent.
func connected(t *testing.T, rt *runtime.Runtime) *runtime.Conn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithTimeout(t.Context(), stuckAfter)
	defer stop()
	c, err := new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String())
	require.NoError(t, err)
	conn, err := rt.Conn(c)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = conn.Close()
		_ = l.Close()
	})
	return conn
}
