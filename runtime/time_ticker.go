package runtime

import (
	"fmt"
	"time"
)

// A MissedTicks says how an [Interval] goes on after its task has come late.
type MissedTicks uint8

const (
	// Burst keeps to the times that were planned: ticks that were missed come at once, one after another, until it has caught up.
	Burst MissedTicks = iota
	// Skip keeps to the times that were planned, and leaves out those that have gone by: the next tick is the next of them that is
	// still to come.
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

// An Interval is a sequence of ticks, a period apart. One task at a time may use it. Use [Cx.NewTicker].
type Ticker struct {
	rt     *Runtime
	period int64
	missed MissedTicks
	next   int64 // when the next tick is due
}

// Interval returns an interval whose first tick is due after a period. It need not be stopped. It panics unless period is positive and
// missed is [Burst], [Skip] or [Delay].
func (cx Cx) NewTicker(period time.Duration, missed MissedTicks) *Ticker {
	cx.check("NewTicker")
	if period <= 0 {
		panic(fmt.Sprintf("runtime: NewTicker(%v, _): the period must be more than 0", period))
	}
	if missed > Delay {
		panic(fmt.Sprintf("runtime: NewTicker(_, %v): must be Burst, Skip or Delay", missed))
	}
	rt := cx.task.rt
	return &Ticker{rt: rt, period: int64(period), missed: missed, next: deadlineAfter(rt.now(), period)}
}

// Next waits for the next tick and returns nil; it does not wait if that is due. It returns [Cx.Err] if the task is to end before that, or
// when it is called: then the tick is not used up. It panics if the interval belongs to another runtime.
func (t *Ticker) Next(cx Cx) error {
	cx.check("Ticker.Next")
	rt := cx.task.rt
	if t.rt != rt {
		panic("runtime: Ticker.Next: the ticker belongs to another runtime")
	}
	if err := cx.task.stopErr(); err != nil {
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

// plan sets the time of the tick after the one that is used up now.
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
