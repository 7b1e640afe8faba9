package runtime_test

import (
	"context"
	"errors"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A bell is a future that is ready when it has been rung, and its own source: whoever rings it
// wakes whom it finds.
type bell struct {
	lock  sync.Mutex
	rung  int
	want  int
	waker runtime.Waker
	polls atomic.Int32
}

func (b *bell) Poll(cx runtime.Cx) (int, error, bool) {
	b.polls.Add(1)
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.rung >= b.want {
		return b.rung, nil, true
	}
	b.waker = cx.Waker()
	return 0, nil, false
}

func (b *bell) ring() runtime.Waker {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.rung++
	return b.waker
}

// A pollFunc is a future that is a function.
type pollFunc func(cx runtime.Cx) (int, error, bool)

func (f pollFunc) Poll(cx runtime.Cx) (int, error, bool) { return f(cx) }

func TestFutureIsPolledUntilItIsReady(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		for range 100 {
			b := &bell{want: 3}
			h := runtime.SubmitFuture(rt, b)
			for range 3 {
				b.ring().Wake()
			}
			v, err := get(t, h)
			require.NoError(t, err)
			require.Equal(t, 3, v)
			run(t, rt, func(cx runtime.Cx) error {
				inner := &bell{want: 2}
				h := runtime.SpawnFuture(cx, inner)
				ringer := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
					for range 2 {
						inner.ring().WakeFrom(cx)
						cx.Yield()
					}
					return 0, nil
				})
				v, err := h.Join(cx)
				require.Equal(t, 2, v)
				_, _ = ringer.Join(cx)
				return err
			})
		}
		require.Zero(t, rt.ListedFutures())
	})
}

func TestErrorOfAFutureIsItsResult(t *testing.T) {
	rt := start(t, 1)
	v, err := get(
		t,
		runtime.SubmitFuture(rt,
			pollFunc(func(runtime.Cx) (int, error, bool) { return 3, errBoom, true })),
	)
	require.Equal(t, 3, v)
	require.Equal(t, errBoom, err)
}

// A wake during a poll means another poll, however the poll goes on: also if it waits, and the wake
// ends that wait.
func TestWakeDuringAPollMeansAnotherPoll(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		for name, meanwhile := range map[string]func(cx runtime.Cx) error{
			"runs":   func(cx runtime.Cx) error { return nil },
			"yields": func(cx runtime.Cx) error { cx.Yield(); return nil },
			"sleeps": func(cx runtime.Cx) error { return cx.Sleep(20 * time.Microsecond) },
			"joins": func(cx runtime.Cx) error {
				h := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
					cx.Yield()
					return 1, nil
				})
				cx.Yield()
				_, err := h.Join(cx)
				return err
			},
			"polls another one in a join": func(cx runtime.Cx) error {
				cx.Yield()
				v, err := runtime.SpawnFuture(cx, pollFunc(func(runtime.Cx) (int, error, bool) {
					return 4, nil, true
				})).Join(cx)
				require.Equal(t, 4, v)
				return err
			},
		} {
			for range 50 {
				polls := 0
				v, err := get(
					t,
					runtime.SubmitFuture(rt, pollFunc(func(cx runtime.Cx) (int, error, bool) {
						if polls++; polls >= 3 {
							return polls, nil, true
						}
						cx.Waker().WakeFrom(cx)
						if polls == 2 {
							w := cx.Waker()
							go w.Wake()
						}
						if err := meanwhile(cx); err != nil {
							return 0, err, true
						}
						return 0, nil, false
					})),
				)
				require.NoError(t, err, name)
				require.GreaterOrEqual(t, v, 3, name)
			}
		}
	})
}

// Whatever has been made visible before a wake, the poll after it sees: the last of many wakes is
// as good as the first. The future counts what it sees and waits for the rest.
func TestRepeatedWakesAreNotLost(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	for range rounds {
		rt := start(t, 2)
		b := &bell{want: 400}
		h := runtime.SubmitFuture(rt, b)
		var ringers []*runtime.Handle[int]
		for range 2 {
			ringers = append(ringers, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				for range 100 {
					b.ring().WakeFrom(cx)
				}
				return 0, nil
			}))
		}
		for range 2 {
			go func() {
				for range 100 {
					b.ring().Wake()
				}
			}()
		}
		v, err := get(t, h)
		require.NoError(t, err)
		require.Equal(t, 400, v)
		for _, r := range ringers {
			_, _ = get(t, r)
		}
		closes(t, rt)
	}
}

