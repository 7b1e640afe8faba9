package deque_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/deque"
)

func TestStealTakesTheOlderHalfRoundedUp(t *testing.T) {
	for n := 1; n <= 8; n++ {
		d, thief := deque.New[int](8), deque.New[int](8)
		fill(t, d, 1, n)
		v, result := d.StealInto(thief)
		require.Equal(t, deque.Stolen, result)
		got := append([]int{v}, popAll(thief)...)
		require.Len(t, got, (n+1)/2)
		for i, v := range append(got, popAll(d)...) {
			require.Equal(t, i+1, v, "%d queued", n)
		}
	}
}

func TestStealAppendsBehindWhatTheThiefHas(t *testing.T) {
	d, thief := deque.New[int](8), deque.New[int](8)
	fill(t, d, 1, 6)
	fill(t, thief, 11, 12)
	v, result := d.StealInto(thief)
	require.Equal(t, deque.Stolen, result)
	require.Equal(t, 1, v)
	require.Equal(t, []int{11, 12, 2, 3}, popAll(thief))
	require.Equal(t, []int{4, 5, 6}, popAll(d))
}

func TestStealTakesNoMoreThanThereIsRoom(t *testing.T) {
	for held := range 5 {
		d, thief := deque.New[int](16), deque.New[int](4)
		fill(t, d, 1, 16)
		fill(t, thief, 101, 100+held)
		v, result := d.StealInto(thief)
		require.Equal(t, deque.Stolen, result, "one can be taken even if the destination is full")
		require.Equal(t, 1, v)
		require.Equal(t, 4, thief.Len())
		require.Equal(t, 16-1-(4-held), d.Len())
	}
}

// The destination looks empty to its owner, but a thief still copies out of it: these slots are no
// room.
func TestStealLeavesAloneWhatAnotherThiefStillCopies(t *testing.T) {
	a, b, c := deque.New[int](4), deque.New[int](4), deque.New[int](4)
	fill(t, b, 1, 4)
	open, _ := b.Claim(c) // C takes 1 and 2 from B, and stands still
	require.Equal(t, []int{3, 4}, popAll(b))
	require.Zero(t, b.Len())
	fill(t, a, 11, 14)
	v, result := a.StealInto(b) // B, empty, steals from A
	require.Equal(t, deque.Stolen, result)
	require.Equal(t, 11, v)
	require.Zero(t, b.Len(), "there was no room")
	require.Equal(t, []int{12, 13, 14}, popAll(a))
	require.Equal(t, 1, open.Finish())
	require.Equal(t, []int{2}, popAll(c))
}

// Whatever the owner does while a steal is open, the steal ends, and the next one can begin.
func TestReleaseFreesWhatTheOwnerPoppedMeanwhile(t *testing.T) {
	d, thief, other := deque.New[int](4), deque.New[int](4), deque.New[int](4)
	fill(t, d, 1, 4)
	open, _ := d.Claim(thief)
	require.Equal(t, []int{3, 4}, popAll(d))
	open.Finish()
	steal, real, tail := d.Indices()
	require.Equal(t, []uint32{4, 4, 4}, []uint32{steal, real, tail})
	fill(t, d, 5, 8)
	v, result := d.StealInto(other)
	require.Equal(t, deque.Stolen, result)
	require.Equal(t, 5, v)
}

// A claim fails if the head has moved since the thief looked, however far: positions are compared
// at their full width.
func TestClaimComesTooLateAfterAnyNumberOfAdvances(t *testing.T) {
	d, thief := deque.New[int](4), deque.New[int](4)
	fill(t, d, 1, 1)
	looked, result := d.Look(thief)
	require.Equal(t, deque.Stolen, result)
	v, ok := d.Pop()
	require.True(t, ok)
	require.Equal(t, 1, v)
	for i := 1; i <= 1<<17; i++ {
		require.False(t, looked.Claim(), "after %d advances", i)
		d.Push(i, nil)
		d.Pop()
	}
	require.Zero(t, d.Len())
}

func TestOneStealAtATime(t *testing.T) {
	d, thief, other := deque.New[int](4), deque.New[int](4), deque.New[int](4)
	fill(t, d, 1, 3)
	open, _ := d.Claim(thief)
	_, result := d.StealInto(other)
	require.Equal(t, deque.Contended, result)
	require.Equal(t, []int{3}, popAll(d))
	_, result = d.StealInto(other)
	require.Equal(t, deque.Empty, result, "nothing is left to come back for")
	open.Finish()
	_, result = d.StealInto(other)
	require.Equal(t, deque.Empty, result)
}

func TestStolenValuesCanBeStolenOn(t *testing.T) {
	a, b, c := deque.New[int](8), deque.New[int](8), deque.New[int](8)
	fill(t, a, 1, 8)
	v, _ := a.StealInto(b)
	require.Equal(t, 1, v)
	v, _ = b.StealInto(c)
	require.Equal(t, 2, v)
	require.Equal(t, []int{5, 6, 7, 8}, popAll(a))
	require.Equal(t, []int{4}, popAll(b))
	require.Equal(t, []int{3}, popAll(c))
}

func TestResultsPrintTheirNames(t *testing.T) {
	require.Equal(t, "Stolen", deque.Stolen.String())
	require.Equal(t, "Empty", deque.Empty.String())
	require.Equal(t, "Contended", deque.Contended.String())
	require.Equal(t, "Result(9)", deque.Result(9).String())
	var zero deque.Result
	require.Equal(t, deque.Empty, zero)
}
