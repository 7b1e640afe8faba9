package model

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"time"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/wire"
)

// One exploration by several machines that know nothing of one another. Each divides the tree in
// the same way, breadth first, into many more subtrees than there are shards, and explores every
// n-th of them. What it found goes into its certificate. From the certificates of all shards the
// check has its result as if one process had explored the tree: merge takes the place of the
// exploration.
//
// What cannot be divided (mayDivide, explore.Expand) is one subtree, the first, and so the first
// shard's alone.

const (
	unitsPerShard = 16
	leastUnits    = 128 // of a tree that is divided: a small race run is explored more than once
)

// share explores this shard's part of the tree.
func (c *check) share(cfg *explore.Config) explore.Result {
	begun := time.Now()
	c.divided = true
	once := *cfg // twice, to see whether the body repeats itself, which no part of the tree does
	once.Executions, once.Progress = 1, nil
	if res := explore.Run(once, c.execution(&once)); res.Failure != nil {
		return c.found(&wire.Search{}, res)
	}
	for modes := c.set.Modes; ; {
		units, timed := make([]explore.Subtree, 1), false
		if c.mayDivide(cfg) {
			var again *explore.Subtree
			if units, timed, again = c.units(cfg, modes); again != nil {
				modes = again.Modes
				continue
			}
		}
		res := c.exploreUnits(cfg, units, begun)
		if res.Again != nil {
			modes = res.Again.Modes
			continue
		}
		s := &wire.Search{Units: len(units), Hash: hashOf(units), Modes: modes}
		res = c.found(s, res)
		if c.mayDivide(cfg) {
			res.Timed = timed // all shards go on in the second way of time, or none
		}
		return res
	}
}

// units divides the tree for all shards. Timed is whether an execution that was run for this met a
// short timer (explore.Result.Timed). Again is explore.Result.Again.
func (c *check) units(
	cfg *explore.Config, modes string,
) (units []explore.Subtree, timed bool, again *explore.Subtree) {
	most := max(leastUnits, unitsPerShard*c.set.Shards)
	queue := []explore.Subtree{{Modes: modes}}
	for len(queue) > 0 && len(units)+len(queue) < most {
		below, res := explore.Expand(*cfg, queue[0], c.execution(cfg))
		if res.Again != nil {
			return nil, false, res.Again
		}
		timed = timed || res.Timed
		if len(below) == 0 {
			units = append(units, queue[0])
		}
		queue = append(queue[1:], below...)
	}
	if units = append(units, queue...); len(units) < most {
		return make([]explore.Subtree, 1), timed, nil // too small
	}
	return units, timed, nil
}

func hashOf(units []explore.Subtree) string {
	h := fnv.New64a()
	_ = json.NewEncoder(h).Encode(units)
	return fmt.Sprintf("%016x", h.Sum64())
}

// exploreUnits explores those of all units that are this shard's.
func (c *check) exploreUnits(
	cfg *explore.Config, units []explore.Subtree, begun time.Time,
) explore.Result {
	var sum explore.Result
	mine := (len(units) + c.set.Shards - c.set.Shard) / c.set.Shards
	for i := range mine {
		part := *cfg
		if len(units) > 1 {
			part.Subtree = &units[c.set.Shard-1+i*c.set.Shards]
		}
		if cfg.Duration > 0 {
			if part.Duration = cfg.Duration - time.Since(begun); part.Duration <= 0 {
				sum.Bounded, sum.CutShort = fmt.Sprintf("budget of %v", cfg.Duration), true
				break
			}
		}
		if cfg.Progress != nil {
			part.Progress = func(now explore.Result, explored float64) {
				now.Add(&sum)
				now.Seconds = time.Since(begun).Seconds()
				cfg.Progress(now, (float64(i)+explored)/float64(mine))
			}
		}
		res := explore.Run(part, c.execution(&part))
		if res.Again != nil {
			return res
		}
		if sum.Add(&res); len(units) > 1 {
			sum.Left = 0 // that of one unit
		}
		if sum.Failure != nil {
			break
		}
	}
	sum.Seconds = time.Since(begun).Seconds()
	return sum
}

// found keeps what a search of this shard has found.
func (c *check) found(s *wire.Search, res explore.Result) explore.Result {
	text, err := json.Marshal(res)
	if err != nil {
		panic(err)
	}
	s.Found = text
	c.searches = append(c.searches, *s)
	return res
}

// openFound reads what all shards have found. It reports whether they know this check.
func (c *check) openFound() (known bool, err error) {
	text, err := os.ReadFile(c.set.Found)
	if err != nil {
		return false, err
	}
	var all wire.Shards
	if err := json.Unmarshal(text, &all); err != nil {
		return false, err
	}
	c.merged, known = all[c.name]
	return known, nil
}

// merge returns what all shards together have found in the next search of the check.
func (c *check) merge() explore.Result {
	c.divided = true
	if len(c.merged) == 0 {
		c.broken = "the certificates lack a search of this check. If it is the second, in which time " +
			"passes while goroutines can run, so few executions have timers that the shards did not " +
			"know of them: check without -shard."
		return explore.Result{}
	}
	next := c.merged[0]
	c.merged = c.merged[1:]
	var sum explore.Result
	for i := range next {
		var res explore.Result
		if err := json.Unmarshal(next[i].Found, &res); err != nil {
			c.broken = fmt.Sprintf("a certificate: %v", err)
			return explore.Result{}
		}
		if sum.Add(&res); sum.Seconds < res.Seconds {
			sum.Seconds = res.Seconds
		}
	}
	return sum
}
