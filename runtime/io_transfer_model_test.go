package runtime

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// Two tasks read in turn when Close or a deadline comes: both end, the one in the wait and the one
// that waits for its turn, and the turn is free.
func TestTurnsOfASocketEnd(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*Watch) error
		want error
	}{
		{"Close", (*Watch).Close, ErrWatchClosed},
		{"deadline", func(w *Watch) error { return w.SetReadDeadline(time.Unix(1, 0)) },
			os.ErrDeadlineExceeded},
	} {
		body := func(x *model.Exec) {
			d := &device{}
			w := d.world(x, 1)
			watch := w.watch(d)
			var in transfer
			in.init(&watch.directions[reading], func(uintptr) { in.done = d.get() })
			call := func(cx Cx) (int, error) { return in.run(cx, nil) }
			first, second := Submit(w.Runtime, call), Submit(w.Runtime, call)
			w.start()
			x.Go("ends", func() { x.Assert(c.end(watch) == nil, "it fails") })
			<-first.Done()
			<-second.Done()
			x.Join()
			w.shutdown()
			for _, h := range []*Handle[int]{first, second} {
				_, err, _ := h.TryJoin()
				x.Assert(errors.Is(err, c.want), "the task ends with %v", err)
			}
			x.Assert(in.turn.Free() == 1, "the turn is taken")
		}
		t.Run(c.name+"/no preemption", func(t *testing.T) {
			model.Check(t, body, model.Preemptions(0))
		})
		t.Run(c.name+"/one preemption", func(t *testing.T) {
			model.Check(t, body, model.Preemptions(1), model.Executions(5_000))
		})
	}
}

// Two tasks accept in turn, and one is cancelled when connections come: each connection is accepted
// by one task or left, that task has it or an error, and the other one gets its turn.
func TestConnectionsAreAcceptedOnce(t *testing.T) {
	for _, who := range []string{"first", "second"} {
		body := func(x *model.Exec) {
			d := &device{}
			w := d.world(x, 1)
			watch := w.watch(d)
			var in transfer
			accepted := 0
			in.init(&watch.directions[reading], func(uintptr) {
				if d.get() {
					accepted++
					in.done, in.n = true, accepted
				}
			})
			accept := func(cx Cx) (int, error) { return in.run(cx, nil) }
			calls := map[string]*Handle[int]{
				"first": Submit(w.Runtime, accept), "second": Submit(w.Runtime, accept),
			}
			w.start()
			x.Go("client", func() { d.put(); d.put() })
			calls[who].Cancel()
			for _, h := range calls {
				<-h.Done()
			}
			x.Join()
			w.shutdown()
			got := 0
			for name, h := range calls {
				n, err, _ := h.TryJoin()
				if err == nil {
					got += n
				} else {
					x.Assert(name == who && errors.Is(err, ErrCancelled), "%s: %v", name, err)
				}
			}
			left := int(d.bytes.Load())
			x.Assert(got == []int{0, 1, 3}[accepted], "%d accepted, %d handed out", accepted, got)
			x.Assert(accepted+left == 2 && accepted > 0, "%d accepted, %d left", accepted, left)
			x.Assert(in.turn.Free() == 1, "the turn is taken")
		}
		t.Run(who+"/no preemption", func(t *testing.T) {
			model.Check(t, body, model.Preemptions(0))
		})
		t.Run(who+"/one preemption", func(t *testing.T) {
			model.Check(t, body, model.Preemptions(1), model.Executions(5_000))
		})
	}
}
