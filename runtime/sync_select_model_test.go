package runtime

import (
	"context"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// These checks are of selections, as those of sync_waiter_model_test.go are of waiters: their
// owners are goroutines.

// choose selects from cases, beginning with the first, as Select does; it gives up if leaves is
// set, which may be at once.
func choose(cases []Case, leaves bool) (int, error) {
	var me seat
	s := newSelection("choose", nil, cases)
	if i, err := s.begin(&me, nil, 0, nil); i >= 0 {
		return i, err
	}
	for !s.decided() {
		if leaves && s.giveUp() {
			break
		}
		goruntime.Gosched()
	}
	return s.end(ErrCancelled, nil)
}

// Two signals come at once, to a select that waits for both, or comes to, or gives up: it takes one
// of them or none, and what it does not take is remembered.
func TestSelectTakesOneSignal(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n [2]Notify
		leaves := leaving(x)
		x.Go("first", func() { n[0].signal(nil) })
		x.Go("second", func() { n[1].signal(nil) })
		i, err := choose([]Case{n[0].WaitCase(), n[1].WaitCase()}, leaves)
		x.Join()
		x.Assert((i < 0) == (err != nil) && (i >= 0 || leaves), "%d, %v", i, err)
		for k := range n {
			x.Assert(n[k].signalled == (k != i), "case %d was taken; signal %d is left: %v", i, k,
				n[k].signalled)
			x.Assert(n[k].line.first == nil, "somebody waits")
		}
	})
}

// A select waits before another call at the same source, and is decided by a second source
// meanwhile: the signal ends the wait behind it, or the select, and the other is told by it.
// (runtime/R28)
func TestWhatASelectDoesNotTakeGoesToTheNext(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n, other Notify
		var mine, next seat
		s := newSelection("Select", nil, []Case{n.WaitCase(), other.WaitCase()})
		s.begin(&mine, nil, 0, nil)
		behind := n.takeOrQueue(&next)
		x.Go("decides", func() { other.signal(nil) })
		x.Go("behind", func() { sit(x, behind, &n, &next, false) })
		x.Go("selects", func() {
			for !s.decided() {
				goruntime.Gosched()
			}
			if i, _ := s.end(nil, nil); i == 0 {
				n.signal(nil)
			}
		})
		n.signal(nil)
		x.Join()
		x.Assert(n.line.first == nil && other.line.first == nil && !n.signalled,
			"something is left")
	})
}

// Permits that a select does not take, having waited at the head of the line, are given to the
// next.
func TestPermitsASelectDoesNotTakeGoToTheNext(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		s := NewSemaphore(2)
		x.Assert(s.TryAcquire(2), "two of two permits are not free")
		var other Notify
		var mine, next seat
		sel := newSelection("Select", nil, []Case{s.AcquireCase(2), other.WaitCase()})
		sel.begin(&mine, nil, 0, nil)
		behind := s.takeOrQueue(1, &next)
		x.Go("decides", func() { other.signal(nil) })
		x.Go("behind", func() {
			sit(x, behind, s, &next, false)
			s.release("Release", 1, nil)
		})
		x.Go("selects", func() {
			for !sel.decided() {
				goruntime.Gosched()
			}
			if i, _ := sel.end(nil, nil); i == 0 {
				s.release("Release", 2, nil)
			}
		})
		s.release("Release", 2, nil)
		x.Join()
		x.Assert(s.free == 2 && s.line.first == nil, "%d permits are free", s.free)
	})
}

// However a call for permits meets a select in the line that is decided otherwise, and whoever
// comes behind that, all who wait get theirs, also if the select never goes on. (runtime/R28)
func TestWhoComesBehindAWaitThatIsOverGetsPermits(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		s := NewSemaphore(3)
		x.Assert(s.TryAcquire(1), "one of three permits is not free")
		var other Notify
		var mine, behind, last seat
		sel := newSelection("Select", nil, []Case{s.AcquireCase(3), other.WaitCase()})
		sel.begin(&mine, nil, 0, nil)
		x.Go("decides", func() { other.signal(nil) })
		x.Go("behind", func() {
			if w := s.takeOrQueue(1, &behind); w != nil {
				sit(x, w, s, &behind, false)
			}
		})
		for !sel.decided() {
			goruntime.Gosched()
		}
		if w := s.takeOrQueue(1, &last); w != nil {
			sit(x, w, s, &last, false)
		}
		x.Join()
		x.Assert(s.free == 0 && s.line.first == nil, "%d permits are free", s.free)
		i, _ := sel.end(nil, nil)
		x.Assert(i == 1, "case %d was taken", i)
	})
}

