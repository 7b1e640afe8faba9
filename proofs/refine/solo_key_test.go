package refine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Wherever the heap begins, an address of it is no number, and what no address of it is, is one.
func TestAnAddressOfTheHeapIsNoNumber(t *testing.T) {
	for _, address := range []uint64{1 << 32, 0x681bb2480, 1<<36 - 1, 1 << 36, 0xc000000000} {
		require.LessOrEqual(t, lowestFor(address), address)
	}
	require.Greater(t, lowestFor(0xc000000000), uint64(10*time.Minute),
		"so is the time since the process began")
}
