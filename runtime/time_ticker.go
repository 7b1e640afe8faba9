package runtime

import (
	"fmt"
	"time"
)

// MissedTicks says how a [Ticker] continues when its task comes late.
type MissedTicks uint8

const (
	// Burst keeps the planned times: missed ticks follow at once, one after another, until it has
	// caught up.
	Burst MissedTicks = iota
	// Skip keeps the planned times and leaves out those that have passed: the next tick is the
	// first planned one in the future.
	Skip
	// Delay plans anew: the next tick comes a period after the late one.
	Delay
)

// String returns "Burst", "Skip" or "Delay".
func (m MissedTicks) String() string {
	switch m {
	case Burst:
		return "Burst"
	case Skip:
		return "Skip"
	case Delay:
		return "Delay"
	}
	return fmt.Sprintf("MissedTicks(%d)", uint8(m))
}

// A Ticker is a sequence of ticks at a fixed period. One task at a time may use it. [Cx.NewTicker]
// makes one.
type Ticker struct {
	rt     *Runtime
	period int64
	missed MissedTicks
	next   int64 // when the next tick is due
}

// NewTicker returns a ticker whose first tick is due after one period. It need not be stopped. It
// panics unless period is positive and missed is [Burst], [Skip] or [Delay].
func (cx Cx) NewTicker(period time.Duration, missed MissedTicks) *Ticker {
	cx.check("NewTicker")
	if period <= 0 {
		panic(fmt.Sprintf("surewake: NewTicker(%v, _): the period must be more than 0", period))
	}
	if missed > Delay {
		panic(fmt.Sprintf("surewake: NewTicker(_, %v): must be Burst, Skip or Delay", missed))
	}
	rt := cx.task.rt
	next := deadlineAfter(rt.now(), period)
	return &Ticker{rt: rt, period: int64(period), missed: missed, next: next}
}

// Next waits for the next tick, unless that is due already, and returns nil. It returns [Cx.Err],
// and does not consume the tick, if the task must end. It panics if the ticker belongs to another
// runtime.
func (t *Ticker) Next(cx Cx) error {
	cx.checkHere("Ticker.Next")
	if t == nil || t.rt == nil {
		panic("surewake: Ticker.Next: a nil or zero Ticker; Cx.NewTicker makes one")
	}
	rt := cx.task.rt
	if t.rt != rt {
		panic("surewake: Ticker.Next: the ticker belongs to another runtime")
	}
	if err := cx.stopErr(); err != nil {
		return err
	}
	if rt.now() < t.next {
		if err := cx.sleepUntil(t.next); err != nil {
			return err
		}
	} else {
		cx.charge()
	}
	t.plan(rt.now())
	return nil
}

// plan sets the time of the tick after the one that is consumed now.
func (t *Ticker) plan(now int64) {
	late := max(now-t.next, 0)
	switch t.missed {
	case Skip:
		t.next += late / t.period * t.period
	case Delay:
		t.next = now
	}
	t.next = deadlineAfter(t.next, time.Duration(t.period))
}
