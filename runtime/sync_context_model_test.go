package runtime

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// The calls by which goroutines that are no tasks wait until a context ends.

// An outsideWait is a call that waits for something, hands it on, and returns the error of the
// wait.
type outsideWait func(ctx context.Context) error

// A contest is what two calls wait for, of which one can have it at a time.
type contest struct {
	first, second outsideWait
	give          func() // lets one of the calls have it
	// over holds that it is there still, and nobody waits, after calls that returned these.
	over func(first, second error)
}

// A room is where one call can be at a time.
type room struct {
	x      *model.Exec
	inside int // unprotected: a race unless what is waited for synchronizes
}

// enters is a wait after which the caller is in the room until it calls leaves.
func (r *room) enters(wait outsideWait, leaves func()) outsideWait {
	return func(ctx context.Context) error {
		if err := wait(ctx); err != nil {
			return err
		}
		r.inside++
		r.x.Assert(r.inside == 1, "%d are inside", r.inside)
		r.inside--
		leaves()
		return nil
	}
}

// contests are by the names of the calls that are the first to wait.
var contests = []struct {
	name  string
	begin func(x *model.Exec) contest
}{
	{"Semaphore.AcquireContext", func(x *model.Exec) contest {
		s := NewSemaphore(2)
		x.Assert(s.TryAcquire(2), "two of two permits are not free")
		room := &room{x: x}
		acquires := func(n int) outsideWait {
			acquire := func(ctx context.Context) error { return s.AcquireContext(ctx, n) }
			return room.enters(acquire, func() { s.Release(n) })
		}
		return contest{acquires(2), acquires(1), func() { s.Release(2) }, func(error, error) {
			x.Assert(s.free == 2 && s.line.first == nil, "%d permits are free", s.free)
		}}
	}},
	{"Mutex.LockContext", func(x *model.Exec) contest {
		m := new(Mutex)
		x.Assert(m.TryLock(), "a zero Mutex is locked")
		locks := (&room{x: x}).enters(m.LockContext, m.Unlock)
		return contest{locks, locks, m.Unlock, func(error, error) { m.idle(x) }}
	}},
	{"RWMutex.LockContext", func(x *model.Exec) contest {
		m := new(RWMutex)
		x.Assert(m.TryLock(), "a zero RWMutex is locked")
		room := &room{x: x}
		writes := room.enters(m.LockContext, m.Unlock)
		reads := room.enters(m.RLockContext, m.RUnlock)
		return contest{writes, reads, m.Unlock, func(error, error) { m.idle(x) }}
	}},
	{"RWMutex.RLockContext", func(x *model.Exec) contest {
		m := new(RWMutex)
		x.Assert(m.TryLock(), "a zero RWMutex is locked")
		room := &room{x: x}
		writes := room.enters(m.LockContext, m.Unlock)
		reads := room.enters(m.RLockContext, m.RUnlock)
		return contest{reads, writes, m.Unlock, func(error, error) { m.idle(x) }}
	}},
	{"Notify.WaitContext", func(x *model.Exec) contest {
		n := new(Notify)
		waits := (&room{x: x}).enters(n.WaitContext, n.Signal)
		return contest{waits, waits, n.Signal, func(error, error) {
			x.Assert(n.signalled && n.line.first == nil, "the signal is lost")
		}}
	}},
	{"WaitGroup.WaitContext", func(x *model.Exec) contest {
		g := new(WaitGroup)
		g.Add(1)
		done := false
		waits := func(ctx context.Context) error {
			err := g.WaitContext(ctx)
			x.Assert(err != nil || done, "it has not waited")
			return err
		}
		return contest{waits, waits, func() { done = true; g.Done() }, func(error, error) {
			g.empty(x)
		}}
	}},
	{"Channel.ReceiveContext", func(x *model.Exec) contest {
		c := NewChannel[*int](1)
		send := func(v int) { x.Assert(c.TrySend(&v) == nil, "there is no room") }
		receives := func(ctx context.Context) error {
			v, err := c.ReceiveContext(ctx)
			x.Assert((err == nil) == (v != nil), "%v with %v", v, err)
			if err == nil {
				send(*v + 1)
			}
			return err
		}
		return contest{receives, receives, func() { send(1) }, func(first, _ error) {
			want := 2
			if first == nil {
				want = 3
			}
			v, err := c.TryReceive()
			x.Assert(err == nil && *v == want, "%v is left, %v; want %d", v, err, want)
			x.Assert(c.receivers.first == nil, "somebody waits")
		}}
	}},
	{"Channel.SendContext", func(x *model.Exec) contest {
		c := NewChannel[int](1)
		x.Assert(c.TrySend(0) == nil, "there is no room")
		var received [3]atomic.Bool
		receive := func() {
			v, err := c.TryReceive()
			x.Assert(err == nil && !received[v].Swap(true), "received %d, %v", v, err)
		}
		sends := func(v int) outsideWait {
			return func(ctx context.Context) error {
				err := c.SendContext(ctx, v)
				if err == nil {
					receive()
				}
				return err
			}
		}
		return contest{sends(1), sends(2), receive, func(first, _ error) {
			x.Assert(received[1].Load() == (first == nil) && received[2].Load(),
				"%v, and the value was received: %v", first, received[1].Load())
			x.Assert(c.Len() == 0 && c.senders.first == nil, "something is left")
		}}
	}},
	{"Oneshot.ReceiveContext", func(x *model.Exec) contest {
		o := new(Oneshot[*int])
		receives := func(ctx context.Context) error {
			v, err := o.ReceiveContext(ctx)
			x.Assert((err == nil) == (v != nil && *v == 7), "%v with %v", v, err)
			return err
		}
		v := 7
		return contest{receives, receives, func() { _ = o.Send(&v) }, func(first, second error) {
			x.Assert((first == nil) != (second == nil), "%v and %v", first, second)
			x.Assert(o.line.first == nil && o.closed && o.value == nil, "something is left")
		}}
	}},
}

