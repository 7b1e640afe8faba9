package runtime

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// Two ask at the same time, or one a little later, for the only token: one gets it.
func TestATokenIsTakenOnce(t *testing.T) {
	for name, later := range map[string]int64{"at once": 0, "a little later": 99} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				l := &Limiter{interval: 100, burst: 1}
				var taken atomic.Int32
				for _, now := range []int64{1000, 1000 + later} {
					x.Go("takes", func() {
						if l.take(now, now, 1) == 0 {
							taken.Add(1)
						}
					})
				}
				x.Join()
				x.Assert(taken.Load() == 1, "%d have taken it", taken.Load())
				x.Assert(l.take(1100+later, 1100+later, 1) == 0, "the next one does not come")
			})
		})
	}
}

// Two ask for two tokens each, where there are three: one gets them, and the third is left.
func TestManyTokensAreTakenAtOnce(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		l := &Limiter{interval: 100, burst: 3}
		var taken atomic.Int32
		for range 2 {
			x.Go("takes two", func() {
				if l.take(1000, 1000, 2) == 0 {
					taken.Add(1)
				}
			})
		}
		x.Join()
		x.Assert(taken.Load() == 1, "%d have taken two", taken.Load())
		x.Assert(l.take(1000, 1000, 2) == 100, "two are left")
		x.Assert(l.take(1000, 1000, 1) == 0 && l.take(1000, 1000, 1) == 100,
			"the third is not left, or is not the last")
	})
}

// A token is for those who wait: the first of them may just have been woken.
func TestATokenIsForWhoWaits(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		l := NewLimiter(1, 1)
		x.Assert(l.turn.TryLock(), "somebody waits")
		x.Assert(!l.Allow(), "who does not wait has taken it")
		l.turn.Unlock()
		x.Assert(l.Allow(), "there is none")
	})
}

// A token comes in each millisecond in what follows, and the first is taken at the beginning.
const interval = time.Millisecond

func newLimiter(x *model.Exec) *Limiter {
	l := NewLimiter(float64(time.Second/interval), 1)
	x.Assert(l.Allow(), "there is no token")
	return l
}

// gave holds that l has given tokens, when they came, to calls that returned at these times, and
// none besides, and nobody waits.
func (l *Limiter) gave(x *model.Exec, times ...int64) {
	slices.Sort(times)
	for i, when := range times {
		due := int64(i+1) * l.interval
		x.Assert(onTime(when, due), "token %d came at %v instead of %v", i, time.Duration(when),
			time.Duration(due))
	}
	next := int64(len(times)+1) * l.interval
	x.Assert(onTime(l.full.Load(), next), "the next token comes at %v instead of %v",
		time.Duration(l.full.Load()), time.Duration(next))
	l.turn.idle(x)
}

// Two goroutines wait for tokens, and a context ends the wait of one, in line or before its token
// comes, or when it comes: it takes a token, or leaves it to the other.
func TestAContextEndsAWaitForAToken(t *testing.T) {
	for name, after := range map[string]time.Duration{"at once": 0, "with the token": interval} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				l := newLimiter(x)
				ctx, cancel := context.WithCancel(context.Background())
				var when [2]int64
				var first error
				x.Go("first", func() { first = l.WaitContext(ctx); when[0] = l.now() })
				x.Go("second", func() {
					x.Assert(l.WaitContext(context.Background()) == nil, "it fails")
					when[1] = l.now()
				})
				time.Sleep(after)
				cancel()
				x.Join()
				if first == nil {
					l.gave(x, when[:]...)
				} else {
					x.Assert(first == context.Canceled, "%v", first)
					l.gave(x, when[1])
				}
			}, model.Timeouts(0))
		})
	}
}

// The only goroutine that waits may be late, or its token early: it does not take one before it is
// due, and takes one.
func TestATokenIsNotTakenBeforeItIsDue(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		l := newLimiter(x)
		due := l.full.Load() // late, perhaps, on a real clock
		ctx, cancel := context.WithCancel(context.Background())
		x.Go("cancels", cancel)
		err := l.WaitContext(ctx)
		now := l.now()
		x.Join()
		x.Assert(err == nil && now >= due || err == context.Canceled, "%v after %v", err,
			time.Duration(now))
		full := l.full.Load()
		x.Assert(err == nil && full >= due+l.interval || err != nil && full == due,
			"%v, and the next token comes at %v, not %v", err, time.Duration(full),
			time.Duration(due))
		l.turn.idle(x)
	}, model.Timeouts(1))
}

// Two tasks wait for tokens, and one is cancelled: it takes a token, or leaves it to the other.
func TestACancelledTaskTakesNoToken(t *testing.T) {
	for name, after := range map[string]time.Duration{"at once": 0, "with the token": interval} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				w := stillWorld(x, 1)
				l := newLimiter(x)
				var when [2]int64
				waits := func(i int) func(cx Cx) (int, error) {
					return func(cx Cx) (int, error) {
						err := l.Wait(cx)
						when[i] = l.now()
						return 1, err
					}
				}
				first, second := Submit(w.Runtime, waits(0)), Submit(w.Runtime, waits(1))
				w.start()
				time.Sleep(after)
				first.Cancel()
				w.shutdown()
				v, err, over := first.TryJoin()
				x.Assert(over && (err == nil || err == ErrCancelled),
					"it has ended: %v, with %d, %v", over, v, err)
				wait(x, second, 1)
				if err == nil {
					l.gave(x, when[:]...)
				} else {
					l.gave(x, when[1])
				}
				x.Assert(len(w.timers.heap) == 0, "a timer is left")
			}, model.Timeouts(0))
		})
	}
}
