package driver

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThePartsAreAllOfThem(t *testing.T) {
	var all []candidate
	for i := range 10 {
		all = append(all, candidate{id: strconv.Itoa(i)})
	}
	require.Equal(t, all, Part{}.of(all))
	require.Equal(t, all[1:2], Part{2, math.MaxInt}.of(all))
	for n := 1; n <= 12; n++ {
		times := map[string]int{}
		for k := 1; k <= n; k++ {
			part := Part{k, n}.of(all)
			require.InDelta(t, float64(len(all))/float64(n), len(part), 1, "%d/%d", k, n)
			for _, c := range part {
				times[c.id]++
			}
		}
		require.Len(t, times, len(all))
		for id, count := range times {
			require.Equal(t, 1, count, "%s of %d parts", id, n)
		}
	}
}

func TestAPartIsWritten(t *testing.T) {
	var p Part
	require.Empty(t, p.String())
	require.NoError(t, p.Set("2/3"))
	require.Equal(t, Part{2, 3}, p)
	require.Equal(t, "2/3", p.String())
	bad := []string{"", "/", "2", "2/", "/3", "0/3", "4/3", "-1/3", "1/0", "a/3", "1/b", "1/2/3"}
	for _, s := range bad {
		require.EqualError(t, p.Set(s), partForm, s)
	}
	require.Equal(t, Part{2, 3}, p)
}
