package runtime_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// What each operation may allocate in the steady state, when nobody steals: the bounds are part of
// what bench measures.
func TestAllocations(t *testing.T) {
	sum := 0
	var again runtime.Task[int]
	yields := func(cx runtime.Cx) (int, error) { cx.Yield(); return 0, nil }
	each := func(_ runtime.Cx, i int) { sum += i }
	block := func(_ runtime.Cx, lo, hi int) { sum += hi - lo }
	count := func(_ runtime.Cx, lo, hi int) int { return hi - lo }
	add := func(a, b int) int { return a + b }
	values, other := runtime.NewChannel[int](1), runtime.NewChannel[int](1)
	cases := []runtime.Case{values.ReceiveCase(nil), other.ReceiveCase(nil)}
	sends := func(runtime.Cx) (int, error) { return 0, values.TrySend(1) }
	for _, c := range []struct {
		name string
		most float64
		do   func(cx runtime.Cx)
	}{
		{"Fork, Join", 0, func(cx runtime.Cx) { fibFork(cx, 10) }},
		{"Fork, Mine", 0, func(cx runtime.Cx) { fibMine(cx, 10) }},
		{"Both, for each of its 88", 88, func(cx runtime.Cx) { fibBoth(cx, 10) }},
		{"For", 0, func(cx runtime.Cx) { _ = runtime.For(cx, 0, 100, each) }},
		{"Range", 1, func(cx runtime.Cx) { _ = runtime.Range(cx, 0, 100, block) }},
		{"Reduce", 0, func(cx runtime.Cx) {
			n, _ := runtime.Reduce(cx, 0, 100, count, add)
			sum += n
		}},
		{"Yield", 0, func(cx runtime.Cx) { cx.Yield() }},
		{"Spawn, Join", 1, func(cx runtime.Cx) { _, _ = runtime.Spawn(cx, empty).Join(cx) }},
		{"SpawnWith, Join", 1, func(cx runtime.Cx) {
			_, _ = runtime.SpawnWith(cx, emptyOf, 1).Join(cx)
		}},
		{"Task: Spawn, Join", 0, func(cx runtime.Cx) {
			again.Spawn(cx, empty)
			_, _ = again.Join(cx)
		}},
		{"Task: Spawn, Join of a task that waits", 0, func(cx runtime.Cx) {
			again.Spawn(cx, yields)
			_, _ = again.Join(cx)
		}},
		{"Spawn, Join of a task that waits", 1, func(cx runtime.Cx) {
			_, _ = runtime.Spawn(cx, yields).Join(cx)
		}},
		{"Spawn, both wait, Join", 2, func(cx runtime.Cx) {
			h := runtime.Spawn(cx, yields)
			cx.Yield()
			_, _ = h.Join(cx)
		}},
		{"Select that need not wait", 0, func(cx runtime.Cx) {
			_ = values.TrySend(1)
			_, _ = runtime.Select(cx, cases...)
		}},
		{"Select of two that waits: its own, and a place in each line", 3, func(cx runtime.Cx) {
			again.Spawn(cx, sends)
			_, _ = runtime.Select(cx, cases...)
			_, _ = again.Join(cx)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rt := start(t, 1)
			run(t, rt, func(cx runtime.Cx) error {
				for range 3 { // stacks and queues grow
					c.do(cx)
				}
				require.LessOrEqual(t, testing.AllocsPerRun(100, func() { c.do(cx) }), c.most)
				return nil
			})
		})
	}
}
