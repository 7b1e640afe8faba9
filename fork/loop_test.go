package fork_test

import (
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/fork"
)

func TestLoopsRunEachIterationOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		p := newPool(workers)
		rapid.Check(t, func(t *rapid.T) {
			lo := rapid.IntRange(-5, 5).Draw(t, "lo")
			n := rapid.IntRange(0, 20_000).Draw(t, "n")
			counts := make([]int, n) // plain: the race detector looks on
			p.Do(func(w *worker) {
				fork.For(w, lo, lo+n, func(_ *worker, i int) { counts[i-lo]++ })
				fork.Range(w, lo, lo+n, func(_ *worker, from, to int) {
					for i := from; i < to; i++ {
						counts[i-lo]++
					}
				})
				sum := fork.Reduce(w, lo, lo+n, func(_ *worker, from, to int) (sum int) {
					for i := from; i < to; i++ {
						counts[i-lo]++
						sum += i
					}
					return sum
				}, func(a, b int) int { return a + b })
				require.Equal(t, n*lo+n*(n-1)/2, sum)
			})
			for i, c := range counts {
				require.Equal(t, 3, c, i)
			}
		})
		p.Close()
	}
}

// A loop in each iteration of another, and the neighbours that add gets.
func TestLoopsInLoops(t *testing.T) {
	type part struct{ lo, hi int }
	p := newPool(3)
	defer p.Close()
	for range 50 {
		var counts [40][50]int
		p.Do(func(w *worker) {
			whole := fork.Reduce(w, 0, len(counts), func(w *worker, lo, hi int) part {
				for i := lo; i < hi; i++ {
					fork.For(w, 0, len(counts[i]), func(_ *worker, j int) {
						counts[i][j]++
						if j%10 == 0 {
							runtime.Gosched()
						}
					})
				}
				return part{lo, hi}
			}, func(a, b part) part {
				if a.hi != b.lo {
					panic(fmt.Sprint("no neighbours: ", a, b))
				}
				return part{a.lo, b.hi}
			})
			require.Equal(t, part{0, len(counts)}, whole)
		})
		for i := range counts {
			for j, c := range counts[i] {
				require.Equal(t, 1, c, "%d, %d", i, j)
			}
		}
	}
}

// The ends of int, and ranges that are longer than any int.
func TestLoopsAtTheEndsOfInt(t *testing.T) {
	w := alone(1)[0]
	for _, lo := range []int{math.MinInt, math.MaxInt - 10} {
		var seen []int
		fork.For(w, lo, lo+10, func(_ *worker, i int) { seen = append(seen, i) })
		fork.Range(w, lo, lo+10, func(_ *worker, from, to int) {
			for i := from; i < to; i++ {
				seen = append(seen, i)
			}
		})
		require.Len(t, seen, 20)
		for i, v := range seen {
			require.Equal(t, lo+i%10, v)
		}
	}
	stop := 0
	require.PanicsWithValue(t, "enough", func() {
		fork.Range(w, math.MinInt, math.MaxInt, func(_ *worker, from, to int) {
			require.Less(t, from, to)
			if stop++; stop == 100 {
				panic("enough")
			}
		})
	})
	for _, hi := range []int{math.MinInt, -1, 0} {
		fork.For(w, 0, hi, func(*worker, int) { t.Error("called") })
		fork.Range(w, 0, hi, func(*worker, int, int) { t.Error("called") })
	}
	require.Zero(t, w.Len())
}

// RangeUntil ends soon after over has said so, however long the range is and whoever has parts of
// it; until then each index is in one block. (K13)
func TestALoopThatIsOverLeavesItsRest(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		p := newPool(workers)
		for _, most := range []int64{0, 1, 100, 100_000} {
			var seen, blocks atomic.Int64
			over := func(*worker) bool { return seen.Load() >= most }
			p.Do(func(w *worker) {
				fork.RangeUntil(w, math.MinInt, math.MaxInt, over, func(_ *worker, lo, hi int) {
					require.Less(t, lo, hi)
					seen.Add(int64(hi - lo))
					if blocks.Add(1) > 1_000_000 {
						panic("it goes on")
					}
				})
			})
			require.GreaterOrEqual(t, seen.Load(), most)
			require.Less(t, seen.Load(), most+int64(workers)*4097)
			require.Equal(t, most == 0, blocks.Load() == 0)

			counts := make([]int, most)
			p.Do(func(w *worker) {
				never := func(*worker) bool { return false }
				fork.RangeUntil(w, 0, len(counts), never, func(_ *worker, lo, hi int) {
					for i := lo; i < hi; i++ {
						counts[i]++
					}
				})
			})
			for i, c := range counts {
				require.Equal(t, 1, c, i)
			}
		}
		p.Close()
	}
}

func TestALoopAllocatesNothing(t *testing.T) {
	w := alone(1)[0]
	sum := 0
	body := func(_ *worker, lo, hi int) { sum += hi - lo }
	each := func(_ *worker, i int) { sum += i }
	require.Zero(t, testing.AllocsPerRun(10, func() {
		fork.For(w, 0, 100, each)
	}))
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() { fork.Range(w, 0, 100, body) }), 1.0)
}

