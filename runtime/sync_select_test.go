package runtime_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// selectors are the ways to select: from a task, from a goroutine, and by a future.
var selectors = map[string]func(t *testing.T, rt *runtime.Runtime,
	body func(choose func(cases ...runtime.Case) (int, error))){
	"inside": func(t *testing.T, rt *runtime.Runtime,
		body func(choose func(cases ...runtime.Case) (int, error)),
	) {
		run(t, rt, func(cx runtime.Cx) error {
			body(func(cases ...runtime.Case) (int, error) { return runtime.Select(cx, cases...) })
			return nil
		})
	},
	"outside": func(t *testing.T, _ *runtime.Runtime,
		body func(choose func(cases ...runtime.Case) (int, error)),
	) {
		body(func(cases ...runtime.Case) (int, error) {
			return runtime.SelectContext(t.Context(), cases...)
		})
	},
	"future": func(t *testing.T, rt *runtime.Runtime,
		body func(choose func(cases ...runtime.Case) (int, error)),
	) {
		body(func(cases ...runtime.Case) (int, error) {
			return get(t, runtime.SubmitFuture(rt, &chooser{cases: cases}))
		})
	},
}

// A chooser is a Select as a future.
type chooser struct {
	pending runtime.Pending
	cases   []runtime.Case
}

func (c *chooser) Poll(cx runtime.Cx) (int, error, bool) {
	return c.pending.Poll(cx, c.cases...)
}

// eachSelector runs a test for each of them.
func eachSelector(t *testing.T, test func(t *testing.T, rt *runtime.Runtime,
	choose func(cases ...runtime.Case) (int, error)),
) {
	for name, with := range selectors {
		t.Run(name, func(t *testing.T) {
			rt := start(t, 2)
			with(t, rt, func(choose func(cases ...runtime.Case) (int, error)) {
				test(t, rt, choose)
			})
		})
	}
}

// Each kind of case is taken when it can be, at once and after a wait; the others stay as they are.
func TestSelectTakesWhatCanBeTaken(t *testing.T) {
	eachSelector(t, func(t *testing.T, rt *runtime.Runtime,
		choose func(cases ...runtime.Case) (int, error),
	) {
		in, out := runtime.NewChannel[int](1), runtime.NewChannel[int](0)
		var n runtime.Notify
		var o runtime.Oneshot[string]
		s := runtime.NewSemaphore(1)
		require.True(t, s.TryAcquire(1))
		target := runtime.Submit(rt, forever)
		ctx, end := context.WithCancel(t.Context())
		defer end()
		var v int
		var text string
		cases := []runtime.Case{in.ReceiveCase(&v), out.SendCase(7), n.WaitCase(),
			o.ReceiveCase(&text), s.AcquireCase(1), target.EndCase(), nil,
			runtime.AfterCase(1 << 62), runtime.DoneCase(ctx),
			runtime.DoneCase(context.Background())}
		untouched := func() {
			t.Helper()
			require.Zero(t, runtime.Waiting(in)+runtime.Waiting(out)+runtime.Waiting(&n)+
				runtime.Waiting(&o)+runtime.Waiting(s))
			i, err := runtime.TrySelect(cases...)
			require.Equal(t, -1, i)
			require.ErrorIs(t, err, runtime.ErrWouldWait)
		}
		received := make(chan int, 1)
		ready := []func(){
			func() { require.NoError(t, in.TrySend(5)) },
			func() {
				go func() { v, _ := out.ReceiveContext(t.Context()); received <- v }()
			},
			n.Signal,
			nil, // below
			func() { s.Release(1) },
		}
		for want, supply := range ready {
			if supply == nil {
				continue
			}
			for _, waits := range []bool{false, true} {
				untouched()
				if waits {
					go func() {
						for runtime.Waiting(&n) == 0 {
							time.Sleep(time.Microsecond)
						}
						supply()
					}()
				} else {
					supply()
				}
				i, err := choose(cases...)
				require.NoError(t, err)
				require.Equal(t, want, i)
				switch i {
				case 0:
					require.Equal(t, 5, v)
				case 1:
					require.Equal(t, 7, receive(t, received))
				}
			}
		}
		require.NoError(t, o.Send("one"))
		i, err := choose(cases...)
		require.NoError(t, err)
		require.Equal(t, 3, i)
		require.Equal(t, "one", text)
		cases[3] = nil // received: from now on it says that it is closed
		untouched()
		target.Cancel()
		i, err = choose(cases...)
		require.NoError(t, err)
		require.Equal(t, 5, i)
		i, err = choose(nil, runtime.AfterCase(time.Millisecond))
		require.NoError(t, err)
		require.Equal(t, 1, i)
		cases[5] = nil
		untouched()
		for _, waits := range []bool{true, false} {
			if waits {
				time.AfterFunc(time.Millisecond, end)
			}
			i, err = choose(cases...)
			require.NoError(t, err)
			require.Equal(t, 8, i)
		}
		require.NoError(t, in.Close())
		cases[8] = nil
		v = 1
		i, err = choose(cases...)
		require.ErrorIs(t, err, runtime.ErrChannelClosed)
		require.Equal(t, 0, i)
		require.Zero(t, v)
	})
}

