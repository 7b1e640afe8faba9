package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/runtime"
)

// await waits for several things of its own.
func (p *player) await() {
	if !p.mayHelp() {
		return
	}
	switch p.rng.IntN(4) {
	case 0:
		p.asEnded()
	case 1:
		p.next()
	case 2:
		p.waitGroup()
	case 3:
		p.rangeOver()
	}
}

// some starts tasks that end after a while.
func (p *player) some() []*runtime.Handle[int] {
	handles := make([]*runtime.Handle[int], 1+p.rng.IntN(6))
	for i := range handles {
		pause := time.Duration(p.rng.IntN(200)) * time.Microsecond
		handles[i] = runtime.Spawn(p.cx, func(cx runtime.Cx) (int, error) {
			if pause%3 == 0 {
				cx.Yield()
				return i, nil
			}
			return i, cx.Sleep(pause)
		})
	}
	return handles
}

// asEnded takes the ends of tasks as they come, and may stop in between.
func (p *player) asEnded() {
	handles := p.some()
	if p.rng.IntN(3) == 0 {
		handles = append(handles, handles[0])
	}
	seen, stop := make([]bool, len(handles)), p.rng.IntN(2*len(handles))
	n := 0
	for i, err := range runtime.AsEnded(p.cx, handles...) {
		if p.fail(err, "AsEnded") {
			return
		}
		if _, _, ended := handles[i].TryJoin(); seen[i] || !ended {
			p.w.fail("task %d: AsEnded yields %d; again: %v, ended: %v", p.r.id, i, seen[i], ended)
		}
		seen[i] = true
		if n++; n > stop {
			return
		}
	}
	if n != len(handles) {
		p.w.fail("task %d: AsEnded has yielded %d of %d", p.r.id, n, len(handles))
	}
}

// next takes one end after the other.
func (p *player) next() {
	handles := p.some()
	for range handles {
		i, err := runtime.Next(p.cx, handles...)
		if p.fail(err, "Next") {
			return
		}
		if _, _, ended := handles[i].TryJoin(); !ended {
			p.w.fail("task %d: Next returned %d before its end", p.r.id, i)
		}
		handles[i] = nil
	}
}

// waitGroup waits for functions without results.
func (p *player) waitGroup() {
	var g runtime.WaitGroup
	var done atomic.Int64
	n := 1 + p.rng.IntN(6)
	g.Add(n)
	ctx, giveUp := context.WithCancel(context.Background())
	go func() { // if it is not woken, it is left when the round has ended
		defer giveUp()
		if g.WaitContext(ctx) == nil && done.Load() != int64(n) {
			p.w.fail("task %d: a goroutine has waited for %d of %d", p.r.id, done.Load(), n)
		}
	}()
	for i := range n {
		p.cx.Go(func(cx runtime.Cx) {
			if i%2 == 0 {
				cx.Yield()
			}
			done.Add(1)
			if i%3 == 0 {
				g.Done()
			} else {
				g.DoneFrom(cx)
			}
		})
	}
	if p.fail(g.Wait(p.cx), "WaitGroup.Wait") {
		giveUp() // what has not begun may never do
	} else if done.Load() != int64(n) {
		p.w.fail("task %d: of %d, a WaitGroup has waited for %d", p.r.id, n, done.Load())
	}
}

// rangeOver receives what one task sends, until it stops or that closes the channel.
func (p *player) rangeOver() {
	c := runtime.NewChannel[int](p.rng.IntN(3))
	defer func() { _ = c.Close() }() // the sender may have closed it
	n, stop := p.rng.IntN(10), p.rng.IntN(20)
	runtime.Spawn(p.cx, func(cx runtime.Cx) (int, error) {
		for i := range n {
			if err := c.Send(cx, i); err != nil {
				return 0, err
			}
		}
		return 0, c.Close()
	})
	received := 0
	for v, err := range c.All(p.cx) {
		if p.fail(err, "Channel.All") {
			return
		}
		if v != received {
			p.w.fail("task %d: %d was received in place of %d", p.r.id, v, received)
		}
		if received++; received > stop {
			return
		}
	}
	if received != n && !p.r.house.closed.Load() { // which ends the sender, but no shield
		p.w.fail("task %d: of %d values, %d were received", p.r.id, n, received)
	}
}

// selects is a Select of a goroutine.
func (t *tools) selects(w *world, patience context.Context, rng *rand.Rand) {
	v := 0
	cases := []runtime.Case{
		t.pipe.SendCase(2), t.pipe.ReceiveCase(&v), t.permits.AcquireCase(2), t.bell.WaitCase(),
		runtime.AfterCase(time.Duration(rng.IntN(200)) * time.Microsecond),
		runtime.DoneCase(patience),
	}
	first := rng.IntN(len(cases))
	for i := range first {
		cases[i] = nil
	}
	i, err := runtime.SelectContext(patience, cases...)
	switch {
	case i >= 0 && i < first:
		w.fail("SelectContext has taken a nil case")
	case i == 0:
		t.sent(2, err)
	case i == 1:
		t.received(w)(v, err)
	case i == 2:
		t.hold(w, 2)
		t.letGo(2)
		t.permits.Release(2)
	case i == 3:
		t.bell.Signal()
	}
}

// look looks at a runtime.
func (h *house) look(w *world) {
	if err := h.rt.Dump(io.Discard); err != nil {
		w.fail("Dump: %v", err)
	}
	if s := h.rt.Stats(); s.Live < 0 || s.Timers < 0 || s.Stacks < 0 {
		w.fail("statistics: %+v", s)
	}
	var s runtime.Stats
	text := h.rt.Vars().String()
	if err := json.Unmarshal([]byte(text), &s); err != nil || len(s.Workers) != h.workers {
		w.fail("%d workers, Vars: %v, %s", h.workers, err, text)
	}
	if s := h.rt.BlockingStats(); s.Threads < 0 || s.Idle < 0 || s.Queued < 0 {
		w.fail("statistics of blocking tasks: %+v", s)
	}
}

// observed returns options that let others see what tasks do, or none.
func observed(rng *rand.Rand) (options []runtime.Option, description string) {
	if rng.IntN(4) == 0 {
		options = append(options, runtime.Labels("work", "random"), runtime.Trace())
		description = ", labelled"
	}
	if rng.IntN(4) == 0 {
		d := time.Duration(1+rng.IntN(20)) * time.Millisecond
		options = append(options, runtime.Watchdog(d, func(a runtime.Alarm) {
			_ = a.String()
			if a.For%8 == 0 {
				_ = a.Stack()
			}
		}))
		description += fmt.Sprintf(", watched for %v", d)
	}
	return options, description
}

// A panicLog counts the panics that a runtime logs.
type panicLog struct{ lines atomic.Uint64 }

func (*panicLog) Enabled(context.Context, slog.Level) bool { return true }
func (p *panicLog) WithAttrs([]slog.Attr) slog.Handler     { return p }
func (p *panicLog) WithGroup(string) slog.Handler          { return p }

func (p *panicLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "task panicked" && r.Level == slog.LevelError {
		p.lines.Add(1)
	}
	return nil
}
