package deque_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/deque"
)

// fill pushes from..to and fails if one of them overflows.
func fill(t testing.TB, d *deque.Deque[int], from, to int) {
	t.Helper()
	for i := from; i <= to; i++ {
		d.Push(i, func(batch []int) { t.Fatalf("push of %d overflows with %v", i, batch) })
	}
}

// popAll pops until the deque is empty.
func popAll[T any](d *deque.Deque[T]) (values []T) {
	for {
		v, ok := d.Pop()
		if !ok {
			return values
		}
		values = append(values, v)
	}
}

func TestOverflowIsTheOlderHalfAndTheNewValueInOneBatch(t *testing.T) {
	for _, size := range []int{2, 4, 256} {
		d := deque.New[int](size)
		fill(t, d, 1, size)
		var batches [][]int
		d.Push(size+1, func(batch []int) {
			batches = append(batches,
				append([]int(nil), batch...))
		})
		require.Len(t, batches, 1)
		require.Len(t, batches[0], size/2+1)
		for i, v := range batches[0][:size/2] {
			require.Equal(t, i+1, v)
		}
		require.Equal(t, size+1, batches[0][size/2])
		require.Equal(t, size/2, d.Len())
		v, _ := d.Pop()
		require.Equal(t, size/2+1, v)
	}
}

func TestOverflowIsOnlyTheNewValueWhileAStealIsOpen(t *testing.T) {
	d, thief := deque.New[int](4), deque.New[int](4)
	fill(t, d, 1, 4)
	open, result := d.Claim(thief)
	require.Equal(t, deque.Stolen, result)
	var got []int
	d.Push(5, func(batch []int) { got = append(got, batch...) })
	require.Equal(t, []int{5}, got)

	// Popping makes no room either: the thief's slots are the oldest, and nothing after them is
	// free before they are.
	v, _ := d.Pop()
	require.Equal(t, 3, v)
	d.Push(6, func(batch []int) { got = append(got, batch...) })
	require.Equal(t, []int{5, 6}, got)

	require.Equal(t, 1, open.Finish())
	fill(t, d, 7, 9)
	require.Equal(t, []int{4, 7, 8, 9}, popAll(d))
	require.Equal(t, []int{2}, popAll(thief))
}

func TestOverflowMayUseTheDeque(t *testing.T) {
	d := deque.New[int](4)
	// the first overflow has no batch yet that the inner one could mistake for its own
	for range 3 {
		fill(t, d, 1, 4)
		var outer, inner []int
		d.Push(5, func(batch []int) {
			fill(t, d, 6, 7)
			d.Push(8, func(b []int) { inner = append(inner, b...) }) // overflows inside an overflow
			outer = append(outer, batch...)                          // and leaves this batch alone
		})
		require.Equal(t, []int{1, 2, 5}, outer)
		require.Equal(t, []int{3, 4, 8}, inner)
		require.Equal(t, []int{6, 7}, popAll(d))
	}
}

// A slot that holds a zero value is not empty.
func TestZeroIsAValueLikeAnyOther(t *testing.T) {
	d, thief := deque.New[*int](4), deque.New[*int](4)
	for range 4 {
		d.Push(nil, nil)
	}
	got := -1
	d.Push(nil, func(batch []*int) { got = len(batch) })
	require.Equal(t, 3, got)
	_, result := d.StealInto(thief)
	require.Equal(t, deque.Stolen, result)
	require.Equal(t, []*int{nil}, popAll(d))
}

// After a panic of overflow the deque is in order. The batch, the new value included, was handed
// over and is in the deque no longer: every value is in exactly one place.
func TestPanicInOverflowPassesThroughAndLosesNothing(t *testing.T) {
	boom := errors.New("boom")
	d := deque.New[int](4)
	for round := range 3 {
		fill(t, d, 1, 4)
		var batch []int
		require.PanicsWithError(t, "boom", func() {
			d.Push(5, func(b []int) {
				batch = append(batch, b...)
				panic(boom)
			})
		})
		require.Equal(t, []int{1, 2, 5}, batch, "round %d", round)
		require.Equal(t, []int{3, 4}, popAll(d), "round %d", round)
	}
	_, spare := d.Memory()
	require.Equal(t, []int{0, 0, 0}, spare)
}

func TestGoexitInOverflowLeavesTheDequeInOrder(t *testing.T) {
	d := deque.New[int](2)
	fill(t, d, 1, 2)
	done := make(chan []int)
	go func() {
		var got []int
		defer func() { done <- got }()
		d.Push(3, func(batch []int) {
			got = append(got, batch...)
			runtime.Goexit()
		})
	}()
	require.Equal(t, []int{1, 3}, <-done)
	require.Equal(t, []int{2}, popAll(d))
}

