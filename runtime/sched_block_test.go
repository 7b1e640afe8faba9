package runtime_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A blockingCall is an exported function that blocks the goroutine that calls it.
type blockingCall struct {
	name string // as the API has it
	told string // what it is called in a panic
	call string // what it is called in an alarm
	task string // what a task calls instead
	// make returns a call that blocks until ctx ends or release is called, and what reports
	// whether nobody waits in it.
	make func(s *blockingScene) (call func(ctx context.Context) error, nobodyWaits func() bool)
}

// A blockingScene is where a blocking call is made: a task of rt.
type blockingScene struct {
	rt      *runtime.Runtime
	child   *runtime.Handle[int] // of the task, or another one that waits
	release func()               // what ends the call, if its context does not
}

// twin is a call that has a twin for tasks, without Context in its name.
func twin(
	name, task string,
	make func(s *blockingScene) (func(ctx context.Context) error, func() bool),
) blockingCall {
	return blockingCall{name, name, name, task, make}
}

func always() bool { return true }

// full returns a group of the runtime whose limit of one function is reached until release.
func (s *blockingScene) full() *runtime.Group {
	g := runtime.NewGroup(context.Background(), s.rt)
	g.SetLimit(1)
	g.Go(func(cx runtime.Cx) error { return cx.Sleep(time.Hour) })
	s.release = g.Cancel
	return g
}

// fullResults is full with results.
func (s *blockingScene) fullResults() *runtime.Results[int] {
	r := runtime.NewResults[int](context.Background(), s.rt)
	r.SetLimit(1)
	r.Go(forever)
	s.release = r.Cancel
	return r
}

func blockingCalls() []blockingCall {
	return append(blockingTwins(), []blockingCall{
		{"Handle.Wait", "Wait", "Handle.Wait", "Handle.Join",
			func(s *blockingScene) (func(context.Context) error, func() bool) {
				return func(ctx context.Context) error {
					_, err := s.child.Wait(ctx)
					return err
				}, always
			}},
		{"TaskBatch.Wait", "Wait", "Handle.Wait", "Handle.Join",
			func(s *blockingScene) (func(context.Context) error, func() bool) {
				b := runtime.SubmitBatch(s.rt, 1, func(cx runtime.Cx, _ int) (int, error) {
					return forever(cx)
				})
				return func(ctx context.Context) error {
					_, err := b.Wait(ctx)
					return err
				}, always
			}},
		{"Group.Go", "Group.Go", "Group.Go", "Group.Spawn",
			func(s *blockingScene) (func(context.Context) error, func() bool) {
				g := s.full()
				return func(context.Context) error {
					g.Go(noError)
					return context.Canceled
				}, always
			}},
		{"Results.Go", "Group.Go", "Group.Go", "Group.Spawn",
			func(s *blockingScene) (func(context.Context) error, func() bool) {
				r := s.fullResults()
				return func(context.Context) error {
					r.Go(answer)
					return context.Canceled
				}, always
			}},
		{"Group.Wait", "Group.Wait", "Group.Wait", "Group.Join",
			func(s *blockingScene) (func(context.Context) error, func() bool) {
				g := s.full()
				return func(context.Context) error { return g.Wait() }, always
			}},
		{"Results.Wait", "Group.Wait", "Group.Wait", "Group.Join",
			func(s *blockingScene) (func(context.Context) error, func() bool) {
				r := s.fullResults()
				return func(context.Context) error {
					_, err := r.Wait()
					return err
				}, always
			}},
		{"Run", "Run", "Run", "Spawn",
			func(*blockingScene) (func(context.Context) error, func() bool) {
				return func(ctx context.Context) error {
					_, err := runtime.Run(ctx, forever, runtime.Workers(1))
					return err
				}, always
			}},
	}...)
}

