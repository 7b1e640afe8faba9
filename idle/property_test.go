package idle_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/idle"
)

// sizes are numbers of workers on both sides of a word's end, and large.
var sizes = []int{1, 2, 63, 64, 65, 128, 1000}

// A Coordinator behaves as a set and a number: whatever workers, notifiers and closers do one after
// the other, and between whatever steps a notifier stands still.
func TestCoordinatorBehavesAsASetAndANumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newFleet(t, rapid.SampledFrom(sizes[:6]).Draw(t, "workers"))
		// Few of the workers, the first and the last ones, so that operations meet.
		few := rapid.Custom(func(t *rapid.T) int {
			i := rapid.IntRange(0, min(2, len(f.workers)-1)).Draw(t, "i")
			if rapid.Bool().Draw(t, "last") {
				return len(f.workers) - 1 - i
			}
			return i
		})
		actions := map[string]func(*rapid.T){"": func(*rapid.T) { f.check() }}
		for _, o := range ops {
			actions[o.name] = func(t *rapid.T) {
				i := few.Draw(t, "worker")
				if !o.fits(&f.workers[i]) {
					t.Skip("does not fit")
				}
				if o.name == "close" && rapid.IntRange(0, 9).Draw(t, "rarely") > 0 {
					t.Skip("rarely")
				}
				o.do(f, i)
			}
		}
		t.Repeat(actions)
		f.drain()
	})
}

// A chain: all sleep, one is notified, and each that finds something wakes the next, in the order
// of their numbers; meanwhile pushes wake nobody.
func TestEachSearcherThatFindsSomethingWakesTheNext(t *testing.T) {
	for _, n := range sizes {
		f := newFleet(t, n)
		for i := range n {
			f.publish(n - 1 - i)
		}
		f.notify()
		for i := range n {
			f.notify()
			f.give(i)
			f.notify()
			f.woke(i)
			f.notify()
			f.found(i)
		}
		f.check()
		require.Zero(t, f.c.Searching())
		require.Zero(t, f.c.Parked())
	}
}

// The last of several searchers notifies, and only the last.
func TestLastSearcherNotifies(t *testing.T) {
	for _, n := range sizes[2:] {
		f := newFleet(t, n)
		f.publish(n - 1)
		for i := range 10 {
			f.search(i)
		}
		for i := range 10 {
			require.False(t, f.workers[n-1].claimed)
			f.found(i)
		}
		require.True(t, f.workers[n-1].claimed)
		f.drain()
	}
}

// The limit is half of the workers, rounded up, and no count is so large that it would wrap and be
// granted.
func TestSearchIsRefusedFromHalfTheWorkersOn(t *testing.T) {
	for _, n := range append([]int{3, 4, 5}, sizes...) {
		limit := (n + 1) / 2
		c := idle.New(n)
		require.Equal(t, limit, c.Limit())
		for i := range n {
			require.Equal(t, i < limit, c.Worker(i).Search())
			require.True(t, i >= limit || c.Worker(i).Search(), "a searcher asks again")
		}
		require.Equal(t, limit, c.Searching())
		for _, s := range []int32{int32(limit), int32(limit) + 1, 1<<30 - 1, 1 << 30, 1<<30 + 1,
			1<<31 - 2, math.MaxInt32} {
			c := idle.New(n)
			c.SetSearching(s)
			require.False(t, c.Worker(0).Search(), "%d search", s)
			require.EqualValues(t, s, c.Searching())
		}
	}
}

func TestCloseWakesWhoeverSleepsAndEndsSleep(t *testing.T) {
	for _, n := range sizes {
		f := newFleet(t, n)
		for i := range n {
			if i%3 != 1 {
				f.publish(i)
			}
		}
		f.close()
		f.close() // claims nobody twice
		for i := range n {
			if f.workers[i].claimed {
				f.give(i)
				f.woke(i)
			}
			f.publish(i) // Closed
		}
		f.check()
		require.Zero(t, f.c.Searching())
	}
}

// A panic in the callback of Close costs one worker its token, and no more: the rest is claimed by
// the next Close.
func TestCloseAfterAPanicClaimsTheRest(t *testing.T) {
	c := idle.New(3)
	for i := range 3 {
		c.Worker(i).Publish()
	}
	require.PanicsWithValue(t, 0, func() { c.Close(func(worker int) { panic(worker) }) })
	var woken []int
	c.Close(func(worker int) { woken = append(woken, worker) })
	require.Equal(t, []int{1, 2}, woken)
}
