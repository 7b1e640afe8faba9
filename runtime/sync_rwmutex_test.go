package runtime_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// Readers are never inside with a writer, nor are two writers.
func TestAWriterIsAloneInside(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		var m runtime.RWMutex
		var readers, writers atomic.Int64
		read := func() {
			if writers.Load() != 0 {
				t.Error("a reader is inside with a writer")
			}
			readers.Add(1)
		}
		var tasks []*runtime.Handle[struct{}]
		for i := range 20 {
			tasks = append(tasks, runtime.Submit(rt, does(func(cx runtime.Cx) error {
				for j := range 50 {
					if (i+j)%5 == 0 {
						if err := m.Lock(cx); err != nil {
							return err
						}
						if writers.Add(1) != 1 || readers.Load() != 0 {
							t.Error("a writer is not alone")
						}
						cx.Yield()
						writers.Add(-1)
						m.UnlockFrom(cx)
						continue
					}
					if err := m.RLock(cx); err != nil {
						return err
					}
					read()
					cx.Yield()
					readers.Add(-1)
					m.RUnlockFrom(cx)
				}
				return nil
			})))
		}
		var outside sync.WaitGroup
		outside.Go(func() {
			for range 50 {
				if err := m.RLockContext(context.Background()); err != nil {
					t.Error(err)
				}
				read()
				readers.Add(-1)
				m.RUnlock()
			}
		})
		outside.Wait()
		for _, h := range tasks {
			_, err := get(t, h)
			require.NoError(t, err)
		}
		require.True(t, m.TryLock())
	})
}

// While a writer is in line, readers that come later wait for it; it waits only for those inside.
func TestAWriterDoesNotStarve(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		var m runtime.RWMutex
		var order []string
		as := func(name string, lock func(runtime.Cx) error, unlock func(runtime.Cx),
		) *runtime.Handle[struct{}] {
			h := runtime.Spawn(cx, does(func(cx runtime.Cx) error {
				if err := lock(cx); err != nil {
					return err
				}
				order = append(order, name)
				unlock(cx)
				return nil
			}))
			settle(cx)
			return h
		}
		require.True(t, m.TryRLock())
		require.True(t, m.TryRLock())
		tasks := []*runtime.Handle[struct{}]{
			as("first writer", m.Lock, m.UnlockFrom),
			as("first reader", m.RLock, m.RUnlockFrom),
			as("second reader", m.RLock, m.RUnlockFrom),
			as("second writer", m.Lock, m.UnlockFrom),
			as("third reader", m.RLock, m.RUnlockFrom),
		}
		require.False(t, m.TryRLock(), "a writer waits")
		m.RUnlock()
		settle(cx)
		require.Empty(t, order, "a reader is inside")
		m.RUnlockFrom(cx)
		for _, h := range tasks {
			if _, err := h.Join(cx); err != nil {
				return err
			}
		}
		require.ElementsMatch(t, []string{"first reader", "second reader"}, order[1:3])
		order[1], order[2] = "", ""
		require.Equal(t, []string{"first writer", "", "", "second writer", "third reader"}, order)
		return nil
	})
}

// The first in line wants to write and gives up: the readers behind it enter, though another reader
// is inside. (runtime/R25)
func TestReadersPassAWriterThatGivesUp(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		var m runtime.RWMutex
		require.True(t, m.TryRLock())
		writer := runtime.Spawn(cx, does(m.Lock))
		settle(cx)
		var readers []*runtime.Handle[struct{}]
		for range 2 {
			readers = append(readers, runtime.Spawn(cx, does(m.RLock)))
			settle(cx)
		}
		second := runtime.Spawn(cx, does(m.Lock))
		settle(cx)
		require.Equal(t, 4, runtime.Waiting(&m))
		writer.Cancel()
		settle(cx)
		require.Equal(t, 1, runtime.Waiting(&m), "both readers enter")
		for _, h := range readers {
			if _, err := h.Join(cx); err != nil {
				return err
			}
		}
		_, err := writer.Join(cx)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		require.Equal(t, 1, runtime.Waiting(&m), "the second writer has passed")

		ctx, stop := context.WithCancelCause(context.Background())
		outside := make(chan error, 1)
		go func() { outside <- m.RLockContext(ctx) }()
		for runtime.Waiting(&m) == 1 {
			cx.Yield()
		}
		stop(errOver)
		if err, _, _ := runtime.Receive(cx, outside); err == nil {
			t.Error("a reader has passed a writer")
		}
		for range 3 {
			m.RUnlockFrom(cx)
		}
		if _, err := second.Join(cx); err != nil {
			return err
		}
		m.UnlockFrom(cx)
		require.True(t, m.TryLock())
		return nil
	})
}

