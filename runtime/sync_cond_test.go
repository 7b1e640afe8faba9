package runtime_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A bounded buffer, as in every textbook: two conditions of one lock.
func TestABufferOfTwoConditions(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		const producers, each, room = 4, 100, 3
		var m runtime.Mutex
		notEmpty, notFull := runtime.NewCond(&m), runtime.Cond{L: &m}
		var buffer []int
		put := func(v int) {
			buffer = append(buffer, v)
			if len(buffer) > room {
				t.Errorf("%d are in a buffer for %d", len(buffer), room)
			}
		}
		var tasks []*runtime.Handle[int]
		for range producers {
			tasks = append(tasks, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				for range each {
					if err := m.Lock(cx); err != nil {
						return 0, err
					}
					for len(buffer) == room {
						if err := notFull.Wait(cx); err != nil {
							m.UnlockFrom(cx)
							return 0, err
						}
					}
					put(1)
					notEmpty.SignalFrom(cx)
					m.UnlockFrom(cx)
				}
				return 0, nil
			}))
			tasks = append(tasks, runtime.Submit(rt, func(cx runtime.Cx) (sum int, err error) {
				for range each {
					if err := m.Lock(cx); err != nil {
						return 0, err
					}
					for len(buffer) == 0 {
						if err := notEmpty.Wait(cx); err != nil {
							m.UnlockFrom(cx)
							return 0, err
						}
					}
					sum += buffer[0]
					buffer = buffer[1:]
					m.UnlockFrom(cx)
					notFull.SignalFrom(cx) // without the lock
				}
				return sum, nil
			}))
		}
		var outside sync.WaitGroup
		ctx := context.Background()
		outside.Go(func() {
			for range each {
				_ = m.LockContext(ctx)
				for len(buffer) == room {
					_ = notFull.WaitContext(ctx)
				}
				put(1)
				m.Unlock()
				notEmpty.Signal()
			}
		})
		sum := 0
		for range each {
			require.NoError(t, m.LockContext(ctx))
			for len(buffer) == 0 {
				require.NoError(t, notEmpty.WaitContext(ctx))
			}
			sum += buffer[0]
			buffer = buffer[1:]
			m.Unlock()
			notFull.Signal()
		}
		outside.Wait()
		for _, h := range tasks {
			v, err := get(t, h)
			require.NoError(t, err)
			sum += v
		}
		require.Equal(t, (producers+1)*each, sum)
		require.True(t, m.TryLock())
	})
}

func TestSignalsOfACondEndWaitsInTheirOrder(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		var m runtime.Mutex
		c := runtime.NewCond(&m)
		c.Signal() // is not remembered
		c.Broadcast()
		var order []int
		var tasks []*runtime.Handle[struct{}]
		for i := range 5 {
			tasks = append(tasks, runtime.Spawn(cx, does(func(cx runtime.Cx) error {
				if err := m.Lock(cx); err != nil {
					return err
				}
				defer m.UnlockFrom(cx)
				err := c.Wait(cx)
				order = append(order, i)
				return err
			})))
			settle(cx)
		}
		require.Empty(t, order)
		c.SignalFrom(cx)
		settle(cx)
		c.Signal()
		settle(cx)
		require.Equal(t, []int{0, 1}, order)
		c.Broadcast()
		for _, h := range tasks {
			if _, err := h.Join(cx); err != nil {
				return err
			}
		}
		require.Len(t, order, 5)
		require.True(t, m.TryLock())
		return nil
	})
}

// condition is a task that waits for c, and says what came of it and whether it had the lock then.
func condition(m *runtime.Mutex, c *runtime.Cond, locked *atomic.Bool,
) func(runtime.Cx) (struct{}, error) {
	return does(func(cx runtime.Cx) error {
		if err := m.Lock(cx); err != nil {
			return err
		}
		defer m.UnlockFrom(cx)
		err := c.Wait(cx)
		locked.Store(!m.TryLock())
		return err
	})
}

