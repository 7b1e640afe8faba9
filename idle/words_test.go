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
