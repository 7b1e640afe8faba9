package fork_test

import (
	"runtime"
	"testing"

	"github.com/surewake/surewake/fork"
	"github.com/surewake/surewake/model"
)

// The pool of the page ends, with all that was forked, and nobody sleeps while a fork is public.
func TestThePoolOfThePage(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		p := newPool(2)
		p.Do(func(w *worker) { x.Assert(fib(w, 3) == 2, "wrong") })
		p.Close()
	}, model.NoRescue())
}

// busyOwner is an owner that forks, and is busy with something else until a worker of the pool of
// the page has taken the fork.
func busyOwner(workers int) func(x *model.Exec) {
	return func(x *model.Exec) {
		p := newPool(workers)
		p.Do(func(w *worker) {
			x.Assert(taken(w, func() int { return 7 }) == 7, "wrong")
		})
		p.Close()
	}
}

// taken is the result of call, made by another worker.
func taken(w *worker, call func() int) int {
	began := make(chan bool)
	f := fork.Fork(&w.Stack, func(*worker, int) int { close(began); return call() }, 0)
	w.Share()
	<-began
	return f.Join(w)
}

// A worker of the pool of the page gets a fork of an owner that is busy with something else.
func TestThePoolOfThePageTakesWhatIsShared(t *testing.T) {
	model.Check(t, busyOwner(2), model.NoRescue())
}

// As before, with two thieves, of which one may take the fork in its last look, and the other falls
// asleep: a token that wakes is for the one that was counted.
func TestTwoThievesOfThePoolOfThePage(t *testing.T) {
	t.Run("two preemptions", func(t *testing.T) {
		model.Check(t, busyOwner(3), model.NoRescue(), model.Preemptions(2),
			model.Executions(50_000))
	})
}

// A call that calls Goexit ends the goroutine of the worker that has taken it, and that of the
// join. The worker goes on.
func TestThePoolOfThePageOutlivesGoexit(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		p := newPool(2)
		x.Go("owner", func() {
			p.Do(func(w *worker) { taken(w, func() int { runtime.Goexit(); return 0 }) })
		})
		x.Join()
		p.Do(func(w *worker) { x.Assert(taken(w, func() int { return 7 }) == 7, "wrong") })
		p.Close()
	}, model.NoRescue())
}
