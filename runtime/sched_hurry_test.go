package runtime

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/taskstate"
)

// What is cancelled in a backlog is hurried if it has been queued. What is new is not: its maker
// still accesses it, and hurries it when it has queued it. (runtime/R80, R82)
func TestWhatIsNewIsNotHurried(t *testing.T) {
	failed := errors.New("failed")
	for _, isQueued := range []bool{false, true} {
		w, _ := piled(t, 0)
		rt := w.rt
		fn := func(Cx) (int, error) { return 0, nil }
		hurried := func(x *task, mark *queued) {
			t.Helper()
			require.True(t, x.state.Load().CancelEffective())
			if !isQueued {
				require.Empty(t, rt.timers.ready)
				mark.set(x)
			}
			require.Equal(t, []*task{x}, rt.timers.ready)
			rt.timers.ready = nil
			x.state.Drop()
		}

		c := newContextCall(rt, fn)
		c.queued.Store(isQueued)
		c.end(&c.call.task)
		hurried(&c.call.task, &c.queued)

		s := &TaskScope{owner: w.sleeping()}
		s.head.previous, s.head.next = &s.head, &s.head
		member := &scopeTask[int]{}
		member.state, member.rt, member.body = taskstate.New(references), rt, member
		require.True(t, s.addChild(&member.child, &member.call.task))
		member.child.queued.Store(isQueued)
		s.fail(failed, nil)
		hurried(&member.call.task, &member.child.queued)
		s.owner.state.Wake()
		w.again([]*task{s.owner})

		g := NewGroup(context.Background(), rt)
		of := g.newTask(groupFunction(func(Cx) error { return nil }))
		starts, _ := g.enter(of, nil)
		require.True(t, starts)
		of.queued.Store(isQueued)
		g.fail(failed, true, nil)
		hurried(&of.task, &of.queued)

		lower, fork := w.sleeping(), w.queued()
		l := &link{child: fork}
		l.waker = l
		l.queued.Store(isQueued)
		lower.pushJoiner(&l.joiner)
		lower.cancelInlined(w)
		hurried(fork, &l.queued)
		lower.removeJoiner(&l.joiner)
		lower.state.Wake()
		w.again([]*task{fork, lower})
		rt.timers.publish()
	}
}

// What must end, or waits for what was cancelled, goes first when it is woken where many are
// queued, and otherwise next. (runtime/R82)
func TestWhatMustEndIsReady(t *testing.T) {
	failed := errors.New("failed")
	for name, wakes := range map[string]func(w *worker) (woken *task){
		"it is cancelled": func(w *worker) *task {
			x := w.sleeping()
			x.cancel(w)
			return x
		},
		"it was cancelled": func(w *worker) *task {
			x := w.queued()
			x.state.ToRunning()
			x.state.EnterShield()
			x.state.ToIdle()
			x.state.Cancel()
			x.wake(w)
			return x
		},
		"it was cancelled before it waits": func(w *worker) *task {
			x := w.queued()
			x.state.ToRunning()
			x.state.Cancel()
			w.toIdle(x)
			return x
		},
		"it waits for what was cancelled": func(w *worker) *task {
			x, of := w.sleeping(), w.queued()
			of.addJoiner(&joiner{waker: x})
			of.state.ToRunning()
			of.state.Cancel()
			of.complete(w)
			return x
		},
		"its scope has failed": func(w *worker) *task {
			s := &TaskScope{owner: w.sleeping(), err: failed, waiting: true}
			c := &child{scope: s, task: w.queued(), previous: &s.head, next: &s.head}
			c.task.state.ToRunning()
			c.task.body = &failure{error: failed, body: c.task.body}
			s.head.previous, s.head.next = c, c
			c.wake(w)
			c.task.complete(w)
			return s.owner
		},
		"its group has failed": func(w *worker) *task {
			g := NewGroup(context.Background(), w.rt)
			c := g.newTask(groupFunction(func(Cx) error { return nil }))
			g.enter(c, nil)
			w.takeCredit(1)
			w.count.spawned++
			c.task.state.ToRunning()
			c.task.body = &failure{error: failed, body: c.task.body}
			x := w.sleeping()
			g.await(func() waker { return x })
			c.task.complete(w)
			return x
		},
		"its group is full and has failed": func(w *worker) *task {
			g := NewGroup(context.Background(), w.rt)
			g.limit = 1
			c := g.newTask(groupFunction(func(Cx) error { return nil }))
			g.enter(c, nil)
			w.takeCredit(1)
			w.count.spawned++
			c.task.state.ToRunning()
			x := w.sleeping()
			g.enter(g.newTask(groupFunction(func(Cx) error { return nil })),
				func() waker { return x })
			g.fail(failed, true, w)
			c.task.complete(w)
			return x
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, many := range []bool{false, true} {
				w := scripted(t, Workers(1), Ring(16)).workers[0]
				var others []*task
				for range map[bool]int{false: fewTasks, true: fewTasks + 1}[many] {
					others = append(others, w.queued())
					w.evictToRing(others[len(others)-1])
				}
				x := wakes(w)
				require.Equal(t, many, w.slot.Load() == nil)
				next := w.pick()
				require.Same(t, x, next)
				require.Equal(t, many, w.due.last)
				next.state.ToRunning()
				if next.state.Load().Shield() > 0 {
					next.state.LeaveShield()
				}
				next.complete(w)
			}
		})
	}
}