func blockingTwins() []blockingCall {
	return []blockingCall{
		twin("SelectContext", "Select",
			func(*blockingScene) (func(context.Context) error, func() bool) {
				c, full := runtime.NewChannel[int](0), runtime.NewSemaphore(1)
				full.TryAcquire(1)
				var v int
				return func(ctx context.Context) error {
						_, err := runtime.SelectContext(ctx, c.ReceiveCase(&v), full.AcquireCase(1),
							runtime.AfterCase(time.Hour))
						return err
					}, func() bool {
						full.Release(1)
						return full.Free() == 1 && c.TrySend(1) == runtime.ErrWouldWait
					}
			}),
		twin("Channel.SendContext", "Channel.Send",
			func(*blockingScene) (func(context.Context) error, func() bool) {
				c := runtime.NewChannel[int](0)
				return func(ctx context.Context) error { return c.SendContext(ctx, 1) },
					func() bool { _, err := c.TryReceive(); return err == runtime.ErrWouldWait }
			}),
		twin("Channel.ReceiveContext", "Channel.Receive",
			func(*blockingScene) (func(context.Context) error, func() bool) {
				c := runtime.NewChannel[int](0)
				return func(ctx context.Context) error {
					_, err := c.ReceiveContext(ctx)
					return err
				}, func() bool { return c.TrySend(1) == runtime.ErrWouldWait }
			}),
		twin("Channel.AllContext", "Channel.All",
			func(*blockingScene) (func(context.Context) error, func() bool) {
				c := runtime.NewChannel[int](0)
				return func(ctx context.Context) error {
					for _, err := range c.AllContext(ctx) {
						return err
					}
					return nil
				}, func() bool { return c.TrySend(1) == runtime.ErrWouldWait }
			}),
		twin("Oneshot.ReceiveContext", "Oneshot.Receive",
			func(*blockingScene) (func(context.Context) error, func() bool) {
				var o runtime.Oneshot[int]
				return func(ctx context.Context) error {
						_, err := o.ReceiveContext(ctx)
						return err
					}, func() bool {
						err := o.Send(1)
						v, again := o.TryReceive()
						return err == nil && v == 1 && again == nil
					}
			}),
		twin("Semaphore.AcquireContext", "Semaphore.Acquire",
			func(*blockingScene) (func(context.Context) error, func() bool) {
				s := runtime.NewSemaphore(2)
				s.TryAcquire(1)
				return func(ctx context.Context) error { return s.AcquireContext(ctx, 2) },
					func() bool { return s.TryAcquire(1) }
			}),
		twin("Mutex.LockContext", "Mutex.Lock",
			func(*blockingScene) (func(context.Context) error, func() bool) {
				var m runtime.Mutex
				m.TryLock()
				return m.LockContext, func() bool { m.Unlock(); return m.TryLock() }
			}),
		twin("RWMutex.LockContext", "RWMutex.Lock",
			func(*blockingScene) (func(context.Context) error, func() bool) {
				var m runtime.RWMutex
				m.TryRLock()
				return m.LockContext, m.TryRLock
			}),
		twin("RWMutex.RLockContext", "RWMutex.RLock",
			func(*blockingScene) (func(context.Context) error, func() bool) {
				var m runtime.RWMutex
				m.TryLock()
				return m.RLockContext, func() bool { m.Unlock(); return m.TryLock() }
			}),
		twin("Notify.WaitContext", "Notify.Wait",
			func(*blockingScene) (func(context.Context) error, func() bool) {
				var n runtime.Notify
				return n.WaitContext, func() bool {
					n.Signal()
					i, err := runtime.TrySelect(n.WaitCase()) // it is remembered
					return i == 0 && err == nil
				}
			}),
		twin("Cond.WaitContext", "Cond.Wait",
			func(*blockingScene) (func(context.Context) error, func() bool) {
				var m runtime.Mutex
				m.TryLock()
				return runtime.NewCond(&m).WaitContext, func() bool { return !m.TryLock() }
			}),
		twin("WaitGroup.WaitContext", "WaitGroup.Wait",
			func(*blockingScene) (func(context.Context) error, func() bool) {
				var g runtime.WaitGroup
				g.Add(1)
				return g.WaitContext, always
			}),
		twin("Limiter.WaitContext", "Limiter.Wait",
			func(*blockingScene) (func(context.Context) error, func() bool) {
				l := runtime.NewLimiter(0.001, 1)
				l.Allow()
				return l.WaitContext, always
			}),
		twin("Limiter.WaitNContext", "Limiter.WaitN",
			func(*blockingScene) (func(context.Context) error, func() bool) {
				l := runtime.NewLimiter(0.001, 3)
				l.AllowN(2)
				return func(ctx context.Context) error { return l.WaitNContext(ctx, 2) }, always
			}),
	}
}

