package runtime

import (
	"testing"

	"github.com/surewake/surewake/model"
)

// The ends of two tasks are waited for, one of which has come already, and one, which is given
// twice, comes meanwhile. Each comes once; or at most once if the loop is left, and nothing stays
// with the tasks.
func TestEachEndComesOnce(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		had, comes := runningTask(), runningTask()
		tasks := [3]*task{had, comes, comes}
		ended := NewChannel[int](2 * len(tasks)) // an end that comes twice has room
		var ends [3]orderedEnd
		leaves := leaving(x)
		for i, target := range tasks {
			ends[i].task, ends[i].number, ends[i].ended = target, i, ended
		}
		had.complete(nil)
		x.Go("end", func() { comes.complete(nil) })
		for i := range ends {
			ends[i].add(ends[i].task) // of the same runtime
		}
		if leaves {
			for i := range ends {
				ends[i].remove()
			}
		}
		x.Join()
		var came [3]int
		for i, err := ended.TryReceive(); err == nil; i, err = ended.TryReceive() {
			came[i]++
		}
		for i, n := range came {
			x.Assert(n == 1 || n == 0 && leaves, "end %d comes %d times", i, n)
			x.Assert(len(tasks[i].listJoiners()) == 0, "something is left with task %d", i)
		}
	})
}
