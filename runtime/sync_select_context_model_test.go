package runtime

import (
	"context"
	"testing"

	"github.com/surewake/surewake/model"
)

// A signal comes and a context ends, at any moment of a SelectContext that waits for the signal and
// for another: it takes the signal, which is gone then, or returns the error of the context, and
// the signal is left. Nothing of it stays at a source.
func TestSelectContextTakesOneOrGivesUp(t *testing.T) {
	for name, signals := range map[string]int{"signal": 1, "two signals": 2} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				var n [2]Notify
				ctx, cancel := context.WithCancel(context.Background())
				x.Go("cancels", cancel)
				x.Go("signals", func() {
					for i := range signals {
						n[i].signal(nil)
					}
				})
				i, err := SelectContext(ctx, n[0].WaitCase(), n[1].WaitCase())
				x.Join()
				x.Assert(i >= -1 && i < signals && (i < 0) == (err == context.Canceled) &&
					(i < 0 || err == nil), "%d, %v", i, err)
				for k := range n {
					x.Assert(n[k].signalled == (k < signals && k != i),
						"case %d was taken; signal %d is left: %v", i, k, n[k].signalled)
					x.Assert(n[k].line.first == nil, "somebody waits")
				}
			})
		})
	}
}

// A SelectContext that sends and one that receives; the context of one of them ends at any moment:
// the value passes, and both say so, or it does not, and neither says so.
func TestSelectContextPassesAValueOrGivesUp(t *testing.T) {
	for name, first := range map[string]bool{"sends": true, "receives": false} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				c := NewChannel[int](0)
				ctx, cancel := context.WithCancel(context.Background())
				never := context.Background()
				contexts := map[bool]context.Context{first: ctx, !first: never}
				v, sent, received := 0, -1, -1
				var told, got error
				gaveUp := func(i int) {
					if i < 0 {
						_ = c.Close() // the other would wait for ever
					}
				}
				x.Go("sends", func() {
					sent, told = SelectContext(contexts[true], c.SendCase(7))
					gaveUp(sent)
				})
				x.Go("receives", func() {
					received, got = SelectContext(contexts[false], c.ReceiveCase(&v))
					gaveUp(received)
				})
				cancel()
				x.Join()
				passed := sent == 0 && told == nil && received == 0 && got == nil && v == 7
				ended, other, why, of := sent, received, told, got
				if !first {
					ended, other, why, of = received, sent, got, told
				}
				x.Assert(passed || v == 0 && ended == -1 && why == context.Canceled && other == 0 &&
					of == ErrChannelClosed, "sent: %d, %v; received: %d, %v, %d", sent, told,
					received, got, v)
				x.Assert(c.senders.first == nil && c.receivers.first == nil, "somebody waits")
			})
		})
	}
}

// A SelectContext receives from a oneshot or waits for a signal, and both come, or the oneshot is
// closed; its context ends, too: it takes one, and the other is left, or none, and both are.
func TestSelectContextReceivesTheValueOfAOneshot(t *testing.T) {
	for name, closes := range map[string]bool{"value": false, "no value": true} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				var o Oneshot[*int]
				var n Notify
				ctx, cancel := context.WithCancel(context.Background())
				x.Go("cancels", cancel)
				x.Go("signals", func() { n.signal(nil) })
				x.Go("sends", func() {
					v := 7
					if closes {
						o.Close()
					} else if err := o.Send(&v); err != nil {
						x.Errorf("%v", err)
					}
				})
				var v *int
				i, err := SelectContext(ctx, o.ReceiveCase(&v), n.WaitCase())
				x.Join()
				want := map[int]error{-1: context.Canceled, 0: nil, 1: nil}[i]
				if closes && i == 0 {
					want = ErrChannelClosed
				}
				x.Assert(err == want && i >= -1 && i <= 1, "%d, %v", i, err)
				x.Assert((v != nil) == (i == 0 && !closes) && (v == nil || *v == 7), "%d: %v", i, v)
				x.Assert(n.signalled == (i != 1), "%d; the signal is left: %v", i, n.signalled)
				_, left := o.TryReceive()
				x.Assert((left == nil) == (i != 0 && !closes), "%d; the value: %v", i, left)
				x.Assert(o.line.first == nil && n.line.first == nil, "somebody waits")
			})
		})
	}
}

// The context of a SelectContext has ended before: it takes nothing, though it could.
func TestSelectContextWithAnEndedContextTakesNothing(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n Notify
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		x.Go("signals", func() { n.signal(nil) })
		i, err := SelectContext(ctx, n.WaitCase())
		x.Join()
		x.Assert(i == -1 && err == context.Canceled && n.signalled && n.line.first == nil,
			"%d, %v; the signal is left: %v", i, err, n.signalled)
	})
}

// Two signals are there, and two calls of TrySelect: each takes one of them. A third signal comes
// at the same time, and stays, or is taken in place of another.
func TestTrySelectsTakeOneEach(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n [3]Notify
		n[0].signal(nil)
		n[1].signal(nil)
		var took [2]int
		for k := range took {
			x.Go([]string{"A", "B"}[k], func() {
				var err error
				took[k], err = TrySelect(n[0].WaitCase(), n[1].WaitCase(), n[2].WaitCase())
				x.Assert(err == nil, "%d, %v", took[k], err)
			})
		}
		n[2].signal(nil)
		x.Join()
		x.Assert(took[0] != took[1], "both have taken %d", took[0])
		for i := range n {
			x.Assert(n[i].signalled == (took[0] != i && took[1] != i), "signal %d is left: %v", i,
				n[i].signalled)
		}
	})
}

// A signal comes while TrySelect looks: it takes it, or says that it would wait; then the signal is
// left, and nobody is in line for it.
func TestTrySelectTakesWhatIsThere(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n [2]Notify
		x.Go("signals", func() { n[1].signal(nil) })
		i, err := TrySelect(n[0].WaitCase(), n[1].WaitCase())
		x.Join()
		x.Assert(i == 1 && err == nil || i == -1 && err == ErrWouldWait, "%d, %v", i, err)
		x.Assert(n[1].signalled == (i < 0) && n[0].line.first == nil && n[1].line.first == nil,
			"case %d; the signal is left: %v", i, n[1].signalled)
		if i < 0 {
			i, err = TrySelect(n[0].WaitCase(), nil, n[1].WaitCase())
			x.Assert(i == 2 && err == nil, "%d, %v, though there is a signal", i, err)
		}
	})
}

// A select waits to receive, and for a signal, which comes; TrySelect sends meanwhile: the value
// passes, and both say so, or the signal is taken, and neither says so.
func TestTrySelectSendsToASelectThatWaits(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := NewChannel[int](0)
		var n Notify
		sent, v := 0, 0
		var err error
		x.Go("sends", func() { sent, err = TrySelect(c.SendCase(7)) })
		x.Go("signals", func() { n.signal(nil) })
		i, told := choose([]Case{c.ReceiveCase(&v), n.WaitCase()}, false)
		x.Join()
		x.Assert(told == nil && (i == 0) == (sent == 0) && (v == 7) == (i == 0),
			"%d, %v, received %d; sent: %d", i, told, v, sent)
		x.Assert((err == ErrWouldWait) == (sent < 0), "%d, %v", sent, err)
		x.Assert(n.signalled == (i == 0) && n.line.first == nil, "signal left: %v", n.signalled)
		x.Assert(c.senders.first == nil && c.receivers.first == nil, "somebody waits")
	})
}
