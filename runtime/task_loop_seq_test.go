package runtime_test

import (
	"errors"
	"fmt"
	"math"
	goruntime "runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/runtime"
)

// Loops over an iterator do what one goroutine does, one value after another; of errors, they
// return one that a call has returned.
func TestLoopsOverAnIterator(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		rapid.Check(t, func(rt2 *rapid.T) {
			n := rapid.IntRange(0, 200).Draw(rt2, "n")
			fails := rapid.SliceOfN(rapid.IntRange(0, 250), 0, 2).Draw(rt2, "fails")
			failed := false
			for _, i := range fails {
				failed = failed || i < n
			}
			failure := errors.New("failure")
			run(t, rt, func(cx runtime.Cx) error {
				text := func(cx runtime.Cx, i int) string {
					if i%50 == 7 {
						cx.Yield()
					}
					spin(time.Microsecond)
					return fmt.Sprint(i, " ")
				}
				textErr := func(cx runtime.Cx, i int) (string, error) {
					if slices.Contains(fails, i) {
						return "", failure
					}
					return text(cx, i), nil
				}
				add := func(a, b string) string { return a + b }
				var want []string
				whole := ""
				for i := range n {
					want = append(want, fmt.Sprint(i, " "))
					whole += want[i]
				}
				check := func(what string, ok bool, err error, mayFail bool) {
					t.Helper()
					if mayFail && failed {
						require.Equal(t, failure, err, what)
					} else {
						require.NoError(t, err, what)
					}
					require.True(t, ok, what)
				}
				out, err := runtime.MapSeq(cx, count(n), text)
				check("MapSeq", slices.Equal(out, want), err, false)
				out, err = runtime.MapSeqErr(cx, count(n), textErr)
				check("MapSeqErr", failed && out == nil || !failed && slices.Equal(out, want),
					err, true)
				sum, err := runtime.ReduceSeq(cx, count(n), text, add)
				check("ReduceSeq", sum == whole, err, false)
				sum, err = runtime.ReduceSeqErr(cx, count(n), textErr, add)
				check("ReduceSeqErr", failed && sum == "" || !failed && sum == whole, err, true)
				sum, err = runtime.ReduceErr(cx, 0, n,
					func(cx runtime.Cx, lo, hi int) (s string, err error) {
						for i := lo; i < hi && err == nil; i++ {
							var part string
							part, err = textErr(cx, i)
							s += part
						}
						return s, err
					}, add)
				check("ReduceErr", failed && sum == "" || !failed && sum == whole, err, true)
				var calls atomic.Int64
				err = runtime.ForEachErr(cx, count(n), func(cx runtime.Cx, i int) error {
					calls.Add(1)
					_, err := textErr(cx, i)
					return err
				})
				check("ForEachErr", failed || calls.Load() == int64(n), err, true)
				return nil
			})
		})
	})
}

// After an error, no more of the iterator is drawn.
func TestAnErrorEndsALoopOverAnIterator(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		const n = 300_000
		drawn := 0
		seq := func(yield func(int) bool) {
			for drawn < n && yield(drawn) {
				drawn++
			}
		}
		failure := errors.New("failure")
		run(t, rt, func(cx runtime.Cx) error {
			require.Equal(t, failure, runtime.ForEachErr(cx, seq, func(_ runtime.Cx, i int) error {
				if i == 3 {
					return failure
				}
				return nil
			}))
			return nil
		})
		require.Less(t, drawn, n)
	})
}

// What has been added is not kept while the rest of the iterator is drawn.
func TestReduceSeqKeepsNoResults(t *testing.T) {
	rt := start(t, 1)
	var made []weak.Pointer[[1 << 10]byte]
	run(t, rt, func(cx runtime.Cx) error {
		_, err := runtime.ReduceSeq(cx, func(yield func(int) bool) {
			for i := 0; i < 1000 && yield(i); i++ {
			}
			goruntime.GC()
			kept := 0
			for _, p := range made {
				if p.Value() != nil {
					kept++
				}
			}
			require.Equal(t, 1, kept, "the sum, and more")
		}, func(runtime.Cx, int) *[1 << 10]byte {
			result := new([1 << 10]byte)
			made = append(made, weak.Make(result))
			return result
		}, func(a, _ *[1 << 10]byte) *[1 << 10]byte { return a })
		require.Len(t, made, 1000)
		return err
	})
}

