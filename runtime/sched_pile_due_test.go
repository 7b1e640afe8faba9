package runtime

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// piled returns the worker of a runtime in which 100 tasks pile up, whose rings hold 16, and tasks
// whose timers are due, in the order of their deadlines.
func piled(t *testing.T, sleepers int) (w *worker, due []*task) {
	rt := scripted(t, Workers(1), Ring(16))
	w = rt.workers[0]
	for range 100 {
		w.pushBehind(w.queued())
	}
	w.spilled, w.piled, w.piles = 100, pileLooks, true
	for i := range sleepers {
		due = append(due, w.sleeping())
		rt.timers.set(&timer{task: due[i]}, int64(1+i))
	}
	return w, due
}

// drain takes all that is in the injector.
func (w *worker) drain() (all []*task) {
	for first, n := w.fetch(1, 1); n > 0; first, n = w.fetch(1, 1) {
		all = append(all, first)
	}
	return all
}

// again queues what was taken without being run.
func (w *worker) again(all []*task) {
	for _, task := range all {
		w.pushLocal(task)
	}
}

// What is due goes before a backlog. If tasks pile up, and what was due has queued more than a ring
// holds, all that is due is queued behind them, in the order of the deadlines, however many are
// due. (runtime/R73)
func TestWhatIsDueQueuesBehindAPile(t *testing.T) {
	for _, piles := range []bool{false, true} {
		w, due := piled(t, 40)
		w.piles, w.due.queued = piles, w.ring.Cap()
		w.flush()
		live := w.tasks()
		next := w.pickDue()
		require.Nil(t, w.slot.Load())
		require.Zero(t, w.ring.Len())
		require.False(t, piles && w.dueLeft)
		if !piles {
			require.Same(t, due[0], next)
			require.Equal(t, 100, w.rt.injector.Len())
			w.again(due[:1])
			continue
		}
		require.Nil(t, next)
		require.Equal(t, 140, w.rt.injector.Len())
		w.flush()
		require.Equal(t, live, w.tasks())
		all := w.drain()
		require.Equal(t, due[:], all[100:])
		w.again(all)
	}
}

// What is due goes before a backlog, in the order of the deadlines. Something else has a turn
// between two of them. (runtime/R76)
func TestWhatIsDueGoesBeforeABacklog(t *testing.T) {
	for _, piles := range []bool{true, false} {
		w, due := piled(t, 3)
		if !piles {
			w.spilled, w.piled, w.piles = 0, 0, false
		}
		others := []*task{w.queued(), w.queued(), w.queued()}
		w.again(others)
		w.pollsUntilInjector = 0
		var all []*task
		for range 6 {
			all = append(all, w.pick())
		}
		require.Equal(t, due, []*task{all[0], all[2], all[4]})
		require.False(t, w.dueLeft)
		w.again(all)
	}
}

// What a task queues behind a pile that was due, and goes before it, is counted, and so is what the
// task queues there that it has woken, which has the next turn. (runtime/R73)
func TestWhatGoesFirstIsCounted(t *testing.T) {
	w, due := piled(t, 1)
	woken := w.sleeping()
	w.lookForDue()
	taken := []*task{w.pick()}
	require.Same(t, due[0], taken[0])
	w.again([]*task{w.queued(), w.queued()}) // the second one has the next turn
	require.Equal(t, 1, w.due.queued)
	woken.state.Wake()
	w.pushWoken(woken)
	taken = append(taken, w.pick())
	require.Same(t, woken, taken[1])
	require.Equal(t, 2, w.due.queued)
	w.pushBehind(w.queued())
	taken = append(taken, w.pick())
	require.Equal(t, 3, w.due.queued)
	w.pushBehind(w.queued())
	require.Equal(t, 3, w.due.queued, "another task has queued it")
	w.again(taken)
}

// When as many tasks have left the injector as were there, what was due may queue others again.
// (runtime/R73)
func TestWhatWentFirstIsForgotten(t *testing.T) {
	w, _ := piled(t, 0)
	w.due.turn = true
	w.pushBehind(w.queued())
	w.due.turn = false
	require.Equal(t, 1, w.due.queued)
	var all []*task
	for range w.due.forget - 1 {
		first, _ := w.fetch(1, 1)
		all = append(all, first)
	}
	require.Len(t, all, 101)
	require.Equal(t, 1, w.due.queued)
	w.pushBehind(all[0])
	first, _ := w.fetch(1, 1)
	require.Zero(t, w.due.queued)
	w.again(append(all[1:], first))
}

