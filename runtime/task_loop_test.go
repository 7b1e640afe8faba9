package runtime_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

func TestLoopsThatFail(t *testing.T) {
	failure := errors.New("failure")
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		run(t, rt, func(cx runtime.Cx) error {
			var called atomic.Int64
			require.NoError(t, runtime.ForErr(cx, 0, 1000, func(runtime.Cx, int) error {
				called.Add(1)
				return nil
			}))
			require.EqualValues(t, 1000, called.Load())

			called.Store(0)
			err := runtime.ForErr(cx, 0, 1_000_000, func(_ runtime.Cx, i int) error {
				called.Add(1)
				if i%1000 == 999 {
					return failure
				}
				return nil
			})
			require.Equal(t, failure, err)
			require.Less(t, called.Load(), int64(100_000), "calls began after an error")

			out, err := runtime.MapErr(cx, []string{"1", "2", "3"},
				func(_ runtime.Cx, s string) (int, error) { return strconv.Atoi(s) })
			require.NoError(t, err)
			require.Equal(t, []int{1, 2, 3}, out)
			out, err = runtime.MapErr(cx, []string{"1", "two", "3"},
				func(_ runtime.Cx, s string) (int, error) { return strconv.Atoi(s) })
			require.ErrorIs(t, err, strconv.ErrSyntax)
			require.Nil(t, out)
			return nil
		})
	})
}

// A loop that has failed, or whose task must end, does not go through what is left of it, and so
// ends however long it is.
func TestALoopThatHasFailedLeavesItsRest(t *testing.T) {
	eachProcs(t, func(t *testing.T) {
		for workers := 1; workers <= 4; workers *= 2 {
			rt := start(t, workers)
			failure := errors.New("failure")
			_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				return 0, runtime.ForErr(cx, math.MinInt, math.MaxInt,
					func(_ runtime.Cx, i int) error {
						if uint(i)%10_000 == 9_999 {
							return failure
						}
						return nil
					})
			}))
			require.Equal(t, failure, err)
			begun := make(chan struct{}, 1)
			h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				return 0, runtime.ForErr(cx, math.MinInt, math.MaxInt, func(runtime.Cx, int) error {
					select {
					case begun <- struct{}{}:
					default:
					}
					return nil
				})
			})
			receive(t, begun)
			h.Cancel()
			_, err = get(t, h)
			require.ErrorIs(t, err, runtime.ErrCancelled)
			closes(t, rt)
		}
	})
}

func TestACancelledLoopEnds(t *testing.T) {
	rt := start(t, 2)
	begun := make(chan struct{}, 1)
	h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		return 0, runtime.ForErr(cx, 0, 1_000_000_000, func(runtime.Cx, int) error {
			select {
			case begun <- struct{}{}:
			default:
			}
			return nil
		})
	})
	<-begun
	h.Cancel()
	_, err := get(t, h)
	require.ErrorIs(t, err, runtime.ErrCancelled)
}

func TestSort(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		run(t, rt, func(cx runtime.Cx) error {
			for _, n := range []int{0, 1, 1000, 50_000} {
				numbers := rand.Perm(n)
				require.NoError(t, runtime.Sort(cx, numbers))
				require.True(t, slices.IsSorted(numbers))
				words := make([]string, n)
				for i := range words {
					words[i] = fmt.Sprint(rand.IntN(100))
				}
				want := slices.Clone(words)
				byLength := func(a, b string) int { return len(a) - len(b) }
				slices.SortStableFunc(want, byLength)
				require.NoError(t, runtime.SortFunc(cx, words, byLength))
				require.Equal(t, want, words)
			}
			return nil
		})
	})
}

func TestMisuseOfLoopsOfTasks(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		for want, call := range map[string]func(){
			"surewake: ForErr: the zero Cx; a Cx is what a task's function is given": func() {
				_ = runtime.ForErr(runtime.Cx{}, 0, 1, nil)
			},
			"surewake: MapErr: the zero Cx; a Cx is what a task's function is given": func() {
				_, _ = runtime.MapErr[int, int](runtime.Cx{}, nil, nil)
			},
			"surewake: Sort: the zero Cx; a Cx is what a task's function is given": func() {
				_ = runtime.Sort[int](runtime.Cx{}, nil)
			},
			"surewake: ForErr: nil function": func() { _ = runtime.ForErr(cx, 0, 1, nil) },
			"surewake: MapErr: nil function": func() {
				_, _ = runtime.MapErr[int, int](cx, nil, nil)
			},
			"surewake: SortFunc: nil function": func() {
				_ = runtime.SortFunc[int](cx, nil, nil)
			},
		} {
			require.Equal(t, want, panics(call))
		}
		return nil
	})
}

// A sort of few elements whose comparisons are slow lets a task that sleeps have its turns, though
// it asks at each level on its way down, where nothing lasts. (runtime/R74)
func TestASortLetsOthersHaveTheirTurns(t *testing.T) {
	rt := start(t, 1)
	var turns atomic.Int64
	during := int64(0)
	run(t, rt, func(cx runtime.Cx) error {
		sleeper := cx.Go(func(cx runtime.Cx) {
			for cx.Sleep(time.Millisecond) == nil {
				turns.Add(1)
			}
		})
		cx.Yield()
		before := turns.Load()
		s := make([]int, 350)
		for i := range s {
			s[i] = i * 7919 % 350
		}
		err := runtime.SortFunc(cx, s, func(a, b int) int {
			spin(50 * time.Microsecond)
			return a - b
		})
		during = turns.Load() - before
		sleeper.Cancel()
		return err
	})
	require.GreaterOrEqual(t, during, int64(10), "a turn at each look")
}
