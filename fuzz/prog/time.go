package prog

import (
	"context"
	"testing/synctest"
	"time"
)

// unit is how long the shortest timer waits.
const unit = time.Millisecond

// Timed reports whether the program looks at a clock.
func (p Program) Timed() bool {
	return p.uses("sleep", "now", "expire", "poll timer", "stop timer", "reset timer", "after",
		"after or recv", "timer func", "tick", "reset ticker", "timeout", "quiet")
}

// Bubbled reports whether the program can only run in a bubble of testing/synctest.
func (p Program) Bubbled() bool { return p.uses("quiet") }

func (w *World) clocks() {
	w.start = time.Now()
	for i := range w.timers {
		w.timers[i] = time.NewTimer(time.Duration(i+1) * unit)
	}
	w.ticker = time.NewTicker(2 * unit)
}

// since is a time in units after the beginning.
func (w *World) since(t time.Time) int32 { return int32(t.Sub(w.start) / unit) }

func (t *thread) time(in *Instr) {
	w, d := t.w, time.Duration(in.B)*unit
	timer := w.timers[in.A%2]
	switch in.Op {
	case "sleep":
		time.Sleep(d)
	case "now":
		t.saw(w.since(time.Now()))
	case "expire":
		t.saw(w.since(<-timer.C))
	case "poll timer":
		select {
		case now := <-timer.C:
			t.saw(w.since(now))
		default:
			t.saw(0)
		}
	case "stop timer":
		if t.ownTimer != nil {
			timer = t.ownTimer
		}
		t.sawBool(timer.Stop())
	case "reset timer": // not to 0: see the package comment of fuzz
		t.sawBool(timer.Reset(d + unit))
	case "after":
		t.saw(w.since(<-time.After(d)))
	case "after or recv":
		select {
		case <-time.After(d):
			t.saw(10)
		case v, ok := <-w.ch[in.A%4]:
			t.received(0, v, ok)
		}
	case "timer func":
		f := t.spawn()
		t.ownTimer = time.AfterFunc(d, func() { f.main(in.Body) })
	case "tick":
		t.saw(w.since(<-w.ticker.C))
	case "reset ticker":
		w.ticker.Reset(d + unit)
	case "quiet":
		synctest.Wait()
	case "timeout":
		parent, _ := t.context(in.A)
		c, cancel := context.WithTimeoutCause(parent, d, causes[1])
		t.own, t.cancel = c, func(error) { cancel() }
	}
}
