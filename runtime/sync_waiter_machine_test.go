package runtime

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Each machine drives a source and what it must do, written with slices, side by side. Waiting is
// taken apart: standing in line and giving up are steps of one goroutine, so that every order of
// them is reached. The fuzz targets feed the same machines.

// A bell counts how often it was rung.
type bell int

func (b *bell) wake(*worker) { *b++ }

// A caller is a call that has stood in line.
type caller[P any] struct {
	bell   bell
	w      *waiter[P]
	expect answer // what it must have been told
	value  int    // what it must have been given, if it was served
	gone   bool   // it has given up
}

// callers are all that ever stood in line.
type callers[P any] []*caller[P]

// check holds each caller against what was expected of it.
func (cs callers[P]) check(t require.TestingT, value func(P) int) {
	for i, c := range cs {
		require.Equal(t, c.expect, answer(c.w.state.Load()), "answer to caller %d", i)
		rung := 0
		if c.expect != unanswered {
			rung = 1
		}
		require.Equal(t, bell(rung), c.bell, "wakes of caller %d", i)
		if c.expect == served && value != nil {
			require.Equal(t, c.value, value(c.w.payload), "what caller %d was given", i)
		}
	}
}

// giveUp lets any caller give up that has not, and reports which and whether it must have been
// taken out of its line. If all have, it does nothing: an action that skips fails the run of a
// fuzzer that draws it a hundred times in a row.
func (cs callers[P]) giveUp(t *rapid.T, from source[P]) (c *caller[P], taken bool) {
	var candidates callers[P]
	for _, c := range cs {
		if !c.gone {
			candidates = append(candidates, c)
		}
	}
	if len(candidates) == 0 {
		return nil, false
	}
	c = rapid.SampledFrom(candidates).Draw(t, "who")
	taken = from.withdraw(c.w, nil)
	require.Equal(t, c.expect == unanswered, taken)
	c.gone = true
	return c, taken
}

// drop returns list without c.
func drop[P any](list callers[P], c *caller[P]) callers[P] {
	return slices.DeleteFunc(list, func(x *caller[P]) bool { return x == c })
}

func semaphoreMachine(t *rapid.T) {
	permits := rapid.IntRange(1, 4).Draw(t, "permits")
	s := NewSemaphore(permits)
	free := permits
	var all, line callers[int]
	some := rapid.IntRange(1, permits)
	serve := func() {
		for len(line) > 0 && line[0].value <= free {
			free -= line[0].value
			line[0].expect = served
			line = line[1:]
		}
	}
	t.Repeat(map[string]func(*rapid.T){
		"acquire": func(t *rapid.T) {
			n := some.Draw(t, "n")
			c := &caller[int]{value: n}
			c.w = s.takeOrQueue(n, &c.bell)
			if len(line) == 0 && n <= free {
				require.Nil(t, c.w)
				free -= n
				return
			}
			require.NotNil(t, c.w)
			all, line = append(all, c), append(line, c)
		},
		"try": func(t *rapid.T) {
			n := some.Draw(t, "n")
			may := len(line) == 0 && n <= free
			require.Equal(t, may, s.TryAcquire(n))
			if may {
				free -= n
			}
		},
		"release": func(t *rapid.T) {
			if free == permits {
				return
			}
			n := rapid.SampledFrom([]int{1, permits - free,
				rapid.IntRange(1, permits-free).Draw(t, "n")}).
				Draw(t, "some")
			s.Release(n)
			free += n
			serve()
		},
		"give up": func(t *rapid.T) {
			if c, taken := all.giveUp(t, s); taken {
				line = drop(line, c)
				serve()
			}
		},
		"": func(t *rapid.T) {
			require.Equal(t, free, s.Free())
			all.check(t, func(n int) int { return n })
		},
	})
}

func notifyMachine(t *rapid.T) {
	var n Notify
	signalled := false
	broadcasts := uint64(0)
	var all, line callers[struct{}]
	enter := func(t *rapid.T, nothing bool, stand func(waker) *waiter[struct{}]) {
		c := &caller[struct{}]{}
		c.w = stand(&c.bell)
		if nothing {
			require.Nil(t, c.w)
			return
		}
		if signalled {
			require.Nil(t, c.w)
			signalled = false
			return
		}
		require.NotNil(t, c.w)
		all, line = append(all, c), append(line, c)
	}
	t.Repeat(map[string]func(*rapid.T){
		"wait": func(t *rapid.T) { enter(t, false, n.takeOrQueue) },
		"wait since": func(t *rapid.T) {
			seen := rapid.Uint64Range(broadcasts-min(broadcasts, 1), broadcasts).Draw(t, "seen")
			enter(t, seen != broadcasts,
				func(who waker) *waiter[struct{}] { return n.takeOrQueueSince(who, seen) })
		},
		"signal": func(*rapid.T) {
			n.Signal()
			if len(line) == 0 {
				signalled = true
				return
			}
			line[0].expect = served
			line = line[1:]
		},
		"broadcast": func(*rapid.T) {
			n.Broadcast()
			broadcasts++
			for _, c := range line {
				c.expect = told
			}
			line = nil
		},
		"give up": func(t *rapid.T) {
			if c, taken := all.giveUp(t, &n); taken {
				line = drop(line, c)
			}
		},
		"": func(t *rapid.T) {
			require.Equal(t, broadcasts, n.broadcastCount())
			all.check(t, nil)
		},
	})
}

