package runtime

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// Joins that end before their tasks do, and joins of many tasks.

// A task joins another one until a time or a context ends, or it is cancelled itself: it has the
// result, or the error that says why it has none, and it is no joiner any more.
func TestAJoinThatIsGivenUpLeavesNothing(t *testing.T) {
	timeout := func(h *Handle[int], cx Cx, _ context.Context) (int, error) {
		return h.JoinTimeout(cx, time.Millisecond)
	}
	nothing := func(*Handle[int], func()) {}
	ends := func(_ *Handle[int], end func()) { end() }
	cancels := func(joiner *Handle[int], _ func()) { joiner.Cancel() }
	for name, c := range map[string]struct {
		join func(h *Handle[int], cx Cx, ctx context.Context) (int, error)
		end  func(joiner *Handle[int], endContext func())
		errs []error
	}{
		"JoinTimeout":           {timeout, nothing, []error{ErrTimeout}},
		"cancelled JoinTimeout": {timeout, cancels, []error{ErrTimeout, ErrCancelled}},
		"JoinContext":           {(*Handle[int]).JoinContext, ends, []error{context.Canceled}},
		"cancelled JoinContext": {(*Handle[int]).JoinContext, cancels, []error{ErrCancelled}},
	} {
		t.Run(name, func(t *testing.T) {
			checkEarly(t, func(x *model.Exec) {
				w := stillWorld(x, 1)
				ctx, cancel := context.WithCancel(context.Background())
				var target *Handle[int]
				begun := make(chan struct{})
				var goOn Notify
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					target = Spawn(cx, func(cx Cx) (int, error) { return 7, goOn.Wait(cx) })
					close(begun)
					v, err := c.join(target, cx, ctx)
					x.Assert(len(target.listJoiners()) == 0, "it is a joiner still")
					x.Assert(len(w.timers.heap) == 0, "a timer is left")
					return v, err
				})
				x.Go("ends", func() {
					<-begun
					c.end(h, cancel)
					goOn.Signal()
				})
				w.start()
				v, err := h.Wait(context.Background())
				x.Join()
				wait(x, target, 7)
				w.shutdown()
				x.Assert(v == 7 && err == nil || v == 0 && slices.Contains(c.errs, err),
					"%d, %v", v, err)
			})
		})
	}
}

// A context ends while a goroutine waits for a task: it has the result, or the error of the
// context, and the task knows nothing of it any more.
func TestAContextEndsAWaitForATask(t *testing.T) {
	checkWholly(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		var goOn Notify
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			return 7, goOn.Wait(cx)
		})
		ctx, cancel := context.WithCancel(context.Background())
		x.Go("cancels", cancel)
		x.Go("waits", func() {
			v, err := h.Wait(ctx)
			x.Assert(v == 7 && err == nil || v == 0 && err == context.Canceled, "%d, %v", v, err)
			x.Assert(len(h.listJoiners()) == 0, "it is a joiner still")
			goOn.Signal()
		})
		w.start()
		v, err := w.await(h)
		x.Assert(v == 7 && err == nil, "%d, %v", v, err)
	})
}

// A goroutine waits for the results of a batch, and its context ends: it has all of them, in order,
// or the error of the context, and the others that wait have them.
func TestAContextEndsAWaitForABatch(t *testing.T) {
	checkWholly(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		b := SubmitBatch(w.Runtime, 2, func(_ Cx, i int) (int, error) { return i + 1, nil })
		ctx, cancel := context.WithCancel(context.Background())
		x.Go("cancels", cancel)
		w.start()
		values, err := b.Wait(ctx)
		x.Join()
		x.Assert(err == nil && slices.Equal(values, []int{1, 2}) ||
			err == context.Canceled && values == nil, "%v, %v", values, err)
		values, err = b.Wait(context.Background())
		x.Assert(err == nil && slices.Equal(values, []int{1, 2}), "%v, %v", values, err)
		w.shutdown()
	})
}

