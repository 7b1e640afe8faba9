//go:build !race

package explore_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

// everyOutcome explores body with and without reduction, in the first way of time and with early
// timeouts, and requires exactly these outcomes; body notes one in each execution.
func everyOutcome(t *testing.T, early int, want []string, body func(note func(...any))) {
	t.Helper()
	for _, preemptions := range []int{-1, 1 << 20} {
		var text string
		seen := map[string]int{}
		end := func() { seen[text]++ }
		cfg := explore.Config{
			Preemptions: preemptions, EarlyTimeouts: early,
			End:      func() *explore.Failure { end(); return nil },
			Deadlock: end,
		}
		explore.Run(cfg, func() {
			text = ""
			body(func(v ...any) { text += fmt.Sprint(v...) })
		})
		require.Equal(t, want, keys(seen), "preemptions %d", preemptions)
	}
}

func TestSleepsOverlap(t *testing.T) {
	for early, want := range [][]string{{"2s"}, {"2s", "3s", "4s"}} {
		everyOutcome(t, early, want, func(note func(...any)) {
			start := hook.Now()
			sleep := func(d time.Duration) func() { return func() { hook.Sleep(d) } }
			spawn(sleep(time.Second), sleep(2*time.Second), sleep(2*time.Second))
			note(hook.Since(start))
		})
	}
}

func TestSleepEndsWhenNothingElseCanRun(t *testing.T) {
	everyOutcome(t, 0, []string{"1"}, func(note func(...any)) {
		var ready atomic.Int32
		var seen int32
		spawn(func() { hook.Sleep(1); seen = hook.Int32Load(&ready) },
			func() { hook.Int32Store(&ready, 1) })
		note(seen)
	})
	everyOutcome(t, 1, []string{"0", "1"}, func(note func(...any)) {
		var ready atomic.Int32
		var seen int32
		spawn(func() { hook.Sleep(1); seen = hook.Int32Load(&ready) },
			func() { hook.Int32Store(&ready, 1) })
		note(seen)
	})
}

func TestATimerGivesTheTimeAtWhichItFired(t *testing.T) {
	everyOutcome(t, 0, []string{"1 2 8 10"}, func(note func(...any)) {
		timer, ticker := hook.NewTimer(1), hook.NewTicker(2)
		hook.Sleep(7)
		note(hook.Recv(timer.C).Sub(explore.Epoch).Nanoseconds(), " ")
		for i := range 3 {
			note([]string{"", " ", " "}[i], hook.Recv(ticker.C).Sub(explore.Epoch).Nanoseconds())
		}
	})
}

func TestEachReceiverOfATimerMayGetItsValue(t *testing.T) {
	for early := range 2 {
		everyOutcome(t, early, []string{"a", "b"}, func(note func(...any)) {
			timer := hook.NewTimer(1)
			for _, name := range []string{"a", "b"} {
				explore.Go(name, func() { hook.Recv(timer.C); note(name) }, true)
			}
			explore.Join()
		})
	}
}

func TestAFunctionOfATimerIsAwaitedByThoseThatItUnblocks(t *testing.T) {
	everyOutcome(t, 0, []string{"ran"}, func(note func(...any)) {
		done := make(chan int)
		hook.TimeAfterFunc(time.Hour, func() { note("ran"); hook.Close(done) })
		hook.Recv(done)
	})
	everyOutcome(t, 0, []string{"ran"}, func(note func(...any)) {
		hook.TimeAfterFunc(time.Hour, func() { note("ran") })
		hook.Sleep(2 * time.Hour)
	})
	everyOutcome(t, 0, []string{"slept"}, func(note func(...any)) {
		hook.TimeAfterFunc(2*time.Hour, func() { note("ran") })
		hook.Sleep(time.Hour)
		note("slept")
	})
}

// The budget of early timeouts is for those that come while others can run.
func TestTimersOfTheOnlyGoroutineAreNotEarly(t *testing.T) {
	everyOutcome(t, 1, []string{"0", "1"}, func(note func(...any)) {
		hook.Sleep(1)
		hook.Recv(hook.After(1))
		var ready atomic.Int32
		var seen int32
		spawn(func() { hook.Sleep(1); seen = hook.Int32Load(&ready) },
			func() { hook.Int32Store(&ready, 1) })
		note(seen)
	})
}

func TestAFutexWaitOfTheOnlyGoroutineMayEndEarly(t *testing.T) {
	for early, want := range [][]string{{"timeout"}, {"interrupted", "timeout"}} {
		everyOutcome(t, early, want, func(note func(...any)) {
			var word uint32
			how, _ := explore.FutexWait(unsafe.Pointer(&word), 0, time.Second)
			note(map[explore.FutexResult]string{
				explore.FutexTimeout: "timeout", explore.FutexInterrupted: "interrupted",
			}[how])
		})
	}
}

// What uses up how slow threads may be keeps a timer from being early, as what uses up the number
// of early timeouts does. Here the second tick cannot be early after the clock has moved by itself.
func TestATickThatCannotBeEarlyGoesToEither(t *testing.T) {
	const short = 1000
	for _, preemptions := range []int{-1, 1 << 20} {
		var ticks [2]time.Duration
		var now time.Duration
		moved := map[[2]time.Duration]bool{}
		cfg := explore.Config{
			Preemptions: preemptions, EarlyTimeouts: 2, TimePasses: true, Short: short,
			End: func() *explore.Failure {
				if now == short-1 && max(ticks[0], ticks[1]) == short {
					moved[ticks] = true
				}
				return nil
			},
		}
		explore.Run(cfg, func() {
			ticker := hook.NewTicker(2)
			tick := func(i int) { ticks[i] = hook.Recv(ticker.C).Sub(explore.Epoch) }
			spawn(
				func() { tick(0); hook.Sleep(1) },
				func() { tick(1) },
				func() { now = hook.Now().Sub(explore.Epoch) },
			)
		})
		want := map[[2]time.Duration]bool{{2, short}: true, {short, 2}: true}
		require.Equal(t, want, moved, "preemptions %d", preemptions)
	}
}
