//go:build !race

package explore_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"pgregory.net/rapid"
)

// The operations for which wakeup trees are used, without those that turn them off.
func TestWakeupTreesKeepEveryTrace(t *testing.T) {
	for _, ops := range [][]string{
		{"load", "store", "add"}, {"load", "store", "lock", "lock", "unlock"},
	} {
		gen := genProgram(ops, 4, 4)
		rapid.Check(t, func(t *rapid.T) { sameTraces(t, gen.Draw(t, "program"), true) })
	}
	for _, ops := range [][]string{
		{"send", "recv"}, {"send", "recv", "close", "load", "store", "len"},
	} {
		gen := genProgram(ops, 4, 4)
		rapid.Check(t, func(t *rapid.T) { sameChanTraces(t, buffered(gen.Draw(t, "program"))) })
	}
}

// Programs of which executions were cut short: an initial of each race is not enough to know.
func TestNothingIsExploredInVain(t *testing.T) {
	for _, p := range []program{
		{ // what wakes a sleeping step comes only after the race
			{{Op: "load", Var: 1}, {Op: "load"}},
			{{Op: "load", Var: 2}, {Op: "store"}},
			{{Op: "store", Var: 2}},
			{{Op: "store", Var: 1}},
		},
		{
			{{Op: "load", Var: 2}, {Op: "load", Var: 1}, {Op: "load"}},
			{{Op: "store"}},
			{{Op: "load"}, {Op: "store", Var: 1}},
			{{Op: "load", Var: 1}, {Op: "store", Var: 2}},
		},
		{
			{{Op: "send", Var: 1}}, {{Op: "send", Var: 1}},
			{{Op: "recv", Var: 1}}, {{Op: "recv", Var: 1}},
		},
		{ // the variable of the second load has no number before the first one
			{{Op: "add"}},
			{{Op: "load", Var: 1}, {Op: "load", Var: 2}},
			{{Op: "add", Var: 1}},
			{{Op: "add"}},
		},
		{ // a CompareAndSwap writes or reads, by what comes first
			{{Op: "add", Var: 1}, {Op: "store", Var: 2}},
			{{Op: "cas", Val: 1}, {Op: "store", Var: 2, Val: 2, Cond: true}},
			{{Op: "cas"}},
			{{Op: "cas", Val: 1, Cond: true}, {Op: "store", Val: 2, Cond: true}},
		},
		{
			{{Op: "store", Var: 2}},
			{{Op: "trylock"}, {Op: "store", Var: 2, Val: 2, Cond: true}},
			{{Op: "lock"}},
		},
		{{{Op: "store", Var: 2}}, {{Op: "once"}}, {{Op: "once", Var: 2}}},
		{
			{{Op: "wlock"}, {Op: "load", Var: 1}, {Op: "store", Var: 2}, {Op: "load"}},
			{{Op: "load", Var: 2}, {Op: "rlock"}, {Op: "store", Var: 2}, {Op: "load", Var: 1}},
			{{Op: "wlock"}},
		},
		{
			{{Op: "store", Var: 1, Val: 2}},
			{{Op: "load"}, {Op: "wgadd", Val: 1}},
			{{Op: "wgwait"}, {Op: "store", Val: 1}},
			{{Op: "wgadd", Val: 1}},
		},
		{
			{{Op: "load"}, {Op: "broadcast"}, {Op: "load", Var: 1}},
			{{Op: "lock"}, {Op: "store", Val: 2}, {Op: "broadcast"}},
			{{Op: "lock"}, {Op: "store", Val: 1}},
		},
	} {
		_, _, res := explored(t, p, explore.Config{Preemptions: -1}, (*world).chanTrace)
		require.Zero(t, res.Pruned, "%v", p)
	}
}