// Readers and writers are cancelled while they come and go: at the end nobody holds it or waits.
func TestNoReaderIsLostToACancellation(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		var m runtime.RWMutex
		var tasks []*runtime.Handle[struct{}]
		var racing sync.WaitGroup
		shared := 0
		for i := range 300 {
			h := runtime.Submit(rt, does(func(cx runtime.Cx) error {
				if i%4 == 0 {
					if err := m.Lock(cx); err != nil {
						return err
					}
					shared++
					cx.Yield()
					m.UnlockFrom(cx)
					return nil
				}
				if err := m.RLock(cx); err != nil {
					return err
				}
				if shared < 0 {
					t.Error("it shrinks")
				}
				cx.Yield()
				m.RUnlockFrom(cx)
				return nil
			}))
			tasks = append(tasks, h)
			if i%3 == 0 {
				racing.Go(h.Cancel)
			}
		}
		racing.Wait()
		for i, h := range tasks {
			if _, err := get(t, h); i%3 != 0 {
				require.NoError(t, err)
			}
		}
		require.Zero(t, runtime.Waiting(&m))
		require.True(t, m.TryLock(), "somebody holds it at the end")
	})
}

func TestReadingInATaskThatIsToEnd(t *testing.T) {
	rt := start(t, 1)
	var m runtime.RWMutex
	_, err := cancelled(t, rt, does(m.RLock))
	require.ErrorIs(t, err, runtime.ErrCancelled)
	ctx, stop := context.WithCancelCause(context.Background())
	stop(errOver)
	require.ErrorIs(t, m.RLockContext(ctx), errOver)
	require.True(t, m.TryLock())
}

func TestRWMutexMisuse(t *testing.T) {
	rt := start(t, 1)
	var m runtime.RWMutex
	const noWriter = ": no writer holds the RWMutex"
	const noReader = ": no reader holds the RWMutex"
	const zero = ": the zero Cx; a Cx is what a task's function is given"
	require.Equal(t, "surewake: RWMutex.Unlock"+noWriter, panics(m.Unlock))
	require.Equal(t, "surewake: RWMutex.RUnlock"+noReader, panics(m.RUnlock))
	require.True(t, m.TryRLock())
	require.Equal(t, "surewake: RWMutex.Unlock"+noWriter, panics(m.Unlock))
	m.RUnlock()
	require.True(t, m.TryLock())
	require.Equal(t, "surewake: RWMutex.RUnlock"+noReader, panics(m.RUnlock))
	for what, call := range map[string]func(){
		"Lock":        func() { _ = m.Lock(runtime.Cx{}) },
		"RLock":       func() { _ = m.RLock(runtime.Cx{}) },
		"UnlockFrom":  func() { m.UnlockFrom(runtime.Cx{}) },
		"RUnlockFrom": func() { m.RUnlockFrom(runtime.Cx{}) },
	} {
		require.Equal(t, "surewake: RWMutex."+what+zero, panics(call))
	}
	require.Equal(t, "surewake: RWMutex.LockContext: nil context",
		panics(func() { _ = m.LockContext(noContext) }))
	require.Equal(t, "surewake: RWMutex.RLockContext: nil context",
		panics(func() { _ = m.RLockContext(noContext) }))
	run(t, rt, func(cx runtime.Cx) error {
		require.Equal(t, "surewake: RWMutex.RUnlockFrom"+noReader,
			panics(func() { m.RUnlockFrom(cx) }))
		m.UnlockFrom(cx)
		require.Equal(t, "surewake: RWMutex.UnlockFrom"+noWriter,
			panics(func() { m.UnlockFrom(cx) }))
		return nil
	})
	require.True(t, m.TryLock(), "a panic of Unlock leaves the RWMutex as it was")
}

func BenchmarkRWMutex(b *testing.B) {
	b.Run("free/task", func(b *testing.B) {
		var m runtime.RWMutex
		benchIn(b, 1, func(cx runtime.Cx) {
			exclusive(b, func() { _ = m.RLock(cx) }, func() { m.RUnlockFrom(cx) })
		})
	})
	b.Run("free/sync.RWMutex", func(b *testing.B) {
		var m sync.RWMutex
		exclusive(b, m.RLock, m.RUnlock)
	})
	// Eight use it all the time; every tenth call is of a writer.
	b.Run("wanted/tasks", func(b *testing.B) {
		var m runtime.RWMutex
		var n atomic.Int64
		benchIn(b, 2, func(cx runtime.Cx) {
			benchTasks(b, cx, 8, func(cx runtime.Cx) {
				if n.Add(1)%10 == 0 {
					_ = m.Lock(cx)
					m.UnlockFrom(cx)
					return
				}
				_ = m.RLock(cx)
				m.RUnlockFrom(cx)
			})
		})
	})
	b.Run("wanted/sync.RWMutex", func(b *testing.B) {
		var m sync.RWMutex
		var n atomic.Int64
		benchGoroutines(b, 8, func() {
			if n.Add(1)%10 == 0 {
				m.Lock()
				m.Unlock() //nolint:staticcheck // a critical section that is as short as can be
				return
			}
			m.RLock()
			m.RUnlock() //nolint:staticcheck // the same
		})
	})
}
