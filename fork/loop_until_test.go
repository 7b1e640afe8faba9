package fork_test

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/fork"
)

// untils are the loops that can end early, over 0 to n-1. Each returns whether it says that all
// calls were made.
var untils = map[string]func(w *worker, n int, over func(*worker) bool, call func(i int)) bool{
	"ForUntil": func(w *worker, n int, over func(*worker) bool, call func(i int)) bool {
		return fork.ForUntil(w, 0, n, over, func(_ *worker, i int) { call(i) })
	},
	"RangeUntil": func(w *worker, n int, over func(*worker) bool, call func(i int)) bool {
		return fork.RangeUntil(w, 0, n, over, func(_ *worker, lo, hi int) {
			for i := lo; i < hi; i++ {
				call(i)
			}
		})
	},
	"ReduceUntil": func(w *worker, n int, over func(*worker) bool, call func(i int)) bool {
		text, all := fork.ReduceUntil(w, 0, n, over, func(_ *worker, lo, hi int) (s string) {
			for i := lo; i < hi; i++ {
				call(i)
				s += fmt.Sprint(i, " ")
			}
			return s
		}, func(a, b string) string {
			if a == "" || b == "" {
				panic("what was left out is added")
			}
			return a + b
		})
		want := ""
		for i := 0; all && i < n; i++ {
			want += fmt.Sprint(i, " ")
		}
		if text != want {
			panic(text)
		}
		return all
	},
	"MapUntil": func(w *worker, n int, over func(*worker) bool, call func(i int)) bool {
		out, all := fork.MapUntil(w, numbers(n), over, func(_ *worker, i int) int {
			call(i)
			return i
		})
		if all && !slices.Equal(out, numbers(n)) || !all && out != nil {
			panic(fmt.Sprint(out))
		}
		return all
	},
	"ForEachUntil": func(w *worker, n int, over func(*worker) bool, call func(i int)) bool {
		return fork.ForEachUntil(w, slices.Values(numbers(n)), over,
			func(_ *worker, i int) { call(i) })
	},
}

func numbers(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// A loop that can end early makes each call once at most, and says whether it has made all: never
// that it has when it has not. (K13)
func TestALoopSaysWhetherItWasWhole(t *testing.T) {
	const n = 2000
	for name, loop := range untils {
		t.Run(name, func(t *testing.T) {
			for _, workers := range []int{1, 2, 4} {
				p := newPool(workers)
				for _, most := range []int64{0, 1, 10, 1000, n, n + 1} {
					var made [n]atomic.Int32
					var calls atomic.Int64
					var all bool
					p.Do(func(w *worker) {
						all = loop(w, n, func(*worker) bool { return calls.Load() >= most },
							func(i int) {
								made[i].Add(1)
								calls.Add(1)
							})
					})
					for i := range made {
						require.LessOrEqual(t, made[i].Load(), int32(1), i)
					}
					require.True(t, !all || calls.Load() == n)
					require.True(t, all || most <= n)
					require.Equal(t, most == 0, calls.Load() == 0)
					require.Zero(t, p.workers[0].Len())
				}
				p.Close()
			}
		})
	}
}

// The lower half of a loop that was split ends early, when the upper half, which another worker has
// taken, is whole already: then the loop is not. (K13)
func TestALoopWhoseLowerHalfEndsEarlyIsNotWhole(t *testing.T) {
	const n = 2000
	p := newPool(2)
	defer p.Close()
	for cut := false; !cut; {
		var calls atomic.Int64
		var last atomic.Bool
		p.Do(func(owner *worker) {
			all := fork.ForUntil(owner, 0, n, func(w *worker) bool {
				if w == owner {
					cut = last.Load()
				}
				return w == owner && cut
			}, func(w *worker, i int) {
				calls.Add(1)
				switch {
				case w == owner:
					time.Sleep(50 * time.Microsecond)
				case i == n-1:
					last.Store(true)
				}
			})
			require.Equal(t, calls.Load() == n, all)
		})
	}
}

// A loop over what has no end ends when it is over.
func TestALoopWithoutEndEndsWhenItIsOver(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		p := newPool(workers)
		var calls atomic.Int64
		over := func(*worker) bool { return calls.Load() >= 1000 }
		count := func(*worker, int) { calls.Add(1) }
		p.Do(func(w *worker) {
			require.False(t, fork.ForUntil(w, math.MinInt, math.MaxInt, over, count))
			require.Less(t, calls.Load(), int64(1000+workers))
			calls.Store(0)
			require.False(t, fork.ForEachUntil(w, func(yield func(int) bool) {
				for yield(1) {
				}
			}, over, count))
			require.Less(t, calls.Load(), int64(1000+workers))
		})
		p.Close()
	}
}

// When an iterator is left early, what it has forked and not joined is abandoned, and no other
// fork. (K12)
func TestForEachThatIsOverAbandonsTheForksOfItsIterator(t *testing.T) {
	for asked := range 3 { // before the first values
		w := alone(1)[0]
		outer := fork.Fork(&w.Stack, func(_ *worker, i int) int { return i }, 7)
		ran, calls := 0, 0
		all := fork.ForEachUntil(w, func(yield func(int) bool) {
			for i := range 10 {
				if i < asked && w.Len() == 1 {
					w.Ask() // in the name of a thief
				}
				if i < 2 {
					if !yield(i) {
						return
					}
					continue
				}
				fork.Fork(&w.Stack, func(*worker, int) int { ran++; return 0 }, i)
				if !yield(i) {
					return
				}
			}
		}, func(*worker) bool { return calls == 3-asked }, func(*worker, int) { calls++ })
		require.False(t, all)
		require.Equal(t, 1, w.Len(), asked)
		require.Zero(t, ran)
		require.Equal(t, 3-asked, calls)
		require.Equal(t, 7, outer.Join(w))
	}
}

func TestMisuseOfLoopsThatEndEarly(t *testing.T) {
	w := alone(1)[0]
	never := func(*worker) bool { return false }
	one := func(*worker, int, int) int { return 1 }
	add := func(a, b int) int { return a + b }
	for name, misuses := range map[string][]func(){
		"ForUntil": {
			func() { fork.ForUntil(w, 0, 1, never, nil) },
			func() { fork.ForUntil(w, 0, 1, nil, func(*worker, int) {}) },
		},
		"ReduceUntil": {
			func() { fork.ReduceUntil[*worker, int](w, 0, 1, never, nil, add) },
			func() { fork.ReduceUntil(w, 0, 1, never, one, nil) },
			func() { fork.ReduceUntil(w, 0, 1, nil, one, add) },
		},
		"MapUntil": {
			func() { fork.MapUntil[*worker, int, int](w, nil, never, nil) },
			func() { fork.MapUntil(w, nil, nil, func(*worker, int) int { return 1 }) },
		},
		"ForEachUntil": {
			func() { fork.ForEachUntil(w, nil, never, func(*worker, int) {}) },
			func() { fork.ForEachUntil(w, slices.Values([]int{1}), never, nil) },
			func() {
				fork.ForEachUntil(w, slices.Values([]int{1}), nil, func(*worker, int) {})
			},
		},
	} {
		for _, misuse := range misuses {
			require.PanicsWithValue(t, "surewake: "+name+": nil function", misuse, name)
		}
	}
}
