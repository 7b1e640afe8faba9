package runtime_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A burstOf is many tasks that run while something is cancelled.
type burstOf struct {
	rt     *runtime.Runtime
	ran    atomic.Int64 // of its tasks
	from   atomic.Int64 // of these, at the cancel
	last   atomic.Int64 // of these, when the last of what must end has ended
	ready  atomic.Int64 // 1: what must end is in place
	closed chan bool    // of what is queued in place
	most   int          // how long a chain may be, of which each has its turns
}

// ended is called in a task that ends.
func (b *burstOf) ended() {
	for now := b.ran.Load(); ; {
		if last := b.last.Load(); last >= now || b.last.CompareAndSwap(last, now) {
			return
		}
	}
}

// isOn waits until the burst has begun, by what goes before it.
func (b *burstOf) isOn(cx runtime.Cx) error {
	for b.ran.Load() == 0 {
		if err := cx.Sleep(time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// waits is a task that waits until it must end.
func (b *burstOf) waits(cx runtime.Cx) (int, error) {
	defer b.ended()
	b.ready.Add(1)
	return 0, cx.Sleep(time.Hour)
}

// chain is a task that has joined another, and so on, of which the last one waits.
func (b *burstOf) chain(cx runtime.Cx, length int) (int, error) {
	defer b.ended()
	if length == 0 {
		return b.waits(cx)
	}
	h := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) { return b.chain(cx, length-1) })
	cx.Yield() // it runs by itself
	return h.Join(cx)
}

// scopes is a task in a scope of another, and so on, of which the last one waits.
func (b *burstOf) scopes(cx runtime.Cx, depth int) error {
	defer b.ended()
	if depth == 0 {
		_, err := b.waits(cx)
		return err
	}
	return runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
		runtime.SpawnIn(cx, s, func(cx runtime.Cx) (int, error) {
			return 0, b.scopes(cx, depth-1)
		})
		return nil
	})
}

// forkMany forks so many calls, which wait until they must end, calls fn, and joins them.
func forkMany(cx runtime.Cx, n int, fn func() error) error {
	if n == 0 {
		return fn()
	}
	f := runtime.Fork(cx, func(cx runtime.Cx, _ int) error { return cx.Sleep(time.Hour) }, 0)
	err := forkMany(cx, n-1, fn)
	return errors.Join(err, f.Join(cx))
}

// mustEnd are tasks in a burst, one of which says that all are in place, before the burst or late,
// when it is on. They are to be cancelled then.
var mustEnd = map[string]struct {
	late  bool
	begin func(b *burstOf) (cancel func())
}{
	"waits": {false, func(b *burstOf) func() { return runtime.Submit(b.rt, b.waits).Cancel }},
	"joins": {false, func(b *burstOf) func() {
		h := runtime.Submit(b.rt, func(cx runtime.Cx) (int, error) { return b.chain(cx, b.most) })
		return h.Cancel
	}},
	"scopes": {false, func(b *burstOf) func() {
		return runtime.Submit(b.rt, func(cx runtime.Cx) (int, error) {
			return 0, b.scopes(cx, b.most)
		}).Cancel
	}},
	"is waited for": {false, func(b *burstOf) func() {
		h := runtime.Submit(b.rt, b.waits)
		for range b.most / 2 {
			before := h
			h = runtime.Submit(b.rt, func(cx runtime.Cx) (int, error) {
				defer b.ended()
				defer before.Cancel()
				return before.Join(cx)
			})
		}
		return h.Cancel
	}},
	"queued": {true, func(b *burstOf) func() {
		var all *runtime.TaskBatch[int]
		runtime.Submit(b.rt, func(cx runtime.Cx) (int, error) {
			if err := b.isOn(cx); err != nil {
				return 0, err
			}
			defer b.ended()
			never := func(runtime.Cx, int) (int, error) { return 0, nil }
			all = runtime.SubmitBatch(b.rt, 2000, never)
			b.ready.Add(1)
			for i := range 2000 {
				_, _ = all.Handle(i).Join(cx)
			}
			return 0, nil
		})
		return func() { all.Cancel() }
	}},
	"a child is queued": {false, func(b *burstOf) func() {
		c := runtime.NewChannel[int](0)
		h := runtime.Submit(b.rt, func(cx runtime.Cx) (int, error) {
			defer b.ended()
			h := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
				defer b.ended()
				return c.Receive(cx)
			})
			cx.Yield()
			b.ready.Add(1)
			return h.Join(cx)
		})
		return func() {
			c.Close() // the child is queued behind the burst
			h.Cancel()
		}
	}},
	"forks": {true, func(b *burstOf) func() {
		h := runtime.Submit(b.rt, func(cx runtime.Cx) (int, error) {
			if err := b.isOn(cx); err != nil {
				return 0, err
			}
			defer b.ended()
			return 0, forkMany(cx, 4*b.most, func() error {
				b.ready.Add(1)
				return cx.Sleep(time.Hour)
			})
		})
		return h.Cancel
	}},
	"yields": {true, func(b *burstOf) func() {
		var h *runtime.Handle[int]
		h = runtime.Submit(b.rt, func(cx runtime.Cx) (int, error) {
			defer b.ended()
			if err := b.isOn(cx); err != nil {
				return 0, err
			}
			b.from.Store(b.ran.Load())
			h.Cancel()
			for range 4 {
				cx.Yield()
			}
			b.ready.Add(1)
			return 0, nil
		})
		return func() {}
	}},
	"a Task is queued": {true, func(b *burstOf) func() {
		c := runtime.NewChannel[int](0)
		runtime.Submit(b.rt, func(cx runtime.Cx) (int, error) {
			var child runtime.Task[int]
			child.Spawn(cx, func(cx runtime.Cx) (int, error) {
				defer b.ended()
				return c.Receive(cx)
			})
			if err := b.isOn(cx); err != nil {
				return 0, err
			}
			b.ready.Add(1)
			<-b.closed
			child.Cancel(cx)
			for b.last.Load() == 0 {
				_ = cx.Sleep(time.Millisecond)
			}
			return child.Join(cx)
		})
		return func() {
			c.Close() // the child is queued behind the burst
			close(b.closed)
		}
	}},
	"yields on top": {true, func(b *burstOf) func() { // and has not asked whether it must end
		return runtime.Submit(b.rt, func(cx runtime.Cx) (int, error) {
			return runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
				defer b.ended()
				for b.ran.Load() == 0 {
					cx.Yield()
				}
				b.ready.Add(1)
				for range 4 {
					cx.Yield()
				}
				return 0, nil
			}).Join(cx)
		}).Cancel
	}},
}

