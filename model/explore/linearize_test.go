//go:build !race

package explore_test

import (
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

// requireSameInEveryOrder explores body and runs each trace in further orders.
func requireSameInEveryOrder(t *testing.T, body func()) {
	t.Helper()
	r := explore.Run(explore.Config{Preemptions: -1, Linearize: true, EarlyTimeouts: 1}, body)
	require.Nil(t, r.Failure)
	require.NotZero(t, r.Complete)
}

// The body is alone between two groups of goroutines, so that what it does there is no step.
func TestBodiesInPhasesAreTheSameInEveryOrder(t *testing.T) {
	requireSameInEveryOrder(t, func() {
		var n atomic.Int32
		for range 3 {
			for range 2 {
				explore.Go("adder", func() { hook.Int32Add(&n, 1) }, true)
			}
			explore.Join()
			hook.Int32Add(&n, 1)
			explore.Go("nothing", func() {}, true)
			explore.Join()
			hook.Int32Add(&n, 1)
		}
		require.EqualValues(t, 12, n.Load())
	})
}

func TestLoopsThatWaitForTimeAreTheSameInEveryOrder(t *testing.T) {
	requireSameInEveryOrder(t, func() {
		var done atomic.Bool
		hook.TimeAfterFunc(time.Second, func() { hook.BoolStore(&done, true) })
		explore.Go("poller", func() {
			n := explore.SpinStart()
			for !hook.BoolLoad(&done) {
				explore.Turn(n)
				hook.Gosched()
			}
		}, true)
		explore.Go("deadline", func() {
			end := hook.Now().Add(time.Second)
			n := explore.SpinStart()
			for hook.Now().Before(end) {
				explore.Turn(n)
			}
		}, true)
		explore.Join()
	})
}

// The timer that is not early fires while a loop could go on.
func TestTimersAmongLoopsAreTheSameInEveryOrder(t *testing.T) {
	requireSameInEveryOrder(t, func() {
		var fired atomic.Int32
		for i := range time.Duration(2) {
			hook.TimeAfterFunc((i+1)*time.Second, func() { hook.Int32Add(&fired, 1) })
		}
		explore.Go("poller", func() {
			n := explore.SpinStart()
			for hook.Int32Load(&fired) < 2 {
				explore.Turn(n)
				hook.Gosched()
			}
		}, true)
		explore.Join()
	})
}

// Both cases of the select are ready once quit is closed.
func TestCasesInTurnAreTheSameInEveryOrder(t *testing.T) {
	requireSameInEveryOrder(t, func() {
		quit, closed := make(chan bool), make(chan bool)
		hook.Close(closed)
		explore.Go("worker", func() {
			for n := explore.SpinStart(); ; {
				explore.Turn(n)
				s := hook.NewSelection(2, false)
				select {
				case <-hook.SelectRecv(&s, closed):
				case <-hook.SelectRecv(&s, quit):
					return
				}
			}
		}, true)
		explore.Go("ender", func() { hook.Close(quit) }, true)
		explore.Join()
	})
}

// Nothing but the two sleeps can end, and they end together: each may be the first.
func TestSleepsThatEndTogetherAreTheSameInEveryOrder(t *testing.T) {
	cfg := explore.Config{Preemptions: -1, Linearize: true, TimePasses: true}
	r := explore.Run(cfg, func() {
		var over atomic.Int32
		for range 2 {
			explore.Go("sleeper", func() {
				hook.Sleep(time.Second)
				hook.Int32Add(&over, 1)
			}, true)
		}
		explore.Join()
	})
	require.Nil(t, r.Failure)
	require.EqualValues(t, 4, r.Complete) // the additions, too, come in both orders
}

// Whether a wait is set before or after another one has ended early decides which of them is the
// first to time out when nothing else can run.
func TestTimeoutsOfFutexWaitsAreTheSameInEveryOrder(t *testing.T) {
	requireSameInEveryOrder(t, func() {
		var words [3]atomic.Uint32
		for i, timeout := range []time.Duration{10, 15, 20} {
			explore.Go("", func() {
				explore.FutexWait(unsafe.Pointer(&words[i]), 0, timeout)
			}, true)
		}
		explore.Join()
	})
}

// The calls are four, by two goroutines: so many can hide a race.
func TestGoroutinesThatPauseAreTheSameInEveryOrder(t *testing.T) {
	requireSameInEveryOrder(t, func() {
		var n atomic.Int32
		for range 2 {
			explore.Go("", func() {
				explore.Pause()
				hook.Int32Add(&n, 1)
				explore.Pause()
			}, true)
		}
		explore.Join() // for the end of the one that is paused, which is no event
	})
}

// callsOfOthers has two goroutines that call n times each what is not rewritten, and counts in runs
// how often it is run.
func callsOfOthers(n int, runs *int) func() {
	return func() {
		*runs++
		for range 2 {
			explore.Go("", func() {
				var own atomic.Int32
				for range n {
					explore.Pause()
					hook.Int32Add(&own, 1)
				}
			}, true)
		}
		explore.Join()
	}
}

// A trace is run in as many orders as the time allows.
func TestOrdersEndWithTheBudget(t *testing.T) {
	runs := 0
	r := explore.Run(explore.Config{Preemptions: -1, Linearize: true, Duration: 1},
		callsOfOthers(50, &runs))
	require.Nil(t, r.Failure)
	require.True(t, r.CutShort, "%+v", r)
	require.Less(t, runs, 10)

	runs = 0
	r = explore.Run(explore.Config{Preemptions: -1, Linearize: true}, callsOfOthers(50, &runs))
	require.False(t, r.CutShort, "%+v", r)
	require.Empty(t, r.Assumed)
	require.Greater(t, runs, 100, "an order for each call")
}

// The longer a trace is, the fewer of its orders are run, and the verdict says so.
func TestOrdersOfLongTracesAreFew(t *testing.T) {
	const steps = 5_000_000
	for _, n := range []int{2000, 4000} {
		runs := 0
		r := explore.Run(explore.Config{Preemptions: -1, Linearize: true}, callsOfOthers(n, &runs))
		require.Nil(t, r.Failure)
		require.NotEmpty(t, r.Assumed, "not all of them are run")
		require.InDelta(t, steps/(2*n), runs, 10)
	}
}
