package runtime_test

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// naturals returns an iterator that does not end.
func naturals() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; yield(i); i++ {
		}
	}
}

// longLoops are loops that would not end in a lifetime. Each calls its function for each iteration
// or block.
var longLoops = map[string]func(cx runtime.Cx, call func(cx runtime.Cx)) error{
	"For": func(cx runtime.Cx, call func(cx runtime.Cx)) error {
		return runtime.For(cx, math.MinInt, math.MaxInt, func(cx runtime.Cx, _ int) { call(cx) })
	},
	"Range": func(cx runtime.Cx, call func(cx runtime.Cx)) error {
		return runtime.Range(cx, math.MinInt, math.MaxInt, func(cx runtime.Cx, _, _ int) {
			call(cx)
		})
	},
	"Map": func(cx runtime.Cx, call func(cx runtime.Cx)) error {
		out, err := runtime.Map(cx, make([]struct{}, math.MaxInt32),
			func(cx runtime.Cx, _ struct{}) struct{} { call(cx); return struct{}{} })
		if err != nil && out != nil {
			panic("results beside an error")
		}
		return err
	},
	"ForEach": func(cx runtime.Cx, call func(cx runtime.Cx)) error {
		return runtime.ForEach(cx, naturals(), func(cx runtime.Cx, _ int) { call(cx) })
	},
	"Reduce": func(cx runtime.Cx, call func(cx runtime.Cx)) error {
		sum, err := runtime.Reduce(cx, math.MinInt, math.MaxInt, func(cx runtime.Cx, _, _ int) int {
			call(cx)
			return 1
		}, func(a, b int) int { return a + b })
		if err != nil && sum != 0 {
			panic("a sum beside an error")
		}
		return err
	},
}

// A loop ends soon once its task must end, however long it is, and says why; no call begins when
// that has been seen.
func TestALongLoopIsCancelled(t *testing.T) {
	for name, loop := range longLoops {
		t.Run(name, func(t *testing.T) {
			for _, workers := range []int{1, 2, 4} {
				for _, end := range []error{runtime.ErrCancelled, runtime.ErrClosed} {
					rt := start(t, workers)
					begun := make(chan struct{}, 1)
					var inside atomic.Int64
					h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
						err := loop(cx, func(cx runtime.Cx) {
							inside.Add(1)
							defer inside.Add(-1)
							spin(time.Microsecond)
							select {
							case begun <- struct{}{}:
							default:
							}
						})
						require.Zero(t, inside.Load())
						require.Equal(t, cx.Err(), err)
						return 0, err
					})
					receive(t, begun)
					if end == runtime.ErrClosed {
						closes(t, rt)
					} else {
						h.Cancel()
					}
					_, err := get(t, h)
					require.ErrorIs(t, err, end)
				}
			}
		})
	}
}

// A loop that is cancelled in one of its calls makes no further one, if nobody has taken a part.
func TestALoopThatIsCancelledLeavesItsRest(t *testing.T) {
	rt := start(t, 1)
	const n = 1000
	for name, loop := range map[string]func(cx runtime.Cx, call func(runtime.Cx, int)) error{
		"For": func(cx runtime.Cx, call func(runtime.Cx, int)) error {
			return runtime.For(cx, 0, n, call)
		},
		"Range": func(cx runtime.Cx, call func(runtime.Cx, int)) error {
			return runtime.Range(cx, 0, n, func(cx runtime.Cx, lo, _ int) {
				call(cx, lo)
				spin(10 * time.Microsecond) // so that blocks have one index
			})
		},
		"Map": func(cx runtime.Cx, call func(runtime.Cx, int)) error {
			in := slices.Collect(count(n))
			out, err := runtime.Map(cx, in, func(cx runtime.Cx, i int) int {
				call(cx, i)
				return i
			})
			require.Nil(t, out)
			return err
		},
		"ForEach": func(cx runtime.Cx, call func(runtime.Cx, int)) error {
			return runtime.ForEach(cx, count(n), call)
		},
		"Reduce": func(cx runtime.Cx, call func(runtime.Cx, int)) error {
			sum, err := runtime.Reduce(cx, 0, n, func(cx runtime.Cx, lo, hi int) int {
				call(cx, lo)
				spin(10 * time.Microsecond)
				return hi - lo
			}, func(a, b int) int { return a + b })
			require.Zero(t, sum)
			return err
		},
	} {
		self := make(chan *runtime.Handle[int], 1)
		h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			me := <-self
			calls := 0
			err := loop(cx, func(_ runtime.Cx, i int) {
				if calls++; i == 10 {
					me.Cancel()
				}
			})
			require.LessOrEqual(t, calls, 11, name)
			require.True(t, calls == 11 || name == "ForEach", calls) // which may have left calls
			return 0, err
		})
		self <- h
		_, err := get(t, h)
		require.ErrorIs(t, err, runtime.ErrCancelled, name)
	}
}

