package runtime

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/model"
)

// A taker is a future that receives one value.
type taker struct {
	pending Pending
	cases   []Case
	into    int
}

func takes(c *Channel[int], more ...Case) *taker {
	f := &taker{}
	f.cases = append([]Case{c.ReceiveCase(&f.into)}, more...)
	return f
}

func (f *taker) Poll(cx Cx) (int, error, bool) {
	_, err, ready := f.pending.Poll(cx, f.cases...)
	return f.into, err, ready
}

// checkTwo checks body with two preemptions: with more, a future that is given something while it
// ends takes very many executions.
func checkTwo(t *testing.T, body func(*model.Exec)) {
	t.Run("two preemptions", func(t *testing.T) {
		model.Check(t, body, model.Preemptions(2), model.Executions(mostExecutions))
	})
}

// A value is sent to a future which is cancelled, or whose runtime is closed: the future returns
// it, or the sender keeps it, and nobody is left in line. (runtime/R50)
func TestNothingIsLostThatAFutureIsGiven(t *testing.T) {
	for name, end := range map[string]func(w world, h *Handle[int]){
		"cancel": func(_ world, h *Handle[int]) { h.Cancel() },
		"Close":  func(w world, _ *Handle[int]) { w.x.Assert(w.Close() == nil, "Close fails") },
	} {
		t.Run(name, func(t *testing.T) {
			checkTwo(t, func(x *model.Exec) {
				w := newWorld(x, 1)
				c := NewChannel[int](0)
				h := SubmitFuture(w.Runtime, takes(c))
				var sent error
				x.Go("sends", func() { sent = c.TrySend(5) })
				end(w, h)
				x.Join()
				if w.mode.Load() == open {
					w.shutdown()
				}
				w.over()
				v, err, over := h.TryJoin()
				x.Assert(over, "the future has not ended")
				x.Assert((sent == nil) == (err == nil && v == 5), "sent: %v; the future: %d, %v",
					sent, v, err)
				x.Assert(c.receivers.first == nil, "somebody waits")
				x.Assert(w.futures.empty(), "a slot is in use")
			})
		})
	}
}

// A quitter is a future that waits by a Pending and ends with its second poll, whatever came.
type quitter struct {
	pending Pending
	source  Case
	polled  bool
}

func (f *quitter) Poll(cx Cx) (int, error, bool) {
	if f.polled {
		return 1, nil, true
	}
	f.polled = true
	_, err, ready := f.pending.Poll(cx, f.source)
	cx.Waker().Wake()
	return 0, err, ready
}

// A permit is released, or a signal given, while a future ends that has waited for it: it is there
// for others, unless the future has taken it in its first poll. (runtime/R50)
func TestNothingStaysWithAFutureThatHasEnded(t *testing.T) {
	for name, gives := range map[string]func(s *Semaphore, n *Notify) Case{
		"permit": func(s *Semaphore, _ *Notify) Case { return s.AcquireCase(1) },
		"signal": func(_ *Semaphore, n *Notify) Case { return n.WaitCase() },
	} {
		t.Run(name, func(t *testing.T) {
			checkTwo(t, func(x *model.Exec) {
				w := newWorld(x, 1)
				s, n := NewSemaphore(1), new(Notify)
				x.Assert(s.TryAcquire(1), "no permit is free")
				h := SubmitFuture(w.Runtime, &quitter{source: gives(s, n)})
				x.Go("gives", func() {
					s.Release(1)
					n.Signal()
				})
				v, err := h.Wait(t.Context())
				x.Join()
				w.shutdown()
				x.Assert(err == nil, "%v", err)
				x.Assert(s.line.first == nil && n.line.first == nil, "somebody waits")
				x.Assert(s.free == v || name == "signal", "%d are free, %d", s.free, v)
				x.Assert(n.signalled == (v == 1) || name == "permit", "%v, %d", n.signalled, v)
			})
		})
	}
}

