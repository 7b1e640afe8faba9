package idle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/idle"
)

// There are as many words as it takes, and they fill cache lines that nothing else is on.
func TestWordsFillTheirCacheLines(t *testing.T) {
	for workers, want := range map[int][2]int{
		1: {1, 16}, 64: {1, 16}, 65: {2, 16}, 960: {15, 16}, 961: {16, 16}, 1024: {16, 16},
		1025: {17, 32}, 65536: {1024, 1024},
	} {
		length, capacity := idle.New(workers).Words()
		require.Equal(t, want, [2]int{length, capacity}, "%d workers", workers)
	}
}

// A call that is refused changes nothing: a worker that has been claimed, and is parked until it
// has its token, cannot be claimed again.
func TestRefusedPublishSetsNoBit(t *testing.T) {
	c := idle.New(2)
	w := c.Worker(1)
	require.Equal(t, idle.Recheck, w.Publish())
	require.Panics(t, func() { w.Publish() })
	require.Equal(t, 1, c.Parked())
	require.True(t, c.Claim(1))
	require.Panics(t, func() { w.Publish() })
	require.Zero(t, c.Parked())
	require.False(t, c.Claim(1))
	require.Equal(t, 1, c.Searching())
	require.Equal(t, idle.Searching, w.Woke(true))
}
