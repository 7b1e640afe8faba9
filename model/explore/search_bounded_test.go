//go:build !race

package explore_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

// Programs that told a broken search within a bound from a right one.
func TestReductionWithinABoundOfKeptPrograms(t *testing.T) {
	for _, c := range []struct {
		name string
		p    program
	}{
		{"a send that a third thread lets go on", program{
			{{Op: "send", Var: 1}},
			{{Op: "send", Var: 1}},
			{{Op: "recv", Var: 1}, {Op: "close", Var: 1}},
		}},
		{"an attempt to read after a lock of the same thread", program{
			{{Op: "rlock"}, {Op: "rwunlock"}, {Op: "tryrlock"}},
			{{Op: "wlock"}},
		}},
		{"two readers, a writer and an attempt", program{
			{{Op: "rlock"}},
			{{Op: "wlock"}},
			{
				{Op: "rlock", Cond: true}, {Op: "rlock"}, {Op: "rwunlock"}, {Op: "tryrlock"},
			},
		}},
		{"a select that nothing is ready for yet", program{
			{{Op: "recv", Var: 1}},
			{{Op: "send", Var: 2}, {Op: "send", Var: 1, Cond: true}},
			{{Op: "send", Var: 1}, {Op: "both", Var: 1}},
		}},
		{"a receive that waits for another sender", program{
			{{Op: "send", Var: 1}},
			{{Op: "recv", Var: 1}},
			{{Op: "recv", Var: 2}, {Op: "send", Var: 1, Cond: true}},
			{{Op: "send", Var: 2}, {Op: "send", Var: 1}},
		}},
		{"channels in a circle", program{
			{
				{Op: "send", Var: 1, Cond: true}, {Op: "recv", Var: 1},
				{Op: "recv", Var: 2, Cond: true},
			},
			{{Op: "send", Var: 2}, {Op: "send", Var: 1}, {Op: "recv", Var: 2}},
			{{Op: "recv", Var: 2}, {Op: "recv", Var: 1, Cond: true}},
		}},
		{"timers that may be early", program{
			{
				{Op: "await or expire", Cond: true}, {Op: "await or expire", Cond: true},
				{Op: "await or expire"},
			},
			{
				{Op: "now"}, {Op: "await or expire", Cond: true},
				{Op: "await or expire", Cond: true},
			},
			{{Op: "reset"}, {Op: "await or expire"}},
		}},
		{"three threads that add to a word", program{
			{{Op: "load"}, {Op: "store"}, {Op: "load", Var: 1}},
			{{Op: "load"}, {Op: "store"}, {Op: "store", Var: 1}},
			{{Op: "load", Var: 1}, {Op: "store", Var: 1}, {Op: "load"}},
		}},
		{"looks that are not the only races", program{
			{
				{Op: "send", Var: 1, Cond: true}, {Op: "store"},
				{Op: "recv", Var: 1}, {Op: "offer", Var: 1},
			},
			{
				{Op: "offer", Var: 2, Val: 2}, {Op: "send", Var: 1, Cond: true},
				{Op: "send", Var: 2, Val: 1},
			},
			{{Op: "load", Val: 2}, {Op: "offer", Var: 1}},
		}},
		{"a lock that stays locked, and one that is left", program{
			{{Op: "load", Cond: true}},
			{{Op: "load", Cond: true}, {Op: "store"}, {Op: "lock"}, {Op: "unlock"}},
			{
				{Op: "load"}, {Op: "load", Cond: true}, {Op: "load", Cond: true}, {Op: "lock"},
			},
		}},
		{"a lock that is held across a store", program{
			{{Op: "lock"}, {Op: "load"}, {Op: "unlock"}, {Op: "store"}},
			{{Op: "store"}, {Op: "lock"}, {Op: "unlock"}},
			{{Op: "load"}, {Op: "trylock"}},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sameWithin(t, c.p, c.p.run, explore.Config{EarlyTimeouts: 1}, (*world).outcome)
			sameWithin(t, c.p, c.p.run, explore.Config{}, (*world).chanTrace)
		})
	}
}

