// Package checkers has the checks that bench/checkers runs beside loom and Shuttle: the four
// scenarios in which Tokio checks its queue with loom, of package deque here, and atomic additions.
// bench/checkers/rust has the same for a transcription of the deque.
package checkers

import (
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/deque"
	"github.com/surewake/surewake/model"
)

const capacity = 4

// taken is what one side took, as a set of values below 64; twice is whether it took one twice.
type taken struct {
	values uint64
	twice  bool
}

func (t *taken) add(v int) {
	t.twice = t.twice || t.values&(1<<v) != 0
	t.values |= 1 << v
}

func (t *taken) batch(values []int) {
	for _, v := range values {
		t.add(v)
	}
}

// pop takes one value, if there is one.
func (t *taken) pop(d *deque.Deque[int]) bool {
	v, ok := d.Pop()
	if ok {
		t.add(v)
	}
	return ok
}

func (t *taken) drain(d *deque.Deque[int]) {
	for t.pop(d) {
	}
}

func (t *taken) steal(from, into *deque.Deque[int]) {
	if v, result := from.StealInto(into); result == deque.Stolen {
		t.add(v)
	}
}

// each fails unless the sides together took each of 0..n-1 once.
func each(x *model.Exec, n int, sides ...*taken) {
	var all taken
	for _, s := range sides {
		x.Assert(!s.twice && all.values&s.values == 0, "a value came out twice")
		all.values |= s.values
	}
	x.Assert(all.values == 1<<n-1, "of %d values came out %b", n, all.values)
}

// A thief comes three times while the owner pushes and pops.
func TestBasic(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d := deque.New[int](capacity)
		var owner, thief, spilt taken
		x.Go("thief", func() {
			mine := deque.New[int](capacity)
			for range 3 {
				thief.steal(d, mine)
				thief.drain(mine)
			}
		})
		for v := 0; v < 6; v += 3 {
			d.Push(v, spilt.batch)
			d.Push(v+1, spilt.batch)
			owner.pop(d)
			d.Push(v+2, spilt.batch)
			owner.drain(d)
		}
		x.Join()
		each(x, 6, &owner, &thief, &spilt)
	})
}

// The owner pushes more than fits, while a thief steals.
func TestStealOverflow(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d := deque.New[int](capacity)
		var owner, thief, spilt taken
		x.Go("thief", func() {
			mine := deque.New[int](capacity)
			thief.steal(d, mine)
			thief.drain(mine)
		})
		d.Push(0, spilt.batch)
		owner.pop(d)
		for v := 1; v < 7; v++ {
			d.Push(v, spilt.batch)
		}
		x.Join()
		owner.drain(d)
		each(x, 7, &owner, &thief, &spilt)
	})
}

// Two thieves steal while the owner empties its queue.
func TestMultiStealer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d := deque.New[int](capacity)
		var owner, spilt taken
		var thieves [2]taken
		for v := range 5 {
			d.Push(v, spilt.batch)
		}
		for i := range thieves {
			x.Go("thief", func() {
				mine := deque.New[int](capacity)
				thieves[i].steal(d, mine)
				thieves[i].drain(mine)
			})
		}
		owner.drain(d)
		x.Join()
		each(x, 5, &owner, &spilt, &thieves[0], &thieves[1])
	})
}

// A thief steals from a deque whose owner empties it and steals from another one.
func TestChainedSteal(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d, other := deque.New[int](capacity), deque.New[int](capacity)
		var owner, thief, spilt taken
		for v := range 4 {
			d.Push(v, spilt.batch)
			other.Push(v+4, spilt.batch)
		}
		x.Go("thief", func() {
			mine := deque.New[int](capacity)
			thief.steal(d, mine)
			thief.drain(mine)
		})
		owner.drain(d)
		owner.steal(other, d)
		x.Join()
		owner.drain(d)
		owner.drain(other)
		each(x, 8, &owner, &thief, &spilt)
	})
}

// adders starts two goroutines that add 8 times each, and looks at the result.
func adders(t *testing.T, add func(n *atomic.Int64) int64) {
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int64
		var sums [2]int64
		for i := range sums {
			x.Go("adder", func() {
				for range 8 {
					sums[i] += add(&n)
				}
			})
		}
		x.Join()
		x.Assert(sums[0]+sums[1] == 16*17/2, "the additions returned %v", sums)
	})
}

// 12,870 ways to interleave 2 x 8 operations.
func TestAdds(t *testing.T) {
	adders(t, func(n *atomic.Int64) int64 { return n.Add(1) })
}

// Additions of two steps lose some.
func TestAddsOfTwoSteps(t *testing.T) {
	adders(t, func(n *atomic.Int64) int64 {
		v := n.Load() + 1
		n.Store(v)
		return v
	})
}
