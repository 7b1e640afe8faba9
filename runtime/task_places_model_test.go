package runtime

import (
	"context"
	"errors"
	"testing"

	"github.com/surewake/surewake/model"
)

// Two goroutines start tasks where there is one place: never two are there at a time, and both run.
func TestNoMoreTasksThanPlaces(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 1, MaxTasks(1))
		there, ran := 0, 0
		fn := func(cx Cx) (int, error) {
			there++ // unprotected: a race unless the place synchronizes
			cx.Yield()
			x.Assert(there == 1, "%d are there", there)
			there--
			if ran++; ran == 2 {
				w.last(cx)
			}
			return ran, nil
		}
		x.Go("other", func() { Submit(w.Runtime, fn).Detach() })
		w.start()
		Submit(w.Runtime, fn).Detach()
		<-w.Done()
		x.Join()
		x.Assert(ran == 2 && w.places.free == 1, "%d have run, %d places", ran, w.places.free)
		w.over()
	})
}

// Whoever has found a task ended finds its place free. (runtime/R40)
func TestWhoHasEndedHasNoPlace(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 1, MaxTasks(1))
		first := Submit(w.Runtime, empty)
		w.start()
		_, _ = first.Wait(context.Background())
		second, err := TrySubmit(w.Runtime, empty)
		x.Assert(err == nil, "the place of an ended task: %v", err)
		if err == nil {
			_, err = second.Wait(context.Background())
			x.Assert(err == nil, "the second has ended with %v", err)
		}
		w.shutdown()
	})
}

// A goroutine waits for a place while the runtime is closed, and the task that has the place waits
// for that goroutine: the new task ends with ErrClosed. (runtime/R42)
func TestCloseFindsWhoWaitsForAPlace(t *testing.T) {
	for name, mode := range map[string]int32{"Shutdown": draining, "Close": cancelled} {
		t.Run(name, func(t *testing.T) {
			checkWithin(t, 2, func(x *model.Exec) {
				w := stillWorld(x, 1, MaxTasks(1))
				var gate Oneshot[int]
				w.Go(func(cx Cx) {
					cx.Shield(func() { _, _ = gate.Receive(cx) })
				}).Detach()
				x.Go("closes", func() { w.raiseMode(mode) })
				w.start()
				ran := false
				h := Submit(w.Runtime, func(Cx) (int, error) { ran = true; return 0, nil })
				x.Assert(gate.Send(0) == nil, "nobody waits")
				_, err := h.Wait(context.Background())
				x.Assert(!ran && errors.Is(err, ErrClosed), "ran: %v, result %v", ran, err)
				x.Join()
				<-w.Done()
				x.Assert(w.places.free == 1 && w.places.line.first == nil, "a place is missing")
				w.over()
			})
		})
	}
}

// The context of a task that is to be started ends while it is given a place: it runs or not, and
// the place is free afterwards. (runtime/R40)
func TestPlaceOfWhoGivesUpIsNotLost(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 1, MaxTasks(1))
		Submit(w.Runtime, empty).Detach()
		ctx, cancel := context.WithCancel(context.Background())
		ran := false
		h := newContextCall(w.Runtime, func(Cx) (int, error) { ran = true; return 0, nil })
		h.bind(&h.call.task, ctx)
		x.Go("cancels", cancel)
		w.start()
		w.submitBound(&h.call.task, &h.binding) // with the two above: SubmitContext
		_, err := h.Wait(context.Background())
		x.Assert(ran == (err == nil), "ran: %v, result %v", ran, err)
		_, err = Submit(w.Runtime, empty).Wait(context.Background())
		x.Assert(err == nil, "the next has ended with %v", err)
		x.Join()
		w.shutdown()
		x.Assert(w.places.free == 1 && w.places.line.first == nil, "a place is missing")
	})
}

// The first in line wants both places, and may give up while one is given back; the second wants
// one. (runtime/R40)
func TestNoPlaceIsLostToWhoGivesUpInLine(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		rt := &Runtime{}
		p := &rt.places
		p.limit = 2
		back := func(n int) {
			for range n {
				(&task{rt: rt}).leave(nil)
			}
		}
		var first, second seat
		much, _ := p.takeOrQueue(2, &first)
		little, _ := p.takeOrQueue(1, &second)
		leaves := leaving(x)
		x.Go("much", func() {
			if sit(x, much, p, &first, leaves) {
				back(2)
			} else {
				sit(x, little, p, &second, false)
				back(2)
			}
		})
		back(1)
		if !leaves {
			back(1)
			sit(x, little, p, &second, false)
			back(1)
		}
		x.Join()
		x.Assert(p.free == 2 && p.line.first == nil, "%d places are free", p.free)
	})
}