// A thread that joins another may wait for it or not, and can be left for nothing if it waits.
func TestJoinWithinABound(t *testing.T) {
	outcomes := func(cfg explore.Config) map[string]bool {
		all := map[string]bool{}
		var text string
		cfg.End = func() *explore.Failure { all[text] = true; return nil }
		explore.Run(cfg, func() {
			var x, y atomic.Int32
			c := make(chan int, 1)
			var saw [2]int32
			explore.Go("joins", func() {
				explore.Go("is joined", func() { hook.Int32Add(&y, 1) }, true)
				hook.Recv(c)
				saw[0] = hook.Int32Load(&x)
				explore.Join()
				hook.Int32Store(&x, 5)
			}, true)
			explore.Go("starts", func() {
				explore.Go("changes", func() {
					hook.To(c).Send(1)
					hook.Int32Store(&x, 1)
					saw[1] = hook.Int32Swap(&x, 2)
				}, true)
				explore.Join()
			}, true)
			explore.Join()
			text = fmt.Sprint(saw, x.Load())
		})
		return all
	}
	for n := range 4 {
		every := outcomes(explore.Config{Preemptions: n, Unreduced: true})
		require.Equal(t, every, outcomes(explore.Config{Preemptions: n}), "%d preemptions", n)
	}
}

// An operation comes before what its thread has only looked at, too. Nobody joins the threads: who
// does has all of them explored at each end of a block.
func TestWriteAfterALookWithinABound(t *testing.T) {
	outcomes := func(cfg explore.Config) map[string]bool {
		all := map[string]bool{}
		var saw [2]int32
		cfg.End = func() *explore.Failure { all[fmt.Sprint(saw)] = true; return nil }
		explore.Run(cfg, func() {
			saw = [2]int32{}
			var x atomic.Int32
			spawnAndLeave(
				func() { saw[0] = hook.Int32Load(&x) },
				func() { saw[1] = hook.Int32Load(&x); hook.Int32Store(&x, 2) },
			)
		})
		return all
	}
	for n := range 3 {
		every := outcomes(explore.Config{Preemptions: n, Unreduced: true})
		require.Len(t, every, 2)
		require.Equal(t, every, outcomes(explore.Config{Preemptions: n}), "%d preemptions", n)
	}
}

// What else is left out is named beside the bound.
func TestLoopThatWaitsWithinABound(t *testing.T) {
	r := explore.Run(explore.Config{Preemptions: 0}, func() {
		var x atomic.Int32
		spawn(
			func() {
				n := explore.SpinStart()
				for explore.Turn(n); hook.Int32Add(&x, 0) == 0; explore.Turn(n) {
				}
			},
			func() { hook.Int32Add(&x, 1); hook.Int32Add(&x, 1) },
		)
	})
	require.Nil(t, r.Failure)
	require.Regexp(t, "^at most 0 preemptions; of a loop that waits, 3 fruitless", r.Bounded)
}

// Steps on which nothing depends are no places to preempt a thread.
func TestIndependentStepsWithinABound(t *testing.T) {
	body := func() {
		var shared atomic.Int32
		thread := func() {
			var own atomic.Int32
			for range 20 {
				hook.Int32Add(&own, 1)
			}
			hook.Int32Add(&shared, 1)
			for range 20 {
				hook.Int32Add(&own, 1)
			}
		}
		spawn(thread, thread)
	}
	every := explore.Run(explore.Config{Preemptions: 2, Unreduced: true}, body)
	require.Equal(t, "at most 2 preemptions", every.Bounded)
	require.Greater(t, every.Complete, int64(1000))
	r := explore.Run(explore.Config{Preemptions: 2}, body)
	require.Nil(t, r.Failure)
	require.LessOrEqual(t, r.Complete, int64(20))
}
