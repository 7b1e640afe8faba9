package runtime

import (
	goruntime "runtime"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/model/history"
)

// These checks are of the sources themselves: callers are goroutines, which wait for a flag that
// their waker sets, and give up when the checker chooses, at any moment: before the answer, at the
// same time, or when they have been woken. What is left out is what is between a wake and the task
// that it wakes; sched_model_test.go has that.

// A seat is where a caller waits.
type seat struct{ woken atomic.Bool }

func (s *seat) wake(*worker) { s.woken.Store(true) }

// sit waits for the answer of w as [waiter.wait] does; or, if leaves is set, until the caller has
// had enough, which may be at once. It reports whether there is an answer.
func sit[P any](x *model.Exec, w *waiter[P], from source[P], s *seat, leaves bool) bool {
	for !leaves && !s.woken.Load() {
		goruntime.Gosched()
	}
	if !w.answered() && from.withdraw(w, nil) {
		return false
	}
	x.Assert(w.answered(), "woken without an answer")
	return true
}

// leaving is whether one caller has enough: either.
func leaving(x *model.Exec) bool { return x.Choose(2) == 1 }

// One permit, and two callers that want it; who gets it gives it back.
func TestSemaphoreExcludes(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		s := NewSemaphore(1)
		inside := 0
		for _, name := range []string{"A", "B"} {
			x.Go(name, func() {
				var me seat
				if w := s.takeOrQueue(1, &me); w != nil {
					sit(x, w, s, &me, false)
				}
				inside++ // unprotected: a race unless the release synchronizes
				x.Assert(inside == 1, "%d are inside", inside)
				inside--
				s.release("Release", 1, nil)
			})
		}
		x.Join()
		x.Assert(s.free == 1 && s.line.first == nil, "%d permits are free", s.free)
	})
}

// The first in line wants both permits, and may give up while they are released, one after the
// other; the second wants one.
func TestNoPermitIsLostToWhoGivesUp(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		s := NewSemaphore(2)
		x.Assert(s.TryAcquire(2), "two of two permits are not free")
		var first, second seat
		much := s.takeOrQueue(2, &first)
		little := s.takeOrQueue(1, &second)
		leaves := leaving(x)
		x.Go("much", func() {
			if sit(x, much, s, &first, leaves) {
				s.release("Release", 2, nil)
			}
		})
		x.Go("little", func() {
			sit(x, little, s, &second, false)
			s.release("Release", 1, nil)
		})
		s.release("Release", 1, nil)
		s.release("Release", 1, nil)
		x.Join()
		x.Assert(s.free == 2 && s.line.first == nil, "%d permits are free", s.free)
	})
}

// Two wait, the first may give up, and there is one signal: it ends a wait, or is remembered.
func TestNoSignalIsLostToWhoGivesUp(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n Notify
		var seats [2]seat
		first, second := n.takeOrQueue(&seats[0]), n.takeOrQueue(&seats[1])
		leaves := leaving(x)
		data := 0
		x.Go("signal", func() {
			data = 1
			n.signal(nil)
		})
		x.Go("first", func() {
			if sit(x, first, &n, &seats[0], leaves) {
				x.Assert(data == 1, "the signal does not synchronize")
				n.signal(nil) // for the second
			}
		})
		x.Go("second", func() {
			sit(x, second, &n, &seats[1], false)
			x.Assert(data == 1, "the signal does not synchronize")
		})
		x.Join()
		x.Assert(n.line.first == nil && !n.signalled, "a signal is left")
	})
}

// A caller that looks, and then waits, misses neither a signal nor a broadcast in between: the loop
// of WaitFor.
func TestWhoLooksFirstIsTold(t *testing.T) {
	for name, tell := range map[string]func(n *Notify){
		"signal":    func(n *Notify) { n.signal(nil) },
		"broadcast": (*Notify).Broadcast,
	} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				var n Notify
				var ready [2]atomic.Bool
				x.Go("tells", func() {
					for i := range ready {
						ready[i].Store(true)
						tell(&n)
					}
				})
				x.Go("waits", func() {
					for {
						seen := n.broadcastCount()
						if ready[0].Load() && ready[1].Load() {
							return
						}
						var me seat
						if w := n.takeOrQueueSince(&me, seen); w != nil {
							sit(x, w, &n, &me, false)
						}
					}
				})
				x.Join()
				x.Assert(n.line.first == nil, "somebody waits")
			})
		})
	}
}

// A broadcast ends the waits that have begun, and one that gives up is not in its way.
func TestBroadcastEndsAllWaits(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n Notify
		var seats [3]seat
		leaves := leaving(x)
		for i := range seats {
			w := n.takeOrQueue(&seats[i])
			x.Go("waits", func() { sit(x, w, &n, &seats[i], leaves && i == 1) })
		}
		n.Broadcast()
		x.Join()
		x.Assert(n.line.first == nil && !n.signalled, "something is left")
	})
}

