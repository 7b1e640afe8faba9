package runtime

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// A group with one place and two functions, given by goroutines that wait for it or by one that
// does not: each is called once, never two at a time, and Wait returns after both.
func TestGroupHasNoMorePlacesThanItsLimit(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := newWorld(x, 1)
		g := NewGroup(context.Background(), w.Runtime)
		g.SetLimit(1)
		running, ran := 0, 0
		fn := func(Cx) error {
			running++ // unprotected: a race unless a place is handed over
			x.Assert(running == 1, "%d run", running)
			running--
			ran++
			return nil
		}
		g.Go(fn)
		g.Go(fn)
		x.Assert(g.Wait() == nil && ran == 2, "%d have run", ran)
		w.shutdown()
	})
}

// A function starts another, and ends, while somebody waits for the group: the wait ends after
// both. (runtime/R27)
func TestGroupIsNotOverWhileAFunctionStartsAnother(t *testing.T) {
	for name, limit := range map[string]int{"limit 1": 1, "no limit": 0} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				w := stillWorld(x, 1)
				g := NewGroup(context.Background(), w.Runtime)
				g.limit = limit
				ran := false
				g.Go(func(cx Cx) error {
					defer w.last(cx)
					return g.Spawn(cx, func(Cx) error { ran = true; return nil })
				})
				w.start()
				x.Assert(g.Wait() == nil && ran, "over too early")
				<-w.Done()
				w.over()
			})
		})
	}
}

// A function fails while another goroutine waits for its place: that returns, and its function is
// not called.
func TestGroupThatFailsLetsGoWhoWaits(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 1)
		g := NewGroup(context.Background(), w.Runtime)
		g.SetLimit(1)
		first := errors.New("first")
		g.Go(func(cx Cx) error { defer w.last(cx); return first })
		w.start()
		called := false
		g.Go(func(Cx) error { called = true; return nil })
		x.Assert(g.Wait() == first && !called, "called: %v", called)
		<-w.Done()
		w.over()
	})
}

// A task that waits for a place is cancelled while it is given one: the function is called if and
// only if Spawn says so, and nobody else loses a place.
func TestPlaceIsTakenOrLeft(t *testing.T) { placeIsTakenOrLeft(t, 1) }

// With two workers, one may give the place while the other gives it up.
func TestPlaceIsGivenOrLeft(t *testing.T) { placeIsTakenOrLeft(t, 2) }

func placeIsTakenOrLeft(t *testing.T, workers int) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, workers)
		g := NewGroup(context.Background(), w.Runtime)
		g.SetLimit(1)
		var called, accepted atomic.Bool
		g.Go(func(cx Cx) error { cx.Yield(); return nil })
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			err := g.Spawn(cx, func(Cx) error { called.Store(true); return nil })
			accepted.Store(err == nil)
			return 0, err
		})
		w.start()
		h.Cancel()
		w.shutdown()
		x.Assert(called.Load() == accepted.Load(), "called: %v, accepted: %v",
			called.Load(), accepted.Load())
		x.Assert(g.result() == nil && g.running == 0 && g.queue.first == nil, "something is left")
	})
}

// Cancel meets a function that is being started, by a task of the group or a goroutine: it is
// cancelled, or not called.
func TestCancelOfAGroupFindsWhatIsStarted(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 1)
		g := NewGroup(context.Background(), w.Runtime)
		x.Go("canceller", g.Cancel)
		g.Go(func(cx Cx) error { return cx.forEver() })
		w.start()
		x.Assert(g.Wait() == ErrCancelled, "it has ended otherwise")
		x.Join()
		w.shutdown()
	})
}