// inScene calls fn in a task of a runtime.
func inScene(
	t *testing.T, workers int, fn func(cx runtime.Cx, s *blockingScene), options ...runtime.Option,
) {
	rt := start(t, workers, options...)
	run(t, rt, func(cx runtime.Cx) error {
		s := &blockingScene{rt: rt, child: runtime.Spawn(cx, forever), release: func() {}}
		defer s.child.Cancel()
		fn(cx, s)
		s.release()
		return nil
	})
	require.NoError(t, rt.Close())
}

// With Debug, a task is refused each call that would block its worker, however deep its stack is,
// and it stays in no line. (runtime/R18)
func TestDebugRefusesEveryCallThatBlocks(t *testing.T) {
	for _, c := range blockingCalls() {
		t.Run(c.name, func(t *testing.T) {
			for _, depth := range []int{0, 200} {
				inScene(t, 1, func(_ runtime.Cx, s *blockingScene) {
					call, nobodyWaits := c.make(s)
					told := make(chan any, 1)
					deep(depth, func() {
						told <- panics(func() { _ = call(t.Context()) })
					})
					require.Equal(t, "surewake: "+c.told+": called in a task of the runtime, "+
						"whose worker it would block; a task calls "+c.task, receive(t, told))
					require.True(t, nobodyWaits())
				}, runtime.Debug())
			}
		})
	}
}

// Goroutines and blocking tasks may block, and so may tasks of a runtime without Debug.
func TestDebugLetsOthersBlock(t *testing.T) {
	for _, c := range blockingCalls() {
		t.Run(c.name, func(t *testing.T) {
			blocks := func(s *blockingScene) {
				call, nobodyWaits := c.make(s)
				ctx, cancel := context.WithCancel(t.Context())
				ends := time.AfterFunc(time.Millisecond, func() { s.release(); cancel() })
				defer ends.Stop()
				require.ErrorIs(t, call(ctx), context.Canceled)
				require.True(t, nobodyWaits())
			}
			rt, plain := start(t, 1, runtime.Debug()), start(t, 1)
			scene := func() *blockingScene {
				return &blockingScene{
					rt: rt, child: runtime.Submit(rt, forever), release: func() {},
				}
			}
			blocks(scene())
			_, err := get(t, runtime.SubmitBlocking(rt, func() (int, error) {
				blocks(scene())
				return 0, nil
			}))
			require.NoError(t, err)
			run(t, plain, func(runtime.Cx) error { blocks(scene()); return nil })
			closes(t, rt)
		})
	}
}

// A call that need not wait is not refused.
func TestDebugLetsCallsThatNeedNotWait(t *testing.T) {
	inScene(t, 1, func(cx runtime.Cx, s *blockingScene) {
		ctx := t.Context()
		c := runtime.NewChannel[int](1)
		require.NoError(t, c.SendContext(ctx, 1))
		v, err := c.ReceiveContext(ctx)
		require.NoError(t, err)
		require.Equal(t, 1, v)
		i, err := runtime.SelectContext(ctx, c.SendCase(2))
		require.NoError(t, err)
		require.Zero(t, i)
		require.NoError(t, c.Close())
		for v, err := range c.AllContext(ctx) {
			require.NoError(t, err)
			require.Equal(t, 2, v)
		}
		var o runtime.Oneshot[int]
		require.NoError(t, o.Send(1))
		_, err = o.ReceiveContext(ctx)
		require.NoError(t, err)
		require.NoError(t, runtime.NewSemaphore(1).AcquireContext(ctx, 1))
		require.NoError(t, new(runtime.Mutex).LockContext(ctx))
		require.NoError(t, new(runtime.RWMutex).LockContext(ctx))
		require.NoError(t, new(runtime.RWMutex).RLockContext(ctx))
		require.NoError(t, new(runtime.WaitGroup).WaitContext(ctx))
		require.NoError(t, runtime.NewLimiter(1, 1).WaitContext(ctx))
		require.NoError(t, runtime.NewLimiter(1, 2).WaitNContext(ctx, 2))
		var n runtime.Notify
		n.Signal()
		require.NoError(t, n.WaitContext(ctx))
		ended := runtime.Spawn(cx, answer)
		_, err = ended.Join(cx)
		require.NoError(t, err)
		_, err = ended.Wait(ctx)
		require.NoError(t, err)
	}, runtime.Debug())
}