func TestWakerOutlivesItsTask(t *testing.T) {
	rt := start(t, 1)
	b := &bell{want: 1}
	h := runtime.SubmitFuture(rt, b)
	waits(t, func() bool { return rt.ListedFutures() == 1 }, "it is not listed")
	w := b.ring()
	w.Wake()
	_, err := get(t, h)
	require.NoError(t, err)
	polls := b.polls.Load()
	w.Wake()
	run(t, rt, func(cx runtime.Cx) error {
		w.WakeFrom(cx)
		cx.Yield()
		return nil
	})
	require.Equal(t, polls, b.polls.Load())
	closes(t, rt)
	w.Wake()
	var nobody runtime.Waker
	nobody.Wake()
	require.NotEqual(t, nobody, w)
	require.Equal(t, w, w)
}

// A dropped is a future that never is ready, and says when it is dropped.
type dropped struct {
	bell
	drops atomic.Int32
	fails func()
}

func (d *dropped) Drop() {
	d.drops.Add(1)
	if d.fails != nil {
		d.fails()
	}
}

func TestIdleFuturesEndWithCancelAndClose(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		for _, end := range []struct {
			want error
			do   func(rt *runtime.Runtime, h *runtime.Handle[int])
		}{
			{runtime.ErrCancelled, func(_ *runtime.Runtime, h *runtime.Handle[int]) { h.Cancel() }},
			{runtime.ErrClosed,
				func(rt *runtime.Runtime, _ *runtime.Handle[int]) { closes(t, rt) }},
		} {
			rt := start(t, workers)
			plain, d := &bell{want: 1}, &dropped{bell: bell{want: 1}}
			panics, exits := &dropped{
				bell:  bell{want: 1},
				fails: func() { panic(errBoom) },
			}, &dropped{
				bell:  bell{want: 1},
				fails: goruntime.Goexit,
			}
			hs := []*runtime.Handle[int]{
				runtime.SubmitFuture(
					rt,
					plain,
				), runtime.SubmitFuture(rt, d), runtime.SubmitFuture(rt, panics),
				runtime.SubmitFuture(rt, exits),
			}
			waits(t, func() bool { return rt.ListedFutures() == len(hs) }, "they are not listed")
			for i, want := range []error{end.want, end.want, errBoom, runtime.ErrGoexit} {
				if i == 0 || end.want == runtime.ErrCancelled {
					end.do(rt, hs[i])
				}
				_, err := get(t, hs[i])
				require.ErrorIs(t, err, want)
			}
			require.EqualValues(t, 1, d.drops.Load())
			require.EqualValues(t, 1, panics.drops.Load())
			require.EqualValues(t, 1, exits.drops.Load())
			require.EqualValues(t, 1, plain.polls.Load())
			require.Zero(t, rt.ListedFutures())
		}
	})
}

// What is refused is dropped by whoever wanted to start it.
func TestRefusedFutureIsDropped(t *testing.T) {
	rt := start(t, 1)
	closes(t, rt)
	d := &dropped{}
	_, err := get(t, runtime.SubmitFuture(rt, d))
	require.ErrorIs(t, err, runtime.ErrClosed)
	require.EqualValues(t, 1, d.drops.Load())
	require.Zero(t, d.polls.Load())
	_, err = get(t, runtime.SubmitFuture(rt, &dropped{fails: func() { panic(errBoom) }}))
	require.ErrorIs(t, err, errBoom)
	var h *runtime.Handle[int]
	done := make(chan struct{})
	go func() {
		defer close(done)
		h = runtime.SubmitFuture(rt, &dropped{fails: goruntime.Goexit}) // ends this goroutine
		t.Error("Goexit returned")
	}()
	<-done
	require.Nil(t, h)
	require.Equal(t, "0+0", rt.Live())
}

