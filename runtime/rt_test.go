package runtime

import (
	"context"
	"errors"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBasics(t *testing.T) {
	for _, n := range []int{1, 2, 4} {
		rt, err := New(Workers(n))
		require.NoError(t, err)
		ctx := context.Background()
		h := Submit(rt, func(cx Cx) (int, error) { return fib(cx, 15) })
		v, err := h.Wait(ctx)
		require.NoError(t, err)
		require.Equal(t, 610, v)
		h = Submit(rt, func(cx Cx) (int, error) {
			c := Spawn(cx, func(cx Cx) (int, error) { cx.Yield(); cx.Sleep(time.Millisecond); return 3, nil })
			cx.Yield()
			return c.Join(cx)
		})
		v, err = h.Wait(ctx)
		require.NoError(t, err)
		require.Equal(t, 3, v)
		h = Submit(rt, func(cx Cx) (int, error) { panic("boom") })
		_, err = h.Wait(ctx)
		var p *PanicError
		require.ErrorAs(t, err, &p)
		h = Submit(rt, func(cx Cx) (int, error) {
			c := Spawn(cx, func(cx Cx) (int, error) { goruntime.Goexit(); return 0, nil })
			return c.Join(cx)
		})
		_, err = h.Wait(ctx)
		require.ErrorIs(t, err, ErrGoexit)
		h = Submit(rt, func(cx Cx) (int, error) { return 0, cx.Sleep(time.Hour) })
		time.Sleep(time.Millisecond)
		h.Cancel()
		_, err = h.Wait(ctx)
		require.ErrorIs(t, err, ErrCancelled)
		h = Submit(rt, func(cx Cx) (int, error) { return 0, cx.Sleep(time.Hour) })
		require.NoError(t, rt.Close())
		_, err = h.Wait(ctx)
		require.True(t, errors.Is(err, ErrClosed))
	}
}

func fib(cx Cx, n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	h := Spawn(cx, func(cx Cx) (int, error) { return fib(cx, n-1) })
	y, _ := fib(cx, n-2)
	x, err := h.Join(cx)
	return x + y, err
}

func fibA(cx Cx, n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	h := SpawnWith(cx, fibA, n-1)
	y, _ := fibA(cx, n-2)
	x, err := h.Join(cx)
	return x + y, err
}

func spawns(n int) int {
	if n < 2 {
		return 0
	}
	return 1 + spawns(n-1) + spawns(n-2)
}

func inside(b *testing.B, f func(cx Cx)) {
	rt, _ := New(Workers(2))
	defer rt.Close()
	b.ReportAllocs()
	Submit(rt, func(cx Cx) (int, error) { f(cx); return 0, nil }).Wait(context.Background())
}

func empty(Cx) (int, error) { return 0, nil }

func BenchmarkSpawnJoin(b *testing.B) {
	inside(b, func(cx Cx) {
		for b.Loop() {
			Spawn(cx, empty).Join(cx)
		}
	})
}
func BenchmarkYield(b *testing.B) {
	inside(b, func(cx Cx) {
		for b.Loop() {
			cx.Yield()
		}
	})
}
func BenchmarkSuspendingJoin(b *testing.B) {
	inside(b, func(cx Cx) {
		for b.Loop() {
			h := Spawn(cx, func(cx Cx) (int, error) { cx.Yield(); return 0, nil })
			cx.Yield()
			h.Join(cx)
		}
	})
}
func BenchmarkFib(b *testing.B) {
	b.Run("closure", func(b *testing.B) {
		inside(b, func(cx Cx) {
			for b.Loop() {
				fib(cx, 25)
			}
		})
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*spawns(25)), "ns/spawn")
	})
	b.Run("arg", func(b *testing.B) {
		inside(b, func(cx Cx) {
			for b.Loop() {
				fibA(cx, 25)
			}
		})
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*spawns(25)), "ns/spawn")
	})
}
func Benchmark10k(b *testing.B) {
	hs := make([]*Handle[int], 10000)
	b.Run("inside", func(b *testing.B) {
		inside(b, func(cx Cx) {
			for b.Loop() {
				for i := range hs {
					hs[i] = Spawn(cx, empty)
				}
				for i := range hs {
					hs[i].Join(cx)
				}
			}
		})
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*10000), "ns/task")
	})
	b.Run("outside", func(b *testing.B) {
		rt, _ := New(Workers(2))
		defer rt.Close()
		for b.Loop() {
			for i := range hs {
				hs[i] = Submit(rt, empty)
			}
			for i := range hs {
				hs[i].Wait(context.Background())
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*10000), "ns/task")
	})
}
