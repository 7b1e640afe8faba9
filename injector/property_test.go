package injector_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/injector"
)

// Whatever one goroutine does with a queue, it is a list: first in, first out, of exact length, of
// which a worker gets its share, and which keeps nothing that has been taken.
func TestAQueueIsAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q injector.Queue[int]
		var queued []int
		closed, next, accepted, seen := false, 1, 0, 0
		fresh := func(t *rapid.T) (values []int) {
			for range rapid.IntRange(0, 100).Draw(t, "n") {
				values = append(values, next)
				next++
			}
			return values
		}
		submitted := func(ok bool, values []int) {
			require.Equal(t, !closed, ok)
			if ok {
				queued, accepted = append(queued, values...), accepted+len(values)
			}
		}
		fill := func(values []int) func(dst []int, from int) {
			calls := 0
			return func(dst []int, from int) {
				calls++
				require.LessOrEqual(t, calls, 2)
				require.NotEmpty(t, dst)
				copy(dst, values[from:])
			}
		}
		take := func(t *rapid.T, leaving func(n int)) int {
			workers := rapid.IntRange(1, 5).Draw(t, "workers")
			dst := make([]int, rapid.IntRange(0, 40).Draw(t, "room"))
			n := q.TakeFunc(dst, workers, leaving)
			require.Equal(t, min(len(queued)/workers+1, len(queued), len(dst)), n)
			require.True(t, slices.Equal(queued[:n], dst[:n]), "%d, not %d", dst[:n], queued[:n])
			if len(queued) > 0 {
				seen = accepted
			}
			queued = slices.Clone(queued[n:])
			return n
		}
		t.Repeat(map[string]func(*rapid.T){
			"Submit": func(t *rapid.T) {
				values := fresh(t)
				submitted(q.Submit(values), values)
			},
			"SubmitFunc": func(t *rapid.T) {
				values := fresh(t)
				submitted(q.SubmitFunc(len(values), fill(values)), values)
			},
			"Push": func(t *rapid.T) {
				values := fresh(t)
				q.Push(values)
				queued = append(queued, values...)
			},
			"PushFunc": func(t *rapid.T) {
				values := fresh(t)
				q.PushFunc(len(values), fill(values))
				queued = append(queued, values...)
			},
			"Take": func(t *rapid.T) { take(t, nil) },
			"TakeFunc": func(t *rapid.T) {
				before, told := len(queued), -1
				n := take(t, func(n int) {
					require.Equal(t, before, q.Len(), "nothing has left")
					told = n
				})
				require.True(t, told == n || before == 0 && told == -1)
			},
			"Close": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "seldom") == 0 {
					q.Close()
					closed = true
				}
			},
			"Update": func(t *rapid.T) {
				q.Update(func(now bool) bool {
					require.Equal(t, closed, now)
					require.Equal(t, len(queued), q.Len())
					return false
				})
			},
			"": func(t *rapid.T) {
				require.Equal(t, len(queued), q.Len())
				require.EqualValues(t, seen, q.Accepted())
				kept := 0
				for _, v := range q.Memory() {
					if v != 0 {
						kept++
					}
				}
				require.Equal(t, len(queued), kept, "values in memory")
			},
		})
	})
}

// Values that are written in place go round the ring, wherever it begins.
func TestValuesWrittenInPlaceGoRoundTheRing(t *testing.T) {
	const size = 64
	batch := make([]int, size)
	for start := range size {
		for n := 1; n <= size; n++ {
			var q injector.Queue[int]
			q.Push(batch[:start])
			require.Equal(t, start, q.Take(make([]int, start), 1))
			require.True(t, q.SubmitFunc(n, func(dst []int, from int) {
				for i := range dst {
					dst[i] = from + i
				}
			}))
			taken := make([]int, n)
			require.Equal(t, n, q.Take(taken, 1))
			require.Len(t, q.Memory(), size)
			for i, v := range taken {
				require.True(t, i == v, "value %d of %d is %d, from slot %d on", i, n, v, start)
			}
		}
	}
}

// The memory of what was taken is used again, and that of a burst is given back.
func TestTheMemoryFollowsTheLength(t *testing.T) {
	var q injector.Queue[int]
	batch := make([]int, 40)
	q.Push(batch)
	for range 10_000 {
		q.Push(batch[:7])
		require.Equal(t, 7, q.Take(batch[:7], 1))
	}
	require.Len(t, q.Memory(), 64)

	burst := make([]int, 1<<18)
	q.Push(burst)
	require.Equal(t, 1<<18, q.Take(burst, 1))
	require.Len(t, q.Memory(), 1<<15)
}

func TestAQueueAtRestAllocatesNothing(t *testing.T) {
	var q injector.Queue[*int]
	batch := make([]*int, 8)
	q.Push(batch)
	q.Take(batch, 1)
	leaving := func(int) {}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		q.Submit(batch)
		q.TakeFunc(batch, 1, leaving)
	}))
}

// What was closed stays closed, whatever Update's function returns.
func TestAClosedQueueStaysClosed(t *testing.T) {
	var q injector.Queue[int]
	q.Close()
	q.Update(func(closed bool) bool {
		require.True(t, closed)
		return false
	})
	require.False(t, q.Submit([]int{1}))
	require.Zero(t, q.Len())
}

func TestMisuseOfAQueueIsNamed(t *testing.T) {
	var q injector.Queue[int]
	for _, workers := range []int{0, -1} {
		require.PanicsWithValue(t, fmt.Sprintf("injector: Take for %d workers", workers),
			func() { q.Take(make([]int, 1), workers) })
	}
	require.PanicsWithValue(t, "injector: SubmitFunc or PushFunc of -1 values",
		func() { q.SubmitFunc(-1, nil) })
	require.True(t, q.SubmitFunc(0, nil))

	// No slot of a ring of values without size takes memory, so there may be very many.
	var many injector.Queue[struct{}]
	many.Push(make([]struct{}, 3))
	most := math.MaxInt/2 + 1
	refused := func(n int) string {
		return fmt.Sprintf("injector: %d more values than the 3 queued: at most %d may be", n, most)
	}
	for _, n := range []int{most - 2, math.MaxInt} {
		require.PanicsWithValue(t, refused(n), func() { many.Push(make([]struct{}, n)) })
		require.PanicsWithValue(t, refused(n), func() {
			many.SubmitFunc(n, func([]struct{}, int) {})
		})
	}
	require.True(t, many.SubmitFunc(most-3, func([]struct{}, int) {}))
	require.Equal(t, most, many.Len())
}

// What a function has written that panics stays nowhere, wherever it is in the ring, and in
// whichever of its calls it does so.
func TestWhatAPanicLeavesIsNotKept(t *testing.T) {
	const n = 61
	for start := range 64 {
		for _, inTheLast := range []bool{false, true} {
			var q injector.Queue[int]
			q.Push(make([]int, start))
			q.Take(make([]int, start), 1)
			q.Push([]int{1, 2, 3})
			require.PanicsWithValue(t, "full", func() {
				q.SubmitFunc(n, func(dst []int, from int) {
					for i := range dst {
						dst[i] = 4 + i
					}
					if !inTheLast || from+len(dst) == n {
						panic("full")
					}
				})
			})
			taken := make([]int, 4)
			require.Equal(t, 3, q.Take(taken, 1))
			require.Equal(t, []int{1, 2, 3, 0}, taken)
			require.Equal(t, make([]int, 64), q.Memory())
		}
	}
}