// A sender, who that closes, and two receivers of which one may give up: the value goes to one of
// them or stays, if and only if Send says so.
func TestOneshotIsReceivedOnceOrLeft(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var o Oneshot[*int]
		var got atomic.Int32
		sent := false
		leaves := leaving(x)
		x.Go("sends", func() {
			v := 7 // plain memory that goes with the value
			sent = o.Send(&v) == nil
		})
		x.Go("closes", o.Close)
		for i, name := range []string{"A", "B"} {
			x.Go(name, func() {
				var me seat
				v, w, err := o.takeOrQueue(&me)
				if w != nil {
					if !sit(x, w, &o, &me, leaves && i == 0) {
						return
					}
					v, err = w.payload, w.result()
				}
				if err == nil {
					x.Assert(*v == 7, "the value is %d", *v)
					got.Add(1)
				}
			})
		}
		x.Join()
		if v, err := o.TryReceive(); err == nil {
			x.Assert(*v == 7, "the value is %d", *v)
			got.Add(1)
		}
		want := int32(0)
		if sent {
			want = 1
		}
		x.Assert(got.Load() == want, "received %d times, sent %d times", got.Load(), want)
		x.Assert(o.line.first == nil, "somebody waits")
	})
}

// traffic is two values that go through a channel; there are one or two senders and receivers, one
// for each value if there are two. The last of either may give up at its last value. In the end,
// what was accepted was received once, or is still there.
func traffic(x *model.Exec, capacity, senders, receivers int) {
	c := NewChannel[int](capacity)
	var accepted, received [3]atomic.Int32
	senderLeaves, receiverLeaves := leaving(x), leaving(x)
	send := func(v int) {
		var me seat
		w, err := c.send(v, &me, nil)
		if w != nil {
			if !sit(x, w, &c.senders, &me, senderLeaves && v == 2) {
				return
			}
			err = w.result()
		}
		if err == nil {
			accepted[v].Add(1)
		}
	}
	receive := func(i int) {
		var me seat
		v, w, err := c.receive(&me, nil)
		if w != nil {
			if !sit(x, w, &c.receivers, &me, receiverLeaves && i == 2) {
				return
			}
			v, err = w.payload, w.result()
		}
		if err == nil {
			received[v].Add(1)
		}
	}
	each := func(n int, name string, do func(i int)) {
		if n == 1 {
			x.Go(name, func() { do(1); do(2) })
			return
		}
		x.Go(name+" 1", func() { do(1) })
		x.Go(name+" 2", func() { do(2) })
	}
	each(senders, "sender", send)
	each(receivers, "receiver", receive)
	if senderLeaves || receiverLeaves { // else nobody is left over
		_ = c.Close()
	}
	x.Join()
	for {
		v, err := c.TryReceive()
		if err != nil {
			break
		}
		received[v].Add(1)
	}
	for v := 1; v <= 2; v++ {
		a, r := accepted[v].Load(), received[v].Load()
		x.Assert(a == r, "value %d was accepted %d times and received %d times", v, a, r)
		x.Assert(senderLeaves || receiverLeaves || a == 1, "value %d was not accepted", v)
	}
	x.Assert(c.senders.first == nil && c.receivers.first == nil, "somebody waits")
}

func TestNothingIsLostInAChannel(t *testing.T) {
	for name, capacity := range map[string]int{"rendezvous": 0, "buffer of 1": 1} {
		t.Run(name, func(t *testing.T) {
			t.Run("2 senders", func(t *testing.T) {
				model.Check(t,
					func(x *model.Exec) { traffic(x, capacity, 2, 1) })
			})
			t.Run("2 receivers", func(t *testing.T) {
				model.Check(t,
					func(x *model.Exec) { traffic(x, capacity, 1, 2) })
			})
			t.Run("2 of both", func(t *testing.T) {
				checkWithin(t, 2, func(x *model.Exec) { traffic(x, capacity, 2, 2) }, wholly)
			})
		})
	}
}

// A channel of capacity 1 as a queue: every history of a sender of two values, a receiver of two,
// and who closes, is linearizable.

type queueOp struct {
	kind  byte // of 's'end, 'r'eceive, 'c'lose
	value int
}

type queueResult struct {
	value  int
	closed bool
}

type queueState struct {
	held   int // 0: none
	closed bool
}

var queueSpec = history.Spec[queueState, queueOp, queueResult]{
	Name: "bounded queue of one",
	Init: func() queueState { return queueState{} },
	Step: func(s queueState, o queueOp, r queueResult) (queueState, bool) {
		switch o.kind {
		case 's':
			if r.closed {
				return s, s.closed
			}
			return queueState{o.value, s.closed}, s.held == 0 && !s.closed
		case 'r':
			if r.closed {
				return s, s.closed && s.held == 0
			}
			return queueState{0, s.closed}, s.held == r.value && r.value != 0
		}
		return queueState{s.held, true}, !s.closed
	},
}

func TestChannelIsAQueue(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := NewChannel[int](1)
		h := x.History()
		x.Go("sends", func() {
			for v := 1; v <= 2; v++ {
				history.Do(h, queueOp{'s', v}, func() queueResult {
					var me seat
					w, err := c.send(v, &me, nil)
					if w != nil {
						sit(x, w, &c.senders, &me, false)
						err = w.result()
					}
					return queueResult{closed: err != nil}
				})
			}
		})
		x.Go("receives", func() {
			for range 2 {
				history.Do(h, queueOp{kind: 'r'}, func() queueResult {
					var me seat
					v, w, err := c.receive(&me, nil)
					if w != nil {
						sit(x, w, &c.receivers, &me, false)
						v, err = w.payload, w.result()
					}
					return queueResult{v, err != nil}
				})
			}
		})
		history.Do(h, queueOp{kind: 'c'},
			func() queueResult { return queueResult{closed: c.Close() != nil} })
		x.Join()
	}, model.Spec(queueSpec))
}