// A task joins a batch, one task of which waits, and is cancelled: it has all results, in order, or
// none.
func TestACancelledTaskHasNoResultsOfABatch(t *testing.T) {
	checkTwo(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		var goOn Notify
		b := SubmitBatch(w.Runtime, 2, func(cx Cx, i int) (int, error) {
			if i == 0 {
				w.ok(goOn.Wait(cx))
			}
			return i + 1, nil
		})
		begun := make(chan struct{})
		var values []int
		h := Submit(w.Runtime, func(cx Cx) (v int, err error) {
			close(begun)
			values, err = b.Join(cx)
			return 1, err
		})
		x.Go("ends", func() {
			<-begun
			h.Cancel()
			goOn.Signal()
		})
		w.start()
		_, err := h.Wait(context.Background())
		x.Join()
		w.shutdown()
		x.Assert(err == nil && slices.Equal(values, []int{1, 2}) ||
			err == ErrCancelled && values == nil, "%v, %v", values, err)
	})
}

// A task joins a group and is cancelled: the functions are cancelled, and have ended when it
// returns, whichever comes first; or they have ended by themselves. Nobody waits then.
func TestAJoinOfAGroupOutlastsIt(t *testing.T) {
	for name, forEver := range map[string]bool{"waits": true, "ends": false} {
		t.Run(name, func(t *testing.T) {
			checkTwo(t, func(x *model.Exec) {
				w := stillWorld(x, 1)
				g := NewGroup(context.Background(), w.Runtime)
				begun := make(chan struct{})
				running := false // unprotected: a race unless the join synchronizes
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					w.ok(g.Spawn(cx, func(cx Cx) error {
						running = true
						defer func() { running = false }()
						if forEver {
							return cx.forEver()
						}
						cx.Yield()
						return nil
					}))
					close(begun)
					err := g.Join(cx)
					x.Assert(!running && g.running == 0 && g.waiting.first == nil, "it goes on")
					return 1, err
				})
				x.Go("cancels", func() {
					<-begun
					h.Cancel()
				})
				w.start()
				_, err := h.Wait(context.Background())
				x.Join()
				w.shutdown()
				x.Assert(err == ErrCancelled || err == nil && !forEver, "%v", err)
			})
		})
	}
}

// A task joins a group with results, one function of which starts another, while a goroutine waits
// for it: the results are all there, and one of the two has them, or each has some.
func TestAJoinReturnsWhatAWaitDoesNot(t *testing.T) {
	checkWholly(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		r := NewResults[int](context.Background(), w.Runtime)
		r.Go(func(cx Cx) (int, error) {
			return 1, r.Spawn(cx, func(Cx) (int, error) { return 2, nil })
		})
		var joined []int
		h := Submit(w.Runtime, func(cx Cx) (n int, err error) {
			joined, err = r.Join(cx)
			return 1, err
		})
		w.start()
		waited, err := r.Wait()
		wait(x, h, 1)
		w.shutdown()
		all := append(joined, waited...)
		slices.Sort(all)
		x.Assert(err == nil && slices.Equal(all, []int{1, 2}), "%v and %v, %v", joined, waited, err)
	})
}

// Two goroutines try to start a function in a group with one place, and one may cancel it: each is
// called if its call says so, and no two at a time.
func TestTryGoStartsWhatItSays(t *testing.T) {
	for name, cancels := range map[string]bool{"two": false, "a cancellation": true} {
		t.Run(name, func(t *testing.T) {
			checkTwo(t, func(x *model.Exec) {
				w := stillWorld(x, 1)
				g := NewGroup(context.Background(), w.Runtime)
				g.SetLimit(1)
				running := 0 // unprotected: a race unless the place is handed over
				var called [2]bool
				try := func(i int) bool {
					return g.TryGo(func(cx Cx) error {
						running++
						x.Assert(running == 1, "%d run", running)
						cx.Yield()
						running--
						called[i] = true
						return nil
					})
				}
				var started [2]bool
				x.Go("other", func() {
					if cancels {
						g.Cancel()
					} else {
						started[1] = try(1)
					}
				})
				w.start()
				started[0] = try(0)
				x.Join()
				err := g.Wait()
				x.Assert(err == nil && !cancels || err == ErrCancelled && cancels, "%v", err)
				w.shutdown()
				x.Assert(cancels || started[0] || started[1], "none has started")
				for i := range called {
					x.Assert(called[i] == started[i] || cancels && started[i],
						"function %d was called: %v, started: %v", i, called[i], started[i])
				}
				x.Assert(g.running == 0 && g.queue.first == nil, "something is left")
			})
		})
	}
}
