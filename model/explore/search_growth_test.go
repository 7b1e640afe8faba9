package explore

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each branch adds one execution, to nodes of up to 64: so it does to those of 10,000 and more.
func TestGrowthGoesOnAlongItsTrend(t *testing.T) {
	var b branches
	for size := 1; size <= 64; size++ {
		b.add(1, 2, powerOf2(float64(size)), math.Log1p(1/float64(size)))
	}
	b.trend, b.top = b.all.trend()
	require.Equal(t, 6, b.top)
	require.InDelta(t, 0.5, b.trend[1], 0.05)
	for _, size := range []float64{1e4, 1e6, 1e9} {
		require.Less(t, b.at(1, 2, size), 100/size, "threads, %v", size)
	}
	b.each = true
	for _, size := range []float64{64, 1e4, 1e6, 1e9} {
		by := b.at(1, 2, size)
		require.Greater(t, by, 0.3/size, "choices, %v", size)
		require.Less(t, by, 3/size, "choices, %v", size)
	}

	var none growth
	trend, top := none.trend()
	require.Equal(t, flat, trend, "nothing was seen")
	require.Zero(t, top)
}
