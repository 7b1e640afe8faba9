package runtime

import (
	"testing"

	"github.com/surewake/surewake/model"
)

// loopOver is a loop over c of a caller that is a goroutine; see sync_waiter_model_test.go. It
// calls body for each value until that returns false, and returns the error of the last step.
func loopOver(x *model.Exec, c *Channel[int], body func(v int) bool) error {
	for v, err := range received(func() (int, error) {
		var me seat
		v, w, err := c.receive(&me, nil)
		if w != nil {
			sit(x, w, &c.receivers, &me, false)
			v, err = w.payload, w.result()
		}
		return v, err
	}) {
		if err != nil {
			return err
		}
		if !body(v) {
			return nil
		}
	}
	return nil
}

// sendAndClose sends two values to c, and closes it.
func sendAndClose(x *model.Exec, c *Channel[int]) {
	for v := 1; v <= 2; v++ {
		var me seat
		w, err := c.send(v, &me, nil)
		if w != nil {
			sit(x, w, &c.senders, &me, false)
			err = w.result()
		}
		x.Assert(err == nil, "value %d was not accepted: %v", v, err)
	}
	x.Assert(c.Close() == nil, "closed twice")
}

// A loop over a channel sees all values, in order, and ends when the channel is closed and empty;
// what its body has read synchronizes with what was done before the values were sent.
func TestALoopOverAChannelSeesAllValues(t *testing.T) {
	for name, capacity := range map[string]int{"rendezvous": 0, "buffer of 1": 1} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				c := NewChannel[int](capacity)
				prepared, last := 0, 0
				x.Go("sender", func() {
					prepared = 1 // unprotected: a race unless a send synchronizes
					sendAndClose(x, c)
				})
				x.Go("loop", func() {
					err := loopOver(x, c, func(v int) bool {
						x.Assert(prepared == 1 && v == last+1, "value %d after %d", v, last)
						last = v
						return true
					})
					x.Assert(err == nil && last == 2, "the loop ended after %d: %v", last, err)
				})
				x.Join()
				x.Assert(c.receivers.first == nil, "somebody waits")
			})
		})
	}
}

// A task that loops over a channel is cancelled: it has seen the first values, the others are left,
// and its last step says so, unless it has come to the end.
func TestACancelledLoopLeavesTheRest(t *testing.T) {
	checkTwo(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		c := NewChannel[int](2)
		last := 0
		begun := make(chan struct{})
		h := Submit(w.Runtime, func(cx Cx) (steps int, told error) {
			defer w.last(cx)
			close(begun)
			for v, err := range c.All(cx) {
				x.Assert(told == nil, "a step after the last")
				if told = err; err == nil {
					x.Assert(v == last+1, "value %d after %d", v, last)
					last = v
				}
			}
			return last, told
		})
		x.Go("sends", func() { sendAndClose(x, c) })
		x.Go("cancels", func() {
			<-begun
			h.Cancel()
		})
		w.start()
		_, err := w.await(h)
		x.Join()
		x.Assert(err == ErrCancelled || err == nil && last == 2, "%v after %d", err, last)
		for v, err := c.TryReceive(); err == nil; v, err = c.TryReceive() {
			x.Assert(v == last+1, "value %d after %d", v, last)
			last = v
		}
		x.Assert(last == 2 && c.receivers.first == nil, "%d was the last value", last)
	})
}

// Of two loops over one channel, one is left after its first value, if it gets one: the other sees
// all the rest, and both end.
func TestALoopThatIsLeftLeavesTheRestToOthers(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		c := NewChannel[int](1)
		var first, rest int // how many values each has seen
		x.Go("leaves", func() {
			_ = loopOver(x, c, func(int) bool {
				first++
				return false
			})
		})
		x.Go("stays", func() {
			err := loopOver(x, c, func(int) bool {
				rest++
				return true
			})
			x.Assert(err == nil, "%v", err)
		})
		sendAndClose(x, c)
		x.Join()
		x.Assert(first <= 1 && first+rest == 2, "%d and %d values were seen", first, rest)
	})
}
