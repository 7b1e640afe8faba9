package runtime_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// Tasks that each start a partner and talk to it end one after the other, also while there are more
// than the ring has room for: a look at the injector does not come between two of them.
func TestTasksThatTalkAreNotSuspendedByTheHundred(t *testing.T) {
	for _, ring := range []int{2, 16, 256} {
		rt := start(t, 1, runtime.Ring(ring))
		n, open, most := 4*ring, 0, 0
		var all runtime.WaitGroup
		all.Add(n)
		talks := func(cx runtime.Cx) {
			defer all.DoneFrom(cx)
			open++
			most = max(most, open)
			var there, back runtime.Oneshot[int]
			cx.Go(func(cx runtime.Cx) {
				v, _ := there.Receive(cx)
				_ = back.SendFrom(cx, v)
			})
			_ = there.SendFrom(cx, 1)
			_, _ = back.Receive(cx)
			open--
		}
		rt.Go(func(cx runtime.Cx) {
			for range n {
				cx.Go(talks)
			}
		})
		require.NoError(t, all.WaitContext(context.Background()))
		require.LessOrEqual(t, most, 8, "of %d, with a ring of %d", n, ring)
	}
}

// A look that is held back for such tasks comes after an interval, however many these start.
// (runtime/R3)
func TestTasksThatTalkDoNotKeepOthersAway(t *testing.T) {
	const ring, interval = 2, 8
	rt := start(t, 1, runtime.Ring(ring), runtime.LIFOCap(1_000_000),
		runtime.InjectorInterval(1, interval, interval))
	polls, last := 0, 0
	gaps := []int{}
	run(t, rt, func(cx runtime.Cx) error {
		runtime.TakeOneByOne(cx, 8*ring)
		for range 8 * ring {
			cx.Go(func(runtime.Cx) {
				gaps = append(gaps, polls-last)
				last = polls
			})
		}
		var chain func(cx runtime.Cx)
		chain = func(cx runtime.Cx) {
			if polls++; len(gaps) < 4*ring && polls < 10_000 {
				cx.Go(chain)
			}
		}
		cx.Go(chain)
		return nil
	})
	drains(t, rt)
	for _, gap := range gaps {
		require.LessOrEqual(t, gap, 3*interval)
	}
}

// A task that has had its polls from the slot, and moves to the back of a full ring, takes the
// place of the one that is next, and sends none to the injector. (runtime/R56)
func TestATaskThatLeavesTheSlotPushesNobodyOut(t *testing.T) {
	const lifoCap = 3
	rt := start(t, 1, runtime.Ring(2), runtime.LIFOCap(lifoCap))
	var ran []string
	run(t, rt, func(cx runtime.Cx) error {
		for _, name := range []string{"first", "second"} {
			cx.Go(func(runtime.Cx) { ran = append(ran, name) })
		}
		var chain func(cx runtime.Cx)
		chain = func(cx runtime.Cx) {
			if ran = append(ran, "chain"); len(ran) < lifoCap+1 {
				cx.Go(chain)
			}
		}
		cx.Go(chain)
		return nil
	})
	drains(t, rt)
	require.Equal(t, []string{"chain", "chain", "chain", "first", "second", "chain"}, ran)
	require.Zero(t, rt.Stats().Workers[0].Overflows)
}
