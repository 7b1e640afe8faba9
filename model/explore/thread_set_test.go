package explore

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// most is above every number of drawSet.
const most = 210

// drawSet draws a set of threads, some of them at the edges of words, and what it must contain.
func drawSet(t *rapid.T, label string) (threadSet, map[int]bool) {
	s, m := threadSet{}, map[int]bool{}
	number := rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(61, 66), rapid.IntRange(126, most-1))
	for _, i := range rapid.SliceOfN(number, 0, 8).Draw(t, label) {
		if m[i] {
			s.remove(i)
			delete(m, i)
		} else {
			s.add(i)
			m[i] = true
		}
	}
	return s, m
}

func requireSame(t *rapid.T, want map[int]bool, got threadSet, what string) {
	high, count := false, 0
	at := got.first()
	for i := range most {
		require.Equal(t, want[i], got.has(i), "%s: %d", what, i)
		if want[i] {
			require.Equal(t, i, at, "%s: the order", what)
			at = got.next(i + 1)
			count++
			high = high || i >= wordThreads
		}
	}
	require.Equal(t, -1, at, "%s: the end", what)
	require.Equal(t, count, got.count(), what)
	require.Equal(t, count == 0, got.empty(), what)
	require.Equal(t, high, got.high != nil, "%s: words without threads", what)
}

func filter(m map[int]bool, keep func(i int) bool) map[int]bool {
	out := map[int]bool{}
	for i := range m {
		if keep(i) {
			out[i] = true
		}
	}
	return out
}

func TestThreadSetIsASetOfNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, inA := drawSet(t, "a")
		b, inB := drawSet(t, "b")
		requireSame(t, inA, a, "a")

		both := filter(inA, func(i int) bool { return inB[i] })
		requireSame(t, both, a.intersection(b), "intersection")
		require.Equal(t, len(both) > 0, a.meets(b))
		requireSame(t, filter(inA, func(i int) bool { return !inB[i] }), a.without(b), "without")
		either := filter(inA, func(int) bool { return true })
		for i := range inB {
			either[i] = true
		}
		requireSame(t, either, a.union(b), "union")
		requireSame(t, inB, b, "an argument")

		i := rapid.IntRange(0, most-1).Draw(t, "one")
		requireSame(t, map[int]bool{i: true}, only(i), "only")
		copied := a
		copied.add(i)
		copied.remove(most - 1 - i)
		requireSame(t, inA, a, "what was copied")
	})
}

// A copy of a set with threads above the first word loses one: the set does not, nor the other way
// round.
func TestCopiesOfASetChangeIndependently(t *testing.T) {
	s := only(70).union(only(130))
	copied := s
	copied.remove(70)
	require.True(t, s.has(70))
	require.False(t, copied.has(70))
	s.remove(130)
	require.True(t, copied.has(130))
	require.False(t, s.has(130))
	s.add(200)
	require.False(t, copied.has(200))
}
