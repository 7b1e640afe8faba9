package runtime_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/runtime"
)

// A bucket that is kept in one word does what one does that is filled by the clock; and in no time
// there are more events than the rate and the burst allow.
func TestLimiterIsABucket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		interval := rapid.Int64Range(1, 1000).Draw(t, "interval")
		burst := rapid.IntRange(1, 5).Draw(t, "burst")
		l := runtime.NewLimiter(1e9/float64(interval), burst)
		require.Equal(t, interval, l.Interval())
		content := interval * int64(burst) // in nanoseconds
		now := int64(0)
		var events []int64 // as often as there were at a time
		for range rapid.IntRange(1, 50).Draw(t, "calls") {
			passes := rapid.Int64Range(0, 3*interval).Draw(t, "passes")
			now += passes
			content = min(content+passes, interval*int64(burst))
			n := rapid.IntRange(1, burst).Draw(t, "events")
			wait := l.Take(now, now, n)
			if content < int64(n)*interval {
				require.Equal(t, int64(n)*interval-content, wait)
				continue
			}
			require.Zero(t, wait)
			content -= int64(n) * interval
			events = append(events, slices.Repeat([]int64{now}, n)...)
		}
		for i := range events {
			for j := i; j < len(events); j++ {
				require.LessOrEqual(t, int64(j-i+1), int64(burst)+(events[j]-events[i])/interval)
			}
		}
	})
}

// Those in line come when they like, wait for as many tokens as they want, and wake up late: the
// limiter gives out what a bucket does in which nobody is late, and in no time there are more
// events due than the rate and the burst allow.
func TestLimiterOfTheLateIsABucket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		interval := rapid.Int64Range(1, 1000).Draw(t, "interval")
		burst := rapid.IntRange(1, 5).Draw(t, "burst")
		l := runtime.NewLimiter(1e9/float64(interval), burst)
		full := interval * int64(burst) // the content of a full bucket, in nanoseconds
		content, filled := full, int64(0)
		arrived, now := int64(0), int64(0)
		var due []int64 // as often as there were events
		for range rapid.IntRange(1, 50).Draw(t, "calls") {
			arrived += rapid.Int64Range(0, 3*interval).Draw(t, "passes")
			n := rapid.IntRange(1, burst).Draw(t, "events")
			now = max(now, arrived) // it has the turn
			late := rapid.Int64Range(0, 3*interval)
			for {
				now += late.Draw(t, "late")
				wait := l.Take(arrived, now, n)
				if wait == 0 {
					break
				}
				now += wait
			}
			served := max(arrived, filled)
			content = min(content+served-filled, full)
			missing := max(int64(n)*interval-content, 0)
			content += missing - int64(n)*interval
			filled = served + missing
			require.LessOrEqual(t, filled, now)
			require.Equal(t, filled+full-content, l.Full())
			due = append(due, slices.Repeat([]int64{filled}, n)...)
		}
		for i := range due {
			for j := i; j < len(due); j++ {
				require.LessOrEqual(t, int64(j-i+1), int64(burst)+(due[j]-due[i])/interval)
			}
		}
	})
}

// Who has the turn is late: what the bucket gains meanwhile is for those in line, and for nobody
// who was not there.
func TestTokensOfTheLateAreNotLost(t *testing.T) {
	const n = 4
	for name, wait := range map[string]func(*runtime.Limiter, *runtime.Runtime) error{
		"Wait": func(l *runtime.Limiter, rt *runtime.Runtime) error {
			_, err := runtime.Submit(rt, does(l.Wait)).Wait(context.Background())
			return err
		},
		"WaitContext": func(l *runtime.Limiter, _ *runtime.Runtime) error {
			return l.WaitContext(context.Background())
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rt, err := runtime.New(runtime.Workers(1))
				require.NoError(t, err)
				l := runtime.NewLimiter(1, 1)
				begin := time.Now()
				require.True(t, l.Allow())
				require.NoError(t, l.Turn().LockContext(t.Context()))
				var all sync.WaitGroup
				for range n {
					all.Go(func() {
						require.NoError(t, wait(l, rt))
						require.Equal(t, n*time.Second, time.Since(begin))
					})
				}
				synctest.Wait()
				time.Sleep(n * time.Second)
				l.Turn().Unlock()
				all.Wait()
				require.False(t, l.Allow(), "there are more")
				time.Sleep(time.Second)
				require.True(t, l.Allow(), "the next does not come in time")
				require.False(t, l.Allow(), "there are more")
				require.NoError(t, rt.Close())
			})
		})
	}
}

