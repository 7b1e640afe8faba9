//go:build !race

package explore_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"github.com/surewake/surewake/model/wire"
	"pgregory.net/rapid"
)

func TestReductionIsExactBeyondOneWord(t *testing.T) {
	idlers = 62
	defer func() { idlers = 0 }()
	for _, p := range telling {
		sameTraces(t, p, true)
	}
	for _, c := range []struct {
		name string
		ops  []string
		same func(t tester, p program)
	}{
		{"atomics", []string{"load", "store", "cas", "add", "choose"},
			func(t tester, p program) { sameTraces(t, p, true) }},
		{"mutexes", []string{"load", "store", "lock", "lock", "unlock", "trylock"},
			func(t tester, p program) { sameTraces(t, p, true) }},
		{"channels", []string{"send", "recv", "recv", "either", "both", "close", "poll"},
			func(t tester, p program) { sameChanTraces(t, buffered(p)) }},
		{"meetings and timers", []string{
			"send", "recv", "await or expire", "expire", "both", "offer", "stop",
		}, func(t tester, p program) { sameOutcomes(t, p, 1) }},
		{"everything", []string{
			"load", "store", "await", "cas", "lock", "unlock", "once", "condwait", "signal",
			"rlock", "wlock", "rwunlock", "wgadd", "wgdone", "wgwait",
		}, sameOutcomesOrFailure},
		{"bubbles", []string{
			"load", "store", "send", "recv", "expire", "stop", "sleep", "now", "quiet", "wgadd",
			"wgwait", "condwait", "lock", "signal",
		}, func(t tester, p program) { sameInBubble(t, bubbled{program: p}, explore.Config{}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			gen := genProgram(c.ops, 3, 3)
			rapid.Check(t, func(t *rapid.T) { c.same(t, gen.Draw(t, "program")) })
		})
	}
}

// crowd starts n goroutines, of which only number 3 and number 70 run act, and joins them. Each of
// the others reads a variable that nobody writes.
func crowd(n int, act func(i int)) {
	var still atomic.Int32
	for i := 1; i <= n; i++ {
		explore.Go("", func() {
			if i == 3 || i == 70 {
				act(i)
			} else {
				hook.Int32Load(&still)
			}
		}, true)
	}
	explore.Join()
}

func TestCountsOfManyGoroutines(t *testing.T) {
	for _, n := range []int{70, 100, 1000} {
		count(t, "no conflict", 1, 0, func() { crowd(n, func(int) {}) })
		count(t, "two writers", 2, 0, func() {
			var x atomic.Int32
			crowd(n, func(int) { hook.Int32Store(&x, 1) })
		})
		count(t, "a load and a store each", 4, 0, func() {
			var x atomic.Int32
			crowd(n, func(int) { hook.Int32Store(&x, hook.Int32Load(&x)+1) })
		})
		count(t, "a mutex, twice each", 6, 0, func() {
			var m sync.Mutex
			crowd(n, func(int) {
				for range 2 {
					hook.MutexLock(&m)
					hook.MutexUnlock(&m)
				}
			})
		})
		count(t, "AB-BA", 2, 1, func() {
			var a, b sync.Mutex
			crowd(n, func(i int) {
				outer, inner := &a, &b
				if i == 70 {
					outer, inner = inner, outer
				}
				hook.MutexLock(outer)
				hook.MutexLock(inner)
				hook.MutexUnlock(inner)
				hook.MutexUnlock(outer)
			})
		})
	}
	for _, n := range []int{65, 100, 1000} {
		count(t, "one after another", 1, 0, func() {
			var x atomic.Int32
			for range n {
				var wg sync.WaitGroup
				hook.WaitGroupGo(&wg, func() { hook.Int32Add(&x, 1) })
				hook.WaitGroupWait(&wg)
			}
		})
		count(t, "all wait for one another", 1, 0, func() {
			var wg sync.WaitGroup
			for range n {
				hook.WaitGroupAdd(&wg, 1)
			}
			for range n {
				explore.Go("", func() {
					hook.WaitGroupDone(&wg)
					hook.WaitGroupWait(&wg)
				}, true)
			}
			explore.Join()
		})
	}
}

func TestABugOfGoroutine70IsFound(t *testing.T) {
	lost := func() {
		var x atomic.Int32
		crowd(100, func(int) { hook.Int32Store(&x, hook.Int32Load(&x)+1) })
		if hook.Int32Load(&x) != 2 {
			explore.Fail(explore.KindAssert, "lost")
		}
	}
	r := all(lost)
	require.NotNil(t, r.Failure)
	require.Equal(t, explore.KindAssert, r.Failure.Kind)
	deviations := wire.Deviations(r.Failure.Schedule)
	text := wire.EncodeSchedule(deviations)
	require.Contains(t, text, "_70_")
	decoded, err := wire.DecodeSchedule(text)
	require.NoError(t, err)
	again := explore.Run(explore.Config{Preemptions: -1, Record: true, Replay: decoded}, lost)
	require.NotNil(t, again.Failure)
	require.Equal(t, r.Failure.Message, again.Failure.Message)

	r = all(func() {
		var never sync.Mutex
		hook.MutexLock(&never)
		for i := range 99 {
			hook.Go(func() {
				if i == 69 {
					hook.MutexLock(&never)
				}
			})
		}
	})
	require.NotNil(t, r.Failure)
	require.Equal(t, explore.KindLeak, r.Failure.Kind)
	require.Contains(t, r.Failure.Message, "1 of 100 goroutines wait for ever: go#70 in Lock")
}

func TestLongListsOfGoroutinesAreCutShort(t *testing.T) {
	r := all(func() {
		var never sync.Mutex
		hook.MutexLock(&never)
		for range 1000 {
			hook.Go(func() { hook.MutexLock(&never) })
		}
	})
	require.NotNil(t, r.Failure)
	require.Len(t, r.Failure.Blocked, 1000)
	require.Contains(t, r.Failure.Message, "go#20 in Lock and 980 others")
	require.NotContains(t, r.Failure.Message, "go#21")
}

func TestRandomStrategiesRunManyGoroutines(t *testing.T) {
	body := func() {
		var x atomic.Int32
		crowd(100, func(int) { hook.Int32Store(&x, hook.Int32Load(&x)+1) })
		if hook.Int32Load(&x) != 2 {
			explore.Fail(explore.KindAssert, "lost")
		}
	}
	for _, s := range []explore.Strategy{explore.Random, explore.POS} {
		cfg := explore.Config{Strategy: s, Preemptions: -1, Executions: 200, Seed: 7}
		r := explore.Run(cfg, body)
		require.NotNil(t, r.Failure, s)
		require.Equal(t, explore.KindAssert, r.Failure.Kind, s)
		require.Equal(t, r.Digest, explore.Run(cfg, body).Digest, s)
	}
}

func TestGoroutinesWithoutEndAreALimit(t *testing.T) {
	endless := func() {
		for {
			hook.Go(func() {})
		}
	}
	r := all(endless)
	require.NotNil(t, r.Failure)
	require.Equal(t, explore.KindLimit, r.Failure.Kind)
	require.Contains(t, r.Failure.Message, "more than 10000 goroutines in one execution")
	require.Contains(t, r.Failure.Message, "model.MaxGoroutines")

	r = explore.Run(explore.Config{Preemptions: -1, MaxThreads: 100}, endless)
	require.NotNil(t, r.Failure)
	require.Contains(t, r.Failure.Message, "more than 100 goroutines in one execution")
}
