package injector_test

import (
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/injector"
	"github.com/surewake/surewake/model"
)

// The checks of this file run as stress tests in an ordinary go test, and through every
// interleaving that matters under `surewake check`.

// Each value comes out once, and each worker sees those of a submitter in their order.
func TestValuesOfSubmittersAreTakenOnceAndInOrder(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var q injector.Queue[int]
		var one, two taken
		x.Go("submitter", func() {
			q.Submit([]int{1, 2})
			q.SubmitFunc(1, func(dst []int, _ int) { dst[0] = 3 })
		})
		x.Go("worker", func() {
			q.Push([]int{11})
			one.take(&q, 2)
		})
		two.take(&q, 2)
		two.take(&q, 1)
		x.Join()
		for q.Len() > 0 {
			two.take(&q, 2)
		}
		var times [12]int
		for _, side := range []*taken{&one, &two} {
			last := 0
			for _, v := range side.got[:side.n] {
				times[v]++
				x.Assert(v > 10 || v > last, "%d comes after %d", v, last)
				if v < 10 {
					last = v
				}
			}
		}
		for _, v := range []int{1, 2, 3, 11} {
			x.Assert(times[v] == 1, "%d came out %d times", v, times[v])
		}
	})
}

// A taken is what one worker of two took, in order.
type taken struct {
	got [8]int
	n   int
}

func (s *taken) take(q *injector.Queue[int], most int) {
	s.n += q.Take(s.got[s.n:s.n+most], 2)
}

// Two workers, and a value that a submitter adds while they take.
func TestTwoWorkersTakeEachValueOnce(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var q injector.Queue[int]
		q.Push([]int{1, 2})
		var first, second [2]int
		var n, m int
		x.Go("submitter", func() { q.Submit([]int{3}) })
		x.Go("worker", func() { m = q.Take(second[:], 2) })
		n = q.Take(first[:], 2)
		x.Join()
		var times [4]int
		for _, v := range append(first[:n:n], second[:m]...) {
			times[v]++
		}
		rest := make([]int, 3)
		for _, v := range rest[:q.Take(rest, 1)] {
			times[v]++
		}
		x.Assert(times == [4]int{0, 1, 1, 1}, "times that each came out: %v", times)
	})
}

// A shutdown decides at one instant that nothing is queued and that nothing will be: what a Submit
// says agrees with it. A value that is in a hand is counted before it leaves.
func TestTheEndIsDecidedAtOneInstant(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var q injector.Queue[int]
		var live atomic.Int64 // in hands
		q.Submit([]int{1})
		done := 0
		x.Go("submitter", func() { q.Submit([]int{2}) })
		x.Go("closer", func() {
			over := false
			q.Update(func(bool) bool {
				over = q.Len() == 0 && live.Load() == 0
				return over
			})
			if over {
				x.Assert(!q.Submit([]int{3}), "a closed queue accepts a value")
				x.Assert(q.Len() == 0 && live.Load() == 0, "something came after the end")
			}
		})
		var batch [2]int
		n := q.TakeFunc(batch[:], 1, func(n int) { live.Add(int64(n)) })
		done += n
		live.Add(-int64(n))
		x.Join()
		x.Assert(done+q.Len() <= 2, "%d are done and %d left of 2", done, q.Len())
	})
}

// A submitter that submits and then looks for a sleeper, and a worker that says that it sleeps and
// then looks here: not both miss.
func TestASubmitIsSeenOrSeesWhoSleeps(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var q injector.Queue[int]
		var sleeps atomic.Bool
		seen := false
		x.Go("submitter", func() {
			q.Submit([]int{1})
			seen = sleeps.Load()
		})
		sleeps.Store(true)
		n := q.Len()
		x.Join()
		x.Assert(seen || n == 1, "the worker sleeps, and nobody knows")
	})
}
