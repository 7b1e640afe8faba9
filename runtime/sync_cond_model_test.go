package runtime

import (
	"context"
	"errors"
	"testing"

	"github.com/surewake/surewake/model"
)

// As in sync_waiter_model_test.go. A condition is a number that a Mutex protects, plainly, so that
// a wait that returns without the lock is a race.

// sitLocked is [Cond.Wait] after it has stood in line as w, whose seat is s.
func sitLocked(x *model.Exec, c *Cond, w *waiter[struct{}], s *seat, leaves bool) bool {
	signalled := sit(x, w, c, s, leaves)
	lockMutex(x, c.L, false)
	return signalled
}

// What is changed under the lock and then announced, inside or outside of it, ends the wait.
func TestNoAnnouncementIsMissed(t *testing.T) {
	for name, inside := range map[string]bool{"with the lock": true, "after it": false} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				var m Mutex
				c := NewCond(&m)
				stock := 0
				x.Go("waits", func() {
					lockMutex(x, &m, false)
					for stock == 0 {
						x.Assert(c.WaitContext(context.Background()) == nil, "it fails")
					}
					stock--
					m.Unlock()
				})
				lockMutex(x, &m, false)
				stock++
				if inside {
					c.Signal()
					m.Unlock()
				} else {
					m.Unlock()
					c.Signal()
				}
				x.Join()
				m.idle(x)
				x.Assert(stock == 0 && c.line.first == nil, "%d are left", stock)
			})
		})
	}
}

// Two wait, the first may give up, and there is one signal: it ends one of the waits, and both hold
// the lock when they return. (runtime/R26)
func TestNoSignalOfACondIsLostToWhoGivesUp(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m Mutex
		c := NewCond(&m)
		var seats [2]seat
		first, second := c.queue(&seats[0]), c.queue(&seats[1])
		stock := 0
		leaves := leaving(x)
		x.Go("first", func() {
			if sitLocked(x, c, first, &seats[0], leaves) {
				stock-- // for the first
				c.Signal()
				stock++ // for the second
			}
			m.Unlock()
		})
		x.Go("second", func() {
			x.Assert(sitLocked(x, c, second, &seats[1], false), "it was not signalled")
			x.Assert(stock == 1, "%d are there", stock)
			stock--
			m.Unlock()
		})
		lockMutex(x, &m, false)
		stock++
		m.Unlock()
		c.Signal()
		x.Join()
		m.idle(x)
		x.Assert(stock == 0 && c.line.first == nil, "%d are left", stock)
	})
}

// A broadcast ends the waits of all, one after the other.
func TestABroadcastEndsAllWaitsOfACond(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m Mutex
		c := NewCond(&m)
		var seats [2]seat
		over := false
		for i := range seats {
			w := c.queue(&seats[i])
			x.Go("waits", func() {
				sitLocked(x, c, w, &seats[i], false)
				x.Assert(over, "it is not over")
				m.Unlock()
			})
		}
		lockMutex(x, &m, false)
		over = true
		m.Unlock()
		c.Broadcast()
		x.Join()
		m.idle(x)
	})
}

// A context ends the wait of a goroutine while it is signalled and another one holds the lock.
func TestAWaitThatIsGivenUpHoldsTheLock(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m Mutex
		c := NewCond(&m)
		stock := 0
		ctx, stop := context.WithCancel(context.Background())
		x.Go("waits", func() {
			lockMutex(x, &m, false)
			err := c.WaitContext(ctx)
			x.Assert(err == nil || errors.Is(err, context.Canceled), "the error is %v", err)
			if stock++; err == nil {
				x.Assert(stock == 2, "%d are there", stock)
			}
			m.Unlock()
		})
		lockMutex(x, &m, false)
		stop()
		stock++
		c.Signal()
		m.Unlock()
		x.Join()
		m.idle(x)
		x.Assert(stock == 2 && c.line.first == nil, "%d are left", stock)
	})
}

// A task that waits is cancelled, and signalled, while another goroutine holds the lock: it returns
// with the lock, whichever comes first.
func TestACancelledTaskHoldsTheLockAgain(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 1)
		var m Mutex
		c := NewCond(&m)
		stock := 0
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			if err := m.Lock(cx); err != nil {
				return 0, nil
			}
			err := c.Wait(cx)
			stock++
			m.UnlockFrom(cx)
			return 1, err
		})
		w.start()
		x.Assert(m.LockContext(context.Background()) == nil, "it is not locked")
		h.Cancel()
		stock++
		c.Signal()
		m.Unlock()
		<-h.Done()
		if w.mode.Load() == open { // it was cancelled before it began
			w.shutdown()
		} else {
			<-w.Runtime.Done()
			w.over()
		}
		v, err, over := h.TryJoin()
		x.Assert(over && (err == nil || errors.Is(err, ErrCancelled)), "the result is %v", err)
		x.Assert(stock == 1+v, "%d are there, the task has added %d", stock, v)
		m.idle(x)
		x.Assert(c.line.first == nil, "somebody waits")
	})
}
