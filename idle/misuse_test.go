package idle_test

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/idle"
)

func TestNumberOfWorkersIsFrom1To65536(t *testing.T) {
	for _, n := range append([]int{1 << 16}, sizes...) {
		require.Equal(t, n, idle.New(n).Workers())
	}
	for _, n := range []int{math.MinInt, -1, 0, 1<<16 + 1, math.MaxInt} {
		require.PanicsWithValue(t, fmt.Sprintf("idle: %d workers; the number must be between 1 and 65536", n), func() { idle.New(n) })
	}
}

func TestWorkerThatDoesNotExistPanics(t *testing.T) {
	c := idle.New(65)
	require.Equal(t, 64, c.Worker(64).ID())
	for _, i := range []int{-1, 65, 127, math.MaxInt} {
		require.PanicsWithValue(t, fmt.Sprintf("idle: Worker(%d); there are workers 0 to 64", i),
			func() { c.Worker(i) })
		require.PanicsWithValue(t, fmt.Sprintf("idle: Claim of worker %d; there are workers 0 to 64", i), func() { c.Claim(i) })
	}
}

// Whoever is parked does nothing before Woke.
func TestParkedWorkerThatGoesOnPanics(t *testing.T) {
	message := "idle: %s by worker 1, which is parked: Woke comes first, until it says something other than AwaitToken (rule 3)"
	c := idle.New(2)
	w := c.Worker(1)
	require.Equal(t, idle.Recheck, w.Publish())
	for range 2 {
		require.PanicsWithValue(t, fmt.Sprintf(message, "Publish"), func() { w.Publish() })
		require.PanicsWithValue(t, fmt.Sprintf(message, "Search"), func() { w.Search() })
		require.PanicsWithValue(t, fmt.Sprintf(message, "Found"), func() { w.Found() })
		require.PanicsWithValue(t, fmt.Sprintf(message, "Search"), func() {
			defer w.Release(nil) // is silent: it was not what went wrong
			w.Search()
		})
		require.Equal(t, c.Parked() == 1, c.Claim(1)) // and so when it is claimed
		require.Equal(t, idle.AwaitToken, w.Woke(false))
		require.Equal(t, idle.AwaitToken, w.Woke(false), "however often")
	}
	require.Equal(t, idle.Searching, w.Woke(true))
}

func TestWokeWithoutPublishPanics(t *testing.T) {
	w := idle.New(1).Worker(0)
	for range 2 {
		for _, token := range []bool{true, false} {
			require.PanicsWithValue(t,
				"idle: Woke by worker 0, which has not published itself: Publish comes before each sleep (rule 3)",
				func() { w.Woke(token) })
		}
		w.Search()
	}
}

func TestTokenWithoutAClaimPanics(t *testing.T) {
	w := idle.New(65).Worker(64)
	w.Publish()
	require.PanicsWithValue(t, "idle: worker 64 got a token, but nobody has claimed it: every unpark goes through a claim (rule 5)",
		func() { w.Woke(true) })
}

// A count that falls below zero shows that something has counted down twice.
func TestCountBelowZeroPanics(t *testing.T) {
	for method, leave := range map[string]func(w *idle.Worker){
		"Found":   func(w *idle.Worker) { w.Found() },
		"Publish": func(w *idle.Worker) { w.Publish() },
	} {
		c := idle.New(1)
		w := c.Worker(0)
		require.True(t, w.Search())
		c.SetSearching(0)
		require.PanicsWithValue(t, "idle: "+method+" by worker 0 left -1 searchers; is a Worker used by two goroutines, "+
			"or was a token given without a claim (rule 5)?", func() { leave(w) })
	}
}

// Rule 7, and what happens without.
func TestReleaseEndsTheSearchOfAWorkerThatPanics(t *testing.T) {
	c := idle.New(2)
	c.Worker(1).Publish()
	w := c.Worker(0)
	var woken []int
	unpark := func(worker int) { woken = append(woken, worker) }
	require.PanicsWithValue(t, "a bug", func() {
		defer w.Release(unpark)
		require.True(t, w.Search())
		panic("a bug")
	})
	require.Equal(t, []int{1}, woken)
	require.Equal(t, 1, c.Searching(), "worker 1, in the place of worker 0")
	w.Release(unpark)
	require.Equal(t, []int{1}, woken, "a worker that does not search")

	c = idle.New(2)
	c.Worker(1).Publish()
	require.True(t, c.Worker(0).Search()) // and dies here
	_, ok := c.Notify()
	require.False(t, ok)
}

func TestOutcomesHaveNames(t *testing.T) {
	for want, o := range map[string]idle.Outcome{"Recheck": idle.Recheck,
		"AwaitToken": idle.AwaitToken, "Searching": idle.Searching,
		"Running": idle.Running, "Closed": idle.Closed, "Outcome(0)": 0, "Outcome(6)": 6} {
		require.Equal(t, want, o.String())
	}
}

// What the comments say about cache lines, where pointers have 64 bits.
func TestWorkersDoNotShareCacheLines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("a 32-bit platform")
	}
	require.EqualValues(t, 128, unsafe.Sizeof(idle.Worker{}))
	require.EqualValues(t, 256, unsafe.Sizeof(idle.Coordinator{}))
}