// Nothing lets more events happen than the bucket has tokens, however many ask at once.
func TestNoTokenIsTakenTwice(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		l := runtime.NewLimiter(1e-3, 50)
		var lock sync.Mutex
		allowed := 0
		ask := func() {
			for i := range 20 {
				n := 1 + i%3
				if l.AllowN(n) {
					lock.Lock()
					allowed += n
					lock.Unlock()
				}
			}
			for l.Allow() {
				lock.Lock()
				allowed++
				lock.Unlock()
			}
		}
		var outside sync.WaitGroup
		outside.Go(ask)
		_, err := getAll(t, runtime.SubmitBatch(rt, 8, func(runtime.Cx, int) (int, error) {
			ask()
			return 0, nil
		}))
		require.NoError(t, err)
		outside.Wait()
		require.Equal(t, 50, allowed)
	})
}

// Tasks and a goroutine wait: each event is counted once, and no token of the future is used.
func TestWaitsForALimiterTakeATokenEach(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		l := runtime.NewLimiter(20_000, 2)
		var tasks []*runtime.Handle[struct{}]
		for range 10 {
			tasks = append(tasks, runtime.Submit(rt, does(func(cx runtime.Cx) error {
				for i := range 2 {
					if err := l.WaitN(cx, 1+i); err != nil {
						return err
					}
				}
				return l.Wait(cx)
			})))
		}
		for range 5 {
			require.NoError(t, l.WaitContext(context.Background()))
		}
		require.NoError(t, l.WaitNContext(context.Background(), 2))
		require.NoError(t, l.WaitNContext(context.Background(), 2))
		require.NoError(t, l.WaitNContext(context.Background(), 1))
		for _, h := range tasks {
			_, err := get(t, h)
			require.NoError(t, err)
		}
		require.GreaterOrEqual(t, l.Full(), 50*l.Interval())
		require.LessOrEqual(t, l.Full(), l.Now()+2*l.Interval())
	})
}

// Who wants all tokens of a bucket gets them before those that came later and want one: they take
// none while the bucket fills.
func TestWhoWaitsForManyIsNotPassed(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		l := runtime.NewLimiter(500, 4)
		require.NoError(t, l.WaitN(cx, 2))
		var order []int
		var tasks []*runtime.Handle[struct{}]
		for _, n := range []int{4, 1, 2} {
			tasks = append(tasks, runtime.Spawn(cx, does(func(cx runtime.Cx) error {
				err := l.WaitN(cx, n)
				order = append(order, n)
				return err
			})))
			cx.Yield()
		}
		for _, h := range tasks {
			if _, err := h.Join(cx); err != nil {
				return err
			}
		}
		require.Equal(t, []int{4, 1, 2}, order)
		return nil
	})
}

func TestWaitsForALimiterEndInTheirOrder(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		l := runtime.NewLimiter(500, 1)
		require.NoError(t, l.Wait(cx))
		var order []int
		var tasks []*runtime.Handle[struct{}]
		for i := range 4 {
			tasks = append(tasks, runtime.Spawn(cx, does(func(cx runtime.Cx) error {
				err := l.Wait(cx)
				order = append(order, i)
				return err
			})))
			cx.Yield()
		}
		for _, h := range tasks {
			if _, err := h.Join(cx); err != nil {
				return err
			}
		}
		require.Equal(t, []int{0, 1, 2, 3}, order)
		return nil
	})
}

// Those that give up, the first in line or others, take no token and leave their place.
func TestWhoGivesUpTakesNoToken(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		l := runtime.NewLimiter(1e-3, 3)
		require.True(t, l.AllowN(2))
		full := l.Full()
		var tasks []*runtime.Handle[struct{}]
		for _, n := range []int{3, 2, 2} { // of which one is there
			tasks = append(tasks, runtime.Spawn(cx, does(func(cx runtime.Cx) error {
				return l.WaitN(cx, n)
			})))
			settle(cx)
		}
		require.Equal(t, 2, runtime.Waiting(l), "the first waits for time")
		require.False(t, l.Allow())
		ctx, stop := context.WithCancelCause(context.Background())
		outside := make(chan error, 1)
		go func() { outside <- l.WaitNContext(ctx, 2) }()
		for runtime.Waiting(l) < 3 {
			cx.Yield()
		}
		tasks[1].Cancel()
		settle(cx)
		require.Equal(t, 2, runtime.Waiting(l))
		tasks[0].Cancel()
		settle(cx)
		require.Equal(t, 1, runtime.Waiting(l), "the third waits for time")
		require.Equal(t, 1, runtime.Timers(rt))
		tasks[2].Cancel()
		for runtime.Waiting(l) > 0 {
			cx.Yield()
		}
		stop(errOver)
		err, _, _ := runtime.Receive(cx, outside)
		require.ErrorIs(t, err, errOver)
		for _, h := range tasks {
			_, err := h.Join(cx)
			require.ErrorIs(t, err, runtime.ErrCancelled)
		}
		require.Equal(t, full, l.Full())
		require.Zero(t, runtime.Timers(rt))
		return nil
	})
}