// A cancelled wait ends when it has the lock again, and leaves the signal to others.
func TestCancelledWaitOfACondHoldsTheLock(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		var m runtime.Mutex
		c := runtime.NewCond(&m)
		var locked [2]atomic.Bool
		first := runtime.Spawn(cx, condition(&m, c, &locked[0]))
		settle(cx)
		second := runtime.Spawn(cx, condition(&m, c, &locked[1]))
		settle(cx)
		require.Equal(t, 2, runtime.Waiting(c))
		require.NoError(t, m.Lock(cx))
		first.Cancel()
		settle(cx)
		require.False(t, hasEnded(first), "it has returned without the lock")
		require.Equal(t, 1, runtime.Waiting(c))
		require.Equal(t, 1, runtime.Waiting(&m))
		c.SignalFrom(cx)
		m.UnlockFrom(cx)
		_, err := second.Join(cx)
		require.NoError(t, err)
		_, err = first.Join(cx)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		require.True(t, locked[0].Load() && locked[1].Load())
		require.True(t, m.TryLock())
		return nil
	})
}

func TestSignalBeforeTheCancellationEndsTheWaitOfACond(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		var m runtime.Mutex
		c := runtime.NewCond(&m)
		var locked atomic.Bool
		h := runtime.Spawn(cx, condition(&m, c, &locked))
		settle(cx)
		c.SignalFrom(cx)
		h.Cancel()
		_, err := h.Join(cx)
		require.True(t, locked.Load())
		return err
	})
}

// Close ends waits, one after the other, each with the lock.
func TestCloseEndsTheWaitsOfACond(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		var m runtime.Mutex
		c := runtime.NewCond(&m)
		var locked [4]atomic.Bool
		var tasks []*runtime.Handle[struct{}]
		for i := range locked {
			tasks = append(tasks, runtime.Submit(rt, condition(&m, c, &locked[i])))
		}
		waits(t, func() bool { return runtime.Waiting(c) == len(tasks) }, "nobody waits")
		require.NoError(t, m.LockContext(context.Background()))
		over := make(chan error, 1)
		go func() { over <- rt.Close() }()
		waits(t, func() bool { return runtime.Waiting(&m) == len(tasks) }, "nobody wants the lock")
		m.Unlock()
		require.NoError(t, receive(t, over))
		for i, h := range tasks {
			_, err := get(t, h)
			require.ErrorIs(t, err, runtime.ErrClosed)
			require.True(t, locked[i].Load())
		}
		require.True(t, m.TryLock())
	})
}

// Signals and cancellations race: each signal ends one wait that returns nil, as long as somebody
// waits.
func TestNoSignalOfACondIsLostToACancellation(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		for range 100 {
			var m runtime.Mutex
			c := runtime.NewCond(&m)
			var locked atomic.Bool
			wait := condition(&m, c, &locked)
			first, second := runtime.Submit(rt, wait), runtime.Submit(rt, wait)
			waits(t, func() bool { return runtime.Waiting(c) == 2 }, "nobody waits")
			var racing sync.WaitGroup
			racing.Go(c.Signal)
			racing.Go(first.Cancel)
			racing.Wait()
			_, err := get(t, first)
			if err == nil {
				// If it was the second that came first, both have ended so.
				second.Cancel()
			}
			_, other := get(t, second)
			require.True(t, err == nil || other == nil, "%v, %v", err, other)
			require.True(t, m.TryLock())
		}
	})
}

func TestWaitContextOfACondThatEnds(t *testing.T) {
	var m runtime.Mutex
	c := runtime.NewCond(&m)
	require.True(t, m.TryLock())
	ctx, stop := context.WithCancelCause(context.Background())
	over := make(chan error, 1)
	go func() {
		err := c.WaitContext(ctx)
		m.Unlock()
		over <- err
	}()
	waits(t, func() bool { return runtime.Waiting(c) == 1 }, "nobody waits")
	require.NoError(t, m.LockContext(t.Context()))
	stop(errOver)
	waits(t, func() bool { return runtime.Waiting(&m) == 1 }, "it does not want the lock")
	require.Zero(t, runtime.Waiting(c))
	m.Unlock()
	require.ErrorIs(t, receive(t, over), errOver)
	require.True(t, m.TryLock())
	require.ErrorIs(t, c.WaitContext(ctx), errOver)
	require.False(t, m.TryLock(), "it is unlocked")
}