// What is ready goes before the ring, also where that has tasks whose timers were due, and is not
// moved there if there are many tasks. It has turns with what is due. (runtime/R82)
func TestWhatIsReadyIsNotPutBehindOthers(t *testing.T) {
	w := scripted(t, Workers(1), Ring(16)).workers[0]
	rt := w.rt
	var due []*task
	for i := range 8 {
		due = append(due, w.sleeping())
		rt.timers.set(&timer{task: due[i]}, int64(1+i))
	}
	var all []*task
	pick := func() *task {
		all = append(all, w.pick())
		return all[len(all)-1]
	}
	w.lookForDue()
	require.Same(t, due[0], pick())
	require.Equal(t, 7, w.ring.Len())
	ready := []*task{w.queued(), w.queued(), w.queued()}
	for _, x := range ready[:2] {
		rt.timers.add(x)
	}
	rt.urge()
	require.Same(t, due[1], pick())
	require.Same(t, ready[0], pick())
	require.Equal(t, 6, w.ring.Len())
	require.Same(t, due[2], pick())
	require.Same(t, ready[1], pick())
	for _, x := range due[3:] {
		require.Same(t, x, pick())
	}
	others := []*task{w.queued(), w.queued(), w.queued(), w.queued(), w.queued(), w.queued()}
	for _, x := range others {
		w.evictToRing(x)
	}
	late := w.sleeping()
	rt.timers.set(&timer{task: late}, 9)
	rt.timers.add(ready[2])
	rt.timers.fired = false
	rt.urge()
	require.Same(t, late, pick())
	require.Equal(t, len(others), w.ring.Len())
	require.Same(t, others[0], pick())
	require.Same(t, ready[2], pick())
	for _, x := range others[1:] {
		require.Same(t, x, pick())
	}
	w.again(all)
}

// What stays ready while the ring has many tasks puts nothing there: a timer that is due does not
// wait for these. (runtime/R82)
func TestWhatIsReadyLetsTimersFire(t *testing.T) {
	w := scripted(t, Workers(1), Ring(16)).workers[0]
	var others []*task
	for range 10 {
		x := w.queued()
		others = append(others, x)
		w.evictToRing(x)
	}
	ready := []*task{w.queued(), w.queued()}
	for _, x := range ready {
		w.addReady(x)
	}
	all := []*task{w.pick()}
	require.Same(t, ready[0], all[0])
	due := w.sleeping()
	w.rt.timers.set(&timer{task: due}, 1)
	all = append(all, w.pick(), w.pick())
	require.Same(t, others[0], all[1])
	require.Same(t, due, all[2])
	w.again(all)
}

