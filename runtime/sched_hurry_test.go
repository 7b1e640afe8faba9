package runtime

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/taskstate"
)

// What is cancelled in a backlog is hurried if it has been queued. What is new is not: its maker
// still accesses it. (runtime/R80)
func TestWhatIsNewIsNotHurried(t *testing.T) {
	failed := errors.New("failed")
	for _, queued := range []bool{false, true} {
		w, _ := piled(t, 0)
		rt := w.rt
		fn := func(Cx) (int, error) { return 0, nil }
		hurried := func(x *task) {
			t.Helper()
			require.True(t, x.state.Load().CancelEffective())
			if !queued {
				require.Empty(t, rt.timers.ready)
				return
			}
			require.Equal(t, []*task{x}, rt.timers.ready)
			rt.timers.ready = nil
			x.state.Drop()
		}

		c := newContextCall(rt, fn)
		c.queued.Store(queued)
		c.end(&c.call.task)
		hurried(&c.call.task)

		s := &TaskScope{owner: w.sleeping()}
		s.head.previous, s.head.next = &s.head, &s.head
		member := &scopeTask[int]{}
		member.state, member.rt, member.body = taskstate.New(references), rt, member
		require.True(t, s.addChild(&member.child, &member.call.task))
		member.child.queued.Store(queued)
		s.fail(failed, nil)
		hurried(&member.call.task)
		s.owner.state.Wake()
		w.again([]*task{s.owner})

		g := NewGroup(context.Background(), rt)
		of := g.newTask(groupFunction(func(Cx) error { return nil }))
		starts, _ := g.enter(of, nil)
		require.True(t, starts)
		of.queued.Store(queued)
		g.fail(failed, true, nil)
		hurried(&of.task)

		lower, fork := w.sleeping(), w.queued()
		l := &link{child: fork}
		l.waker = l
		l.queued.Store(queued)
		lower.pushJoiner(&l.joiner)
		lower.cancelInlined(w)
		hurried(fork)
		lower.removeJoiner(&l.joiner)
		lower.state.Wake()
		w.again([]*task{fork, lower})
		rt.timers.publish()
	}
}