// A future that is told of its end by a wait in Poll ends as well.
func TestFutureThatWaitsInPollIsCancelled(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		for range 50 {
			var waits error
			begun := make(chan struct{}, 1)
			h := runtime.SubmitFuture(rt, pollFunc(func(cx runtime.Cx) (int, error, bool) {
				begun <- struct{}{}
				_, waits = forever(cx)
				return 0, nil, false
			}))
			<-begun
			h.Cancel()
			_, err := get(t, h)
			require.ErrorIs(t, err, runtime.ErrCancelled)
			require.ErrorIs(t, waits, runtime.ErrCancelled)
		}
	})
}

func TestPollThatPanicsOrExitsEndsTheTask(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		for _, rest := range []bool{false, true} {
			for _, c := range []struct {
				fail func()
				want error
			}{{func() { panic(errBoom) }, errBoom}, {goruntime.Goexit, runtime.ErrGoexit}} {
				rested := !rest
				f := pollFunc(func(cx runtime.Cx) (int, error, bool) {
					if rested {
						c.fail()
					}
					rested = true
					cx.Waker().Wake()
					return 0, nil, false
				})
				_, err := get(t, runtime.SubmitFuture(rt, f))
				require.ErrorIs(t, err, c.want)
			}
		}
		waits(t, func() bool { return rt.ListedFutures() == 0 }, "a task that has ended rests")
		allWork(t, rt, workers)
	})
}

// A future waits for a task without a stack.
type ending struct{ target *runtime.Handle[int] }

func (e ending) Poll(cx runtime.Cx) (int, error, bool) {
	if e.target.WakeOnEnd(cx.Waker()) {
		return 0, nil, false
	}
	return e.target.TryJoin()
}

func TestFutureWaitsForTheEndOfATask(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		for round := range 50 {
			target := &bell{want: 1}
			h := runtime.SubmitFuture(rt, target)
			waiter := runtime.SubmitFuture(rt, ending{h})
			if round%2 == 0 {
				waits(t, func() bool { return h.Joiners() == 1 }, "nobody waits")
				target.lock.Lock()
				w := target.waker
				target.lock.Unlock()
				w.Wake() // spuriously
			}
			target.ring().Wake()
			v, err := get(t, waiter)
			require.NoError(t, err)
			require.Equal(t, 1, v)
		}

		// However often it asks, it is one who waits.
		h := runtime.Submit(rt, forever)
		asks := runtime.SubmitFuture(rt, ending{h})
		waits(t, func() bool { return rt.ListedFutures() == 1 }, "it is not listed")
		run(t, rt, func(cx runtime.Cx) error {
			repeated := runtime.SpawnFuture(cx, pollFunc(func(cx runtime.Cx) (int, error, bool) {
				for range 10 {
					require.True(t, h.WakeOnEnd(cx.Waker()))
				}
				return 0, nil, true
			}))
			_, err := repeated.Join(cx)
			return err
		})
		require.Equal(t, 2, h.Joiners())
		h.Cancel()
		_, err := get(t, asks)
		require.ErrorIs(t, err, runtime.ErrCancelled)
	})
}

// A future that has given up waiting in a join asks anew: who comes next takes away whoever has
// given up.
func TestFutureThatGaveUpAJoinIsWokenAtTheEnd(t *testing.T) {
	rt := start(t, 2)
	target := &bell{want: 1}
	h := runtime.SubmitFuture(rt, target)
	polls := 0
	waiter := runtime.SubmitFuture(rt, pollFunc(func(cx runtime.Cx) (int, error, bool) {
		if polls++; polls == 1 {
			_, err := h.JoinTimeout(cx, 1)
			require.ErrorIs(t, err, runtime.ErrTimeout)
		}
		if h.WakeOnEnd(cx.Waker()) {
			return 0, nil, false
		}
		return h.TryJoin()
	}))
	waits(t, func() bool { return rt.ListedFutures() == 2 }, "they are not listed")
	ended := h.Done()
	target.ring().Wake()
	receive(t, ended)
	v, err := get(t, waiter)
	require.NoError(t, err)
	require.Equal(t, 1, v)
}