// As long as something that was due is queued behind a pile, all that is due later is.
// (runtime/R13)
func TestWhatIsDueDoesNotOvertakeABehind(t *testing.T) {
	w, due := piled(t, 2)
	w.due.queued = w.ring.Cap()
	require.Nil(t, w.pickDue())
	w.due.queued, w.piled, w.piles = 0, 0, false // half of the pile has left
	late := w.sleeping()
	w.rt.timers.set(&timer{task: late}, 3)
	require.Nil(t, w.pickDue())
	require.Equal(t, 103, w.rt.injector.Len())
	var all []*task
	for range 101 {
		first, _ := w.fetch(1, 1)
		all = append(all, first)
	}
	require.Equal(t, 2, w.rt.injector.Len())
	w.pushBehind(w.queued())
	first, n := w.fetch(3, 1) // two of them are in the ring then
	require.Equal(t, 3, n)
	later := w.sleeping()
	w.rt.timers.set(&timer{task: later}, 4)
	w.pushBehind(w.queued())
	w.dueLeft = true
	require.Nil(t, w.pickDue())
	require.True(t, w.dueLeft)
	require.Equal(t, due[0], all[100])
	require.Equal(t, due[1], first)
	w.again(append(all, first))
}

// What was due and must leave the ring keeps its place before a backlog, and before all that is due
// later. (runtime/R79)
func TestWhatIsDueDoesNotOverflow(t *testing.T) {
	rt := scripted(t, Workers(1), Ring(16))
	w := rt.workers[0]
	var due []*task
	for i := range 6 {
		due = append(due, w.sleeping())
		rt.timers.set(&timer{task: due[i]}, int64(1+i))
	}
	older := w.queued()
	w.ring.Push(older, w.overflowFn)
	w.lookForDue()
	all := []*task{w.pick()} // the others go to the ring
	late := w.sleeping()
	rt.timers.set(&timer{task: late}, 7)
	for range 100 {
		w.pushLocal(w.queued())
	}
	w.due.behind = 1
	kept := append([]*task{older}, due[1:]...)
	for _, x := range kept {
		all = append(all, w.pick(), w.pick()) // something else has a turn before it (runtime/R82)
		require.NotContains(t, kept, all[len(all)-2])
		require.Same(t, x, all[len(all)-1])
	}
	w.due.behind = 0
	all = append(all, w.pick(), w.pick())
	require.Same(t, late, all[len(all)-1])
	w.again(all)
}

// While tasks pile up, what is due goes before what the end of a task has woken, which keeps its
// place in the ring. (runtime/R76)
func TestWhatIsDueGoesBeforeWhatAnEndWakes(t *testing.T) {
	w, due := piled(t, 1)
	w.dueLeft = true
	woken := w.queued()
	w.hands(func() { w.pushLocal(woken) })
	require.Same(t, due[0], w.pick())
	require.Equal(t, 1, w.ring.Len())
	require.Nil(t, w.slot.Load())
	w.again(due)
}

// What is cancelled while it is queued in a backlog goes first, by another entry with a reference.
// So does what runs on top of it. What yields then stays before the backlog. (runtime/R77)
func TestWhatIsCancelledInABacklogComesFirst(t *testing.T) {
	w, _ := piled(t, 0)
	h := w.do(func(Cx) (int, error) { return 0, nil })
	queued := w.slot.Swap(nil)
	w.pushBehind(queued)
	before := queued.state.Load().References()
	h.Cancel()
	require.Equal(t, before+1, queued.state.Load().References())
	require.Same(t, queued, w.pickDue())
	w.due.last = false

	lower, upper := w.sleeping(), w.queued()
	lower.state.Wake()
	lower.state.ToRunning()
	l := &link{child: upper}
	l.waker = l
	l.queued.Store(true)
	lower.pushJoiner(&l.joiner)
	lower.cancel(w)
	require.Same(t, upper, w.pickDue())
	lower.removeJoiner(&l.joiner)

	w.current = &coroutine{}
	for range mostUrgent {
		w.due.last = false
		w.suspended, w.reason = lower, taskYields
		w.settle()
		require.Same(t, lower, w.pickDue())
		lower.state.ToRunning()
	}
	w.suspended, w.reason = lower, taskYields
	w.settle() // the turn of others (runtime/R82)
	require.Empty(t, w.rt.timers.ready)
	require.Equal(t, 101, w.rt.injector.Len())
	require.Equal(t, 1, w.ring.Len())
	w.again([]*task{queued, upper})
}

// What is due again after each turn, and starts more in it than a ring holds, queues behind a pile
// after so many turns, not after so many looks at the injector. (runtime/R84)
func TestTurnsOfWhatIsDueMakeAPile(t *testing.T) {
	rt := scripted(t, Workers(1), Ring(16))
	w := rt.workers[0]
	sleepers := map[*task]bool{}
	sleep := func(x *task) { rt.timers.set(&timer{task: x}, 1) }
	for range 4 {
		x := w.sleeping()
		sleepers[x] = true
		sleep(x)
	}
	const children = 100
	most := 0
	var others []*task
	for range 5000 {
		x := w.pick()
		w.countTurn()
		if !sleepers[x] {
			others = append(others, x)
			continue
		}
		x.state.ToRunning()
		for range children {
			if len(others) == 0 {
				others = append(others, w.queued())
			}
			w.pushLocal(others[0])
			others = others[1:]
		}
		x.state.ToIdle()
		sleep(x)
		most = max(most, rt.injector.Len())
	}
	require.Less(t, most, 2*pileLooks*children)
	for x := range sleepers {
		x.state.Wake()
		others = append(others, x)
	}
	rt.timers.heap = nil
	rt.timers.publish()
	w.again(others)
}