// Places for results are made by the block, or used again.
func TestLoopsOverAnIteratorAllocateLittle(t *testing.T) {
	rt := start(t, 1)
	same := func(_ runtime.Cx, i int) int { return i }
	const n = 10_000
	run(t, rt, func(cx runtime.Cx) error {
		for name, loop := range map[string]func(){
			"MapSeq": func() { _, _ = runtime.MapSeq(cx, count(n), same) },
			"ReduceSeq": func() {
				_, _ = runtime.ReduceSeq(cx, count(n), same, func(a, b int) int { return a + b })
			},
		} {
			require.Less(t, testing.AllocsPerRun(10, loop), n/100.0, name)
		}
		return nil
	})
}

// seqLoops are loops over an iterator, which call their function for each value.
var seqLoops = map[string]func(cx runtime.Cx, call func(i int)) error{
	"ForEachErr": func(cx runtime.Cx, call func(i int)) error {
		return runtime.ForEachErr(cx, naturals(), func(_ runtime.Cx, i int) error {
			call(i)
			return nil
		})
	},
	"MapSeq": func(cx runtime.Cx, call func(i int)) error {
		_, err := runtime.MapSeq(cx, naturals(), func(_ runtime.Cx, i int) int {
			call(i)
			return i
		})
		return err
	},
	"MapSeqErr": func(cx runtime.Cx, call func(i int)) error {
		_, err := runtime.MapSeqErr(cx, naturals(), func(_ runtime.Cx, i int) (int, error) {
			call(i)
			return i, nil
		})
		return err
	},
	"ReduceSeq": func(cx runtime.Cx, call func(i int)) error {
		_, err := runtime.ReduceSeq(cx, naturals(), func(_ runtime.Cx, i int) int {
			call(i)
			return i
		}, func(a, b int) int { return a + b })
		return err
	},
	"ReduceSeqErr": func(cx runtime.Cx, call func(i int)) error {
		_, err := runtime.ReduceSeqErr(cx, naturals(), func(_ runtime.Cx, i int) (int, error) {
			call(i)
			return i, nil
		}, func(a, b int) int { return a + b })
		return err
	},
	"ReduceErr": func(cx runtime.Cx, call func(i int)) error {
		_, err := runtime.ReduceErr(cx, 0, math.MaxInt, func(_ runtime.Cx, lo, _ int) (int, error) {
			call(lo)
			spin(10 * time.Microsecond)
			return 1, nil
		}, func(a, b int) int { return a + b })
		return err
	},
}

// Loops over an iterator without end are cancelled.
func TestALoopOverAnIteratorIsCancelled(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		for name, loop := range seqLoops {
			self := make(chan *runtime.Handle[int], 1)
			h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				me := <-self
				var calls atomic.Int64
				return 0, loop(cx, func(int) {
					if calls.Add(1) == 100 {
						me.Cancel()
					}
				})
			})
			self <- h
			_, err := get(t, h)
			require.ErrorIs(t, err, runtime.ErrCancelled, name)
		}
	})
}

func TestMisuseOfLoopsOverAnIterator(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		add := func(a, b int) int { return a + b }
		one := func(runtime.Cx, int) int { return 1 }
		oneErr := func(runtime.Cx, int) (int, error) { return 1, nil }
		for name, calls := range map[string][]func(){
			"ForEachErr": {
				func() { _ = runtime.ForEachErr(cx, nil, noErrorOf) },
				func() { _ = runtime.ForEachErr(cx, count(1), nil) },
			},
			"MapSeq": {
				func() { _, _ = runtime.MapSeq(cx, nil, one) },
				func() { _, _ = runtime.MapSeq[int, int](cx, count(1), nil) },
			},
			"MapSeqErr": {
				func() { _, _ = runtime.MapSeqErr(cx, nil, oneErr) },
				func() { _, _ = runtime.MapSeqErr[int, int](cx, count(1), nil) },
			},
			"ReduceSeq": {
				func() { _, _ = runtime.ReduceSeq(cx, nil, one, add) },
				func() { _, _ = runtime.ReduceSeq(cx, count(1), nil, add) },
				func() { _, _ = runtime.ReduceSeq(cx, count(1), one, nil) },
			},
			"ReduceSeqErr": {
				func() { _, _ = runtime.ReduceSeqErr(cx, nil, oneErr, add) },
				func() { _, _ = runtime.ReduceSeqErr(cx, count(1), nil, add) },
				func() { _, _ = runtime.ReduceSeqErr(cx, count(1), oneErr, nil) },
			},
			"ReduceErr": {
				func() { _, _ = runtime.ReduceErr(cx, 0, 1, nil, add) },
				func() {
					_, _ = runtime.ReduceErr(cx, 0, 1,
						func(runtime.Cx, int, int) (int, error) { return 1, nil }, nil)
				},
			},
		} {
			for _, call := range calls {
				require.Equal(t, "surewake: "+name+": nil function", panics(call))
			}
		}
		return nil
	})
}

func noErrorOf(runtime.Cx, int) error { return nil }
