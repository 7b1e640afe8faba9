package runtime

import (
	"errors"
	"testing"

	"github.com/surewake/surewake/model"
)

// Tasks without a result that a task starts run once, each before its join returns, wherever they
// run.
func TestCxGoRunsOnce(t *testing.T) {
	for _, workers := range []int{1, 2} {
		t.Run(amount[workers], func(t *testing.T) {
			checkWithin(t, workers, func(x *model.Exec) {
				w := stillWorld(x, workers)
				var counts [2]count
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					defer w.last(cx)
					var handles [2]*Handle[struct{}]
					for i := range handles {
						handles[i] = cx.Go(func(Cx) { counts[i].Add(1) })
					}
					for i, h := range handles {
						_, err := h.Join(cx)
						x.Assert(err == nil && counts[i].Load() == 1, "%v; task %d ran %d times",
							err, i, counts[i].Load())
					}
					return 1, nil
				})
				w.start()
				v, err := w.await(h)
				x.Assert(v == 1 && err == nil, "the task has ended with %v, %v", v, err)
				w.once(&counts[0], &counts[1])
			})
		})
	}
}

// A cancellation of whoever joins such a task reaches it, before it has begun, while it waits, or
// is too late; the join returns after its end. (runtime/R22)
func TestCxGoIsCancelledWithItsParent(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		var told error
		var child *Handle[struct{}]
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			child = cx.Go(func(cx Cx) { told = cx.forEver() })
			_, err := child.Join(cx)
			x.Assert(child.ended(), "the join has returned before the child's end: %v", err)
			return 1, err
		})
		w.start()
		h.Cancel()
		<-h.Done()
		if w.mode.Load() == open { // it had not begun
			w.shutdown()
		} else {
			<-w.Done()
			w.over()
		}
		if child == nil {
			return
		}
		_, err, ended := child.TryJoin()
		x.Assert(ended, "the child has not ended")
		x.Assert((err == nil) == errors.Is(told, ErrCancelled) &&
			(err == nil) != errors.Is(err, ErrCancelled),
			"the child was told %v, and has ended with %v", told, err)
	})
}

// A task without a result from outside meets the end of the runtime: it runs once, or is refused.
func TestRuntimeGoOrClose(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := newWorld(x, 1)
		var ran count
		h := w.Runtime.Go(func(Cx) { ran.Add(1) })
		x.Assert(w.Close() == nil, "Close fails")
		w.over()
		_, err, ended := h.TryJoin()
		x.Assert(ended, "the task has not ended")
		x.Assert(err == nil && ran.Load() == 1 || errors.Is(err, ErrClosed) && ran.Load() == 0,
			"the task ran %d times, and has ended with %v", ran.Load(), err)
	})
}
