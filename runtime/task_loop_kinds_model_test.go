package runtime

import (
	"iter"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// yields is what a call of a loop over an iterator does. With one worker, what was forked becomes a
// task.
func yields(cx Cx) {
	if len(cx.coroutine.worker.rt.workers) == 1 {
		cx.Yield()
	}
}

// Each index is in one block, which has ended when the loop returns.
func TestRangeOnWorkers(t *testing.T) {
	loops(t, func(x *model.Exec, cx Cx) int {
		var made [4]int
		err := Range(cx, 0, len(made), func(cx Cx, lo, hi int) {
			x.Assert(lo < hi, "a block from %d to %d", lo, hi)
			for i := lo; i < hi; i++ {
				lasts(cx, i)
				made[i]++
			}
		})
		x.Assert(err == nil && made == [4]int{1, 1, 1, 1}, "%v; %v were in blocks", err, made)
		return 1
	})
}

// The results are in the order of the values, and all there, whoever has made the calls.
func TestMapSeqOnWorkers(t *testing.T) {
	loops(t, func(x *model.Exec, cx Cx) int {
		out, err := MapSeq(cx, slices.Values([]int{0, 1, 2, 3}), func(cx Cx, i int) int {
			yields(cx)
			return i * i
		})
		x.Assert(err == nil && slices.Equal(out, []int{0, 1, 4, 9}), "%v, %v", out, err)
		return 1
	})
}

// What the values give is added in their order, by one after another: add is not associative.
func TestReduceSeqOnWorkers(t *testing.T) {
	loops(t, func(x *model.Exec, cx Cx) int {
		sum, err := ReduceSeq(cx, slices.Values([]int{0, 1, 2, 3}), func(cx Cx, i int) string {
			yields(cx)
			return "0123"[i : i+1]
		}, func(a, b string) string { return "(" + a + b + ")" })
		x.Assert(err == nil && sum == "(((01)2)3)", "%s, %v", sum, err)
		return 1
	})
}

// Both functions are called once; each result is that of its own, and what they have written is
// seen.
func TestBothOnWorkers(t *testing.T) {
	loops(t, func(x *model.Exec, cx Cx) int {
		var made [2]int
		a, b := Both(cx, func(cx Cx) int {
			made[0]++
			return 7
		}, func(cx Cx) string {
			lasts(cx, 0)
			made[1]++
			return "b"
		})
		x.Assert(a == 7 && b == "b" && made == [2]int{1, 1}, "%d, %s of %v", a, b, made)
		return 1
	})
}

// One of both functions panics: so does Both, and the other has ended then, or never begins.
func TestBothPanicsWhenTheOtherHasEnded(t *testing.T) {
	for _, name := range []string{"first", "second"} {
		t.Run(name, func(t *testing.T) {
			checkLoop(t, func(x *model.Exec, workers int) {
				w := stillWorld(x, workers)
				var begun, ended count
				of := [2]func(cx Cx) int{}
				fails, goesOn := 0, 1
				if name == "second" {
					fails, goesOn = 1, 0
				}
				of[fails] = func(cx Cx) int {
					lasts(cx, 0)
					panic("fails")
				}
				of[goesOn] = func(cx Cx) int {
					begun.Add(1)
					lasts(cx, 0)
					ended.Add(1)
					return 1
				}
				had := int32(-1)
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					defer w.last(cx)
					defer func() {
						had = begun.Load()
						x.Assert(recover() == "fails", "Both does not panic")
						x.Assert(had == ended.Load(), "the other has not ended")
					}()
					Both(cx, of[0], of[1])
					return 1, nil
				})
				w.start()
				_, err := w.await(h)
				x.Assert(err == nil && had == begun.Load(), "%v; the other began %d times, then %d",
					err, had, begun.Load())
			})
		})
	}
}

// A failing is what a loop over 0 to 3 does whose calls for 1 and 3 fail.
type failing struct {
	x            *model.Exec
	errors       [4]error
	begun, ended [4]count
	failed       [4]atomic.Pointer[task] // which part of the loop has had the error of a call
}

// aFailure is an error of a call.
type aFailure int

func (aFailure) Error() string { return "fails" }

func failingOf(x *model.Exec) *failing {
	return &failing{x: x, errors: [4]error{1: aFailure(1), 3: aFailure(3)}}
}