// A goroutine looks for the last cell that is 0, from the end, and each of the others makes its
// cell larger by 1 than the one before: (k+3)*2^(k-2) traces for k of these.
func TestScannerIsExploredOnceForEachTrace(t *testing.T) {
	const n = 9
	r := all(func() {
		var cells [n]atomic.Int32
		bodies := []func(){func() {
			for k := n - 1; k > 0 && hook.Int32Load(&cells[k]) != 0; k-- {
			}
		}}
		for i := 1; i < n; i++ {
			bodies = append(bodies, func() {
				hook.Int32Store(&cells[i], hook.Int32Load(&cells[i-1])+1)
			})
		}
		spawn(bodies...)
	})
	require.EqualValues(t, (n+2)<<(n-3), r.Complete)
	require.Zero(t, r.Pruned)
}

// A race that one execution leaves to a sleeping step must be examined again in the others that
// have it: what wakes that step comes later.
func TestRaceIsLeftToASleepingStepInOneExecutionOnly(t *testing.T) {
	sameTraces(t, program{
		{{Op: "load", Var: 1, Cond: true}},
		{{Op: "load", Var: 1}, {Op: "load"}, {Op: "store", Var: 2}},
		{{Op: "load"}, {Op: "store", Val: 1}, {Op: "store"}},
		{{Op: "load", Var: 2}},
		{{Op: "load", Var: 1}, {Op: "load"}, {Op: "load", Var: 2, Cond: true}},
	}, true)
}

// A step that a sequence comes to in a tree is the next one of its thread after those on the way,
// not the first.
func TestStepsOnTheWayAreCounted(t *testing.T) {
	sameTraces(t, program{
		{{Op: "load", Var: 2}},
		{{Op: "load", Var: 2}, {Op: "store", Var: 1}},
		{{Op: "store", Var: 2}, {Op: "store", Var: 1}},
		{{Op: "load", Var: 2}, {Op: "store"}},
	}, true)
	sameTraces(t, program{
		{{Op: "load", Var: 2}},
		{{Op: "load", Var: 2}, {Op: "store"}},
		{{Op: "add", Var: 2}},
		{{Op: "store", Var: 2}, {Op: "store"}},
	}, true)
}

// Whether a CompareAndSwap writes is not known before it comes first.
func TestAnotherOrderChangesTheClass(t *testing.T) {
	sameTraces(t, program{
		{
			{Op: "cas"}, {Op: "cas", Var: 1, Val: 1}, {Op: "load", Var: 2},
			{Op: "store", Var: 1, Val: 2},
		},
		{
			{Op: "store", Var: 1}, {Op: "cas", Var: 1}, {Op: "cas", Var: 1, Val: 2},
			{Op: "cas", Var: 2, Val: 2},
		},
		{{Op: "cas", Var: 1, Val: 2}, {Op: "store", Val: 1, Cond: true}},
	}, true)
}

// An object that no operation was on at a node has other numbers in other executions from there.
func TestObjectsHaveOtherNumbersInOtherOrders(t *testing.T) {
	p := program{
		{{Op: "store", Var: 3}, {Op: "store", Var: 1}, {Op: "store", Var: 5}},
		{{Op: "store", Var: 1}, {Op: "store", Var: 5}, {Op: "load", Var: 3}, {Op: "store", Var: 2}},
		{
			{Op: "store", Var: 3}, {Op: "add", Var: 2}, {Op: "load", Var: 3}, {Op: "add", Var: 4},
			{Op: "add", Var: 2}, {Op: "add", Var: 3, Cond: true},
		},
	}
	_, _, res := explored(t, p, explore.Config{Preemptions: -1}, (*world).trace)
	require.EqualValues(t, 61, res.Complete) // as many as the search that reduces nothing finds
}

// What an operation does that only reads if it fails is known in the other order, if what it comes
// before tells.
func TestOperationsThatFailInOneOrder(t *testing.T) {
	p := program{
		{{Op: "go", Val: 4}, {Op: "go", Val: 2}, {Op: "add", Var: 3}},
		{{Op: "load", Var: 1}, {Op: "cas", Var: 3, Val: 1}},
		{{Op: "add"}, {Op: "load", Var: 3}},
		{{Op: "cas", Var: 3, Val: 2}},
		{{Op: "store", Var: 4, Val: 2}},
	}
	sameTracesBy(t, p, p.runNested, true)
}
