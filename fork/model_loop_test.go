package fork

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model"
)

// Each iteration runs once, whoever runs it, and has run when the loop returns. (K11)
func TestALoopOfSeveralWorkers(t *testing.T) {
	for _, c := range []struct{ workers, n int }{{2, 3}, {2, 6}, {3, 3}, {3, 4}} {
		n := c.n
		t.Run(fmt.Sprint(c.workers, " for ", n), func(t *testing.T) {
			checkCrew(t, c.workers, 2, func(x *model.Exec, h *hand) {
				counts := make([]int, n)
				For(h, 0, n, func(_ *hand, i int) { counts[i]++ })
				for i, c := range counts {
					x.Assert(c == 1, "iteration %d ran %d times", i, c)
				}
			})
		})
	}
}

// What neighbouring blocks give is added in the order of the range. (K11)
func TestAReductionOfSeveralWorkers(t *testing.T) {
	for _, c := range []struct{ workers, n int }{{2, 6}, {3, 4}} {
		n := c.n
		t.Run(fmt.Sprint(c.workers, " for ", n), func(t *testing.T) {
			checkCrew(t, c.workers, 2, func(x *model.Exec, h *hand) {
				result := Reduce(h, 1, n+1, func(_ *hand, lo, hi int) (s string) {
					for i := lo; i < hi; i++ {
						s += fmt.Sprint(i)
					}
					return s
				}, func(a, b string) string { return a + b })
				x.Assert(result == "123456"[:n], "the result is %s", result)
			})
		})
	}
}

// Two workers go through a range until one of them has come to a certain index: that one has run,
// none has twice, and what has not run was left because it was over. (K13)
func TestARangeThatIsOver(t *testing.T) {
	for last := range 3 {
		t.Run(fmt.Sprint("at ", last), func(t *testing.T) {
			checkCrew(t, 2, 2, func(x *model.Exec, h *hand) {
				var counts [4]int
				var done atomic.Bool
				over := func(*hand) bool { return done.Load() }
				RangeUntil(h, 0, len(counts), over, func(_ *hand, lo, hi int) {
					for i := lo; i < hi; i++ {
						counts[i]++
						if i == last {
							done.Store(true)
						}
					}
				})
				for i, c := range counts {
					x.Assert(c == 1 || c == 0 && i != last && done.Load(),
						"%d of %d ran %d times", i, last, c)
				}
			})
		})
	}
}