// What must end, or waits for such a task, is not queued behind a burst: neither one from outside,
// nor one that a task has started, nor a few slow tasks in a ring. (runtime/R82)
func TestWhatMustEndIsNotBehindABurst(t *testing.T) {
	for _, workers := range []int{1, 2} {
		for kind, size := range map[string]int64{"outside": 20_000, "inside": 20_000, "slow": 200} {
			for name, c := range mustEnd {
				t.Run(fmt.Sprintf("workers=%d/%s/%s", workers, kind, name), func(t *testing.T) {
					b := &burstOf{rt: start(t, workers), closed: make(chan bool), most: 50}
					if kind == "slow" {
						b.most = 8
					}
					cancel := c.begin(b)
					takesTime := func(runtime.Cx) {
						takes(200 * time.Millisecond / time.Duration(size))
						b.ran.Add(1)
					}
					if !c.late {
						require.Eventually(t, func() bool { return b.ready.Load() == 1 },
							10*time.Second, time.Millisecond)
					}
					if kind == "outside" {
						for range size {
							b.rt.Go(takesTime)
						}
					} else {
						b.rt.Go(func(cx runtime.Cx) {
							for range size {
								cx.Go(takesTime)
							}
						})
					}
					require.Eventually(t, func() bool {
						return b.ready.Load() == 1 && b.ran.Load() > 0
					}, 10*time.Second, time.Millisecond)
					if name != "yields" {
						b.from.Store(b.ran.Load())
					}
					cancel()
					drains(t, b.rt)
					require.Less(t, b.last.Load()-b.from.Load(), 2*size/3)
				})
			}
		}
	}
}

// A task that runs on top of the one that joins it, and only joins others, learns in the next join
// that the one beneath must end. (runtime/R83)
func TestACancelReachesTheNextJoin(t *testing.T) {
	rt := start(t, 1)
	joined, self := 0, make(chan *runtime.Handle[int], 1)
	h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		return runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
			for ; ; joined++ {
				_, err := runtime.Spawn(cx, func(runtime.Cx) (int, error) {
					if joined == 10 {
						(<-self).Cancel()
					}
					return 0, nil
				}).Join(cx)
				if err != nil {
					return 0, err
				}
			}
		}).Join(cx)
	})
	self <- h
	_, err := get(t, h)
	require.ErrorIs(t, err, runtime.ErrCancelled)
	require.Equal(t, 11, joined)
	drains(t, rt)
}
