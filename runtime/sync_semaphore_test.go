package runtime_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

func TestNoMorePermitsAreOutThanThereAre(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		const permits = 5
		s := runtime.NewSemaphore(permits)
		var out atomic.Int64
		use := func(n int64) {
			if now := out.Add(n); now > permits {
				t.Errorf("%d permits are out", now)
			}
			out.Add(-n)
		}
		var tasks []*runtime.Handle[struct{}]
		for i := range 20 {
			tasks = append(tasks, runtime.Submit(rt, does(func(cx runtime.Cx) error {
				for j := range 50 {
					n := 1 + (i+j)%permits
					if err := s.Acquire(cx, n); err != nil {
						return err
					}
					use(int64(n))
					if i%2 == 0 {
						cx.Yield()
					}
					s.ReleaseFrom(cx, n)
				}
				return nil
			})))
		}
		var outside sync.WaitGroup
		outside.Go(func() {
			for range 50 {
				if err := s.AcquireContext(context.Background(), 2); err != nil {
					t.Error(err)
				}
				use(2)
				s.Release(2)
			}
		})
		for _, h := range tasks {
			_, err := get(t, h)
			require.NoError(t, err)
		}
		outside.Wait()
		require.Equal(t, permits, s.Free())
	})
}

// Who wants all waits for its turn only: those that want one, come later and come again and again
// are in line after it.
func TestWhoWantsMuchDoesNotStarve(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		s := runtime.NewSemaphore(3)
		var over atomic.Bool
		var tasks []*runtime.Handle[struct{}]
		for range 6 {
			tasks = append(tasks, runtime.Submit(rt, does(func(cx runtime.Cx) error {
				for !over.Load() {
					if err := s.Acquire(cx, 1); err != nil {
						return err
					}
					cx.Yield()
					s.ReleaseFrom(cx, 1)
				}
				return nil
			})))
		}
		run(t, rt, func(cx runtime.Cx) error {
			for range 20 {
				if err := s.Acquire(cx, 3); err != nil {
					return err
				}
				s.ReleaseFrom(cx, 3)
			}
			return nil
		})
		over.Store(true)
		for _, h := range tasks {
			_, err := get(t, h)
			require.NoError(t, err)
		}
	})
}

func TestTryAcquireDoesNotPassAnybody(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		s := runtime.NewSemaphore(3)
		require.True(t, s.TryAcquire(1))
		h := runtime.Spawn(cx, does(func(cx runtime.Cx) error { return s.Acquire(cx, 3) }))
		settle(cx)
		require.Equal(t, 2, s.Free())
		require.False(t, s.TryAcquire(1), "two are free, but somebody waits for three")
		s.Release(1)
		_, err := h.Join(cx)
		require.Zero(t, s.Free())
		return err
	})
}

func TestReleaseServesAllWhomItCan(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		s := runtime.NewSemaphore(3)
		require.True(t, s.TryAcquire(3))
		var tasks []*runtime.Handle[struct{}]
		for range 3 {
			tasks = append(tasks,
				runtime.Spawn(cx, does(func(cx runtime.Cx) error { return s.Acquire(cx, 1) })))
		}
		settle(cx)
		require.Equal(t, 3, runtime.Waiting(s))
		s.ReleaseFrom(cx, 3)
		require.Zero(t, runtime.Waiting(s))
		for _, h := range tasks {
			if _, err := h.Join(cx); err != nil {
				return err
			}
		}
		require.Zero(t, s.Free())
		return nil
	})
}

// The first in line wants much and gives up: those after it can go on.
func TestWhoGivesUpLetsOthersPass(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		s := runtime.NewSemaphore(3)
		require.True(t, s.TryAcquire(1))
		much := runtime.Spawn(cx, does(func(cx runtime.Cx) error { return s.Acquire(cx, 3) }))
		settle(cx)
		little := runtime.Spawn(cx, does(func(cx runtime.Cx) error { return s.Acquire(cx, 2) }))
		settle(cx)
		require.Equal(t, 2, runtime.Waiting(s))
		much.Cancel()
		if _, err := little.Join(cx); err != nil {
			return err
		}
		_, err := much.Join(cx)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		require.Zero(t, s.Free())

		ctx, stop := context.WithCancelCause(context.Background())
		outside := make(chan error)
		go func() { outside <- s.AcquireContext(ctx, 3) }()
		for runtime.Waiting(s) == 0 {
			cx.Yield()
		}
		stop(context.Canceled)
		if err, _, _ := runtime.Receive(cx, outside); err != context.Canceled {
			t.Error(err)
		}
		s.Release(3)
		return s.Acquire(cx, 3)
	})
}