// A watchdog names each call in which a task holds its worker, and what a task calls instead.
func TestWatchdogNamesEveryCallThatBlocks(t *testing.T) {
	for _, c := range blockingCalls() {
		t.Run(c.name, func(t *testing.T) {
			alarms := make(chan runtime.Alarm, 100)
			ctx, cancel := context.WithCancel(t.Context())
			var release func()
			over := make(chan struct{})
			go func() {
				defer close(over)
				// The second worker runs the function for which Group.Wait waits.
				inScene(t, 2, func(_ runtime.Cx, s *blockingScene) {
					call, _ := c.make(s)
					release = s.release
					require.ErrorIs(t, call(ctx), context.Canceled)
				}, runtime.Watchdog(5*time.Millisecond, func(a runtime.Alarm) { alarms <- a }))
			}()
			a := receive(t, alarms)
			for a.Call == "" { // the task has held its worker before the call
				a = receive(t, alarms)
			}
			require.Equal(t, c.call, a.Call)
			require.Contains(t, a.String(), " in "+c.call+", which blocks it; a task calls "+c.task)
			release() // written before the call, which the watchdog has seen
			cancel()
			receive(t, over)
		})
	}
}

// Without Debug, Close does not end what blocks a worker: the Wait of a task for itself, or, with
// one worker, for a child. It ends with its context.
func TestCloseDoesNotEndWhatBlocksAWorker(t *testing.T) {
	for what, waits := range map[string]func(
		ctx context.Context, cx runtime.Cx, self *runtime.Handle[int],
	) (int, error){
		"itself": func(ctx context.Context, _ runtime.Cx, self *runtime.Handle[int]) (int, error) {
			return self.Wait(ctx)
		},
		"a child": func(ctx context.Context, cx runtime.Cx, _ *runtime.Handle[int]) (int, error) {
			return runtime.Spawn(cx, answer).Wait(ctx)
		},
		"a batch": func(ctx context.Context, cx runtime.Cx, _ *runtime.Handle[int]) (int, error) {
			v, err := runtime.SpawnBatch(cx, 1, func(runtime.Cx, int) (int, error) {
				return 1, nil
			}).Wait(ctx)
			return len(v), err
		},
		"a channel": func(ctx context.Context, _ runtime.Cx, _ *runtime.Handle[int]) (int, error) {
			return runtime.NewChannel[int](0).ReceiveContext(ctx)
		},
	} {
		t.Run(what, func(t *testing.T) {
			rt := start(t, 1)
			ctx, cancel := context.WithCancel(t.Context())
			self := make(chan *runtime.Handle[int], 1)
			began := make(chan struct{})
			h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				me := <-self
				close(began)
				return waits(ctx, cx, me)
			})
			self <- h
			receive(t, began)
			closed := make(chan error, 1)
			go func() { closed <- rt.Close() }()
			select {
			case <-closed:
				t.Error("Close has ended it")
			case <-time.After(5 * time.Millisecond):
			}
			cancel()
			require.NoError(t, receive(t, closed))
			_, err := get(t, h)
			require.ErrorIs(t, err, context.Canceled)
		})
	}
}

// A task that submits to another runtime, which is full, waits for a place there. That is not
// refused, as little as its Handle.Wait, but told of.
func TestWatchdogNamesASubmitToAnotherRuntime(t *testing.T) {
	alarms := make(chan runtime.Alarm, 100)
	rt := start(t, 1, runtime.Debug(),
		runtime.Watchdog(5*time.Millisecond, func(a runtime.Alarm) { alarms <- a }))
	other := start(t, 1, runtime.MaxTasks(1))
	first := runtime.Submit(other, forever)
	h := runtime.Submit(rt, func(runtime.Cx) (int, error) {
		return runtime.Submit(other, answer).Wait(t.Context())
	})
	a := receive(t, alarms)
	for a.Call == "" {
		a = receive(t, alarms)
	}
	require.Equal(t, "Submit", a.Call)
	require.Contains(t, a.String(), "in Submit, which blocks it; a task calls TrySubmit")
	first.Cancel()
	v, err := get(t, h)
	require.NoError(t, err)
	require.Equal(t, 42, v)
}
