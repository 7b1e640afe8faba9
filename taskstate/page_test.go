package taskstate_test

import (
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/taskstate"
)

// The executor of the package page polls a task again after each wake, and its joiner is woken.
func TestTheLoopOfThePageEndsEveryTask(t *testing.T) {
	print := released
	defer func() { released = print }()
	model.Check(t, func(x *model.Exec) {
		e := make(executor, 1)
		var event atomic.Bool
		ended := 0
		released = func() { ended++ }
		t := &job{state: taskstate.New(2), poll: func(t *job, _ bool) bool {
			if event.Load() {
				t.result = "the event"
				return true
			}
			return false
		}}
		e <- t
		x.Go("worker", func() {
			for t := <-e; t != nil; t = <-e {
				e.run(t)
			}
		})
		event.Store(true)
		e.wake(t)
		x.Assert(t.join() == "the event", "the task ended with %q", t.result)
		t.drop()
		e <- nil
		x.Join()
		x.Assert(ended == 1, "the task was released %d times", ended)
	}, model.NoRescue())
}