// Of several cases that can be taken, each has its chance.
func TestSelectChoosesByChance(t *testing.T) {
	eachSelector(t, func(t *testing.T, _ *runtime.Runtime,
		choose func(cases ...runtime.Case) (int, error),
	) {
		a, b := runtime.NewChannel[int](1), runtime.NewChannel[int](1)
		require.NoError(t, a.TrySend(1))
		require.NoError(t, b.TrySend(2))
		var taken [2]int
		for taken[0] == 0 || taken[1] == 0 {
			i, err := choose(a.ReceiveCase(nil), b.ReceiveCase(nil))
			require.NoError(t, err)
			taken[i]++
			require.NoError(t, []*runtime.Channel[int]{a, b}[i].TrySend(0))
		}
	})
}

// A task that must end, or a context that does, ends a select, which has taken nothing and leaves
// nothing behind.
func TestSelectEndsWithItsTaskOrContext(t *testing.T) {
	rt := start(t, 1)
	c := runtime.NewChannel[int](0)
	var n runtime.Notify
	target := runtime.Submit(rt, forever)
	other := &listenedTo{Context: t.Context()}
	cases := []runtime.Case{c.ReceiveCase(nil), c.SendCase(1), n.WaitCase(), target.EndCase(),
		runtime.AfterCase(time.Hour), runtime.DoneCase(other)}
	waits(t, func() bool { return runtime.Timers(rt) == 1 }, "it does not sleep")
	h := runtime.Submit(rt,
		func(cx runtime.Cx) (int, error) { return runtime.Select(cx, cases...) })
	waits(t, func() bool { return runtime.Waiting(c) == 2 }, "it does not wait")
	h.Cancel()
	i, err := get(t, h)
	require.ErrorIs(t, err, runtime.ErrCancelled)
	require.Equal(t, -1, i)
	i, err = cancelled(t, rt,
		func(cx runtime.Cx) (int, error) { return runtime.Select(cx, runtime.AfterCase(0)) })
	require.ErrorIs(t, err, runtime.ErrCancelled)
	require.Equal(t, -1, i)

	ctx, end := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { _, err := runtime.SelectContext(ctx, cases...); over <- err }()
	waits(t, func() bool { return runtime.Waiting(c) == 2 }, "it does not wait")
	end()
	require.ErrorIs(t, receive(t, over), context.Canceled)
	_, err = runtime.SelectContext(ctx, runtime.AfterCase(0))
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, runtime.Waiting(c)+runtime.Waiting(&n))
	require.Equal(t, 1, runtime.Timers(rt))
	require.Zero(t, target.Joiners())
	require.Equal(t, int64(2), other.calls.Load())
	require.Zero(t, other.listeners.Load())

	h = runtime.Submit(rt, func(cx runtime.Cx) (int, error) { return runtime.Select(cx) })
	closes(t, rt)
	_, err = get(t, h)
	require.ErrorIs(t, err, runtime.ErrClosed)
}

