package runtime

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/fork"
	"github.com/surewake/surewake/model"
)

// A task that joins its child is cancelled before, while the child gets onto its stack, looks
// whether it must end, waits or is resumed, or elsewhere: both end, and are told why.
// (runtime/R22)
func TestACancelIsPassedOnToTheChild(t *testing.T) {
	for _, c := range []struct {
		name                         string
		workers, inlineDepth, levels int
		options                      []model.Option
	}{
		{"inlined on a child", 1, 2, 2, nil},
		{"inlined or stolen/one preemption", 2, 2, 1, []model.Option{model.Preemptions(1)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				w := stillWorld(x, c.workers, InlineDepth(c.inlineDepth))
				var nest func(cx Cx, levels int) (int, error)
				var handles []*Handle[int]
				nest = func(cx Cx, levels int) (int, error) {
					if levels == 0 {
						return 0, cx.forEver()
					}
					h := SpawnWith(cx, nest, levels-1)
					handles = append(handles, h)
					v, err := h.Join(cx)
					x.Assert(h.ended(), "the join has returned before the child's end")
					return v, err
				}
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					defer w.last(cx)
					return nest(cx, c.levels)
				})
				w.start()
				h.Cancel()
				_, err := h.Wait(context.Background())
				x.Assert(errors.Is(err, ErrCancelled), "the task has ended with %v", err)
				for _, h := range handles {
					_, err, ended := h.TryJoin()
					x.Assert(ended && errors.Is(err, ErrCancelled),
						"a child has ended: %v, with %v", ended, err)
				}
				if w.mode.Load() == open { // it had not begun
					w.shutdown()
				}
			}, c.options...)
		})
	}
}

// The same while the child ends by itself and another takes its place: the cancellation reaches the
// one that is there, and the first has ended with its result or cancelled, for its joiner as for
// others. (runtime/R22)
func TestACancelMeetsTheEndOfTheChild(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		var first, second *Handle[int]
		var v int
		var err error
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			first = Spawn(cx, func(cx Cx) (int, error) { cx.Yield(); return 7, cx.Err() })
			v, err = first.Join(cx)
			second = Spawn(cx, func(cx Cx) (int, error) { return 0, cx.forEver() })
			return second.Join(cx)
		})
		w.start()
		h.Cancel()
		_, why := h.Wait(context.Background())
		x.Assert(errors.Is(why, ErrCancelled), "the task has ended with %v", why)
		if first != nil {
			again, errAgain, ended := first.TryJoin()
			x.Assert(ended && again == v && errAgain == err,
				"a child has ended: %v, with %v, %v, and with %v, %v for its parent",
				ended, again, errAgain, v, err)
			x.Assert(err == nil && v == 7 || errors.Is(err, ErrCancelled),
				"a child has ended with %v, %v", v, err)
		}
		if w.mode.Load() == open { // it had not begun
			w.shutdown()
		}
	})
}

// The runtime is closed while a task joins its child, which is in a shield: the task waits for it,
// and does not use up the worker meanwhile. (runtime/R22)
func TestACloseLetsAJoinWaitForItsChild(t *testing.T) {
	rt, err := New(Workers(1), InlineDepth(0))
	require.NoError(t, err)
	var polls uint64
	h := Submit(rt, func(cx Cx) (int, error) {
		return Spawn(cx, func(cx Cx) (int, error) {
			cx.Shield(func() {
				require.NoError(t, cx.Close())
				for range 10 { // the other one runs, and waits again
					cx.Yield()
				}
				count := &cx.coroutine.worker.count
				before := count.polled
				for range 100 {
					cx.Yield()
				}
				polls = count.polled - before
			})
			return 7, nil
		}).Join(cx)
	})
	<-rt.Done()
	v, err, ended := h.TryJoin()
	require.True(t, ended)
	require.NoError(t, err)
	require.Equal(t, 7, v)
	require.Less(t, polls, uint64(150))
}

// A cancellation finds its task outside of shields, and what the task runs only when that is in
// one: it does not reach what has been started and is joined there. (runtime/R46)
func TestACancelThatIsLateDoesNotEnterAShield(t *testing.T) {
	ends := func(x *model.Exec, body func(cx Cx) error) {
		w := stillWorld(x, 1)
		var h *Handle[int]
		h = Submit(w.Runtime, func(cx Cx) (v int, err error) {
			defer w.last(cx)
			x.Go("canceller", h.Cancel)
			cx.Shield(func() { err = body(cx) })
			return 1, err
		})
		w.start()
		v, err := w.await(h)
		x.Assert(v == 1 && err == nil, "what was started in the shield has ended with %v", err)
	}
	t.Run("child", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			ends(x, func(cx Cx) error {
				_, err := Spawn(cx, func(cx Cx) (int, error) {
					return 1, errors.Join(cx.Err(), cx.Err())
				}).Join(cx)
				return err
			})
		})
	})
	t.Run("fork/three preemptions", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			ends(x, func(cx Cx) error {
				f := Fork(cx, func(cx Cx, _ int) error {
					return errors.Join(cx.Err(), cx.Err())
				}, 0)
				cx.Yield() // it becomes a task
				return f.Join(cx)
			})
		}, model.NoRescue(), model.Preemptions(3), model.Executions(mostExecutions))
	})
}

// A fork that was forked in a shield and is joined after it is told of a cancellation that comes
// when the shield is left, at any moment. (runtime/R46)
func TestAForkOfAShieldThatIsOverIsTold(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 1)
		var h *Handle[int]
		h = Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			var f *fork.Frame[Cx, int, error]
			cx.Shield(func() {
				f = Fork(cx, func(cx Cx, _ int) error { return cx.forEver() }, 0)
				cx.Yield() // it becomes a task
				x.Go("canceller", h.Cancel)
			})
			return 1, f.Join(cx)
		})
		w.start()
		_, err := w.await(h)
		x.Assert(errors.Is(err, ErrCancelled), "it has ended with %v", err)
	}, model.NoRescue())
}
