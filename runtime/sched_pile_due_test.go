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

// What is due while nothing piles up does not queue behind what one overflow has moved to the
// injector. If tasks pile up, and what was due has started more than a ring holds, all that is due
// queues behind them, in the order of the deadlines, however many are due. (runtime/R73)
func TestWhatIsDueQueuesBehindAPile(t *testing.T) {
	for _, piles := range []bool{false, true} {
		w, due := piled(t, 40)
		w.piles, w.due.started = piles, w.ring.Cap()
		w.fireTimers()
		if !piles {
			require.Equal(t, 100, w.rt.injector.Len())
			require.NotNil(t, w.slot.Load())
			continue
		}
		require.Equal(t, 140, w.rt.injector.Len())
		require.Nil(t, w.slot.Load())
		require.Zero(t, w.ring.Len())
		all := w.drain()
		require.Equal(t, due[:], all[100:])
		w.again(all)
	}
}

// What is due goes before what piles up, one task after the other, in the order of the deadlines.
// (runtime/R76)
func TestWhatIsDueGoesBeforeAPile(t *testing.T) {
	for _, look := range []bool{true, false} {
		w, due := piled(t, 3)
		others := []*task{w.queued(), w.queued()}
		w.again(others)
		if w.pollsUntilInjector = 0; !look {
			w.pollsUntilInjector, w.dueLeft = 1000, true
		}
		for i := range due {
			w.lifoPolls = 0
			require.Same(t, due[i], w.pick(), "%d", i)
		}
		require.False(t, w.dueLeft)
		require.Equal(t, 101, w.rt.injector.Len())
		require.Equal(t, 1, w.ring.Len(), "what was in the slot")
		w.again(due)
	}
}

// After as many polls from the slot in a row as may be, one of the pile has a turn, though more
// tasks are due.
func TestAPileHasTurnsAmongWhatIsDue(t *testing.T) {
	w, due := piled(t, 40)
	w.pollsUntilInjector = 0
	var all []*task
	for range w.rt.config.lifoCap + 1 {
		all = append(all, w.pick())
	}
	require.Equal(t, due[:w.rt.config.lifoCap], all[:w.rt.config.lifoCap])
	require.NotContains(t, due, all[w.rt.config.lifoCap])
	rest := w.drain()
	require.NotContains(t, rest, due[w.rt.config.lifoCap], "it has lost its place")
	require.Less(t, len(rest), 100)
	w.again(append(all, rest...))
}

// What a task starts that was due, and goes before a pile, is counted, and so is what the task
// starts that it has woken, which has the next turn. (runtime/R73)
func TestWhatGoesFirstIsCounted(t *testing.T) {
	w, due := piled(t, 1)
	woken := w.sleeping()
	w.fireTimers()
	taken := []*task{w.pick()}
	require.Same(t, due[0], taken[0])
	w.pushBehind(w.queued())
	w.pushBehind(w.queued())
	woken.state.Wake()
	w.pushWoken(woken)
	taken = append(taken, w.pick())
	require.Same(t, woken, taken[1])
	require.Equal(t, 2, w.due.started)
	w.pushBehind(w.queued())
	taken = append(taken, w.pick())
	require.Equal(t, 3, w.due.started)
	w.pushBehind(w.queued())
	taken = append(taken, w.pick())
	require.Equal(t, 3, w.due.started, "another task has started it")
	w.again(taken)
}

// When as many tasks have left the injector as were there, what was due may start others again.
// (runtime/R73)
func TestWhatWentFirstIsForgotten(t *testing.T) {
	w, _ := piled(t, 0)
	w.due.turn, w.due.from = true, w.count.spawned-3
	w.endDueTurn()
	require.Equal(t, 3, w.due.started)
	var all []*task
	for range w.rt.injector.Len() {
		first, _ := w.fetch(1, 1)
		all = append(all, first)
	}
	require.Equal(t, 3, w.due.started)
	w.pushBehind(all[0])
	first, _ := w.fetch(1, 1)
	require.Zero(t, w.due.started)
	w.again(append(all[1:], first))
}

// As long as something that was due is queued behind a pile, all that is due later is.
// (runtime/R13)
func TestWhatIsDueDoesNotOvertakeABehind(t *testing.T) {
	w, due := piled(t, 2)
	w.due.started = w.ring.Cap()
	w.fireTimers()
	w.due.started = 0
	late := w.sleeping()
	w.rt.timers.set(&timer{task: late}, 3)
	w.fireTimers()
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
	w.spilled, w.piled, w.piles = 1, pileLooks, true
	w.pushBehind(w.queued())
	w.fireFirst(w.rt.now())
	require.True(t, w.dueLeft)
	require.Nil(t, w.slot.Load())
	require.Equal(t, due[0], all[100])
	require.Equal(t, due[1], first)
	w.again(append(all, first))
}

// If the ring is full, and the first that is due goes to the slot, the others wait: the first would
// leave the slot for the injector. (runtime/R13)
func TestWhatIsDueDoesNotPushOutAnother(t *testing.T) {
	w, due := piled(t, 2)
	w.piles = false
	for w.ring.Len() < w.ring.Cap() {
		w.ring.Push(w.queued(), w.overflowFn)
	}
	w.fireTimers()
	require.Same(t, due[0], w.slot.Load())
	require.True(t, w.dueLeft)
	require.Equal(t, 100, w.rt.injector.Len())
}

// While tasks pile up, what is due stays in the slot if more is due at the end of a tick.
// (runtime/R13)
func TestWhatIsDueKeepsItsPlaceBeforeAPile(t *testing.T) {
	w, due := piled(t, 2)
	w.fireTimers()
	w.fireTimers()
	require.Same(t, due[0], w.slot.Load())
	require.Zero(t, w.ring.Len())
	require.True(t, w.dueLeft)
}

// While tasks pile up, what is due goes before what the end of a task has woken: the end of that
// might push it out of the slot, behind the pile. (runtime/R76)
func TestWhatIsDueGoesBeforeWhatAnEndWakes(t *testing.T) {
	w, due := piled(t, 1)
	w.dueLeft = true
	woken := w.queued()
	w.hands(func() { w.pushLocal(woken) })
	require.Same(t, due[0], w.pick())
	require.Equal(t, 1, w.ring.Len())
	w.again(due)
}