func TestCondInATaskThatIsToEnd(t *testing.T) {
	rt := start(t, 1)
	var m runtime.Mutex
	c := runtime.NewCond(&m)
	require.True(t, m.TryLock())
	_, err := cancelled(t, rt, does(c.Wait))
	require.ErrorIs(t, err, runtime.ErrCancelled)
	require.False(t, m.TryLock(), "it is unlocked")
}

func TestCondMisuse(t *testing.T) {
	rt := start(t, 1)
	var m runtime.Mutex
	c := runtime.NewCond(&m)
	var none runtime.Cond
	const zero = ": the zero Cx; a Cx is what a task's function is given"
	require.Equal(t, "surewake: NewCond: nil Mutex", panics(func() { runtime.NewCond(nil) }))
	require.Equal(t, "surewake: Cond.Wait"+zero, panics(func() { _ = c.Wait(runtime.Cx{}) }))
	require.Equal(t, "surewake: Cond.SignalFrom"+zero,
		panics(func() { c.SignalFrom(runtime.Cx{}) }))
	require.Equal(t, "surewake: Cond.WaitContext: nil context",
		panics(func() { _ = c.WaitContext(noContext) }))
	require.Equal(t, "surewake: Cond.WaitContext: L is nil; NewCond sets it",
		panics(func() { _ = none.WaitContext(t.Context()) }))
	require.Equal(t, "surewake: Cond.WaitContext: L is not locked",
		panics(func() { _ = c.WaitContext(t.Context()) }))
	run(t, rt, func(cx runtime.Cx) error {
		require.Equal(t, "surewake: Cond.Wait: L is nil; NewCond sets it",
			panics(func() { _ = none.Wait(cx) }))
		require.Equal(t, "surewake: Cond.Wait: L is not locked",
			panics(func() { _ = c.Wait(cx) }))
		return nil
	})
	require.Zero(t, runtime.Waiting(c))
	require.True(t, m.TryLock())
}

func BenchmarkCond(b *testing.B) {
	b.Run("ping-pong/tasks", func(b *testing.B) {
		b.ReportAllocs()
		benchIn(b, 1, func(cx runtime.Cx) {
			var m runtime.Mutex
			c := runtime.NewCond(&m)
			turn, over := 0, false
			await := func(cx runtime.Cx, mine int) {
				for turn != mine && !over {
					_ = c.Wait(cx)
				}
				turn = 1 - mine
				c.SignalFrom(cx)
			}
			h := runtime.Spawn(cx, does(func(cx runtime.Cx) error {
				_ = m.Lock(cx)
				for !over {
					await(cx, 1)
				}
				m.UnlockFrom(cx)
				return nil
			}))
			_ = m.Lock(cx)
			for b.Loop() {
				await(cx, 0)
			}
			over = true
			c.SignalFrom(cx)
			m.UnlockFrom(cx)
			_, _ = h.Join(cx)
		})
	})
	b.Run("ping-pong/sync.Cond", func(b *testing.B) {
		b.ReportAllocs()
		var m sync.Mutex
		c := sync.NewCond(&m)
		turn, over := 0, false
		await := func(mine int) {
			for turn != mine && !over {
				c.Wait()
			}
			turn = 1 - mine
			c.Signal()
		}
		var other sync.WaitGroup
		other.Go(func() {
			m.Lock()
			for !over {
				await(1)
			}
			m.Unlock()
		})
		m.Lock()
		for b.Loop() {
			await(0)
		}
		over = true
		c.Signal()
		m.Unlock()
		other.Wait()
	})
}
