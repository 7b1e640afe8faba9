package deque_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/deque"
)

func TestCapacityIsAPowerOfTwoFrom2To32768(t *testing.T) {
	for c := 2; c <= 32768; c *= 2 {
		require.Equal(t, c, deque.New[byte](c).Cap())
	}
	require.Equal(t, 256, deque.New[byte](deque.DefaultCapacity).Cap())
	for _, c := range []int{math.MinInt, -256, -1, 0, 1, 3, 6, 255, 257, 32767, 32769, 65536,
		math.MaxInt} {
		require.PanicsWithValue(t, fmt.Sprintf("deque: capacity %d is not a power of two from 2 to 32768", c),
			func() { deque.New[byte](c) })
	}
}

func TestStealFromItselfOrIntoNothingPanics(t *testing.T) {
	d := deque.New[int](2)
	for _, queued := range []int{0, 1} {
		require.Equal(t, queued, d.Len())
		require.PanicsWithValue(t, "deque: StealInto the same Deque", func() { d.StealInto(d) })
		require.PanicsWithValue(t, "deque: StealInto a nil Deque", func() { d.StealInto(nil) })
		require.Equal(t, queued, d.Len())
		d.Push(1, nil)
	}
}

func TestAStealerHasNoCallOfTheOwner(t *testing.T) {
	d := deque.New[int](2)
	typ := reflect.TypeOf(d.Stealer())
	var methods []string
	for i := range typ.NumMethod() {
		methods = append(methods, typ.Method(i).Name)
	}
	require.Equal(t, []string{"Len", "StealInto"}, methods)

	same, other := d.Stealer(), deque.New[int](2).Stealer()
	require.True(t, same == d.Stealer())
	require.False(t, same == other)
}

func TestAStealerOfNothingPanics(t *testing.T) {
	const zero = "deque: use of a Stealer that Deque.Stealer did not make"
	var s deque.Stealer[int]
	require.PanicsWithValue(t, zero, func() { s.Len() })
	require.PanicsWithValue(t, zero, func() { s.StealInto(deque.New[int](2)) })
	var none *deque.Deque[int]
	require.PanicsWithValue(t, "deque: Stealer of a nil Deque", func() { none.Stealer() })
}

func TestPushToADequeWithoutNewPanics(t *testing.T) {
	var d deque.Deque[int]
	require.PanicsWithValue(t, "deque: Push to a Deque that New did not make",
		func() { d.Push(1, func([]int) {}) })
	require.PanicsWithValue(t, "deque: PushBatch to a Deque that New did not make",
		func() { d.PushBatch([]int{1}) })
	_, ok := d.Pop()
	require.False(t, ok)
	_, result := d.StealInto(deque.New[int](2))
	require.Equal(t, deque.Empty, result)
	require.Zero(t, d.Len())
	require.Zero(t, d.Cap())
}

// Indices that no permitted sequence of calls leads to are not worked with.
func TestImpossibleIndicesPanic(t *testing.T) {
	const size = 4
	message := func(where string, steal, real, tail uint32) string {
		return fmt.Sprintf("deque: %s found steal %d, real %d, tail %d in a ring of %d; is there a second owner?",
			where, steal, real, tail, size)
	}
	for _, start := range []uint32{0, 1<<32 - 2} {
		at := func(k uint32) uint32 { return start + k }
		broken := func(steal, real, tail uint32) *deque.Deque[int] {
			return deque.NewWith[int](size, at(steal), at(real), at(tail))
		}
		full := func() *deque.Deque[int] { return broken(0, 0, 4) }

		// More queued than fit.
		require.PanicsWithValue(t, message("Push", at(0), at(0), at(5)),
			func() { broken(0, 0, 5).Push(1, func([]int) {}) })
		require.PanicsWithValue(t, message("PushBatch", at(0), at(0), at(5)),
			func() { broken(0, 0, 5).PushBatch([]int{1}) })
		require.PanicsWithValue(t, message("Pop", at(0), at(0), at(5)),
			func() { broken(0, 0, 5).Pop() })
		require.PanicsWithValue(t, message("StealInto", at(0), at(0), at(5)),
			func() { broken(0, 0, 5).StealInto(full()) })
		require.PanicsWithValue(t, message("StealInto", at(0), at(0), at(5)),
			func() { full().StealInto(broken(0, 0, 5)) })
		// The steal head too far behind.
		require.PanicsWithValue(t, message("Push", at(0), at(3), at(5)),
			func() { broken(0, 3, 5).Push(1, func([]int) {}) })
		// A head beyond the tail.
		require.PanicsWithValue(t, message("Pop", at(3), at(3), at(2)),
			func() { broken(3, 3, 2).Pop() })
		require.PanicsWithValue(t, message("StealInto", at(3), at(3), at(2)),
			func() { broken(3, 3, 2).StealInto(full()) })

		// Somebody else has moved the steal head while a steal was open.
		d, thief := full(), deque.New[int](size)
		open, result := d.Claim(thief)
		require.Equal(t, deque.Stolen, result)
		second := *open
		open.Finish()
		require.PanicsWithValue(t, message("the end of a steal", at(2), at(2), at(4)),
			func() { second.Finish() })
	}
}
