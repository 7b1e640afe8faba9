package fork_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/fork"
)

// A card has a key by which it is compared, and the place that it had.
type card struct{ key, place int }

func byKey(a, b card) int { return cmp.Compare(a.key, b.key) }

func TestSortIsStable(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		p := newPool(workers)
		sorts := func(t require.TestingT, n, keys, shape int, seed uint64) {
			random := rand.New(rand.NewPCG(seed, 0))
			cards := make([]card, n)
			for i := range cards {
				cards[i] = card{random.IntN(keys), i}
			}
			switch shape { // 0: random
			case 1:
				slices.SortFunc(cards, byKey)
			case 2:
				slices.SortFunc(cards, func(a, b card) int { return byKey(b, a) })
			}
			want := slices.Clone(cards)
			slices.SortStableFunc(want, byKey)
			p.Do(func(w *worker) { fork.SortFunc(w, cards, byKey) })
			require.True(t, slices.Equal(want, cards),
				"%d cards are not sorted as by slices.SortStableFunc", n)
		}
		for _, keys := range []int{2, 10, 1 << 30} {
			sorts(t, 30_000, keys, 0, 1) // merges are divided
		}
		rapid.Check(t, func(t *rapid.T) {
			sorts(t, rapid.SampledFrom([]int{0, 1, 2, 47, 48, 49, 511, 512, 513, 4097, 30_000}).
				Draw(t, "length"), rapid.SampledFrom([]int{1, 2, 10, 1 << 30}).Draw(t, "keys"),
				rapid.IntRange(0, 2).Draw(t, "shape"), rapid.Uint64().Draw(t, "seed"))
		})
		p.Close()
	}
}

// Whatever a comparison answers, nothing is lost and nothing is there twice.
func TestSortByNoOrder(t *testing.T) {
	p := newPool(2)
	defer p.Close()
	numbers := make([]int, 20_000)
	for i := range numbers {
		numbers[i] = i
	}
	p.Do(func(w *worker) {
		fork.SortFunc(w, numbers, func(a, b int) int { return (a*7+b*13)%3 - 1 })
	})
	slices.Sort(numbers)
	for i, n := range numbers {
		require.Equal(t, i, n)
	}
}

func TestSortThatPanicsLeavesTheSlice(t *testing.T) {
	p := newPool(2)
	defer p.Close()
	for _, n := range []int{100, 20_000} {
		for _, at := range []int{n - 1, n / 2, 1} {
			numbers := rand.Perm(n)
			before := slices.Clone(numbers)
			compare := func(a, b int) int {
				if a == at || b == at {
					panic("compared")
				}
				return a - b
			}
			p.Do(func(w *worker) {
				require.PanicsWithValue(t, "compared",
					func() { fork.SortFunc(w, numbers, compare) })
				require.Zero(t, w.Forks().Len())
			})
			require.Equal(t, before, numbers)
		}
	}
	p.Do(func(w *worker) {
		require.PanicsWithValue(t, "surewake: SortFunc: nil function",
			func() { fork.SortFunc(w, []int{}, nil) })
	})
}

// A sort that is over leaves the slice as it was, after some hundred comparisons on each worker,
// whether it sorts or merges then, and whether its halves are forks.
func TestSortThatIsOverLeavesTheSlice(t *testing.T) {
	p := newPool(2)
	defer p.Close()
	for _, n := range []int{1, 100, 1000, 50_000} {
		numbers := rand.Perm(n)
		before, sorted := slices.Clone(numbers), slices.Sorted(slices.Values(numbers))
		var compared atomic.Int64
		compare := func(a, b int) int { compared.Add(1); return a - b }
		never := func(*worker) bool { return false }
		p.Do(func(w *worker) { require.True(t, fork.SortFuncUntil(w, numbers, never, compare)) })
		require.Equal(t, sorted, numbers)
		most := compared.Load() // they differ a little from sort to sort
		for part := range int64(10) {
			copy(numbers, before)
			compared.Store(0)
			over := func(*worker) bool { return compared.Load() >= most*part/10 }
			whole := false
			p.Do(func(w *worker) {
				whole = fork.SortFuncUntil(w, numbers, over, compare)
				require.Zero(t, w.Forks().Len())
			})
			if whole {
				require.Equal(t, sorted, numbers)
				require.True(t, n <= 1000 && part > 0, "%d of 10 of the sort of %d", part, n)
			} else {
				require.Equal(t, before, numbers)
			}
			require.Less(t, compared.Load(), most*part/10+2000)
		}
	}
	p.Do(func(w *worker) {
		require.PanicsWithValue(t, "surewake: SortFuncUntil: nil function",
			func() { fork.SortFuncUntil(w, []int{}, nil, cmp.Compare[int]) })
	})
}

func BenchmarkSort(b *testing.B) {
	numbers := rand.Perm(1 << 20)
	scratch := make([]int, len(numbers))
	b.Run("slices.SortFunc", func(b *testing.B) {
		for b.Loop() {
			copy(scratch, numbers)
			slices.SortFunc(scratch, cmp.Compare[int])
		}
	})
	b.Run("slices.SortStableFunc", func(b *testing.B) {
		for b.Loop() {
			copy(scratch, numbers)
			slices.SortStableFunc(scratch, cmp.Compare[int])
		}
	})
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint("workers=", workers), func(b *testing.B) {
			p := newPool(workers)
			defer p.Close()
			b.ReportAllocs()
			p.Do(func(w *worker) {
				for b.Loop() {
					copy(scratch, numbers)
					fork.SortFunc(w, scratch, cmp.Compare[int])
				}
			})
		})
	}
}