// The batch is the deque's memory: it is cleared when overflow returns, and appending to it does
// not write into it.
func TestBatchIsValidDuringTheCallOnly(t *testing.T) {
	d := deque.New[int](4)
	fill(t, d, 1, 4)
	var kept []int
	d.Push(5, func(batch []int) {
		kept = batch
		require.Equal(t, len(batch), cap(batch))
	})
	require.Equal(t, []int{0, 0, 0}, kept)
}

func TestPushWithoutOverflowNeedsNoneWhileThereIsRoom(t *testing.T) {
	d := deque.New[int](2)
	d.Push(1, nil)
	d.Push(2, nil)
	require.PanicsWithValue(t, "deque: Push to a full Deque with a nil overflow",
		func() { d.Push(3, nil) })
	require.Equal(t, []int{1, 2}, popAll(d), "nothing is lost, and 3 was not accepted")

	// The same while a thief holds the ring open.
	thief := deque.New[int](2)
	fill(t, d, 1, 2)
	open, _ := d.Claim(thief)
	require.PanicsWithValue(t, "deque: Push to a full Deque with a nil overflow",
		func() { d.Push(3, nil) })
	require.Equal(t, 1, open.Finish())
	require.Equal(t, []int{2}, popAll(d))
}

func TestPopIsFirstInFirstOut(t *testing.T) {
	d := deque.New[int](8)
	fill(t, d, 1, 8)
	require.Equal(t, []int{1, 2, 3, 4, 5, 6, 7, 8}, popAll(d))
	v, ok := d.Pop()
	require.False(t, ok)
	require.Zero(t, v)
}

// Values of any size and shape are stored as they are.
func TestAnyTypeOfValue(t *testing.T) {
	type wide struct {
		words [40]uint64
		name  string
		f     func() int
	}
	d, thief := deque.New[wide](2), deque.New[wide](2)
	d.Push(wide{words: [40]uint64{39: 7}, name: "a", f: func() int { return 1 }}, nil)
	d.Push(wide{name: "b", f: func() int { return 2 }}, nil)
	v, ok := d.Pop()
	require.True(t, ok)
	require.Equal(t, uint64(7), v.words[39])
	require.Equal(t, 1, v.f())
	v, result := d.StealInto(thief)
	require.Equal(t, deque.Stolen, result)
	require.Equal(t, "b", v.name)

	empty := deque.New[struct{}](2)
	empty.Push(struct{}{}, nil)
	require.Equal(t, 1, empty.Len())
	_, ok = empty.Pop()
	require.True(t, ok)
	_, ok = empty.Pop()
	require.False(t, ok)
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	d, thief := deque.New[*int](4), deque.New[*int](4)
	v := new(int)
	overflow := func(batch []*int) {}
	run := func() {
		for range 7 {
			d.Push(v, overflow)
		}
		for range 2 {
			d.StealInto(thief)
		}
		for d.Len() > 0 {
			d.Pop()
		}
		for thief.Len() > 0 {
			thief.Pop()
		}
		open := 0
		for range 9 {
			d.Push(v, func(batch []*int) { open += len(batch) }) // a callback that captures
		}
	}
	run() // the first overflow makes the spare batch
	require.Zero(t, testing.AllocsPerRun(100, run))
}

func TestLenIsExactForTheOwner(t *testing.T) {
	d, thief := deque.New[int](4), deque.New[int](4)
	require.Equal(t, 4, d.Cap())
	for i := range 4 {
		require.Equal(t, i, d.Len())
		d.Push(i, nil)
	}
	require.Equal(t, 4, d.Len())
	open, _ := d.Claim(thief)
	require.Equal(t, 2, d.Len(), "what a thief has claimed is not queued")
	require.Equal(t, 0, thief.Len(), "nor is it in the thief's deque yet")
	open.Finish()
	require.Equal(t, 2, d.Len())
	require.Equal(t, 1, thief.Len())
}

// The tail may be ahead of a head that was read before it by more than a ring.
func TestLenIsNeverMoreThanCap(t *testing.T) {
	for _, tail := range []uint32{5, 6, 1 << 31, 1<<32 - 1} {
		require.Equal(t, 4, deque.NewWith[int](4, 0, 0, tail).Len(), fmt.Sprint(tail))
	}
}

// Tail counts what is put into a deque, by pushes and by steals, and nothing else.
func TestTailCountsWhatWasPut(t *testing.T) {
	for _, start := range []uint32{0, 1<<32 - 3} {
		d, victim := deque.NewAt[int](4, start), deque.New[int](8)
		put := func() uint32 { return d.Tail() - start }
		require.Zero(t, put())
		fill(t, d, 1, 4)
		require.EqualValues(t, 4, put())
		d.Push(5, func([]int) {}) // two and this one go elsewhere
		require.EqualValues(t, 4, put())
		popAll(d)
		require.EqualValues(t, 4, put())
		fill(t, victim, 1, 8)
		_, result := victim.StealInto(d) // returns one, puts three
		require.Equal(t, deque.Stolen, result)
		require.EqualValues(t, 7, put())
	}
}
