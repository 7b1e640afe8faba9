package deque_test

import (
	"flag"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/deque"
)

// property is rapid.Check, which keeps no file of a failure here: it would lie in the tree, where
// the mutants' failures too would leave theirs. The message of a failure has the seed that repeats
// it.
func property(t *testing.T, holds func(*rapid.T)) {
	t.Helper()
	if err := flag.Set("rapid.nofailfile", "true"); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, holds)
}

// starts draws where positions start: most of them shortly before the wrap of the indices, or of
// narrower ones.
func starts() *rapid.Generator[uint32] {
	return rapid.OneOf(
		rapid.Map(rapid.Uint32Range(0, 40), func(k uint32) uint32 { return -k }),
		rapid.Map(rapid.Uint32Range(0, 40), func(k uint32) uint32 { return 1<<16 - k }),
		rapid.Map(rapid.Uint32Range(0, 40), func(k uint32) uint32 { return 1<<31 - k }),
		rapid.Uint32(),
	)
}

func capacities() *rapid.Generator[int] {
	return rapid.Map(rapid.IntRange(1, 5), func(bits int) int { return 1 << bits })
}

// Deques behave as slices: whatever owners and thieves do one after the other, and in whatever
// phase a thief stands still, every value comes out once, on the side and at the time that the
// documentation says.
func TestDequesBehaveAsSlices(t *testing.T) {
	property(t, func(t *rapid.T) {
		start := starts().Draw(t, "start")
		f := newFleet[int](t, start, rapid.SliceOfN(capacities(), 2, 4).Draw(t, "capacities")...)
		next := 0

		// one draws a ring that fits, or skips the action.
		one := func(t *rapid.T, name string, fits func(*ring[int]) bool) *ring[int] {
			var list []int
			for i, r := range f.rings {
				if fits(r) {
					list = append(list, i)
				}
			}
			if len(list) == 0 {
				t.Skip("no ring fits")
			}
			return f.rings[rapid.SampledFrom(list).Draw(t, name)]
		}
		idle := func(r *ring[int]) bool { return !r.busy() }
		pair := func(t *rapid.T) (from, into *ring[int]) {
			into = one(t, "into", idle)
			return one(t, "from", func(r *ring[int]) bool { return r != into }), into
		}

		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				next++
				f.push(one(t, "ring", idle), next)
			},
			"push a batch": func(t *rapid.T) {
				values := make([]int, rapid.IntRange(0, 40).Draw(t, "n"))
				for i := range values {
					next++
					values[i] = next
				}
				f.pushBatch(one(t, "ring", idle), values)
			},
			"push until it overflows": func(t *rapid.T) {
				r := one(t, "ring", idle)
				for spilt := len(r.spilt); spilt == len(r.spilt); {
					next++
					f.push(r, next)
				}
			},
			"pop": func(t *rapid.T) { f.pop(one(t, "ring", idle)) },
			"pop all": func(t *rapid.T) {
				r := one(t, "ring", idle)
				for len(r.queued) > 0 {
					f.pop(r)
				}
			},
			"steal": func(t *rapid.T) { f.steal(pair(t)) },
			"look":  func(t *rapid.T) { f.look(pair(t)) },
			"claim": func(t *rapid.T) { f.claim(one(t, "into", (*ring[int]).looking)) },
			"copy": func(t *rapid.T) {
				f.copyOut(one(t, "from",
					func(r *ring[int]) bool { return r.open != nil && !r.open.copied }))
			},
			"end": func(t *rapid.T) {
				f.finish(one(t, "from",
					func(r *ring[int]) bool { return r.open != nil }))
			},
		})
		f.drain()
	})
}

// What is true of indices is true wherever they start: the same calls end the same way, shifted.
func TestIndicesMeanTheSameWhereverTheyStart(t *testing.T) {
	property(t, func(t *rapid.T) {
		start := starts().Draw(t, "start")
		size := capacities().Draw(t, "capacity")
		calls := rapid.SliceOfN(rapid.IntRange(0, 4), 1, 200).Draw(t, "calls")
		run := func(start uint32) (out []any) {
			a, b := deque.NewAt[int](size, start), deque.NewAt[int](size, -start)
			for i, c := range calls {
				switch c {
				case 0:
					a.Push(i, func(batch []int) { out = append(out, append([]int(nil), batch...)) })
				case 1:
					v, ok := a.Pop()
					out = append(out, v, ok)
				case 2:
					v, result := a.StealInto(b)
					out = append(out, v, result)
				case 3:
					v, ok := b.Pop()
					out = append(out, v, ok)
				case 4:
					out = append(out, a.PushBatch([]int{i, i, i}))
				}
				steal, real, tail := a.Indices()
				out = append(out, steal-start, real-start, tail-start)
			}
			return out
		}
		require.Equal(t, run(0), run(start))
	})
}

// A head is two independent halves.
func TestHeadKeepsItsHalvesApart(t *testing.T) {
	property(t, func(t *rapid.T) {
		steal, real := rapid.Uint32().Draw(t, "steal"), rapid.Uint32().Draw(t, "real")
		s, r := deque.Unpack(deque.Pack(steal, real))
		require.Equal(t, [2]uint32{steal, real}, [2]uint32{s, r})
	})
	require.Equal(t, uint64(1)<<32|2, deque.Pack(1, 2))
	require.Equal(t, uint64(math.MaxUint64), deque.Pack(math.MaxUint32, math.MaxUint32))
}

// A ring that wraps round 2^16 and 2^32 positions goes on working: the difference of positions is
// all that counts.
func TestQueueSurvivesEveryWrapOfItsIndices(t *testing.T) {
	for _, start := range []uint32{math.MaxUint16 - 2, math.MaxInt32 - 2, math.MaxUint32 - 2, 0} {
		a, b := deque.NewAt[int](4, start), deque.NewAt[int](4, start)
		for i := range 3 * 1 << 16 {
			a.Push(i, nil)
			a.Push(-i, nil)
			v, ok := a.Pop()
			require.True(t, ok)
			require.Equal(t, i, v)
			v, result := a.StealInto(b)
			require.Equal(t, deque.Stolen, result)
			require.Equal(t, -i, v)
		}
	}
}