// A listenedTo is a context that counts who is to be called at its end, and was.
type listenedTo struct {
	context.Context
	calls, listeners atomic.Int64
}

func (l *listenedTo) Done() <-chan struct{} { return make(chan struct{}) }

// AfterFunc is what package context calls instead of starting a goroutine.
func (l *listenedTo) AfterFunc(func()) (stop func() bool) {
	l.calls.Add(1)
	l.listeners.Add(1)
	return func() bool { l.listeners.Add(-1); return true }
}

// A meddler is a context that uses a channel whenever it is asked.
type meddler struct {
	context.Context
	meddle func()
}

func (m *meddler) Done() <-chan struct{} { m.meddle(); return m.Context.Done() }
func (m *meddler) Err() error            { m.meddle(); return m.Context.Err() }
func (m *meddler) Value(key any) any     { m.meddle(); return m.Context.Value(key) }

// What a context does when it is asked has to do with other cases: they are not locked. One that
// panics leaves them as they are.
func TestSelectAsksContextsWithoutALock(t *testing.T) {
	for _, panics := range []bool{false, true} {
		eachSelector(t, func(t *testing.T, _ *runtime.Runtime,
			choose func(cases ...runtime.Case) (int, error),
		) {
			c := runtime.NewChannel[int](1)
			ctx, end := context.WithCancel(t.Context())
			defer end()
			asked := 0
			m := &meddler{ctx, func() {
				asked++
				_, err := c.TryReceive()
				require.ErrorIs(t, err, runtime.ErrWouldWait)
				if panics && asked > 1 {
					panic(errOver)
				}
			}}
			done := runtime.DoneCase(m)
			func() {
				defer func() { require.Equal(t, panics, recover() != nil) }()
				i, err := choose(c.ReceiveCase(nil), done, runtime.AfterCase(time.Millisecond))
				if panics && err != nil { // of a future
					panic(err)
				}
				require.NoError(t, err)
				require.Equal(t, 2, i)
			}()
			require.Greater(t, asked, 1)
			require.Zero(t, runtime.Waiting(c))
			require.NoError(t, c.TrySend(1))
			i, err := choose(c.ReceiveCase(nil))
			require.NoError(t, err)
			require.Zero(t, i)
		})
	}
}

// Tasks and goroutines that send and receive by selects on the same channels, in both orders: every
// value is received once. (runtime/R28, runtime/R29)
func TestSelectsLoseNothing(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		for _, capacity := range []int{0, 1} {
			const each, pairs = 200, 3
			a, b := runtime.NewChannel[int](capacity), runtime.NewChannel[int](capacity)
			var lock sync.Mutex
			seen := map[int]int{}
			got := func(v int) {
				lock.Lock()
				defer lock.Unlock()
				seen[v]++
			}
			send := func(choose func(...runtime.Case) (int, error), k int) {
				for i := range each {
					v := k*each + i + 1
					cases := []runtime.Case{a.SendCase(v), b.SendCase(v)}
					if k%2 == 0 {
						cases[0], cases[1] = cases[1], cases[0]
					}
					_, err := choose(cases...)
					require.NoError(t, err)
				}
			}
			take := func(choose func(...runtime.Case) (int, error)) {
				var v int
				for range each {
					_, err := choose(b.ReceiveCase(&v), a.ReceiveCase(&v),
						runtime.AfterCase(time.Hour))
					require.NoError(t, err)
					got(v)
				}
			}
			var tasks []*runtime.Handle[struct{}]
			var all sync.WaitGroup
			future := func(cases ...runtime.Case) (int, error) {
				return get(t, runtime.SubmitFuture(rt, &chooser{cases: cases}))
			}
			outside := func(cases ...runtime.Case) (int, error) {
				return runtime.SelectContext(t.Context(), cases...)
			}
			for k := range pairs {
				tasks = append(tasks, rt.Go(func(cx runtime.Cx) {
					send(func(cases ...runtime.Case) (int, error) {
						return runtime.Select(cx, cases...)
					}, k)
				}), rt.Go(func(cx runtime.Cx) {
					take(func(cases ...runtime.Case) (int, error) {
						return runtime.Select(cx, cases...)
					})
				}))
			}
			all.Go(func() { send(outside, pairs) })
			all.Go(func() { take(outside) })
			all.Go(func() { send(future, pairs+1) })
			all.Go(func() { take(future) })
			all.Wait()
			for _, h := range tasks {
				_, err := get(t, h)
				require.NoError(t, err)
			}
			require.Len(t, seen, each*(pairs+2))
			require.Zero(t, runtime.Waiting(a)+runtime.Waiting(b)+a.Len()+b.Len())
		}
	})
}

