package runtime_test

import (
	"context"
	"fmt"
	goruntime "runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A locker is one of the ways to lock a Mutex or an RWMutex alone.
type locker interface {
	Lock(cx runtime.Cx) error
	LockContext(ctx context.Context) error
	TryLock() bool
	Unlock()
	UnlockFrom(cx runtime.Cx)
}

// eachLock runs a test with a Mutex and with an RWMutex.
func eachLock(t *testing.T, test func(t *testing.T, m locker, waiting func() int)) {
	t.Run("Mutex", func(t *testing.T) {
		m := new(runtime.Mutex)
		test(t, m, func() int { return runtime.Waiting(m) })
	})
	t.Run("RWMutex", func(t *testing.T) {
		m := new(runtime.RWMutex)
		test(t, m, func() int { return runtime.Waiting(m) })
	})
}

// Tasks of two runtimes and goroutines add to one variable, and wait while they hold the lock.
func TestALockExcludes(t *testing.T) {
	eachLock(t, func(t *testing.T, m locker, _ func() int) {
		const tasks, rounds = 8, 100
		first, second := start(t, 2), start(t, 2)
		sum := 0
		var handles []*runtime.Handle[struct{}]
		for i := range tasks {
			rt := []*runtime.Runtime{first, second}[i%2]
			handles = append(handles, runtime.Submit(rt, does(func(cx runtime.Cx) error {
				for j := range rounds {
					if err := m.Lock(cx); err != nil {
						return err
					}
					before := sum
					if j%3 == 0 {
						cx.Yield()
					}
					sum = before + 1
					m.UnlockFrom(cx)
				}
				return nil
			})))
		}
		var outside sync.WaitGroup
		for range 2 {
			outside.Go(func() {
				for range rounds {
					if err := m.LockContext(context.Background()); err != nil {
						t.Error(err)
					}
					sum++
					m.Unlock()
				}
			})
		}
		outside.Wait()
		for _, h := range handles {
			_, err := get(t, h)
			require.NoError(t, err)
		}
		require.Equal(t, (tasks+2)*rounds, sum)
		require.True(t, m.TryLock())
	})
}

func TestALockIsHandedOverInTheOrderOfTheCalls(t *testing.T) {
	eachLock(t, func(t *testing.T, m locker, waiting func() int) {
		rt := start(t, 1)
		run(t, rt, func(cx runtime.Cx) error {
			var order []int
			var tasks []*runtime.Handle[struct{}]
			require.True(t, m.TryLock())
			for i := range 5 {
				tasks = append(tasks, runtime.Spawn(cx, does(func(cx runtime.Cx) error {
					if err := m.Lock(cx); err != nil {
						return err
					}
					order = append(order, i)
					m.UnlockFrom(cx)
					return nil
				})))
				settle(cx)
			}
			require.Equal(t, 5, waiting())
			m.Unlock()
			require.False(t, m.TryLock(), "it belongs to the first in line")
			require.NoError(t, m.Lock(cx), "this call comes last")
			require.Equal(t, []int{0, 1, 2, 3, 4}, order)
			m.UnlockFrom(cx)
			for _, h := range tasks {
				if _, err := h.Join(cx); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func TestTheLockOfATaskThatIsCancelledInLineGoesToTheNext(t *testing.T) {
	eachLock(t, func(t *testing.T, m locker, waiting func() int) {
		rt := start(t, 1)
		run(t, rt, func(cx runtime.Cx) error {
			require.True(t, m.TryLock())
			first := runtime.Spawn(cx, does(m.Lock))
			settle(cx)
			second := runtime.Spawn(cx, does(m.Lock))
			settle(cx)
			require.Equal(t, 2, waiting())
			first.Cancel()
			_, err := first.Join(cx)
			require.ErrorIs(t, err, runtime.ErrCancelled)
			require.Equal(t, 1, waiting())
			m.UnlockFrom(cx)
			_, err = second.Join(cx)
			require.False(t, m.TryLock(), "the second holds it")
			m.Unlock() // which anybody may unlock
			require.True(t, m.TryLock())
			return err
		})
	})
}

// The lock that is handed over before the cancellation is held.
func TestALockThatComesBeforeTheCancellationIsHeld(t *testing.T) {
	eachLock(t, func(t *testing.T, m locker, _ func() int) {
		rt := start(t, 1)
		run(t, rt, func(cx runtime.Cx) error {
			require.True(t, m.TryLock())
			h := runtime.Spawn(cx, does(m.Lock))
			settle(cx)
			m.UnlockFrom(cx)
			h.Cancel()
			_, err := h.Join(cx)
			require.False(t, m.TryLock())
			return err
		})
	})
}

// Locks, cancellations and timeouts race: at the end the lock is free, and nobody waits.
func TestNoLockIsLostToACancellation(t *testing.T) {
	eachLock(t, func(t *testing.T, m locker, waiting func() int) {
		eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
			var tasks []*runtime.Handle[struct{}]
			var racing sync.WaitGroup
			inside := 0
			for i := range 300 {
				h := runtime.Submit(rt, does(func(cx runtime.Cx) error {
					if err := m.Lock(cx); err != nil {
						return err
					}
					defer m.UnlockFrom(cx)
					inside++
					cx.Yield()
					inside--
					return nil
				}))
				tasks = append(tasks, h)
				if i%3 == 0 {
					racing.Go(h.Cancel)
				}
				if i%10 == 0 {
					racing.Go(func() {
						ctx, stop := context.WithTimeout(context.Background(),
							time.Duration(i)*time.Microsecond)
						defer stop()
						if m.LockContext(ctx) == nil {
							inside++
							inside--
							m.Unlock()
						}
					})
				}
			}
			racing.Wait()
			for i, h := range tasks {
				if _, err := get(t, h); i%3 != 0 {
					require.NoError(t, err)
				}
			}
			require.Zero(t, waiting())
			require.True(t, m.TryLock(), "somebody holds it at the end")
			require.Zero(t, inside)
			m.Unlock()
		})
	})
}

// Close ends the calls in line, and leaves the lock to who holds it.
func TestCloseEndsTheWaitForALock(t *testing.T) {
	eachLock(t, func(t *testing.T, m locker, waiting func() int) {
		rt := start(t, 2)
		require.True(t, m.TryLock())
		h := runtime.Submit(rt, does(m.Lock))
		waits(t, func() bool { return waiting() == 1 }, "nobody waits")
		require.NoError(t, rt.Close())
		_, err := get(t, h)
		require.ErrorIs(t, err, runtime.ErrClosed)
		require.Zero(t, waiting())
		m.Unlock()
		require.True(t, m.TryLock())
	})
}

// A task that must end takes no lock, even if it is free.
func TestALockInATaskThatIsToEnd(t *testing.T) {
	eachLock(t, func(t *testing.T, m locker, _ func() int) {
		rt := start(t, 1)
		_, err := cancelled(t, rt, does(m.Lock))
		require.ErrorIs(t, err, runtime.ErrCancelled)
		ctx, stop := context.WithCancelCause(context.Background())
		stop(errOver)
		require.ErrorIs(t, m.LockContext(ctx), errOver)
		require.True(t, m.TryLock())
	})
}

// The lockings are the ways in which a task takes a free lock, or permits, and gives it back.
var lockings = map[string]func() func(cx runtime.Cx) error{
	"Mutex": func() func(cx runtime.Cx) error {
		return locking(new(runtime.Mutex))
	},
	"RWMutex": func() func(cx runtime.Cx) error {
		return locking(new(runtime.RWMutex))
	},
	"Semaphore": func() func(cx runtime.Cx) error {
		s := runtime.NewSemaphore(2)
		return func(cx runtime.Cx) error {
			err := s.Acquire(cx, 2)
			if err == nil {
				s.ReleaseFrom(cx, 2)
			}
			return err
		}
	},
	"RWMutex, RLock": func() func(cx runtime.Cx) error {
		var m runtime.RWMutex
		return func(cx runtime.Cx) error {
			err := m.RLock(cx)
			if err == nil {
				m.RUnlockFrom(cx)
			}
			return err
		}
	},
}

func locking(m locker) func(cx runtime.Cx) error {
	return func(cx runtime.Cx) error {
		err := m.Lock(cx)
		if err == nil {
			m.UnlockFrom(cx)
		}
		return err
	}
}

// A task that must end takes no free lock, also if a join has inlined it, and what must end is the
// task beneath it.
func TestFreeLocksTellOfTheEnd(t *testing.T) {
	for name, lock := range lockings {
		for _, inlined := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, inlined %v, Cancel", name, inlined), func(t *testing.T) {
				rt := start(t, 1)
				begun, cancelled := make(chan struct{}), make(chan struct{})
				h := runtime.Submit(rt, beneath(inlined, func(cx runtime.Cx) error {
					close(begun)
					<-cancelled // no call of this task tells before
					return lock()(cx)
				}))
				receive(t, begun)
				h.Cancel()
				close(cancelled)
				_, err := get(t, h)
				require.ErrorIs(t, err, runtime.ErrCancelled)
			})
			t.Run(fmt.Sprintf("%s, inlined %v, Close", name, inlined), func(t *testing.T) {
				rt := start(t, 1)
				begun := make(chan struct{})
				h := runtime.Submit(rt, beneath(inlined, func(cx runtime.Cx) error {
					close(begun)
					for cx.Err() == nil {
						cx.Yield()
					}
					return lock()(cx)
				}))
				receive(t, begun)
				require.NoError(t, rt.Close())
				_, err := get(t, h)
				require.ErrorIs(t, err, runtime.ErrClosed)
			})
		}
	}
}

// beneath returns fn, or, if inlined is set, a function that joins a child that calls it.
func beneath(inlined bool, fn func(cx runtime.Cx) error) func(runtime.Cx) (struct{}, error) {
	if !inlined {
		return does(fn)
	}
	return func(cx runtime.Cx) (struct{}, error) { return runtime.Spawn(cx, does(fn)).Join(cx) }
}

// In a shield, a cancelled task waits for the lock and gets it.
func TestAShieldedTaskLocks(t *testing.T) {
	eachLock(t, func(t *testing.T, m locker, waiting func() int) {
		rt := start(t, 1)
		run(t, rt, func(cx runtime.Cx) error {
			require.True(t, m.TryLock())
			h := runtime.Spawn(cx, does(func(cx runtime.Cx) (err error) {
				cx.Shield(func() { err = m.Lock(cx) })
				return err
			}))
			settle(cx)
			h.Cancel()
			settle(cx)
			require.Equal(t, 1, waiting())
			m.UnlockFrom(cx)
			_, err := h.Join(cx)
			require.False(t, m.TryLock())
			return err
		})
	})
}

// Who locks and unlocks again and again lets others in, even if nothing that it does waits.
func TestNobodyStarvesAtALock(t *testing.T) {
	eachLock(t, func(t *testing.T, m locker, _ func() int) {
		rt := start(t, 1)
		run(t, rt, func(cx runtime.Cx) error {
			over := false
			h := runtime.Spawn(cx, does(func(cx runtime.Cx) error {
				for !over {
					if err := m.Lock(cx); err != nil {
						return err
					}
					m.UnlockFrom(cx)
				}
				return nil
			}))
			settle(cx)
			for range 20 {
				if err := m.Lock(cx); err != nil {
					return err
				}
				cx.Yield() // the other comes to wait
				m.UnlockFrom(cx)
			}
			over = true
			_, err := h.Join(cx)
			return err
		})
	})
}

func TestMutexMisuse(t *testing.T) {
	rt := start(t, 1)
	var m runtime.Mutex
	const free = ": the Mutex is not locked"
	const zero = ": the zero Cx; a Cx is what a task's function is given"
	require.Equal(t, "surewake: Mutex.Unlock"+free, panics(m.Unlock))
	require.Equal(t, "surewake: Mutex.Lock"+zero, panics(func() { _ = m.Lock(runtime.Cx{}) }))
	require.Equal(t, "surewake: Mutex.UnlockFrom"+zero,
		panics(func() { m.UnlockFrom(runtime.Cx{}) }))
	require.Equal(t, "surewake: Mutex.LockContext: nil context",
		panics(func() { _ = m.LockContext(noContext) }))
	run(t, rt, func(cx runtime.Cx) error {
		require.Equal(t, "surewake: Mutex.UnlockFrom"+free, panics(func() { m.UnlockFrom(cx) }))
		return nil
	})
	require.True(t, m.TryLock(), "a panic of Unlock leaves the Mutex as it was")
	m.Unlock()
	require.Equal(t, "surewake: Mutex.Unlock"+free, panics(m.Unlock))
}

// exclusive measures a lock that nobody else wants.
func exclusive(b *testing.B, lock, unlock func()) {
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		lock()
		n++
		unlock()
	}
}

func BenchmarkMutex(b *testing.B) {
	b.Run("free/task", func(b *testing.B) {
		var m runtime.Mutex
		benchIn(b, 1, func(cx runtime.Cx) {
			exclusive(b, func() { _ = m.Lock(cx) }, func() { m.UnlockFrom(cx) })
		})
	})
	b.Run("free/sync.Mutex", func(b *testing.B) {
		var m sync.Mutex
		exclusive(b, m.Lock, m.Unlock)
	})
	// Eight want it all the time, and hold it for a moment.
	b.Run("wanted/tasks", func(b *testing.B) {
		var m runtime.Mutex
		benchIn(b, 2, func(cx runtime.Cx) {
			benchTasks(b, cx, 8, func(cx runtime.Cx) {
				_ = m.Lock(cx)
				m.UnlockFrom(cx)
			})
		})
	})
	b.Run("wanted/sync.Mutex", func(b *testing.B) {
		var m sync.Mutex
		benchGoroutines(b, 8, func() {
			m.Lock()
			m.Unlock() //nolint:staticcheck // a critical section that is as short as can be
		})
	})
	// Eight want it, and each lets others run while it holds it.
	b.Run("held-across-a-yield/tasks", func(b *testing.B) {
		var m runtime.Mutex
		benchIn(b, 2, func(cx runtime.Cx) {
			benchTasks(b, cx, 8, func(cx runtime.Cx) {
				_ = m.Lock(cx)
				cx.Yield()
				m.UnlockFrom(cx)
			})
		})
	})
	b.Run("held-across-a-yield/sync.Mutex", func(b *testing.B) {
		var m sync.Mutex
		benchGoroutines(b, 8, func() {
			m.Lock()
			goruntime.Gosched()
			m.Unlock()
		})
	})
}

// benchTasks runs so many tasks, each of which calls call 100 times.
func benchTasks(b *testing.B, cx runtime.Cx, tasks int, call func(cx runtime.Cx)) {
	b.ReportAllocs()
	const share = 100
	for b.Loop() {
		_, err := runtime.SpawnBatch(cx, tasks, func(cx runtime.Cx, _ int) (struct{}, error) {
			for range share {
				call(cx)
			}
			return struct{}{}, nil
		}).Join(cx)
		if err != nil {
			b.Fatal(err)
		}
	}
	per(b, tasks*share, "call")
}

// benchGoroutines is benchTasks for goroutines.
func benchGoroutines(b *testing.B, goroutines int, call func()) {
	b.ReportAllocs()
	const share = 100
	for b.Loop() {
		var all sync.WaitGroup
		for range goroutines {
			all.Go(func() {
				for range share {
					call()
				}
			})
		}
		all.Wait()
	}
	per(b, goroutines*share, "call")
}