// A future waits for a value and for a permit, and both come at once: it takes one, and the other
// stays where it is.
func TestPendingTakesOneOfTwo(t *testing.T) {
	checkTwo(t, func(x *model.Exec) {
		w := newWorld(x, 1)
		c, s := NewChannel[int](1), NewSemaphore(1)
		x.Assert(s.TryAcquire(1), "no permit is free")
		h := SubmitFuture(w.Runtime, takes(c, s.AcquireCase(1)))
		x.Go("sends", func() { x.Assert(c.TrySend(5) == nil, "there is no room") })
		s.Release(1)
		v, err := h.Wait(t.Context())
		x.Join()
		w.shutdown()
		x.Assert(err == nil, "%v", err)
		x.Assert((v == 5) == (c.Len() == 0) && (v == 0) == !s.TryAcquire(1),
			"it has received %d; %d values are left", v, c.Len())
	})
}

// A future waits for the value of a oneshot, the end of a task, or a time, and is cancelled: it
// takes it, or ends without, and then it is there for others. Nothing of the future stays there.
func TestAPendingTakesWhatItWaitsForOrLeavesIt(t *testing.T) {
	for _, c := range []struct {
		name   string
		source func(o *Oneshot[int], into *int, target *Handle[int]) Case
	}{
		{"oneshot", func(o *Oneshot[int], into *int, _ *Handle[int]) Case {
			return o.ReceiveCase(into)
		}},
		{"end", func(_ *Oneshot[int], _ *int, target *Handle[int]) Case {
			return target.EndCase()
		}},
		{"time", func(*Oneshot[int], *int, *Handle[int]) Case {
			return AfterCase(time.Millisecond)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkTwo(t, func(x *model.Exec) {
				w := stillWorld(x, 1)
				var o Oneshot[int]
				f := &taker{}
				target := Submit(w.Runtime, func(cx Cx) (int, error) { cx.Yield(); return 7, nil })
				f.cases = []Case{c.source(&o, &f.into, target)}
				h := SubmitFuture(w.Runtime, f)
				x.Go("sends", func() { x.Assert(o.Send(5) == nil, "the value is refused") })
				w.start()
				h.Cancel()
				v, err := h.Wait(context.Background())
				x.Join()
				x.Assert(err == nil || err == ErrCancelled, "%v", err)
				took := c.name == "oneshot" && err == nil
				x.Assert((v == 5) == took, "it has received %d, %v", v, err)
				_, left := o.TryReceive()
				x.Assert((left == nil) != took, "%v, and the value: %v", err, left)
				x.Assert(o.line.first == nil, "somebody waits")
				wait(x, target, 7)
				w.shutdown()
				x.Assert(target.joiners.Load() == nil, "it is a joiner still")
				x.Assert(len(w.timers.heap) == 0 && w.futures.empty(), "something is left")
			})
		})
	}
}

// Without a cancellation, the future ends with what it waits for: nothing that comes is missed.
func TestAPendingMissesNothing(t *testing.T) {
	for _, what := range []string{"oneshot", "closed oneshot", "end", "time"} {
		t.Run(what, func(t *testing.T) {
			checkTwo(t, func(x *model.Exec) {
				w := stillWorld(x, 1)
				var o Oneshot[int]
				target := runningTask()
				f := &taker{}
				source := o.ReceiveCase(&f.into)
				begin := w.now()
				switch what {
				case "end":
					source = endCase{target}
				case "time":
					source = AfterCase(time.Millisecond)
				}
				f.cases = []Case{source}
				h := SubmitFuture(w.Runtime, f)
				w.start()
				switch what {
				case "oneshot":
					x.Assert(o.Send(5) == nil, "the value is refused")
				case "closed oneshot":
					o.Close()
				case "end":
					target.complete(nil)
				}
				v, err := h.Wait(context.Background())
				x.Assert((v == 5) == (what == "oneshot"), "it has received %d", v)
				x.Assert((err == ErrChannelClosed) == (what == "closed oneshot") &&
					(err == nil) == (what != "closed oneshot"), "%v", err)
				x.Assert(what != "time" || w.now() >= begin+int64(time.Millisecond), "too early")
				w.shutdown()
				x.Assert(o.line.first == nil && w.futures.empty(), "something is left")
			})
		})
	}
}