func TestMisuseOfSelectPanics(t *testing.T) {
	const noHandle = "a nil or zero Handle; Submit and Spawn return one"
	rt := start(t, 1)
	h := runtime.Submit(rt, forever)
	gone := runtime.Submit(rt, forever)
	ended := gone.EndCase()
	gone.Detach()
	run(t, rt, func(cx runtime.Cx) error {
		var self *runtime.Handle[int]
		self = runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
			return runtime.Select(cx, self.EndCase())
		})
		_, err := self.Join(cx)
		require.ErrorContains(t, err, "surewake: Select: a task cannot wait for its own end")
		for want, c := range map[string]func() runtime.Case{
			"Select: the handle has been detached": func() runtime.Case { return ended },
			"Channel: a nil or zero Channel; NewChannel makes one": func() runtime.Case {
				return new(runtime.Channel[int]).SendCase(1)
			},
			"Oneshot.ReceiveCase: nil Oneshot": func() runtime.Case {
				return (*runtime.Oneshot[int])(nil).ReceiveCase(nil)
			},
			"DoneCase: nil context": func() runtime.Case { return runtime.DoneCase(noContext) },
			"Notify.WaitCase: nil Notify": func() runtime.Case {
				return (*runtime.Notify)(nil).WaitCase()
			},
			"Semaphore.AcquireCase(2): must be 1 to 1, the number of permits": func() runtime.Case {
				return runtime.NewSemaphore(1).AcquireCase(2)
			},
			"Handle.EndCase: " + noHandle: func() runtime.Case {
				return new(runtime.Handle[int]).EndCase()
			},
		} {
			require.Equal(t, "surewake: "+want,
				panics(func() { _, _ = runtime.Select(cx, h.EndCase(), c()) }))
		}
		return nil
	})
	require.Equal(t, "surewake: SelectContext: nil context",
		panics(func() { _, _ = runtime.SelectContext(noContext) }))
}

// What is wrong with the end of a task is told by the name of the function that was to wait for it.
func TestMisuseOfEndsNamesTheCall(t *testing.T) {
	const own = ": a task cannot wait for its own end"
	const detached = ": the handle has been detached"
	const none = ": a nil or zero Handle; Submit and Spawn return one"
	rt := start(t, 1)
	gone := runtime.Submit(rt, forever)
	ended := gone.EndCase()
	var self *runtime.Handle[int]
	poll := func(cx runtime.Cx, c runtime.Case) {
		_, _, _ = new(runtime.Pending).Poll(cx, nil, c)
	}
	body := pollFunc(func(cx runtime.Cx) (int, error, bool) {
		require.Equal(t, "surewake: Pending.Poll"+own, panics(func() { poll(cx, self.EndCase()) }))
		require.Equal(t, "surewake: Next"+own, panics(func() { _, _ = runtime.Next(cx, self) }))
		require.Equal(t, "surewake: AsEnded"+own, panics(func() {
			for range runtime.AsEnded(cx, self) {
				t.Error("the calling task has ended")
			}
		}))
		gone.Detach()
		require.Equal(t, "surewake: Pending.Poll"+detached, panics(func() { poll(cx, ended) }))
		require.Equal(t, "surewake: Next"+detached,
			panics(func() { _, _ = runtime.Next(cx, gone) }))
		require.Equal(t, "surewake: Next"+none,
			panics(func() { _, _ = runtime.Next(cx, new(runtime.Handle[int])) }))
		return 1, nil, true
	})
	run(t, rt, func(cx runtime.Cx) error {
		self = runtime.SpawnFuture(cx, body)
		v, err := self.Join(cx)
		require.Equal(t, 1, v)
		return err
	})
	require.Equal(t, "surewake: TrySelect"+detached,
		panics(func() { _, _ = runtime.TrySelect(ended) }))
	require.Equal(t, "surewake: SelectContext"+detached,
		panics(func() { _, _ = runtime.SelectContext(t.Context(), ended) }))
}