// In a task that must end, no call is made; an empty loop has none to leave out.
func TestALoopOfACancelledTaskMakesNoCall(t *testing.T) {
	rt := start(t, 2)
	for name, loop := range longLoops {
		_, err := cancelled(t, rt, func(cx runtime.Cx) (int, error) {
			return 0, loop(cx, func(runtime.Cx) { t.Error(name, "has made a call") })
		})
		require.ErrorIs(t, err, runtime.ErrCancelled, name)
	}
	_, err := cancelled(t, rt, func(cx runtime.Cx) (int, error) {
		require.NoError(t, runtime.For(cx, 0, 0, func(runtime.Cx, int) {}))
		require.NoError(t, runtime.Range(cx, 0, 0, func(runtime.Cx, int, int) {}))
		out, err := runtime.Map(cx, []int{}, func(runtime.Cx, int) int { return 1 })
		require.Empty(t, out)
		return 0, err
	})
	require.NoError(t, err)
}

// A cancellation that comes in the last call leaves nothing out.
func TestALoopThatIsCancelledAtItsEndIsWhole(t *testing.T) {
	rt := start(t, 1)
	self := make(chan *runtime.Handle[int], 1)
	h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		me := <-self
		sum := 0
		require.NoError(t, runtime.For(cx, 0, 3, func(_ runtime.Cx, i int) {
			if sum += i; i == 2 {
				me.Cancel()
			}
		}))
		require.ErrorIs(t, cx.Err(), runtime.ErrCancelled)
		return sum, nil
	})
	self <- h
	v, err := get(t, h)
	require.NoError(t, err)
	require.Equal(t, 3, v)
}

// An iterator that waits by means of its task ends when that must; the loop does not take what has
// come until then for all. (runtime/R65)
func TestAnIteratorThatEndsWithItsTaskIsNotWhole(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		one := func(runtime.Cx, int) int { return 1 }
		oneErr := func(runtime.Cx, int) (int, error) { return 1, nil }
		add := func(a, b int) int { return a + b }
		for name, loop := range map[string]func(runtime.Cx, iter.Seq[int]) (int, error){
			"ForEach": func(cx runtime.Cx, seq iter.Seq[int]) (int, error) {
				return 0, runtime.ForEach(cx, seq, func(runtime.Cx, int) {})
			},
			"ForEachErr": func(cx runtime.Cx, seq iter.Seq[int]) (int, error) {
				return 0, runtime.ForEachErr(cx, seq, func(runtime.Cx, int) error { return nil })
			},
			"MapSeq": func(cx runtime.Cx, seq iter.Seq[int]) (int, error) {
				out, err := runtime.MapSeq(cx, seq, one)
				return len(out), err
			},
			"MapSeqErr": func(cx runtime.Cx, seq iter.Seq[int]) (int, error) {
				out, err := runtime.MapSeqErr(cx, seq, oneErr)
				return len(out), err
			},
			"ReduceSeq": func(cx runtime.Cx, seq iter.Seq[int]) (int, error) {
				return runtime.ReduceSeq(cx, seq, one, add)
			},
			"ReduceSeqErr": func(cx runtime.Cx, seq iter.Seq[int]) (int, error) {
				return runtime.ReduceSeqErr(cx, seq, oneErr, add)
			},
		} {
			for _, values := range []int{0, 3} {
				ch := runtime.NewChannel[int](3)
				var sum int
				var ended error
				waits := make(chan bool, 10)
				h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					for i := range values {
						require.NoError(t, ch.Send(cx, i))
					}
					sum, ended = loop(cx, func(yield func(int) bool) {
						waits <- true
						for v, err := range ch.All(cx) {
							if err != nil {
								return
							}
							waits <- true
							if !yield(v) {
								return
							}
						}
					})
					return 1, ended
				})
				for range values + 1 {
					<-waits
				}
				h.Cancel()
				_, err := get(t, h)
				require.ErrorIs(t, err, runtime.ErrCancelled, "%s, %d values", name, values)
				require.ErrorIs(t, ended, runtime.ErrCancelled, "%s, %d values", name, values)
				require.Zero(t, sum, "%s, %d values", name, values)
			}
		}
	})
}

