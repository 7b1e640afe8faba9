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
// the generic cell rate algorithm). To take n tokens moves that time n intervals further. There are
// as many if the bucket lacks at most burst-n of them:
//
//	there are n tokens   full - now <= (burst-n) * interval
//	take them            full = max(full, arrived) + n * interval
//
// where arrived is when the call began: now, unless it has waited. Nothing has to refill it, and
// nobody has to be woken while nobody waits.
//
// Who finds too few tokens locks a Mutex, the turn, which makes the line: only its holder waits for
// time, takes its tokens, and hands the turn on. Until then it has taken nothing, and nobody else
// takes any. So whoever gives up, in line or with the turn, leaves its place to those behind it,
// and who wants many is not passed by those that want few.
//
// Whoever is woken is late, and so are all behind it. Their tokens were due before: each at the
// last of the time at which its call began, that at which those before it were due, and that at
// which there were as many. If nobody gives up, full depends on these times only, as it is that of
// a bucket from which nobody takes late. So in any time from s to t at most burst + (t-s)/interval
// tokens are due, and the rate is kept, however late those are that wait for it: what the bucket
// gains while one of them wakes up is for the next. A bucket that is full when a call begins has
// gained nothing for it, so nobody has more than the burst by having been away.
//
// Rejected alternatives
//
//   - To take a token of the future at once, and wait until it is due. There is no line, and each
//     wait has one timer and no further wake. But whoever gives up has moved the others behind its
//     place, and they would have to be told to wait for less.
//   - To count from now, as if the call had begun when it takes its tokens. There are never more
//     than burst + (t-s)/interval from s to t in fact. But each wake loses what the bucket has
//     gained in the meantime, if the burst is small: with many in line at 10,000 per second, half.

// A Limiter lets events happen at a rate: at most burst at once, and so many per second on average.
// Tasks of any runtime, and goroutines, ask it. They are served in the order in which they came.
//
// Tokens of those that wait and are late are not lost: when their goroutine or the worker of their
// task has been busy, several may go at once, so many as were due meanwhile. One whose turn it is
// keeps those behind it waiting until it runs: a task of a busy runtime those of others, too.
//
// [NewLimiter] makes one; it must not be copied.
type Limiter struct {
	interval int64     // nanoseconds from one token to the next; never changes
	burst    int       // the tokens of a full bucket; never changes
	base     time.Time // what full counts from; never changes
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
	return &Limiter{interval: interval, burst: burst, base: time.Now()}
}

// Allow reports whether an event may happen now, and counts it if so. It returns false while
// somebody waits. Any goroutine may call it.
func (l *Limiter) Allow() bool { return l.allow("Limiter.Allow", 1) }

// AllowN is [Limiter.Allow] for n events, which happen at once or not at all. It panics unless n is
// between 1 and the burst.
func (l *Limiter) AllowN(n int) bool { return l.allow("Limiter.AllowN", n) }

func (l *Limiter) allow(what string, n int) bool {
	l.inRange(what, n)
	return l.tryTake(l.now(), n)
}

// tryTake takes n tokens of those that are there now, and reports whether it has. It takes none
// while somebody waits.
func (l *Limiter) tryTake(now int64, n int) bool {
	return l.turn.word.Load() == 0 && l.take(now, now, n) == 0
}

// Wait waits until an event may happen and all earlier calls are served, counts the event, and
// returns nil. It counts none and returns [Cx.Err] if the task must end.
func (l *Limiter) Wait(cx Cx) error { return l.wait(cx, "Limiter.Wait", 1) }

// WaitN is [Limiter.Wait] for n events, which happen at once: those behind it in line wait until
// then, also for one. It panics unless n is between 1 and the burst.
func (l *Limiter) WaitN(cx Cx, n int) error { return l.wait(cx, "Limiter.WaitN", n) }

func (l *Limiter) wait(cx Cx, what string, n int) error {
	cx.checkHere(what)
	l.inRange(what, n)
	if err := cx.stopErr(); err != nil {
		return err
	}
	arrived := l.now()
	if l.tryTake(arrived, n) {
		cx.charge()
		return nil
	}
	if err := l.waitForTurn(cx); err != nil {
		return err
	}
	for {
		wait := l.take(arrived, l.now(), n)
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
	return l.waitContext(ctx, "Limiter.WaitContext", 1)
}

// WaitNContext is [Limiter.WaitContext] for n events. It panics as [Limiter.WaitN] does.
func (l *Limiter) WaitNContext(ctx context.Context, n int) error {
	return l.waitContext(ctx, "Limiter.WaitNContext", n)
}

func (l *Limiter) waitContext(ctx context.Context, what string, n int) error {
	notNil(ctx, what)
	l.inRange(what, n)
	if ctx.Err() != nil {
		return contextErr(ctx)
	}
	arrived := l.now()
	if l.tryTake(arrived, n) {
		return nil
	}
	refuseBlocking(what)
	defer guards.enter(what)()
	if err := l.turn.LockContext(ctx); err != nil {
		return err
	}
	defer l.turn.Unlock()
	for {
		wait := l.take(arrived, l.now(), n)
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

// inRange panics if NewLimiter has not made l, or n is not between 1 and the burst.
func (l *Limiter) inRange(what string, n int) {
	if l == nil || l.interval == 0 {
		panic("surewake: Limiter: a nil or zero Limiter; NewLimiter makes one")
	}
	if n < 1 || n > l.burst {
		panic(fmt.Sprintf("surewake: %s(%d): must be 1 to %d, the burst", what, n, l.burst))
	}
}

func (l *Limiter) now() int64 { return int64(time.Since(l.base)) }

// take takes n tokens for a call that began at arrived and returns 0, or returns after how many
// nanoseconds there will be as many if nobody takes one.
func (l *Limiter) take(arrived, now int64, n int) (wait int64) {
	ahead := int64(l.burst-n) * l.interval // how far full may be while there are as many
	for {
		full := l.full.Load()
		if early := full - ahead - now; early > 0 {
			return early
		}
		if l.full.CompareAndSwap(full, max(full, arrived)+int64(n)*l.interval) {
			return 0
		}
	}
}