// A napper is a future that waits for a time or for a signal.
type napper struct {
	nap     Nap
	pending Pending
	notify  *Notify
}

func (f *napper) Poll(cx Cx) (int, error, bool) {
	if _, err, ready := f.pending.Poll(cx, f.notify.WaitCase()); ready {
		return 1, err, true
	}
	if !f.nap.Over(cx, 1) {
		return 0, nil, false
	}
	if f.pending.Stop(cx) {
		return 2, nil, true
	}
	_, err, ready := f.pending.Poll(cx, f.notify.WaitCase())
	return 1, err, ready
}

// The nap of a future is over, or its signal comes, whichever is first, and one of them ends it.
func TestNapOfAFutureIsNotLost(t *testing.T) {
	for name, signals := range map[string]bool{"time": false, "time and a signal": true} {
		t.Run(name, func(t *testing.T) {
			checkTwo(t, func(x *model.Exec) {
				w := newWorld(x, 1)
				f := &napper{notify: new(Notify)}
				h := SubmitFuture(w.Runtime, f)
				if signals {
					x.Go("signals", f.notify.Signal)
				}
				v, err := h.Wait(t.Context())
				x.Join()
				w.shutdown()
				x.Assert(err == nil && (v == 2 || signals && v == 1), "%d, %v", v, err)
				x.Assert(!signals || f.notify.signalled == (v == 2), "the signal is lost")
				x.Assert(len(w.timers.heap) == 0 && f.notify.line.first == nil, "something is left")
			})
		})
	}
}

// Two futures of one chunk have their first Pending at the same time: each has its own list.
func TestFuturesWaitForTheFirstTimeTogether(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		rt := stillWorld(x, 1)
		var tasks [2]task
		var states [2]futureState
		var own [2]pendingWait
		for i := range tasks {
			x.Go("runner", func() {
				tasks[i].rt = rt.Runtime
				list := states[i].list(&tasks[i])
				x.Assert(*list == nil, "the list is not empty")
				*list = &own[i]
				x.Assert(*states[i].list(&tasks[i]) == &own[i], "the list of another")
				*list = nil
				rt.futures.remove(states[i].slot)
			})
		}
		x.Join()
		x.Assert(rt.futures.empty(), "a slot is in use")
	})
}

// The slots of futures against a map.
func futureListMachine(t *rapid.T) {
	var l futureList
	slots := map[uint32]*task{}
	var order []uint32
	add := func(*rapid.T) {
		x := new(task)
		slot := l.add(x)
		fresh := timer{task: x, index: unset}
		if slot == noSlot || slots[slot] != nil || *l.alarm(slot) != fresh {
			t.Fatalf("slot %d: %+v", slot, *l.alarm(slot))
		}
		slots[slot], order = x, append(order, slot)
	}
	remove := func(t *rapid.T) {
		if len(order) == 0 {
			return
		}
		i := rapid.IntRange(0, len(order)-1).Draw(t, "which")
		l.remove(order[i])
		delete(slots, order[i])
		order[i] = order[len(order)-1]
		order = order[:len(order)-1]
	}
	t.Repeat(map[string]func(*rapid.T){
		"add":    add,
		"remove": remove,
		"fill": func(t *rapid.T) {
			for range futureChunkLen {
				add(t)
			}
		},
		"empty": func(t *rapid.T) {
			for len(order) > 0 {
				remove(t)
			}
			if chunks := l.chunks.Load(); chunks != nil {
				require.LessOrEqual(t, len(*chunks), 1, "memory is kept")
			}
			require.LessOrEqual(t, cap(l.free), 2*futureChunkLen+2, "memory is kept")
		},
		"": func(t *rapid.T) {
			require.Equal(t, len(slots) == 0, l.empty())
			seen := map[*task]bool{}
			for x := range l.tasks {
				seen[x] = true
			}
			right := len(seen) == len(slots)
			for slot, x := range slots {
				right = right && seen[x] && l.alarm(slot).task == x
			}
			require.True(t, right, "%d slots, %d tasks", len(slots), len(seen))
		},
	})
}

func TestFutureListDoesWhatAMapDoes(t *testing.T) { rapid.Check(t, futureListMachine) }
