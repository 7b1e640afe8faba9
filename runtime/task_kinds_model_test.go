package runtime

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// A pulse is a future that is ready when it has been woken so many times, and says so to whoever
// wakes it.
type pulse struct {
	lock  sync.Mutex
	beats int // how many more it waits for
	waker Waker
}

func (p *pulse) Poll(cx Cx) (int, error, bool) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.waker = cx.Waker()
	return 1, nil, p.beats <= 0
}

func (p *pulse) beat() {
	p.lock.Lock()
	p.beats--
	w := p.waker
	p.lock.Unlock()
	w.Wake()
}

// A wake is not lost, whether it comes before the first poll, during one, or while the future
// rests.
func TestEveryWakeOfAFutureCounts(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := newWorld(x, 1)
		p := &pulse{beats: 2}
		h := SubmitFuture(w.Runtime, p)
		p.beat()
		p.beat()
		wait(x, h, 1)
		w.shutdown()
	})
}

// A future that comes to rest while everything is cancelled ends.
func TestCloseEndsAFutureThatComesToRest(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := newWorld(x, 1)
		h := SubmitFuture(w.Runtime, &pulse{beats: 1})
		x.Assert(w.Close() == nil, "Close fails")
		_, err, ended := h.TryJoin()
		x.Assert(ended && err == ErrClosed, "the future has ended: %v, with %v", ended, err)
		x.Assert(w.ListedFutures() == 0, "it rests still")
		w.over()
	})
}

// When a scope ends, its children have ended, and their handles say so: also that of one which
// another worker is about to complete.
func TestScopeEndsAfterItsChildren(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 2)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			var children [2]*Handle[int]
			err := Scope(cx, func(cx Cx, s *TaskScope) error {
				for i := range children {
					children[i] = SpawnIn(cx, s, func(Cx) (int, error) { return i, nil })
				}
				return nil
			})
			for i, c := range children {
				v, childErr, ended := c.TryJoin()
				x.Assert(err == nil && ended && childErr == nil && v == i,
					"%v; child %d has ended: %v, with %v, %v", err, i, ended, v, childErr)
			}
			return 1, nil
		})
		w.start()
		v, err := w.await(h)
		x.Assert(v == 1 && err == nil, "%v, %v", v, err)
	}, model.Preemptions(1))
}

// Two blocking tasks, one thread at most: the second is taken by whoever is done with the first,
// which may be giving up.
func TestBlockingTaskIsTakenByAThreadThatIsDone(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 1)
		w.config.blockingThreads = 1
		w.start()
		one := func() (int, error) { return 1, nil }
		first, second := SubmitBlocking(w.Runtime, one), SubmitBlocking(w.Runtime, one)
		wait(x, first, 1)
		wait(x, second, 1)
		w.shutdown()
		x.Assert(w.blocking.threads.Load() == 0 && w.blocking.queued.Load() == 0, "%+v",
			w.BlockingStats())
	})
}

// Whoever cancels a task, or closes its runtime, ends its context later than Err returns an error:
// a call of Context in between ends it.
func TestContextHasEndedIfErrSaysSo(t *testing.T) {
	looks := func(x *model.Exec, cx Cx) {
		ctx := cx.Context()
		if err := cx.Err(); err != nil {
			x.Assert(cx.Context() == ctx, "another context")
			x.Assert(context.Cause(ctx) == err, "%v, and its context: %v", err, context.Cause(ctx))
		}
	}
	t.Run("cancel", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			w := stillWorld(x, 1)
			var h *Handle[int]
			h = Submit(w.Runtime, func(cx Cx) (int, error) {
				defer w.last(cx)
				x.Go("canceller", h.Cancel)
				looks(x, cx)
				return 1, nil
			})
			w.start()
			_, err := w.await(h)
			x.Assert(err == nil || err == ErrCancelled, "%v", err)
		})
	})
	t.Run("close", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			w := stillWorld(x, 1)
			h := Submit(w.Runtime, func(cx Cx) (int, error) {
				looks(x, cx)
				return 1, nil
			})
			w.start()
			x.Assert(w.Close() == nil, "Close fails")
			_, err := w.await(h)
			x.Assert(err == nil || err == ErrClosed, "%v", err)
		})
	})
}

// A close meets the end of a shield in which a task was started that waits for ever: that one ends
// with ErrClosed. It has been woken by the close in vain before.
func TestWhatAShieldHasStartedEndsAfterIt(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		var child, h *Handle[int]
		var woken atomic.Bool
		h = Submit(w.Runtime, func(cx Cx) (int, error) {
			cx.Shield(func() {
				child = Spawn(cx, func(cx Cx) (int, error) {
					for !w.cancelling() {
						cx.coroutine.suspend(taskWaits)
					}
					woken.Store(true)
					h.wake(cx.coroutine.worker)
					return 0, cx.forEver()
				})
				cx.Yield()
				x.Go("closer", func() { w.raiseMode(cancelled) })
				w.ok(cx.until(&woken))
			})
			return 1, nil
		})
		w.start()
		v, err := w.await(h)
		x.Assert(v == 1 && err == nil, "it has ended with %d, %v", v, err)
		_, err, ended := child.TryJoin()
		x.Assert(ended && err == ErrClosed, "the other has ended: %v, with %v", ended, err)
	}, model.Preemptions(1))
}

// Close meets a task that starts another in a shield and joins it: it gets its result.
func TestWhatAShieldHasStartedDoesNotNoticeClose(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		began := false
		h := Submit(w.Runtime, func(cx Cx) (v int, err error) {
			began = true
			cx.Shield(func() {
				v, err = Spawn(cx, func(cx Cx) (int, error) { return 7, cx.Err() }).Join(cx)
			})
			return v, err
		})
		w.start()
		x.Assert(w.Close() == nil, "Close fails")
		v, err, ended := h.TryJoin()
		x.Assert(ended && (err == nil) == began && (v == 7) == began,
			"it began: %v, has ended: %v, with %d, %v", began, ended, v, err)
	})
}
