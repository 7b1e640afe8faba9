package runtime

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"
)

// A bucket in one word, and its line
//
// A bucket holds up to burst tokens and gains one in each interval. Its content follows from one
// number, the time at which it will be full if nobody takes any (the "theoretical arrival time" of
// the generic cell rate algorithm). To take a token moves that time an interval further. There is
// one if the bucket lacks at most burst-1 of them:
//
//	there is a token   full - now <= (burst-1) * interval
//	take it            full = max(full, now) + interval
//
// Nothing has to refill it, and nobody has to be woken while nobody waits.
//
// Who finds no token locks a Mutex, the turn, which makes the line: only its holder waits for time,
// takes the next token, and hands the turn on. Until then it has taken nothing. So whoever gives
// up, in line or with the turn, leaves its place to those behind it.
//
// Rejected alternative: to take a token of the future at once, and wait until it is due. There is
// no line, and each wait has one timer and no further wake. But whoever gives up has moved the
// others behind its place, and they would have to be told to wait for less.

// A Limiter lets events happen at a rate: at most burst at once, and so many per second on average.
// Tasks of any runtime, and goroutines, ask it. They are served in the order in which they came.
// [NewLimiter] makes one; it must not be copied.
type Limiter struct {
	interval  int64     // nanoseconds from one token to the next; never changes
	tolerance int64     // how far ahead full may be while there is a token; never changes
	base      time.Time // what full counts from; never changes
	// full is when the bucket will be full, in nanoseconds since base; any goroutine may swap it.
	full atomic.Int64
	turn Mutex // held by the one that waits for the next token
}

// maxFill is the longest time in which a bucket may fill.
const maxFill = 1e9 // seconds

// NewLimiter returns a limiter for perSecond events per second, and up to burst at once, which may
// happen immediately. The time from one event to the next, 1/perSecond, is rounded to nanoseconds.
// NewLimiter panics unless 0 < perSecond <= 1e9, burst >= 1, and burst/perSecond, the time in
// seconds after which burst events may happen again, is at most 1e9.
func NewLimiter(perSecond float64, burst int) *Limiter {
	if !(perSecond > 0 && perSecond <= 1e9) || burst < 1 || float64(burst)/perSecond > maxFill {
		panic(fmt.Sprintf("surewake: NewLimiter(%v, %d): must be above 0 to 1e+09 per second, "+
			"1 or more at once, and so many within %v seconds", perSecond, burst, float64(maxFill)))
	}
	interval := int64(math.Round(1e9 / perSecond))
	return &Limiter{interval: interval, tolerance: int64(burst-1) * interval, base: time.Now()}
}

// Allow reports whether an event may happen now, and counts it if so. It returns false while
// somebody waits. Any goroutine may call it.
func (l *Limiter) Allow() bool {
	l.check()
	return l.turn.word.Load() == 0 && l.take(l.now()) == 0
}

// Wait waits until an event may happen and all earlier calls are served, counts the event, and
// returns nil. It counts none and returns [Cx.Err] if the task must end.
func (l *Limiter) Wait(cx Cx) error {
	cx.checkHere("Limiter.Wait")
	l.check()
	if err := cx.stopErr(); err != nil {
		return err
	}
	if l.Allow() {
		cx.charge()
		return nil
	}
	if err := l.waitForTurn(cx); err != nil {
		return err
	}
	for {
		wait := l.take(l.now())
		if wait == 0 {
			break
		}
		if err := cx.Sleep(time.Duration(wait)); err != nil {
			l.turn.UnlockFrom(cx)
			return err
		}
	}
	l.turn.UnlockFrom(cx)
	return nil
}

// waitForTurn locks the turn. Who has it waits for a time, perhaps on a goroutine that is no task,
// or in another runtime: the wait counts as one for the outside. (runtime/R61)
func (l *Limiter) waitForTurn(cx Cx) error {
	rt := cx.task.rt
	rt.outsiders.Add(1)
	defer rt.outsiders.Add(-1)
	return l.turn.Lock(cx)
}

// WaitContext is [Limiter.Wait] for goroutines that are not tasks, since it would block a worker.
// If ctx ends first, it returns the error of ctx, as [Handle.Wait] does.
func (l *Limiter) WaitContext(ctx context.Context) error {
	notNil(ctx, "Limiter.WaitContext")
	l.check()
	if ctx.Err() != nil {
		return contextErr(ctx)
	}
	if l.Allow() {
		return nil
	}
	refuseBlocking("Limiter.WaitContext")
	defer guards.enter("Limiter.WaitContext")()
	if err := l.turn.LockContext(ctx); err != nil {
		return err
	}
	defer l.turn.Unlock()
	for {
		wait := l.take(l.now())
		if wait == 0 {
			return nil
		}
		passed := time.NewTimer(time.Duration(wait))
		select {
		case <-passed.C:
		case <-ctx.Done():
			passed.Stop()
			return contextErr(ctx)
		}
	}
}

// check panics if NewLimiter has not made l.
func (l *Limiter) check() {
	if l == nil || l.interval == 0 {
		panic("surewake: Limiter: a nil or zero Limiter; NewLimiter makes one")
	}
}

func (l *Limiter) now() int64 { return int64(time.Since(l.base)) }

// take takes a token and returns 0, or returns after how many nanoseconds there will be one if
// nobody takes it.
func (l *Limiter) take(now int64) (wait int64) {
	for {
		full := l.full.Load()
		if early := full - l.tolerance - now; early > 0 {
			return early
		}
		if l.full.CompareAndSwap(full, max(full, now)+l.interval) {
			return 0
		}
	}
}
