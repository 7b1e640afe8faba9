package driver

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/wire"
)

// ofShards are certificates of one check: what each shard has found, and its verdict.
func ofShards(verdict string, all ...[]wire.Search) *Shards {
	s := &Shards{}
	for i, searches := range all {
		c := &Certificate{Shard: i + 1, Shards: len(all), Checks: []Certified{{
			Name: "TestX", Verdict: Bounded, Plain: searches,
		}}}
		if len(searches) == 0 {
			c.Checks[0].Verdict = verdict
		}
		s.all = append(s.all, c)
	}
	return s
}

// A search is merged from all shards, or from the first if that has it as a whole; one that a shard
// lacks is refused, unless that has failed.
func TestSearchesOfShards(t *testing.T) {
	part := []wire.Search{{Units: 128, Hash: "1"}}
	other := []wire.Search{{Units: 128, Hash: "2"}}
	whole := []wire.Search{{Units: 1, Hash: "1"}}
	twice := []wire.Search{whole[0], part[0]}
	for _, c := range []struct {
		name   string
		shards *Shards
		counts []int // of shards in each search; nil: refused
	}{
		{"all", ofShards("", part, part, part), []int{3}},
		{"whole", ofShards("", whole, whole, whole), []int{1}},
		{"whole in the first way of time", ofShards("", twice, twice), []int{1, 2}},
		{"not found in the second way", ofShards("", twice, whole), nil},
		{"whole, and undecided elsewhere", ofShards(Undecided, whole, whole, nil), []int{1}},
		{"whole, and undecided", ofShards(Undecided, nil, whole, whole), nil},
		{"undecided", ofShards(Undecided, part, nil), nil},
		{"failed", ofShards(Failed, part, nil, part), []int{2}},
		{"divided otherwise", ofShards("", part, other), nil},
		{"failed before it was divided", ofShards("", part, []wire.Search{{}}), []int{2}},
	} {
		all, err := c.shards.searches(0, false)
		var counts []int
		for _, found := range all {
			counts = append(counts, len(found))
		}
		if c.counts == nil {
			require.Error(t, err, c.name)
		} else {
			require.NoError(t, err, c.name)
			require.Equal(t, c.counts, counts, c.name)
		}
	}
}