// A loop whose iterations are loops gives the outer one away first, and forks of its caller before.
func TestALoopInALoop(t *testing.T) {
	checkCrew(t, 2, 2, func(x *model.Exec, h *hand) {
		var counts [3][3]int
		For(h, 0, 3, func(h *hand, i int) {
			For(h, 0, 3, func(_ *hand, j int) { counts[i][j]++ })
		})
		x.Assert(counts == [3][3]int{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, "%v", counts)
	})
}

func TestALoopBesideAFork(t *testing.T) {
	checkCrew(t, 2, 2, func(x *model.Exec, h *hand) {
		var counts [3]int
		f := Fork(&h.Stack, same, 7)
		For(h, 0, len(counts), func(_ *hand, i int) { counts[i]++ })
		x.Assert(counts == [3]int{1, 1, 1}, "%v", counts)
		x.Assert(f.Join(h) == 7, "the fork")
	})
}

// After the panic of a loop no iteration runs any more, and none has run twice. (K9)
func TestAPanicInALoop(t *testing.T) {
	for at := range 3 {
		t.Run(fmt.Sprint("at ", at), func(t *testing.T) {
			checkCrew(t, 2, 2, func(x *model.Exec, h *hand) {
				var counts [3]int
				func() {
					defer func() {
						x.Assert(recover() == "no", "the panic is lost")
						x.Assert(h.Len() == 0, "the loop is not over")
					}()
					For(h, 0, len(counts), func(_ *hand, i int) {
						counts[i]++
						if i == at {
							panic("no")
						}
					})
				}()
				for i, c := range counts {
					x.Assert(c <= 1 && (i != at || c == 1), "iteration %d ran %d times", i, c)
				}
			})
		})
	}
}

// The same of a reduction, also if it is add that panics. (K9)
func TestAPanicInAReduction(t *testing.T) {
	for name, adds := range map[string]bool{"leaf": false, "add": true} {
		t.Run(name, func(t *testing.T) {
			checkCrew(t, 2, 2, func(x *model.Exec, h *hand) {
				func() {
					defer func() {
						x.Assert(recover() == "no", "the panic is lost")
						x.Assert(h.Len() == 0, "the reduction is not over")
					}()
					Reduce(h, 0, 3, func(_ *hand, lo, _ int) int {
						if lo == 1 && !adds {
							panic("no")
						}
						return lo
					}, func(int, int) int {
						if adds {
							panic("no")
						}
						return 0
					})
				}()
			})
		})
	}
}

// Each value is for one worker, and no call runs when ForEach is over, by a panic, too. (K9, K11)
func TestForEachOfSeveralWorkers(t *testing.T) {
	for _, fails := range []bool{false, true} {
		t.Run(fmt.Sprint("fails ", fails), func(t *testing.T) {
			checkCrew(t, 2, 3, func(x *model.Exec, h *hand) {
				var counts [4]int
				func() {
					defer func() {
						with := recover()
						x.Assert(fails == (with == "no"), "it panics with %v", with)
						x.Assert(h.Len() == 0, "it is not over")
					}()
					ForEach(h, slices.Values([]int{0, 1, 2, 3}), func(_ *hand, i int) {
						counts[i]++
						if fails && i == 2 {
							panic("no")
						}
					})
				}()
				for i, c := range counts {
					x.Assert(c == 1 || fails && c == 0, "%d came %d times", i, c)
				}
			})
		})
	}
}

func TestForEachKeepsFewCalls(t *testing.T) {
	for name, slow := range map[string]bool{"ended at once": false, "ended late": true} {
		t.Run(name, func(t *testing.T) {
			h := newCrew(1).workers[0]
			thief := newCrew(1).workers[0]
			sum, most := 0, 0
			var begun []*Claim[*hand]
			ForEach(h, func(yield func(int) bool) {
				for i := 0; i < 1000 && yield(i); i++ {
					most = max(most, h.Len())
					if c := h.Claim(true); c != nil { // asks again
						begun = append(begun, c)
					}
					for len(begun) > 0 && (!slow || i == 999) {
						begun[0].Run(thief, &thief.Stack)
						begun = begun[1:]
					}
				}
			}, func(_ *hand, i int) { sum += i })
			require.Equal(t, 999*1000/2, sum)
			require.Equal(t, forkedItems, most)
		})
	}
}

// A thief has asked, and does not come: the call is made while there are more values. (K14)
func TestForEachMakesTheCallsThatNoThiefComesFor(t *testing.T) {
	h := newCrew(1).workers[0]
	drawn, sum, latest := 0, 0, 0
	ForEach(h, func(yield func(int) bool) {
		for ; drawn < 1000 && yield(drawn); drawn++ {
			if drawn%300 == 1 {
				h.Ask()
			}
		}
	}, func(_ *hand, i int) {
		sum += i
		latest = max(latest, drawn-i)
	})
	require.Equal(t, 999*1000/2, sum)
	require.Equal(t, untaken+1, latest)
}

// A thief has come, and takes its time: nobody waits for it while there are more values. What it
// has ended is joined. (K14)
func TestForEachDoesNotWaitForAThiefBetweenValues(t *testing.T) {
	h := newCrew(1).workers[0]
	thief := newCrew(1).workers[0]
	var claimed *Claim[*hand]
	order := []int{}
	ForEach(h, func(yield func(int) bool) {
		for i := 0; i < 1000 && yield(i); i++ {
			switch i {
			case 0:
				claimed = h.Claim(false)
			case 3 * untaken:
				require.Equal(t, 1, h.Len())
				claimed.Run(thief, &thief.Stack)
			}
		}
		require.Zero(t, h.Len())
	}, func(_ *hand, i int) { order = append(order, i) })
	require.Len(t, order, 1000)
	require.Equal(t, 3*untaken, slices.Index(order, 0))
}

// Once a thief has asked, the upper half of what is left is public after the running iteration.
func TestALoopAnswersAThief(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		h := newCrew(1).workers[0]
		h.word.Store(0)
		h.most = 8
		var last []int
		For(h, 0, 8, func(_ *hand, i int) {
			switch i {
			case 1:
				x.Assert(h.Claim(true) == nil, "something is public, and nobody has asked")
			case 2:
				c := h.Claim(false)
				x.Assert(c != nil, "nothing is public after an iteration")
				thief := newCrew(1).workers[0]
				c.Run(thief, &thief.Stack)
				x.Assert(fmt.Sprint(last) == "[0 1 5 6 7]", "%v", last)
			}
			last = append(last, i)
		})
		x.Assert(fmt.Sprint(last) == "[0 1 5 6 7 2 3 4]", "%v", last)
	})
}

