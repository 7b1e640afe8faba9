package runtime

import (
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

// A loop whose calls all last long lets the task run that it has started before; each of its calls
// is made once, wherever it goes on. (runtime/R60)
func TestALoopGivesOthersTheirTurn(t *testing.T) {
	checkLoop(t, func(x *model.Exec, workers int) {
		w := stillWorld(x, workers)
		w.config.turnEvery = 0
		var made [3]count
		var ran count
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			child := Spawn(cx, func(Cx) (int, error) { ran.Add(1); return 1, nil })
			err := For(cx, 0, len(made), func(_ Cx, i int) {
				made[i].Add(1)
				x.Assert(workers > 1 || i < 2 || ran.Load() == 1, "the child has had no turn")
			})
			x.Assert(err == nil, "the loop ends with %v", err)
			for i := range made {
				x.Assert(made[i].Load() == 1, "call %d was made %d times", i, made[i].Load())
			}
			return child.Join(cx)
		})
		w.start()
		v, err := w.await(h)
		x.Assert(v == 1 && err == nil, "the task has ended with %v, %v", v, err)
	})
}

// A loop yields with a fork of its task on the stack, and goes on here or at the other worker. Then
// it waits for what the fork does, on its thread: whoever has nothing to do has to take the fork.
// (runtime/R69)
func TestALoopTakesItsForksAlong(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 2)
		w.config.turnEvery = 0
		var forked sync.WaitGroup
		forked.Add(1)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			child := Spawn(cx, func(Cx) (int, error) { return 1, nil })
			f := Fork(cx, func(_ Cx, n int) int { forked.Done(); return n }, 1)
			err := For(cx, 0, 3, func(_ Cx, i int) {
				if i == 2 {
					forked.Wait()
				}
			})
			x.Assert(err == nil, "the loop ends with %v", err)
			n := f.Join(cx)
			m, err := child.Join(cx)
			return n + m, err
		})
		w.start()
		v, err := w.await(h)
		x.Assert(v == 2 && err == nil, "the task has ended with %v, %v", v, err)
	}, model.NoRescue())
}
