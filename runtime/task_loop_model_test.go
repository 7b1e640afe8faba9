package runtime

import (
	"cmp"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// enough is how long a call of a loop lasts that makes the rest worth splitting.
const enough = 50 * time.Microsecond

// lasts is what the first call of a loop does: it takes time, in which others may ask. With
// one worker, a yield makes what was split a task.
func lasts(cx Cx, i int) {
	if i == 0 {
		time.Sleep(enough)
	}
	if len(cx.coroutine.worker.rt.workers) == 1 && i < 3 {
		cx.Yield()
	}
}

// checkLoop checks a body with one worker, exhaustively, and with two, unless that is one of the
// widest.
func checkLoop(t *testing.T, body func(x *model.Exec, workers int)) {
	t.Run(amount[1], func(t *testing.T) {
		model.Check(t, func(x *model.Exec) { body(x, 1) }, model.Timeouts(0))
	})
	if !runs(t.Name() + "/two_workers") {
		return
	}
	t.Run(amount[2]+"/one preemption", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) { body(x, 2) }, model.Preemptions(1),
			model.Executions(mostExecutions))
	})
}

// loops checks a task. Its body must return 1.
func loops(t *testing.T, body func(x *model.Exec, cx Cx) int) {
	checkLoop(t, func(x *model.Exec, workers int) {
		w := stillWorld(x, workers)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			return body(x, cx), nil
		})
		w.start()
		v, err := w.await(h)
		x.Assert(v == 1 && err == nil, "the task has ended with %v, %v", v, err)
		x.Assert(workers > 1 || w.workers[0].count.released > 0, "no part of it has become a task")
	})
}

// The results are in the order of the arguments, and all there, whoever has made the calls.
func TestMapKeepsTheOrderOnWorkers(t *testing.T) {
	loops(t, func(x *model.Exec, cx Cx) int {
		out, err := Map(cx, []int{0, 1, 2, 3}, func(cx Cx, i int) int {
			lasts(cx, i)
			return i * i
		})
		x.Assert(err == nil && [4]int(out) == [4]int{0, 1, 4, 9}, "the results are %v", out)
		return 1
	})
}

// Each call is made once, and has ended when the loop returns.
func TestForOnWorkers(t *testing.T) {
	loops(t, func(x *model.Exec, cx Cx) int {
		var made [4]int
		err := For(cx, 0, len(made), func(cx Cx, i int) {
			lasts(cx, i)
			made[i]++
		})
		x.Assert(err == nil && made == [4]int{1, 1, 1, 1}, "the calls were made %v times", made)
		return 1
	})
}

// What neighbouring blocks give is added in the order of the range.
func TestReduceOnWorkers(t *testing.T) {
	loops(t, func(x *model.Exec, cx Cx) int {
		sum, err := Reduce(cx, 0, 4, func(cx Cx, lo, hi int) (s string) {
			for i := lo; i < hi; i++ {
				lasts(cx, i)
				s += "0123"[i : i+1]
			}
			return s
		}, func(a, b string) string { return a + b })
		x.Assert(err == nil && sum == "0123", "the sum is %s", sum)
		return 1
	})
}

// Each value is for one call, which has ended when the loop returns.
func TestForEachOnWorkers(t *testing.T) {
	loops(t, func(x *model.Exec, cx Cx) int {
		var made [4]int
		err := ForEach(cx, slices.Values([]int{0, 1, 2, 3}), func(cx Cx, i int) {
			if len(cx.coroutine.worker.rt.workers) == 1 {
				cx.Yield()
			}
			made[i]++
		})
		x.Assert(err == nil && made == [4]int{1, 1, 1, 1}, "the calls were made %v times", made)
		return 1
	})
}

// A sort forks one half of so many, which another worker may take, or gets when the first waits; of
// equal values, those that came first come first.
func TestSortOnWorkers(t *testing.T) {
	const n = 512 // the least that forks
	loops(t, func(x *model.Exec, cx Cx) int {
		type card struct{ key, place int }
		cards := make([]card, n)
		for i := range cards {
			cards[i] = card{(n - i) / 2, i}
		}
		waits := len(cx.coroutine.worker.rt.workers) == 1
		err := SortFunc(cx, cards, func(a, b card) int {
			if waits && a.place > n/2 && b.place > n/2 { // the half that the task itself sorts
				waits = false
				cx.Yield()
			}
			return cmp.Compare(a.key, b.key)
		})
		x.Assert(err == nil, "%v", err)
		for i := 1; i < n; i++ {
			a, b := cards[i-1], cards[i]
			x.Assert(a.key < b.key || a.key == b.key && a.place < b.place, "%v before %v", a, b)
		}
		return 1
	})
}

// Two of four calls fail: the loop returns one of these errors after the end of all calls that have
// begun, each of which has begun once; those before the first that fails are made.
func TestForErrOnWorkers(t *testing.T) {
	loops(t, func(x *model.Exec, cx Cx) int {
		failures := [4]error{1: errors.New("1"), 3: errors.New("3")}
		var begun, ended [4]count
		err := ForErr(cx, 0, 4, func(cx Cx, i int) error {
			begun[i].Add(1)
			lasts(cx, i)
			ended[i].Add(1)
			return failures[i]
		})
		x.Assert(err != nil && (err == failures[1] || err == failures[3]), "the error is %v", err)
		for i := range begun {
			x.Assert(begun[i].Load() <= 1 && begun[i].Load() == ended[i].Load(),
				"call %d has begun %d times, and ended %d", i, begun[i].Load(), ended[i].Load())
			x.Assert(err != failures[i] || begun[i].Load() == 1, "call %d was not made", i)
		}
		x.Assert(begun[0].Load() == 1, "the first call was not made")
		return 1
	})
}

// A cancellation comes at any moment of a loop: all calls are made, or the loop returns its cause,
// after the end of those that have begun.
func TestForErrIsCancelled(t *testing.T) {
	checkLoop(t, func(x *model.Exec, workers int) {
		var made [3]count
		var told error
		cancels(x, workers, func(cx Cx, ready func()) (int, error) {
			ready()
			told = ForErr(cx, 0, 3, func(cx Cx, i int) error {
				lasts(cx, i)
				made[i].Add(1)
				return nil
			})
			return 1, cx.forEver()
		})
		all := true
		for i := range made {
			x.Assert(made[i].Load() <= 1, "call %d was made %d times", i, made[i].Load())
			all = all && made[i].Load() == 1
		}
		x.Assert(all && told == nil || errors.Is(told, ErrCancelled),
			"%v, and all calls were made: %v", told, all)
	})
}
