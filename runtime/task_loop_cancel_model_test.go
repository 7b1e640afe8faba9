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

// failingLoops are those whose calls can fail, those over iterators, and Range. Those that give
// results give them without an error, and only then.
var failingLoops = []struct {
	name string
	loop func(cx Cx, n int, call func(cx Cx, i int)) error
}{
	{"Range", func(cx Cx, n int, call func(cx Cx, i int)) error {
		return Range(cx, 0, n, func(cx Cx, lo, hi int) {
			for i := lo; i < hi; i++ {
				call(cx, i)
			}
		})
	}},
	{"MapErr", func(cx Cx, n int, call func(cx Cx, i int)) error {
		return whole(n)(MapErr(cx, []int{0, 1, 2}[:n], succeeds(call)))
	}},
	{"ReduceErr", func(cx Cx, n int, call func(cx Cx, i int)) error {
		leaf := func(cx Cx, lo, hi int) (out []int, err error) {
			for i := lo; i < hi; i++ {
				call(cx, i)
				out = append(out, i)
			}
			return out, nil
		}
		return whole(n)(ReduceErr(cx, 0, n, leaf, appended))
	}},
	{"ForEachErr", func(cx Cx, n int, call func(cx Cx, i int)) error {
		return ForEachErr(cx, slices.Values([]int{0, 1, 2}[:n]), func(cx Cx, i int) error {
			call(cx, i)
			return nil
		})
	}},
	{"MapSeq", func(cx Cx, n int, call func(cx Cx, i int)) error {
		fn := func(cx Cx, i int) int { call(cx, i); return i }
		return whole(n)(MapSeq(cx, slices.Values([]int{0, 1, 2}[:n]), fn))
	}},
	{"MapSeqErr", func(cx Cx, n int, call func(cx Cx, i int)) error {
		return whole(n)(MapSeqErr(cx, slices.Values([]int{0, 1, 2}[:n]), succeeds(call)))
	}},
	{"ReduceSeq", func(cx Cx, n int, call func(cx Cx, i int)) error {
		leaf := func(cx Cx, i int) []int { call(cx, i); return []int{i} }
		return whole(n)(ReduceSeq(cx, slices.Values([]int{0, 1, 2}[:n]), leaf, appended))
	}},
	{"ReduceSeqErr", func(cx Cx, n int, call func(cx Cx, i int)) error {
		leaf := func(cx Cx, i int) ([]int, error) { call(cx, i); return []int{i}, nil }
		return whole(n)(ReduceSeqErr(cx, slices.Values([]int{0, 1, 2}[:n]), leaf, appended))
	}},
}

func appended(a, b []int) []int { return slices.Concat(a, b) }

// succeeds returns a function that makes the call and returns its argument.
func succeeds(call func(cx Cx, i int)) func(cx Cx, i int) (int, error) {
	return func(cx Cx, i int) (int, error) { call(cx, i); return i, nil }
}

// whole returns a function that returns err, unless out is not what comes with it.
func whole(n int) func(out []int, err error) error {
	return func(out []int, err error) error {
		if err == nil && !slices.Equal(out, []int{0, 1, 2}[:n]) || err != nil && out != nil {
			return errors.New("an error with results, or none without")
		}
		return err
	}
}

// A cancellation comes at any moment of a loop: all calls are made, or the loop returns its cause,
// after the end of those that have begun, and with no result.
func TestALoopIsCancelled(t *testing.T) {
	for _, l := range cancelledLoops {
		t.Run(l.name, func(t *testing.T) {
			checkLoop(t, func(x *model.Exec, workers int) {
				// ForEach does not know whether there are further values.
				loopIsCancelled(x, workers, l.loop, l.name == "ForEach")
			})
		})
	}
}

// As TestALoopIsCancelled, for other loops.
func TestAnotherLoopIsCancelled(t *testing.T) {
	for _, l := range failingLoops {
		mayTell := l.name != "Range" // also if all calls were made
		t.Run(l.name+"/"+amount[1], func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				loopIsCancelled(x, 1, l.loop, mayTell)
			}, model.Timeouts(0))
		})
		t.Run(l.name+"/"+amount[2]+"/no preemption", func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				loopIsCancelled(x, 2, l.loop, mayTell)
			}, model.Preemptions(0))
		})
	}
}

// loopIsCancelled cancels a loop of three calls. mayTell is whether it may say so though all calls
// were made.
func loopIsCancelled(x *model.Exec, workers int,
	loop func(cx Cx, n int, call func(cx Cx, i int)) error, mayTell bool,
) {
	var begun, ended [3]count
	var told error
	cancels(x, workers, func(cx Cx, ready func()) (int, error) {
		ready()
		told = loop(cx, 3, func(cx Cx, i int) {
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
	x.Assert(all && told == nil || errors.Is(told, ErrCancelled) && (!all || mayTell),
		"%v, and all calls were made: %v", told, all)
}