// A thief that has asked does not wait for the first iteration of a loop if those of the last one
// were long: it gets the upper half, or what was forked before. (K16)
func TestALoopOfLongIterationsIsHalvedFirst(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for _, loop := range []func(h *hand, body func(i int)){
			func(h *hand, body func(i int)) { For(h, 0, 8, func(_ *hand, i int) { body(i) }) },
			func(h *hand, body func(i int)) {
				sum := Reduce(h, 0, 8, func(_ *hand, lo, hi int) (sum int) {
					for i := lo; i < hi; i++ {
						body(i)
						sum += i
					}
					return sum
				}, func(a, b int) int { return a + b })
				x.Assert(sum == 28, "%d", sum)
			},
		} {
			h := newCrew(1).workers[0]
			h.iteration = longIteration
			var last []int
			loop(h, func(i int) {
				if i == 0 {
					c := h.Claim(false)
					x.Assert(c != nil, "nothing is public before the first iteration")
					thief := newCrew(1).workers[0]
					c.Run(thief, &thief.Stack)
				}
				last = append(last, i)
			})
			x.Assert(fmt.Sprint(last) == "[4 5 6 7 0 1 2 3]", "%v", last)
		}
		h := newCrew(1).workers[0]
		h.iteration, h.most = longIteration, 8
		h.word.Store(0)
		For(h, 0, 2, func(*hand, int) { x.Assert(h.Len() == 0, "nobody has asked") })
		h.iteration = longIteration
		before := Fork(&h.Stack, func(*hand, int) int { return 1 }, 0)
		h.word.Store(h.word.Load() | hungry)
		For(h, 0, 2, func(_ *hand, i int) {
			if c := h.Claim(false); i == 0 {
				x.Assert(c != nil && c.Depth() == 0, "a fork from before the loop was kept")
				thief := newCrew(1).workers[0]
				c.Run(thief, &thief.Stack)
			}
		})
		x.Assert(before.Join(h) == 1, "the fork from before the loop")
	})
}

// A stack knows from a loop whether its iterations were long: also from one of which nobody wanted
// anything, if it was thought that they would be. (K16)
func TestAStackKnowsWhetherIterationsAreLong(t *testing.T) {
	long := 2 * longIteration * time.Nanosecond
	for name, loop := range map[string]func(h *hand, n int, body func()){
		"For": func(h *hand, n int, body func()) { For(h, 0, n, func(*hand, int) { body() }) },
		"Range": func(h *hand, n int, body func()) {
			Range(h, 0, n, func(_ *hand, lo, hi int) {
				for range hi - lo {
					body()
				}
			})
		},
	} {
		h := newCrew(1).workers[0]
		loop(h, 4, func() { time.Sleep(long) })
		require.GreaterOrEqual(t, h.iteration, float64(longIteration), name)
		h.word.Store(h.word.Load() &^ hungry)
		loop(h, 100_000, func() {})
		require.Less(t, h.iteration, float64(longIteration), name)
		loop(h, 4, func() { time.Sleep(long) }) // nobody asks, and a reading of the clock is saved
		require.Less(t, h.iteration, float64(longIteration), name)
	}
}

// A rest that is over before a thief would have begun with it is not split.
func TestALoopKeepsWhatIsSoonOver(t *testing.T) {
	h := newCrew(1).workers[0]
	h.minSplit = minSplit
	for _, c := range []struct {
		done, left uint
		lasted     time.Duration
		want       uint
	}{
		{10, 10, time.Microsecond, 0},
		{10, 39, time.Microsecond, 0},
		{10, 40, time.Microsecond, 20},
		{1, 1, time.Second, 0},
		{1, 3, time.Second, 1},
		{1, math.MaxUint, time.Nanosecond, math.MaxUint / 2},
		{math.MaxUint / 2, math.MaxUint / 2, 0, 0},
	} {
		require.Equal(t, c.want, h.splitLoop(c.done, c.left, c.lasted), "%+v", c)
	}
}

func TestBlocksLastMicroseconds(t *testing.T) {
	for _, c := range []struct {
		block int
		d     time.Duration
		want  int
	}{
		{1, 0, 4},
		{8, blockTime / 4, 32},
		{8, blockTime/4 + 1, 16},
		{8, blockTime/2 + 1, 8},
		{8, 2 * blockTime, 8},
		{8, 2*blockTime + 1, 4},
		{1, time.Hour, 1},
		{maxBlock, 0, maxBlock},
		{maxBlock / 2, 0, maxBlock},
	} {
		require.Equal(t, c.want, resize(c.block, c.d), "%+v", c)
	}
}