func oneshotMachine(t *rapid.T) {
	var o Oneshot[int]
	var sent, closed, taken bool
	const value = 7
	var all, line callers[int]
	end := func() {
		for _, c := range line {
			c.expect = refused
		}
		line = nil
	}
	t.Repeat(map[string]func(*rapid.T){
		"send": func(t *rapid.T) {
			switch {
			case sent:
				require.PanicsWithValue(t, "surewake: Oneshot.Send: a value was sent before",
					func() { _ = o.Send(value) })
			case closed:
				require.ErrorIs(t, o.Send(value), ErrChannelClosed)
			default:
				require.NoError(t, o.Send(value))
				sent = true
				if len(line) > 0 {
					line[0].expect, line[0].value = served, value
					line = line[1:]
					taken = true
				}
				if taken {
					end()
				}
			}
		},
		"close": func(*rapid.T) {
			o.Close()
			if !sent {
				closed = true
				end()
			}
		},
		"receive": func(t *rapid.T) {
			waits := rapid.Bool().Draw(t, "waits")
			c := &caller[int]{}
			var who waker
			if waits {
				who = &c.bell
			}
			v, w, err := o.takeOrQueue(who)
			switch {
			case taken || closed:
				require.ErrorIs(t, err, ErrChannelClosed)
			case sent:
				require.NoError(t, err)
				require.Equal(t, value, v)
				taken = true
			case !waits:
				require.ErrorIs(t, err, ErrWouldWait)
			default:
				require.NotNil(t, w)
				c.w = w
				all, line = append(all, c), append(line, c)
				return
			}
			require.Nil(t, w)
		},
		"give up": func(t *rapid.T) {
			if c, taken := all.giveUp(t, &o); taken {
				line = drop(line, c)
			}
		},
		"": func(t *rapid.T) { all.check(t, func(v int) int { return v }) },
	})
}

func channelMachine(t *rapid.T) {
	capacity := rapid.IntRange(0, 3).Draw(t, "capacity")
	c := NewChannel[int](capacity)
	require.Equal(t, capacity, c.Cap())
	var held []int
	var closed bool
	// All that have received; those that have sent are only in sent.
	var all, senders, receivers callers[int]
	var sent callers[int]
	next := 0
	t.Repeat(map[string]func(*rapid.T){
		"send": func(t *rapid.T) {
			waits := rapid.Bool().Draw(t, "waits")
			next++
			s := &caller[int]{value: next}
			var who waker
			if waits {
				who = &s.bell
			}
			w, err := c.send(next, who, nil)
			switch {
			case closed:
				require.ErrorIs(t, err, ErrChannelClosed)
			case len(receivers) > 0:
				require.NoError(t, err)
				receivers[0].expect, receivers[0].value = served, next
				receivers = receivers[1:]
			case len(held) < capacity:
				require.NoError(t, err)
				held = append(held, next)
			case !waits:
				require.ErrorIs(t, err, ErrWouldWait)
			default:
				require.NoError(t, err)
				require.NotNil(t, w)
				s.w = w
				sent, senders = append(sent, s), append(senders, s)
				return
			}
			require.Nil(t, w)
		},
		"receive": func(t *rapid.T) {
			waits := rapid.Bool().Draw(t, "waits")
			r := &caller[int]{}
			var who waker
			if waits {
				who = &r.bell
			}
			v, w, err := c.receive(who, nil)
			if len(senders) > 0 {
				held = append(held, senders[0].value)
				senders[0].expect = served
				senders = senders[1:]
			}
			switch {
			case len(held) > 0:
				require.NoError(t, err)
				require.Equal(t, held[0], v)
				held = held[1:]
			case closed:
				require.ErrorIs(t, err, ErrChannelClosed)
			case !waits:
				require.ErrorIs(t, err, ErrWouldWait)
			default:
				require.NoError(t, err)
				require.NotNil(t, w)
				r.w = w
				all, receivers = append(all, r), append(receivers, r)
				return
			}
			require.Nil(t, w)
		},
		"close": func(t *rapid.T) {
			err := c.Close()
			if closed {
				require.ErrorIs(t, err, ErrChannelClosed)
				return
			}
			require.NoError(t, err)
			closed = true
			for _, x := range append(senders, receivers...) {
				x.expect = refused
			}
			senders, receivers = nil, nil
		},
		"sender gives up": func(t *rapid.T) {
			if s, taken := sent.giveUp(t, &c.senders); taken {
				senders = drop(senders, s)
			}
		},
		"receiver gives up": func(t *rapid.T) {
			if r, taken := all.giveUp(t, &c.receivers); taken {
				receivers = drop(receivers, r)
			}
		},
		"": func(t *rapid.T) {
			require.Equal(t, len(held), c.Len())
			sent.check(t, nil)
			all.check(t, func(v int) int { return v })
			free := 0
			for _, v := range c.buffer {
				if v == 0 {
					free++
				}
			}
			require.Equal(t, capacity-len(held), free, "a slot without a value keeps something")
		},
	})
}

func TestSemaphoreDoesWhatItsModelDoes(t *testing.T) { rapid.Check(t, semaphoreMachine) }
func TestNotifyDoesWhatItsModelDoes(t *testing.T)    { rapid.Check(t, notifyMachine) }
func TestOneshotDoesWhatItsModelDoes(t *testing.T)   { rapid.Check(t, oneshotMachine) }
func TestChannelDoesWhatItsModelDoes(t *testing.T)   { rapid.Check(t, channelMachine) }

func FuzzSemaphore(f *testing.F) { f.Fuzz(rapid.MakeFuzz(semaphoreMachine)) }
func FuzzNotify(f *testing.F)    { f.Fuzz(rapid.MakeFuzz(notifyMachine)) }
func FuzzOneshot(f *testing.F)   { f.Fuzz(rapid.MakeFuzz(oneshotMachine)) }
func FuzzChannel(f *testing.F)   { f.Fuzz(rapid.MakeFuzz(channelMachine)) }