// A sort ends soon after its task must end, and leaves the slice as it was.
func TestASortIsCancelled(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		numbers := rand.Perm(50_000)
		before := slices.Clone(numbers)
		var h *runtime.Handle[int]
		var after atomic.Int64
		began := make(chan bool)
		h = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			<-began
			return 0, runtime.SortFunc(cx, numbers, func(a, b int) int {
				if after.Add(1) == 100_000 {
					h.Cancel()
				}
				return a - b
			})
		})
		began <- true
		_, err := get(t, h)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		require.Equal(t, before, numbers)
		require.Less(t, after.Load(), int64(150_000)) // of some 700,000
	})
}

// In a shield, a loop makes all its calls.
func TestALoopInAShieldGoesOn(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		_, err := cancelled(t, rt, func(cx runtime.Cx) (int, error) {
			var calls atomic.Int64
			cx.Shield(func() {
				count := func(cx runtime.Cx, i int) int {
					if i%100 == 7 {
						cx.Yield()
					}
					calls.Add(1)
					return 1
				}
				in := make([]int, 1000)
				for i := range in {
					in[i] = i
				}
				require.NoError(t, runtime.For(cx, 0, len(in), func(cx runtime.Cx, i int) {
					count(cx, i)
				}))
				out, err := runtime.Map(cx, in, count)
				require.NoError(t, err)
				require.Len(t, out, len(in))
			})
			require.EqualValues(t, 2000, calls.Load())
			return 0, cx.Err()
		})
		require.ErrorIs(t, err, runtime.ErrCancelled)
	})
}

// What an iterator has forked, and not joined when it is left, is over when the loop returns.
func TestALoopThatIsCancelledAbandonsTheForksOfItsIterator(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		for range 20 {
			var inside atomic.Int64
			self := make(chan *runtime.Handle[int], 1)
			h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				me := <-self
				seq := func(yield func(int) bool) {
					for i := 0; ; i++ {
						if i%3 == 0 {
							if !yield(i) {
								return
							}
							continue
						}
						f := runtime.Fork(cx, func(cx runtime.Cx, i int) int {
							inside.Add(1)
							defer inside.Add(-1)
							cx.Yield()
							return i
						}, i)
						if i%5 == 0 {
							cx.Yield()
						}
						if !yield(i) {
							return
						}
						f.Join(cx)
					}
				}
				err := runtime.ForEach(cx, seq, func(_ runtime.Cx, i int) {
					if spin(2 * time.Microsecond); i == 101 { // whose fork is not joined
						me.Cancel()
					}
				})
				require.Zero(t, inside.Load())
				require.Zero(t, cx.Forks().Len())
				return runtime.Fork(cx, fibFork, 5).Join(cx), err
			})
			self <- h
			_, err := get(t, h)
			require.ErrorIs(t, err, runtime.ErrCancelled)
		}
	})
}