// A call that a thief has begun, and that waits for the values after it, keeps no value from being
// drawn, however many thieves ask for more calls than may be left to them. (K15)
func TestForEachDoesNotWaitForACallThatHasBegun(t *testing.T) {
	const more = 2000
	p := newPool(4)
	defer p.Close()
	var drawn, stuck atomic.Int64 // values; the one at which a thief waits
	p.Do(func(owner *worker) {
		values := func(yield func(int) bool) {
			for i := 1; stuck.Load() == 0 || i < int(stuck.Load())+more; i++ {
				drawn.Store(int64(i))
				if !yield(i) {
					return
				}
			}
		}
		fork.ForEach(owner, values, func(w *worker, i int) {
			if w != owner && stuck.CompareAndSwap(0, int64(i)) {
				for begin := time.Now(); drawn.Load() < int64(i)+more-1; {
					time.Sleep(time.Millisecond)
					if time.Since(begin) > 20*time.Second {
						t.Errorf("after value %d, only %d were drawn", i, drawn.Load())
						stuck.Store(-more)
						return
					}
				}
			}
			time.Sleep(time.Microsecond)
		})
	})
}

// Map and ForEach call their function once for each element, whoever does, also in one another.
func TestMapAndForEach(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		p := newPool(workers)
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(0, 300).Draw(t, "n")
			in := make([]int, n)
			for i := range in {
				in[i] = i
			}
			counts := make([]int, n)
			p.Do(func(w *worker) {
				out := fork.Map(w, in, func(_ *worker, i int) string { return fmt.Sprint(i) })
				fork.ForEach(w, slices.Values(out), func(w *worker, text string) {
					i, err := strconv.Atoi(text)
					require.NoError(t, err)
					counts[i] += len(fork.Map(w, in[:i%3], func(_ *worker, i int) int { return i }))
					counts[i] += 10
				})
			})
			require.Zero(t, p.workers[0].Len())
			for i, c := range counts {
				require.Equal(t, 10+i%3, c, i)
			}
		})
		p.Close()
	}
}

func TestMisuseOfLoops(t *testing.T) {
	w := alone(1)[0]
	one := func(*worker, int, int) int { return 1 }
	add := func(a, b int) int { return a + b }
	for name, misuse := range map[string]func(){
		"For":   func() { fork.For[*worker](w, 0, 1, nil) },
		"Range": func() { fork.Range[*worker](w, 0, 1, nil) },
		"RangeUntil": func() {
			fork.RangeUntil(w, 0, 1, nil, func(*worker, int, int) {})
		},
		"Reduce": func() { fork.Reduce[*worker, int](w, 0, 1, nil, add) },
		"Map":    func() { fork.Map[*worker, int, int](w, nil, nil) },
		"ForEach": func() {
			fork.ForEach[*worker, int](w, nil, func(*worker, int) {})
		},
	} {
		require.PanicsWithValue(t, "surewake: "+name+": nil function", misuse, name)
	}
	require.PanicsWithValue(t, "surewake: ForEach: nil function",
		func() { fork.ForEach(w, slices.Values([]int{1}), nil) })
	require.PanicsWithValue(t, "surewake: RangeUntil: nil function",
		func() { fork.RangeUntil(w, 0, 1, func(*worker) bool { return false }, nil) })
	require.PanicsWithValue(t, "surewake: Reduce: nil function",
		func() { fork.Reduce(w, 0, 1, one, nil) })
}

// An iterator prepares its next value in a fork while the call for this one is left to a thief that
// has asked; each call is made once. (K12)
func TestForEachOverAnIteratorThatForks(t *testing.T) {
	prepare := func(_ *worker, i int) int { return i }
	const n = 200
	ahead := func(w *worker, look func(i int)) iter.Seq[int] {
		return func(yield func(int) bool) {
			next := fork.Fork(&w.Stack, prepare, 0)
			for i := range n {
				v := next.Join(w)
				if i%3 > 0 { // it is not ahead each time
					look(i)
					if !yield(v) {
						return
					}
					next = fork.Fork(&w.Stack, prepare, i+1)
					continue
				}
				next = fork.Fork(&w.Stack, prepare, i+1)
				look(i)
				if !yield(v) {
					return
				}
			}
			next.Join(w)
		}
	}
	each := func(w *worker, look func(i int)) (counts [n]int) {
		fork.ForEach(w, ahead(w, look), func(_ *worker, i int) { counts[i]++ })
		return counts
	}
	for _, workers := range []int{1, 4} {
		p := newPool(workers)
		for range 20 {
			p.Do(func(w *worker) {
				looks := func(int) { runtime.Gosched() }
				if workers == 1 {
					looks = func(int) { w.Ask() } // in the name of a thief
				}
				for i, c := range each(w, looks) {
					require.Equal(t, 1, c, i)
				}
				require.Zero(t, w.Len())
			})
		}
		p.Close()
	}
}
