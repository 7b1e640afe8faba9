//go:build !race

// The engine is compiled without instrumentation when the race detector watches; these tests run it
// in their own binary, which is instrumented.

package model

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/wire"
)

// sharded explores a shard of a check with n choices of 4 values.
func sharded(t *testing.T, shard, shards, n int) (wire.Search, explore.Result) {
	c := &check{
		opts: options{preemptions: -1},
		t:    t, name: "TestChoices",
		set: &wire.Settings{Shard: shard, Shards: shards, Preemptions: -1},
		body: func(x *Exec) {
			for range n {
				x.Choose(4)
			}
		},
	}
	cfg := c.config()
	c.share(&cfg)
	require.Len(t, c.searches, 1)
	var res explore.Result
	require.NoError(t, json.Unmarshal(c.searches[0].Found, &res))
	return c.searches[0], res
}

// All shards divide a tree in the same way, and have each execution once. One that is too small has
// the first alone.
func TestShardsAreDisjoint(t *testing.T) {
	for _, shards := range []int{1, 3, 20} {
		var first wire.Search
		var sum explore.Result
		for k := range shards {
			s, res := sharded(t, k+1, shards, 5)
			if k == 0 {
				first = s
			}
			require.GreaterOrEqual(t, s.Units, max(leastUnits, unitsPerShard*shards))
			require.Equal(t, []any{first.Units, first.Hash}, []any{s.Units, s.Hash})
			require.Positive(t, res.Complete)
			sum.Add(&res)
		}
		require.EqualValues(t, 1024, sum.Complete)
	}
	for k := range 3 {
		s, res := sharded(t, k+1, 3, 3)
		require.Equal(t, 1, s.Units)
		require.Equal(t, k == 0, res.Complete == 64, "shard %d has %d", k+1, res.Complete)
		require.Equal(t, k > 0, res.Complete == 0)
	}
}