// Two selects, each with a send of one of two channels and a receive of the other: one of the two
// values passes, and both selects know which; or neither does, if one gives up. (runtime/R29)
func TestSelectsMeet(t *testing.T) {
	for name, capacity := range map[string]int{"rendezvous": 0, "buffer of 1": 1} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				a, b := NewChannel[int](capacity), NewChannel[int](capacity)
				var took [2]int
				var got [2]int
				leaves := capacity == 0 && leaving(x)
				x.Go("A", func() {
					took[0], _ = choose([]Case{a.SendCase(1), b.ReceiveCase(&got[0])}, leaves)
				})
				x.Go("B", func() {
					took[1], _ = choose([]Case{b.SendCase(2), a.ReceiveCase(&got[1])}, leaves)
				})
				x.Join()
				sent := [2]bool{took[0] == 0, took[1] == 0}
				received := [2]bool{got[1] == 1, got[0] == 2}
				for i, c := range []*Channel[int]{a, b} {
					left, err := c.TryReceive()
					x.Assert(sent[i] == (received[i] || err == nil && left == i+1),
						"value %d: sent %v, received %v, left %v", i+1, sent[i], received[i], left)
					x.Assert(!received[i] || took[1-i] == 1, "received by none")
					x.Assert(c.senders.first == nil && c.receivers.first == nil, "somebody waits")
				}
				x.Assert(capacity > 0 || leaves || received[0] != received[1], "both or none pass")
			})
		})
	}
}

// A select that receives, another call that does, and one value, or the close of the channel: the
// value is received once.
func TestSelectReceivesWhatNoOtherHas(t *testing.T) {
	for name, closes := range map[string]bool{"send": false, "close": true} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				c := NewChannel[*int](0)
				var n Notify
				x.Go("signal", func() { n.signal(nil) })
				x.Go("source", func() {
					if closes {
						_ = c.Close()
						return
					}
					v := 7
					_, _ = choose([]Case{c.SendCase(&v)}, true)
				})
				var v *int
				i, err := choose([]Case{c.ReceiveCase(&v), n.WaitCase()}, false)
				x.Assert((err != nil) == (closes && i == 0), "%d: %v", i, err)
				x.Assert((v != nil) == (i == 0 && !closes) && (v == nil || *v == 7), "%d: %v", i, v)
				x.Join()
				x.Assert(c.senders.first == nil && c.receivers.first == nil, "somebody waits")
				x.Assert(n.signalled == (i == 0), "signal left: %v", n.signalled)
			})
		})
	}
}

// A select waits for the end of a task and for a signal, in a task that is cancelled: it takes one,
// or gives up, and leaves nothing.
func TestSelectOfATask(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 1)
		var n Notify
		target := Submit(w.Runtime, func(cx Cx) (int, error) { cx.Yield(); return 1, nil })
		took := -2
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			i, err := Select(cx, n.WaitCase(), target.EndCase())
			took = i
			return i, err
		})
		w.start()
		n.Signal()
		h.Cancel()
		w.shutdown()
		x.Assert(took >= -2 && took < 2, "case %d", took)
		x.Assert(n.signalled == (took != 0) && n.line.first == nil,
			"case %d; the signal is left: %v", took, n.signalled)
		x.Assert(target.joiners.Load() == nil, "a joiner is left")
	})
}