// Entries that are no turns are picked in a row where they are due, but others are not kept waiting
// by very many. (runtime/R82)
func TestEntriesThatAreNoTurnsAreSkipped(t *testing.T) {
	w := scripted(t, Workers(1), Ring(16)).workers[0]
	for _, ready := range []int{mostSkipped, mostSkipped + 1, 3 * mostSkipped} {
		for range ready {
			x := w.queued()
			x.state.Cancel()
			w.addReady(x)
		}
		others := make([]*task, fewTasks+2)
		for i := range others {
			others[i] = w.queued()
			w.evictToRing(others[i])
		}
		for i, x := range others {
			require.Same(t, x, w.take())
			require.Equal(t, max(ready-(i+1)*(mostSkipped+1), 0), w.rt.Stats().Ready)
			x.complete(w)
		}
		require.Nil(t, w.take())
		require.Empty(t, w.rt.timers.ready)
	}
}

// pushStale puts so many stale entries into the ring.
func (w *worker) pushStale(n int) {
	for range n {
		x := w.queued()
		w.evictToRing(x)
		x.state.Claim()
		x.complete(w)
	}
}

// What a task adds is looked for by the other workers, too: its worker may go on for long, and what
// others add after it tells nobody. (runtime/R82)
func TestWhatATaskMakesReadyUrgesOthers(t *testing.T) {
	rt := scripted(t, Workers(2), Ring(16))
	w := rt.workers[0]
	x := w.queued()
	w.addReady(x)
	require.True(t, rt.workers[1].urged.Load())
	require.Same(t, x, rt.workers[1].pick())
	w.again([]*task{x})
}

// A stale entry is no turn of what is not due: what is queued behind many of them does not wait for
// as many turns of what is due. (runtime/R82)
func TestStaleEntriesAreNoTurns(t *testing.T) {
	w := scripted(t, Workers(1), Ring(16)).workers[0]
	for range 2 * (mostSkipped + 1) {
		x := w.queued()
		x.state.Cancel()
		w.addReady(x)
	}
	w.pushStale(8)
	last := w.queued()
	w.evictToRing(last)
	require.Same(t, last, w.take())
	require.Equal(t, mostSkipped+1, w.rt.Stats().Ready)
	last.complete(w)
	require.Nil(t, w.take())

	w = scripted(t, Workers(1), Ring(256)).workers[0]
	w.pushStale(200)
	ready := w.queued()
	w.addReady(ready)
	w.due.last = true
	require.Same(t, ready, w.take())
	require.Equal(t, 200-mostSkipped-1, w.ring.Len())
	ready.complete(w)
	require.Nil(t, w.take())
}

// What a task starts by Go is its child: a join of it passes a cancel on. (runtime/R22)
func TestWhatGoStartsIsAChild(t *testing.T) {
	rt, err := New(Workers(1))
	require.NoError(t, err)
	child, err := Submit(rt, func(cx Cx) (bool, error) {
		h := cx.Go(func(Cx) {})
		is := cx.coroutine.isChild(&h.task)
		_, err := h.Join(cx)
		return is, err
	}).Wait(context.Background())
	require.NoError(t, err)
	require.True(t, child)
	require.NoError(t, rt.Shutdown(context.Background()))
}

// Many tasks are more than a few in a ring or a buffer, or any in the injector; and what very many
// workers have is not asked for. (runtime/R82)
func TestWhereManyTasksAre(t *testing.T) {
	for _, where := range []string{"nowhere", "ring", "buffer", "injector"} {
		for _, n := range []int{fewTasks, fewTasks + 1} {
			rt := scripted(t, Workers(2), InjectorBatch(8, PrivateBuffer))
			w := rt.workers[1]
			var all []*task
			for range n {
				all = append(all, w.queued())
			}
			switch where {
			case "ring":
				for _, x := range all {
					w.evictToRing(x)
				}
			case "buffer":
				w.buffer.PushBatch(all)
			case "injector":
				w.pushBehind(all[0])
			}
			many := where == "injector" || where != "nowhere" && n > fewTasks
			require.Equal(t, many, w.crowded(), where)
			require.Equal(t, many, rt.crowded(), where)
			require.Equal(t, where == "injector", rt.workers[0].crowded(), where)
			switch where {
			case "nowhere":
				w.again(all)
			case "injector":
				w.again(all[1:])
			}
		}
	}
	require.True(t, scripted(t, Workers(manyWorkers+1)).crowded())
}
