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

// parker is a token over a futex: 0 empty, 1 token, 2 asleep.
type parker struct{ state atomic.Uint32 }

func (p *parker) park(timeout time.Duration) bool {
	if hook.Uint32CompareAndSwap(&p.state, 1, 0) {
		return true
	}
	if !hook.Uint32CompareAndSwap(&p.state, 0, 2) {
		return hook.Uint32Swap(&p.state, 0) == 1
	}
	for {
		r, _ := explore.FutexWait(unsafe.Pointer(&p.state), 2, timeout)
		if hook.Uint32CompareAndSwap(&p.state, 1, 0) {
			return true
		}
		if r == explore.FutexTimeout {
			return hook.Uint32Swap(&p.state, 0) == 1
		}
	}
}

func (p *parker) unpark() {
	if hook.Uint32Swap(&p.state, 1) == 2 {
		explore.FutexWake(unsafe.Pointer(&p.state), 1)
	}
}

func TestFutex(t *testing.T) {
	for early := range 3 {
		taken := map[bool]int{}
		r := explore.Run(explore.Config{Preemptions: -1, EarlyTimeouts: early}, func() {
			var p parker
			spawn(func() {
				got := p.park(-1)
				if !got {
					panic("no token without a timeout")
				}
			}, p.unpark)
		})
		require.Nil(t, r.Failure, "%d", early)
		require.Zero(t, r.ForcedTimeouts)
		r = explore.Run(explore.Config{Preemptions: -1, EarlyTimeouts: early}, func() {
			var p parker
			got := false
			spawn(func() { got = p.park(time.Second) }, p.unpark)
			if left := p.state.Load(); got == (left == 1) {
				panic("the token is neither taken nor left, or both")
			}
			taken[got]++
		})
		require.Nil(t, r.Failure)
		require.Equal(t, early > 0, taken[false] > 0, "early timeouts happen if allowed: %v", taken)
	}
}

// Without a wake, the timeout fires when nothing else can run; without a
// timeout that is a deadlock.
func TestFutexWithoutAWake(t *testing.T) {
	var elapsed time.Duration
	r := all(func() {
		var p parker
		spawn(func() { start := hook.Now(); p.park(time.Second); elapsed = hook.Since(start) })
	})
	require.Nil(t, r.Failure)
	require.EqualValues(t, 1, r.ForcedTimeouts)
	require.Equal(t, time.Second, elapsed)
	r = explore.Run(explore.Config{Preemptions: -1, NoForcedTimeouts: true}, func() {
		var p parker
		spawn(func() { p.park(time.Second) })
	})
	require.Equal(t, explore.KindDeadlock, r.Failure.Kind)
	r = all(func() {
		var p parker
		spawn(func() { p.park(-1) })
	})
	require.Equal(t, explore.KindDeadlock, r.Failure.Kind)
}

// A waker that looks before it stores loses the wakeup.
func TestFutexLostWakeup(t *testing.T) {
	r := all(func() {
		var p parker
		spawn(func() { p.park(-1) }, func() {
			if hook.Uint32Load(&p.state) == 2 {
				hook.Uint32Store(&p.state, 1)
				explore.FutexWake(unsafe.Pointer(&p.state), 1)
			}
		})
	})
	require.Equal(t, explore.KindDeadlock, r.Failure.Kind)
}

// A wake takes any of the sleepers.
func TestFutexWakeTakesAnySleeper(t *testing.T) {
	first := map[int]bool{}
	r := all(func() {
		var word, order atomic.Uint32
		won := 0
		sleeper := func(i int) func() {
			return func() {
				explore.FutexWait(unsafe.Pointer(&word), 0, -1)
				if hook.Uint32Add(&order, 1) == 1 {
					won = i
				}
			}
		}
		spawn(sleeper(1), sleeper(2), func() {
			hook.Uint32Store(&word, 1)
			explore.FutexWake(unsafe.Pointer(&word), 1)
			explore.FutexWake(unsafe.Pointer(&word), 1)
		})
		first[won] = true
	})
	require.Nil(t, r.Failure)
	require.Len(t, first, 2)
}

// A wake of some of the sleepers takes each set of so many, and the same one in every order of the
// waits. The others sleep until the next value of the word, and who comes later sees it.
func TestFutexWakeTakesEachSetOfSleepers(t *testing.T) {
	for n, sets := range []int{1, 3, 3, 1, 1} {
		taken := map[[3]bool]bool{}
		r := explore.Run(explore.Config{Preemptions: -1, Linearize: true}, func() {
			var word atomic.Uint32
			var first [3]bool
			woken, late := 0, false
			sleeper := func(i int) func() {
				return func() {
					r, _ := explore.FutexWait(unsafe.Pointer(&word), 0, -1)
					first[i] = hook.Uint32Load(&word) == 1
					late = late || r == explore.FutexMismatch
				}
			}
			spawn(sleeper(0), sleeper(1), sleeper(2), func() {
				hook.Uint32Store(&word, 1)
				woken, _ = explore.FutexWake(unsafe.Pointer(&word), n)
				hook.Uint32Store(&word, 2)
				explore.FutexWake(unsafe.Pointer(&word), 3)
			})
			seen := 0
			for _, is := range first {
				if is {
					seen++
				}
			}
			if !late && seen == woken {
				taken[first] = true
			}
		})
		require.Nil(t, r.Failure, "%d", n)
		require.Len(t, taken, sets, "%d", n)
	}
}

// A sleeper that went away by its timeout takes no wake from another.
func TestFutexTimeoutLeavesTheQueue(t *testing.T) {
	var left int64
	r := explore.Run(explore.Config{Preemptions: -1, EarlyTimeouts: 1}, func() {
		var word, gone atomic.Uint32
		spawn(func() {
			explore.FutexWait(unsafe.Pointer(&word), 0, time.Second)
			hook.Uint32Store(&gone, 1)
		}, func() {
			for n := hook.SpinStart(); hook.Uint32Load(&gone) == 0; {
				hook.Spin(n)
			}
			if r, _ := explore.FutexWait(unsafe.Pointer(&word), 0, -1); r == explore.FutexWoken {
				left++
			}
		}, func() {
			for n := hook.SpinStart(); hook.Uint32Load(&gone) == 0; {
				hook.Spin(n)
			}
			hook.Uint32Store(&word, 1)
			explore.FutexWake(unsafe.Pointer(&word), 1)
		})
	})
	require.Nil(t, r.Failure)
	require.NotZero(t, left)
}

// What timers have used of the budget of early timeouts does not keep a signal from ending a wait:
// nothing orders the two.
func TestSignalsHaveABudgetOfTheirOwn(t *testing.T) {
	ends := func(cfg explore.Config) map[explore.FutexResult]bool {
		seen := map[explore.FutexResult]bool{}
		var how explore.FutexResult
		cfg.Preemptions, cfg.EarlyTimeouts = -1, 1
		cfg.End = func() *explore.Failure { seen[how] = true; return nil }
		res := explore.Run(cfg, func() {
			var word uint32
			timer := hook.NewTimer(1)
			explore.Go("", func() {
				how, _ = explore.FutexWait(unsafe.Pointer(&word), 0, -1)
			}, true)
			hook.Await(timer.C)
			explore.FutexWake(unsafe.Pointer(&word), 1)
		})
		require.False(t, res.CutShort)
		return seen
	}
	require.Equal(t, ends(explore.Config{Unreduced: true}), ends(explore.Config{}))
}