// A handle polled once and dropped: the end of its task wakes one who does not wait any more.
func TestHandlePolledOnceAndDropped(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		for range 100 {
			target := &bell{want: 1}
			h := runtime.SubmitFuture(rt, target)
			once, err := get(
				t,
				runtime.SubmitFuture(rt, pollFunc(func(cx runtime.Cx) (int, error, bool) {
					h.WakeOnEnd(cx.Waker())
					return 1, nil, true
				})),
			)
			require.NoError(t, err)
			require.Equal(t, 1, once)
			ctx, stop := context.WithTimeout(context.Background(), time.Microsecond)
			_, err = h.Wait(ctx)
			stop()
			require.ErrorIs(t, err, context.DeadlineExceeded)
			h.Detach()
			target.ring().Wake()
		}
		drains(t, rt)
	})
}

// A future that waits, while no other does, allocates no more than itself, its task and its joiner.
func TestAFutureThatWaitsAllocatesLittle(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		n := testing.AllocsPerRun(100, func() {
			polled := false
			_, _ = runtime.SpawnFuture[int](cx, pollFunc(func(cx runtime.Cx) (int, error, bool) {
				if !polled {
					polled = true
					cx.Waker().WakeFrom(cx)
					return 0, nil, false
				}
				return 1, nil, true
			})).Join(cx)
		})
		require.LessOrEqual(t, n, 4.0)
		return nil
	})
}

func TestPollStyleTaskIsSmall(t *testing.T) {
	task, handle, call := runtime.Sizes()
	if goruntime.GOARCH != "amd64" && goruntime.GOARCH != "arm64" {
		t.Skip("sizes are those of 64-bit machines")
	}
	require.EqualValues(t, []uintptr{48, 56, 64}, []uintptr{task, handle, call})
	require.LessOrEqual(t, runtime.SizeOfFutureTask[int, *bell](), uintptr(80))
}

// A sleeper is the smallest future that waits for somebody.
type sleeper struct {
	waker runtime.Waker
	ready bool
}

func (s *sleeper) Poll(cx runtime.Cx) (int, error, bool) {
	s.waker = cx.Waker()
	return 0, nil, s.ready
}

// All that is allocated for an idle poll-style task, its future included, is 112 bytes.
func TestIdlePollStyleTaskTakes112Bytes(t *testing.T) {
	if goruntime.GOARCH != "amd64" && goruntime.GOARCH != "arm64" {
		t.Skip("sizes are those of 64-bit machines")
	}
	const n = 20_000
	rt := start(t, 1)
	all := make([]*sleeper, n)
	fill := func(all []*sleeper) {
		for len(all) > 0 { // few at a time: queues do not grow
			some := all[:min(50, len(all))]
			all = all[len(some):]
			run(t, rt, func(cx runtime.Cx) error {
				for i := range some {
					some[i] = &sleeper{}
					runtime.SpawnFuture(cx, some[i]).Detach()
				}
				return nil
			})
		}
		waits(t, func() bool { return rt.Sleeping() == 1 }, "the worker does not sleep")
	}
	fill(make([]*sleeper, 100))
	before := allocated()
	fill(all)
	each := float64(allocated()-before) / n
	t.Logf("%.1f bytes", each)
	require.LessOrEqual(t, each, 114.0) // what the test and the collector do in between included
	goruntime.KeepAlive(all)
	for _, s := range all[:n/2] {
		s.ready = true
		s.waker.Wake()
	}
	waits(t, func() bool { return rt.ListedFutures() == n/2+100 }, "they do not end")
}

func allocated() uint64 {
	for range 2 {
		goruntime.GC()
	}
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestFutureIsGoneAfterTheEnd(t *testing.T) {
	rt := start(t, 1)
	gone := make(chan struct{})
	b := &bell{want: 1, rung: 1}
	goruntime.AddCleanup(b, func(int) { close(gone) }, 0)
	h := runtime.SubmitFuture(rt, b)
	b = nil
	_, err := get(t, h)
	require.NoError(t, err)
	for range 100 {
		goruntime.GC()
		select {
		case <-gone:
			goruntime.KeepAlive(h)
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Fatal(errors.New("the handle keeps the future"))
}