// Releases, cancellations and timeouts race: at the end all permits are free, and nobody waits.
func TestNoPermitIsLostToACancellation(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		s := runtime.NewSemaphore(3)
		var tasks []*runtime.Handle[struct{}]
		var racing sync.WaitGroup
		for i := range 300 {
			h := runtime.Submit(rt, does(func(cx runtime.Cx) error {
				n := 1 + i%3
				if err := s.Acquire(cx, n); err != nil {
					return err
				}
				defer s.ReleaseFrom(cx, n)
				cx.Yield()
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
					if s.AcquireContext(ctx, 2) == nil {
						s.Release(2)
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
		require.Equal(t, 3, s.Free())
		require.Zero(t, runtime.Waiting(s))
	})
}

func TestSemaphoreInATaskThatIsToEnd(t *testing.T) {
	rt := start(t, 1)
	s := runtime.NewSemaphore(1)
	_, err := cancelled(t, rt, does(func(cx runtime.Cx) error {
		return s.Acquire(cx, 1)
	}))
	require.ErrorIs(t, err, runtime.ErrCancelled)
	require.Equal(t, 1, s.Free())
	ctx, stop := context.WithCancelCause(context.Background())
	stop(errOver)
	require.ErrorIs(t, s.AcquireContext(ctx, 1), errOver)
	require.Equal(t, 1, s.Free())
}

func TestSemaphoreMisuse(t *testing.T) {
	rt := start(t, 1)
	require.Equal(t, "surewake: NewSemaphore(0): must be 1 to 2147483647",
		panics(func() { runtime.NewSemaphore(0) }))
	require.Equal(t, "surewake: NewSemaphore(-1): must be 1 to 2147483647",
		panics(func() { runtime.NewSemaphore(-1) }))
	s := runtime.NewSemaphore(2)
	require.Equal(t, "surewake: Semaphore.TryAcquire(3): must be 1 to 2, the number of permits",
		panics(func() { s.TryAcquire(3) }))
	require.Equal(t, "surewake: Semaphore.Release(1): no permit is taken",
		panics(func() { s.Release(1) }))
	require.True(t, s.TryAcquire(1))
	require.Equal(t, "surewake: Semaphore.Release(0): must be 1 to 1, the number of taken permits",
		panics(func() { s.Release(0) }))
	require.Equal(t, "surewake: Semaphore.Release(-1): must be 1 to 1, the number of taken permits",
		panics(func() { s.Release(-1) }))
	require.Equal(t, "surewake: Semaphore.Release(2): must be 1 to 1, the number of taken permits",
		panics(func() { s.Release(2) }))
	const zero = ": the zero Cx; a Cx is what a task's function is given"
	require.Equal(t, "surewake: Semaphore.Acquire"+zero,
		panics(func() { _ = s.Acquire(runtime.Cx{}, 1) }))
	require.Equal(t, "surewake: Semaphore.ReleaseFrom"+zero,
		panics(func() { s.ReleaseFrom(runtime.Cx{}, 1) }))
	require.Equal(t, "surewake: Semaphore.AcquireContext: nil context",
		panics(func() { _ = s.AcquireContext(noContext, 1) }))
	require.Equal(t, "surewake: Semaphore.AcquireContext(0): must be 1 to 2, the number of permits",
		panics(func() { _ = s.AcquireContext(context.Background(), 0) }))
	run(t, rt, func(cx runtime.Cx) error {
		require.Equal(t, "surewake: Semaphore.Acquire(3): must be 1 to 2, the number of permits",
			panics(func() { _ = s.Acquire(cx, 3) }))
		require.Equal(t,
			"surewake: Semaphore.ReleaseFrom(2): must be 1 to 1, the number of taken permits",
			panics(func() { s.ReleaseFrom(cx, 2) }))
		return nil
	})
	require.Equal(t, 1, s.Free())
}

// What a semaphore of three permits may do: a state is how many are free. That TryAcquire fails
// although there are enough, because somebody waits, the machine holds against its model.
type semaphoreCall struct{ acquire, release int }

var semaphoreModel = porcupine.Model{
	Init: func() any { return 3 },
	Step: func(state, input, output any) (bool, any) {
		free, call := state.(int), input.(semaphoreCall)
		if !output.(bool) {
			return true, free
		}
		free += call.release - call.acquire
		return free >= 0 && free <= 3, free
	},
}

func TestSemaphoreIsLinearizable(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		for range 20 {
			s := runtime.NewSemaphore(3)
			var log history
			var tasks []*runtime.Handle[struct{}]
			for i := range 6 {
				tasks = append(tasks, runtime.Submit(rt, does(func(cx runtime.Cx) error {
					for j := range 5 {
						n := 1 + (i+j)%3
						got := log.do(i, semaphoreCall{acquire: n}, func() any {
							if j%2 == 0 {
								return s.TryAcquire(n)
							}
							return s.Acquire(cx, n) == nil
						})
						if i%3 == 0 {
							cx.Yield()
						}
						if got.(bool) {
							log.do(i, semaphoreCall{release: n},
								func() any { s.ReleaseFrom(cx, n); return true })
						}
					}
					return nil
				})))
			}
			tasks[2].Cancel()
			for _, h := range tasks {
				_, err := get(t, h)
				if err != nil {
					require.ErrorIs(t, err, runtime.ErrCancelled)
				}
			}
			log.check(t, semaphoreModel)
		}
	})
}

func BenchmarkSemaphore(b *testing.B) {
	b.Run("free", func(b *testing.B) {
		b.ReportAllocs()
		s := runtime.NewSemaphore(1)
		benchIn(b, 1, func(cx runtime.Cx) {
			for b.Loop() {
				_ = s.Acquire(cx, 1)
				s.ReleaseFrom(cx, 1)
			}
		})
	})
	b.Run("handed-over", func(b *testing.B) {
		b.ReportAllocs()
		s := runtime.NewSemaphore(1)
		benchIn(b, 1, func(cx runtime.Cx) {
			over := false
			h := runtime.Spawn(cx, does(func(cx runtime.Cx) error {
				for !over {
					_ = s.Acquire(cx, 1)
					cx.Yield()
					s.ReleaseFrom(cx, 1)
				}
				return nil
			}))
			for b.Loop() {
				_ = s.Acquire(cx, 1)
				cx.Yield()
				s.ReleaseFrom(cx, 1)
			}
			over = true
			_, _ = h.Join(cx)
		})
	})
}

// A Select that has been decided keeps no permits from others while its task has not gone on: those
// behind it get them, and then who tries. (runtime/R28)
func TestAWaitThatIsOverKeepsNoPermits(t *testing.T) {
	for name, tries := range map[string]func(s *runtime.Semaphore) bool{
		"TryAcquire": func(s *runtime.Semaphore) bool { return s.TryAcquire(1) },
		"AcquireContext": func(s *runtime.Semaphore) bool {
			return s.AcquireContext(context.Background(), 1) == nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			rt, err := runtime.New(runtime.Workers(1))
			require.NoError(t, err)
			s := runtime.NewSemaphore(4)
			require.True(t, s.TryAcquire(1))
			var bell runtime.Notify
			over := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				return runtime.Select(cx, s.AcquireCase(4), bell.WaitCase())
			})
			behind := make([]*runtime.Handle[struct{}], 2)
			for i := range behind {
				behind[i] = runtime.Submit(rt, does(func(cx runtime.Cx) error {
					return s.Acquire(cx, 1)
				}))
			}
			require.Eventually(t, rt.Idle, 10*time.Second, time.Microsecond)
			busy, done := make(chan bool), make(chan bool)
			runtime.Submit(rt, does(func(runtime.Cx) error { close(busy); <-done; return nil }))
			<-busy
			bell.Signal()
			require.True(t, tries(s))
			require.Zero(t, s.Free(), "two are behind it")
			close(done)
			for _, h := range behind {
				_, err := h.Wait(context.Background())
				require.NoError(t, err)
			}
			made, err := over.Wait(context.Background())
			require.NoError(t, err)
			require.Equal(t, 1, made)
			require.NoError(t, rt.Close())
		})
	}
}