// call is the call for i.
func (f *failing) call(cx Cx, i int) (string, error) {
	f.begins(cx, "call")
	f.begun[i].Add(1)
	yields(cx)
	f.ended[i].Add(1)
	if f.errors[i] != nil {
		f.failed[i].Store(cx.task)
	}
	return "0123"[i : i+1], f.errors[i]
}

// callFor is call without a result, which lasts as long as that of a loop over a range.
func (f *failing) callFor(cx Cx, i int) (string, error) {
	lasts(cx, i)
	return f.call(cx, i)
}

// begins is called when something begins: nothing does where a call has failed before.
func (f *failing) begins(cx Cx, what string) {
	for i := range f.failed {
		f.x.Assert(f.failed[i].Load() != cx.task, "a %s follows the failure of call %d", what, i)
	}
}

// values are 0 to 3, in that order, each drawn once.
func (f *failing) values(cx Cx) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range f.errors {
			f.begins(cx, "value")
			if !yield(i) {
				return
			}
		}
	}
}

// check checks the end of the loop, with err: it has one of the errors, of a call that was made;
// each call that has begun has done so once, and has ended.
func (f *failing) check(err error) {
	f.x.Assert(err != nil && (err == f.errors[1] || err == f.errors[3]), "the error is %v", err)
	for i := range f.begun {
		f.x.Assert(f.begun[i].Load() <= 1 && f.begun[i].Load() == f.ended[i].Load(),
			"call %d has begun %d times, and ended %d", i, f.begun[i].Load(), f.ended[i].Load())
		f.x.Assert(err != f.errors[i] || f.begun[i].Load() == 1, "call %d was not made", i)
	}
}

// A call of four fails: there are no results, and no further call begins in its part of the loop.
// Those that have begun have ended.
func TestMapErrOnWorkers(t *testing.T) {
	loops(t, func(x *model.Exec, cx Cx) int {
		f := failingOf(x)
		out, err := MapErr(cx, []int{0, 1, 2, 3}, f.callFor)
		f.check(err)
		x.Assert(f.begun[0].Load() == 1, "the first call was not made")
		x.Assert(out == nil, "the results are %v", out)
		return 1
	})
}

// As TestMapErrOnWorkers, for the blocks of a range: there is no sum.
func TestReduceErrOnWorkers(t *testing.T) {
	loops(t, func(x *model.Exec, cx Cx) int {
		f := failingOf(x)
		sum, err := ReduceErr(cx, 0, 4, func(cx Cx, lo, hi int) (s string, err error) {
			for i := lo; i < hi && err == nil; i++ {
				var one string
				one, err = f.callFor(cx, i)
				s += one
			}
			return s, err
		}, func(a, b string) string { return a + b })
		f.check(err)
		x.Assert(f.begun[0].Load() == 1, "the first call was not made")
		x.Assert(sum == "", "the sum is %s", sum)
		return 1
	})
}

// As TestMapErrOnWorkers, but for the first value, whose call another worker may have been left
// with when the second fails; and no further value is drawn.
func TestForEachErrOnWorkers(t *testing.T) {
	loops(t, func(x *model.Exec, cx Cx) int {
		f := failingOf(x)
		f.check(ForEachErr(cx, f.values(cx), func(cx Cx, i int) error {
			_, err := f.call(cx, i)
			return err
		}))
		return 1
	})
}

// As TestForEachErrOnWorkers; and there are no results.
func TestMapSeqErrOnWorkers(t *testing.T) {
	loops(t, func(x *model.Exec, cx Cx) int {
		f := failingOf(x)
		out, err := MapSeqErr(cx, f.values(cx), f.call)
		f.check(err)
		x.Assert(out == nil, "the results are %v", out)
		return 1
	})
}

// As TestForEachErrOnWorkers; and nothing is added.
func TestReduceSeqErrOnWorkers(t *testing.T) {
	loops(t, func(x *model.Exec, cx Cx) int {
		f := failingOf(x)
		sum, err := ReduceSeqErr(cx, f.values(cx), f.call, func(a, b string) string {
			x.Assert(false, "%s and %s are added", a, b)
			return a + b
		})
		f.check(err)
		x.Assert(sum == "", "the sum is %s", sum)
		return 1
	})
}