// BenchmarkSelect is a receive from one of two channels that have a value; a value that goes to and
// fro between two that select; and the same where the first waits for the end of a context, too.
func BenchmarkSelect(b *testing.B) {
	b.Run("ready/task", func(b *testing.B) {
		inside(b, func(cx runtime.Cx) {
			x, y := runtime.NewChannel[int](1), runtime.NewChannel[int](1)
			cases := []runtime.Case{x.ReceiveCase(nil), y.ReceiveCase(nil)}
			for b.Loop() {
				_ = x.TrySend(1)
				_, _ = runtime.Select(cx, cases...)
			}
		})
	})
	b.Run("ready/goroutine", func(b *testing.B) {
		b.ReportAllocs()
		x, y := make(chan int, 1), make(chan int, 1)
		for b.Loop() {
			x <- 1
			select {
			case <-x:
			case <-y:
			}
		}
	})
	b.Run("wait/task", func(b *testing.B) {
		inside(b, func(cx runtime.Cx) {
			x, y, stop := runtime.NewChannel[int](0), runtime.NewChannel[int](0),
				runtime.NewChannel[int](0)
			echo := cx.Go(func(cx runtime.Cx) {
				cases := []runtime.Case{x.ReceiveCase(nil), stop.ReceiveCase(nil)}
				for {
					if i, err := runtime.Select(cx, cases...); i != 0 || err != nil {
						return
					}
					_ = y.Send(cx, 1)
				}
			})
			cases := []runtime.Case{y.ReceiveCase(nil), stop.ReceiveCase(nil)}
			for b.Loop() {
				_ = x.Send(cx, 1)
				_, _ = runtime.Select(cx, cases...)
			}
			_ = stop.Close()
			_, _ = echo.Join(cx)
		})
	})
	b.Run("context/task", func(b *testing.B) {
		ctx, end := context.WithCancel(context.Background())
		defer end()
		inside(b, func(cx runtime.Cx) {
			x, y := runtime.NewChannel[int](0), runtime.NewChannel[int](0)
			echo := cx.Go(func(cx runtime.Cx) {
				for range x.All(cx) {
					_ = y.Send(cx, 1)
				}
			})
			cases := []runtime.Case{y.ReceiveCase(nil), runtime.DoneCase(ctx)}
			for b.Loop() {
				_ = x.Send(cx, 1)
				_, _ = runtime.Select(cx, cases...)
			}
			_ = x.Close()
			_, _ = echo.Join(cx)
		})
	})
	b.Run("context/goroutine", func(b *testing.B) {
		b.ReportAllocs()
		ctx, end := context.WithCancel(context.Background())
		defer end()
		x, y := make(chan int), make(chan int)
		go func() {
			for range x {
				y <- 1
			}
		}()
		for b.Loop() {
			x <- 1
			select {
			case <-y:
			case <-ctx.Done():
			}
		}
		close(x)
	})
	b.Run("wait/goroutine", func(b *testing.B) {
		b.ReportAllocs()
		x, y, stop := make(chan int), make(chan int), make(chan int)
		go func() {
			for {
				select {
				case <-x:
					y <- 1
				case <-stop:
					return
				}
			}
		}()
		for b.Loop() {
			x <- 1
			select {
			case <-y:
			case <-stop:
			}
		}
		close(stop)
	})
}