func TestCloseEndsWaitsForALimiter(t *testing.T) {
	rt := start(t, 2)
	l := runtime.NewLimiter(1e-3, 1)
	require.True(t, l.Allow())
	full := l.Full()
	var tasks []*runtime.Handle[struct{}]
	for range 3 {
		tasks = append(tasks, runtime.Submit(rt, does(l.Wait)))
	}
	waits(t, func() bool { return runtime.Waiting(l) == 2 }, "nobody waits")
	require.NoError(t, rt.Close())
	for _, h := range tasks {
		_, err := get(t, h)
		require.ErrorIs(t, err, runtime.ErrClosed)
	}
	require.Zero(t, runtime.Waiting(l))
	require.Equal(t, full, l.Full())
}

func TestLimiterInATaskThatIsToEnd(t *testing.T) {
	rt := start(t, 1)
	l := runtime.NewLimiter(1, 1)
	_, err := cancelled(t, rt, does(l.Wait))
	require.ErrorIs(t, err, runtime.ErrCancelled)
	ctx, stop := context.WithCancelCause(context.Background())
	stop(errOver)
	require.ErrorIs(t, l.WaitContext(ctx), errOver)
	require.True(t, l.Allow(), "the token was taken")
}

func TestLimiterMisuse(t *testing.T) {
	for what, make := range map[string]func(){
		"0, 1":           func() { runtime.NewLimiter(0, 1) },
		"-1, 1":          func() { runtime.NewLimiter(-1, 1) },
		"NaN, 1":         func() { runtime.NewLimiter(math.NaN(), 1) },
		"+Inf, 1":        func() { runtime.NewLimiter(math.Inf(1), 1) },
		"1e+10, 1":       func() { runtime.NewLimiter(1e10, 1) },
		"1, 0":           func() { runtime.NewLimiter(1, 0) },
		"1, -1":          func() { runtime.NewLimiter(1, -1) },
		"1e-10, 1":       func() { runtime.NewLimiter(1e-10, 1) },
		"0.001, 1000001": func() { runtime.NewLimiter(1e-3, 1_000_001) },
	} {
		require.Equal(t, "surewake: NewLimiter("+what+"): must be above 0 to 1e+09 per second, "+
			"1 or more at once, and so many within 1e+09 seconds", panics(make))
	}
	runtime.NewLimiter(1e-9, 1)
	runtime.NewLimiter(1e9, math.MaxInt32)
	const none = "surewake: Limiter: a nil or zero Limiter; NewLimiter makes one"
	require.Equal(t, none, panics(func() { new(runtime.Limiter).Allow() }))
	require.Equal(t, none, panics(func() { (*runtime.Limiter)(nil).Allow() }))
	require.Equal(t, none, panics(func() { _ = new(runtime.Limiter).WaitContext(t.Context()) }))
	require.Equal(t, none, panics(func() { new(runtime.Limiter).AllowN(1) }))
	l := runtime.NewLimiter(1, 1)
	require.Equal(t,
		"surewake: Limiter.Wait: the zero Cx; a Cx is what a task's function is given",
		panics(func() { _ = l.Wait(runtime.Cx{}) }))
	require.Equal(t, "surewake: Limiter.WaitContext: nil context",
		panics(func() { _ = l.WaitContext(noContext) }))
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		require.Equal(t, none, panics(func() { _ = new(runtime.Limiter).Wait(cx) }))
		many := runtime.NewLimiter(1, 4)
		for _, n := range []int{math.MinInt, -1, 0, 5, math.MaxInt} {
			for what, call := range map[string]func(){
				"AllowN":       func() { many.AllowN(n) },
				"WaitN":        func() { _ = many.WaitN(cx, n) },
				"WaitNContext": func() { _ = many.WaitNContext(t.Context(), n) },
			} {
				require.Equal(t, fmt.Sprintf("surewake: Limiter.%s(%d): must be 1 to 4, the burst",
					what, n), panics(call))
			}
		}
		return nil
	})
}

func BenchmarkLimiter(b *testing.B) {
	b.Run("allowed", func(b *testing.B) {
		b.ReportAllocs()
		l := runtime.NewLimiter(1e9, math.MaxInt32)
		for b.Loop() {
			l.Allow()
		}
	})
	b.Run("refused", func(b *testing.B) {
		b.ReportAllocs()
		l := runtime.NewLimiter(1e-9, 1)
		for b.Loop() {
			l.Allow()
		}
	})
}
