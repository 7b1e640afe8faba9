package runtime

import (
	"errors"
	"slices"
	"testing"

	"github.com/surewake/surewake/model"
)

// cancelledLoops are the loops whose calls cannot fail.
var cancelledLoops = []struct {
	name string
	loop func(cx Cx, n int, call func(cx Cx, i int)) error
}{
	{"For", func(cx Cx, n int, call func(cx Cx, i int)) error {
		return For(cx, 0, n, call)
	}},
	{"Map", func(cx Cx, n int, call func(cx Cx, i int)) error {
		out, err := Map(cx, []int{0, 1, 2}[:n], func(cx Cx, i int) int { call(cx, i); return i })
		if (err == nil) != slices.Equal(out, []int{0, 1, 2}[:n]) {
			return errors.New("an error with results, or none without")
		}
		return err
	}},
	{"ForEach", func(cx Cx, n int, call func(cx Cx, i int)) error {
		return ForEach(cx, slices.Values([]int{0, 1, 2}[:n]), call)
	}},
	{"Reduce", func(cx Cx, n int, call func(cx Cx, i int)) error {
		sum, err := Reduce(cx, 0, n, func(cx Cx, lo, hi int) (s string) {
			for i := lo; i < hi; i++ {
				call(cx, i)
				s += "012"[i : i+1]
			}
			return s
		}, func(a, b string) string { return a + b })
		if err == nil && sum != "012"[:n] || err != nil && sum != "" {
			return errors.New("an error with a result, or none without")
		}
		return err
	}},
}

// A cancellation comes at any moment of a loop: all calls are made, or the loop returns its cause,
// after the end of those that have begun, and with no result.
func TestALoopIsCancelled(t *testing.T) {
	for _, l := range cancelledLoops {
		t.Run(l.name, func(t *testing.T) {
			checkLoop(t, func(x *model.Exec, workers int) {
				var begun, ended [3]count
				var told error
				cancels(x, workers, func(cx Cx, ready func()) (int, error) {
					ready()
					told = l.loop(cx, 3, func(cx Cx, i int) {
						begun[i].Add(1)
						lasts(cx, i)
						ended[i].Add(1)
					})
					for i := range begun {
						x.Assert(begun[i].Load() == ended[i].Load(), "call %d has not ended", i)
					}
					return 1, cx.forEver()
				})
				all := true
				for i := range begun {
					x.Assert(begun[i].Load() <= 1, "call %d was made %d times", i, begun[i].Load())
					all = all && begun[i].Load() == 1
				}
				// ForEach does not know whether there are further values.
				x.Assert(all && told == nil || errors.Is(told, ErrCancelled) &&
					(!all || l.name == "ForEach"), "%v, and all calls were made: %v", told, all)
			})
		})
	}
}