// The context of one of two calls ends at any moment: the call has what both wait for, or returns
// the error of the context, and the other has it.
func TestAContextEndsAWait(t *testing.T) {
	for _, c := range contests {
		mayBeRefused := c.name == "Oneshot.ReceiveContext" // which has a value for one of them
		t.Run(c.name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				o := c.begin(x)
				ctx, cancel := context.WithCancel(context.Background())
				var first, second error
				x.Go("first", func() { first = o.first(ctx) })
				x.Go("second", func() { second = o.second(context.Background()) })
				x.Go("cancels", cancel)
				o.give()
				x.Join()
				refused := func(err error) bool { return mayBeRefused && err == ErrChannelClosed }
				x.Assert(first == nil || first == context.Canceled || refused(first), "%v", first)
				x.Assert(second == nil || refused(second), "%v", second)
				o.over(first, second)
			})
		})
	}
}

// The first in line gives up, since its context has ended, what it never gets: then the second has
// it, though who is inside stays there.
func TestWhoGivesUpIsInNobodysWay(t *testing.T) {
	for name, begin := range map[string]func(x *model.Exec) (first, second outsideWait){
		"Semaphore": func(x *model.Exec) (first, second outsideWait) {
			s := NewSemaphore(2)
			x.Assert(s.TryAcquire(1), "no permit is free")
			return func(ctx context.Context) error { return s.AcquireContext(ctx, 2) },
				func(ctx context.Context) error { return s.AcquireContext(ctx, 1) }
		},
		"RWMutex": func(x *model.Exec) (first, second outsideWait) {
			m := new(RWMutex)
			x.Assert(m.TryRLock(), "a zero RWMutex is locked")
			return m.LockContext, m.RLockContext
		},
	} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				first, second := begin(x)
				ctx, cancel := context.WithCancel(context.Background())
				x.Go("first", func() {
					err := first(ctx)
					x.Assert(err == context.Canceled, "%v", err)
				})
				x.Go("second", func() {
					err := second(context.Background())
					x.Assert(err == nil, "%v", err)
				})
				cancel()
				x.Join()
			})
		})
	}
}

// One sends and one receives, where there is no buffer; the context of one of them ends at any
// moment: the value passes, and both say so, or it does not, and neither says so.
func TestAContextEndsAMeeting(t *testing.T) {
	for name, senderEnds := range map[string]bool{"sender": true, "receiver": false} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				c := NewChannel[*int](0)
				ctx, cancel := context.WithCancel(context.Background())
				never := context.Background()
				contexts := map[bool]context.Context{senderEnds: ctx, !senderEnds: never}
				var v *int
				var sent, received error
				gaveUp := func(err error) {
					if err != nil {
						_ = c.Close() // the other would wait for ever
					}
				}
				x.Go("sends", func() {
					v := 7
					sent = c.SendContext(contexts[true], &v)
					gaveUp(sent)
				})
				x.Go("receives", func() {
					v, received = c.ReceiveContext(contexts[false])
					gaveUp(received)
				})
				cancel()
				x.Join()
				passed := sent == nil && received == nil && v != nil && *v == 7
				ended, other := sent, received
				if !senderEnds {
					ended, other = received, sent
				}
				gave := v == nil && ended == context.Canceled && other == ErrChannelClosed
				x.Assert(passed || gave, "sent: %v; received: %v, %v", sent, v, received)
				x.Assert(c.senders.first == nil && c.receivers.first == nil, "somebody waits")
			})
		})
	}
}

// The context of a loop over a channel ends at any moment: it has seen the first values, the others
// are left, and its last step says so, unless it has come to the end.
func TestAContextEndsALoopOverAChannel(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := NewChannel[int](2)
		ctx, cancel := context.WithCancel(context.Background())
		x.Go("sends", func() { sendAndClose(x, c) })
		x.Go("cancels", cancel)
		last := 0
		var told error
		for v, err := range c.AllContext(ctx) {
			x.Assert(told == nil, "a step after the last")
			if err == nil {
				x.Assert(v == last+1, "value %d after %d", v, last)
				last = v
			}
			told = err
		}
		x.Join()
		x.Assert(told == context.Canceled || told == nil && last == 2, "%v after %d", told, last)
		for v, err := c.TryReceive(); err == nil; v, err = c.TryReceive() {
			x.Assert(v == last+1, "value %d after %d", v, last)
			last = v
		}
		x.Assert(last == 2 && c.receivers.first == nil, "%d was the last value", last)
	})
}