// A select waits for the end of a context and for a signal. The end comes at any moment; so does
// the signal, or it does not, or the select gives up. It takes what has come, and a signal that it
// does not take is left.
func TestSelectOfAContext(t *testing.T) {
	t.Run("goroutine without a signal", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			var n Notify
			ctx, cancel := context.WithCancel(context.Background())
			x.Go("cancels", cancel)
			i, err := choose([]Case{n.WaitCase(), DoneCase(ctx)}, false)
			x.Join()
			x.Assert(i == 1 && err == nil && n.line.first == nil, "%d, %v", i, err)
		})
	})
	t.Run("goroutine", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			var n Notify
			leaves := leaving(x)
			ctx, cancel := context.WithCancel(context.Background())
			x.Go("signals", func() { n.signal(nil) })
			x.Go("cancels", cancel)
			i, err := choose([]Case{n.WaitCase(), DoneCase(ctx)}, leaves)
			x.Assert(i != 1 || ctx.Err() != nil, "the end was taken before it came")
			x.Join()
			x.Assert((i < 0) == (err != nil) && (i >= 0 || leaves), "%d, %v", i, err)
			x.Assert(n.signalled == (i != 0) && n.line.first == nil,
				"case %d; the signal is left: %v", i, n.signalled)
		})
	})
	for name, also := range map[string]string{
		"task without a signal": "", "task": "signals", "cancelled task": "cancels",
	} {
		t.Run(name, func(t *testing.T) {
			checkWithin(t, 2, func(x *model.Exec) {
				w := stillWorld(x, 1)
				var n Notify
				ctx, cancel := context.WithCancel(context.Background())
				took := -2
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					i, err := Select(cx, n.WaitCase(), DoneCase(ctx))
					took = i
					x.Assert(i != 1 || ctx.Err() != nil, "the end was taken before it came")
					return i, err
				})
				w.start()
				cancel()
				switch also {
				case "signals":
					n.Signal()
				case "cancels":
					h.Cancel()
				}
				w.shutdown()
				_, err, ended := h.TryJoin()
				x.Assert(ended && (err == nil) == (took >= 0) && (err == nil || also == "cancels"),
					"case %d, %v", took, err)
				x.Assert(n.signalled == (took != 0 && also == "signals") && n.line.first == nil,
					"case %d; the signal is left: %v", took, n.signalled)
			})
		})
	}
}

// A select waits for a time and for a signal. It takes one, and a signal that it does not take is
// left; or it gives up. The time is not taken before it has come.
func TestSelectOfATimer(t *testing.T) {
	t.Run("goroutine", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			var n Notify
			leaves := leaving(x)
			x.Go("signals", func() { n.signal(nil) })
			start := time.Now()
			i, err := choose([]Case{n.WaitCase(), AfterCase(time.Millisecond)}, leaves)
			passed := time.Since(start)
			x.Join()
			x.Assert((i < 0) == (err != nil) && (i >= 0 || leaves), "%d, %v", i, err)
			x.Assert(i != 1 || passed >= time.Millisecond, "the timer was %v early",
				time.Millisecond-passed)
			x.Assert(n.signalled == (i != 0) && n.line.first == nil,
				"case %d; the signal is left: %v", i, n.signalled)
		})
	})
	for name, cancels := range map[string]bool{"task": false, "cancelled task": true} {
		t.Run(name, func(t *testing.T) {
			checkWithin(t, 2, func(x *model.Exec) {
				w := stillWorld(x, 1)
				var n Notify
				took, passed := -2, int64(0)
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					start := w.now()
					i, err := Select(cx, n.WaitCase(), AfterCase(time.Millisecond))
					took, passed = i, w.now()-start
					return i, err
				})
				w.start()
				if cancels {
					h.Cancel()
				} else {
					n.Signal()
				}
				w.shutdown()
				_, err, ended := h.TryJoin()
				x.Assert(ended && (err == nil) == (took >= 0) && (err == nil || cancels),
					"case %d, %v", took, err)
				x.Assert(took != 1 || passed >= int64(time.Millisecond), "the timer was early: %v",
					time.Duration(passed))
				x.Assert(n.signalled == (took == 1 && !cancels) && n.line.first == nil,
					"case %d; the signal is left: %v", took, n.signalled)
				x.Assert(len(w.timers.heap) == 0, "the timer is left")
			})
		})
	}
}
