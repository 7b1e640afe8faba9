package runtime

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A sleep until a time has a timer for just that time, whenever the sleeper has come: those that
// sleep until times a microsecond apart, or a nanosecond, are ready in the order of these.
// (runtime/R8)
func TestASleepUntilATimeIsNotMovedByItsCall(t *testing.T) {
	rt, err := New(Workers(1))
	require.NoError(t, err)
	const sleepers = 1000
	begin := rt.base.Add(time.Hour)
	for i := range sleepers { // the latest first
		until := begin.Add(time.Duration(sleepers-i) * time.Nanosecond)
		Submit(rt, func(cx Cx) (int, error) { return 0, cx.SleepUntil(until) })
	}
	require.Eventually(t, func() bool { return rt.timers.count.Load() == sleepers },
		10*time.Second, time.Millisecond)
	var when []int64
	rt.timers.lock.Lock()
	for _, e := range rt.timers.heap {
		when = append(when, e.when)
	}
	rt.timers.lock.Unlock()
	slices.Sort(when)
	for i, w := range when {
		require.Equal(t, int64(time.Hour)+int64(i)+1, w)
	}
	require.NoError(t, rt.Close())
}

// What is due is picked first, unless it would overtake others that were. What is due after it goes
// to the back of the ring, and stays if there is no room, or a backlog. (runtime/R13, R79)
func TestWhereDueTasksGo(t *testing.T) {
	const ring = 4
	for _, c := range []struct {
		name         string
		queued, due  int  // tasks in the ring before, timers that are due
		dueBefore    int  // how many of those in the ring are due timers', the last ones
		slotTaken    bool // by another task
		afterLIFO    bool // the slot was used as often in a row as is allowed
		backlog      int  // tasks in the injector
		next         int  // which is picked, from 1; 0: none
		inRing, left int  // how many are at the back of the ring, and are not fired
	}{
		{name: "one", due: 1, next: 1},
		{name: "one, while others are queued", queued: 3, due: 1, next: 1},
		{name: "several", due: 4, next: 1, inRing: 3},
		{name: "after earlier ones", queued: 2, dueBefore: 1, due: 2, left: 2},
		{name: "the slot is taken", due: 2, slotTaken: true, next: 1, inRing: 1},
		{name: "the slot was used too often", due: 2, afterLIFO: true, next: 1, inRing: 1},
		{name: "more than there is room for", queued: 1, due: 8, next: 1, inRing: 3, left: 4},
		{name: "no room, earlier ones first", queued: 4, dueBefore: 1, due: 2, left: 2},
		{name: "no room", queued: 4, due: 2, slotTaken: true, next: 1, left: 1},
		{name: "few are injected", due: 3, backlog: ring, next: 1, inRing: 2},
		{name: "a backlog", due: 3, slotTaken: true, backlog: ring + 1, next: 1, left: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			config, err := configure([]Option{Workers(1), Ring(ring), WithClock(
				func() int64 { return 100 })})
			require.NoError(t, err)
			rt := assemble(config)
			w := rt.workers[0]
			push := func() *task {
				x := Submit(rt, func(Cx) (int, error) { return 0, nil })
				require.Equal(t, 1, rt.injector.TakeFunc(w.batch(1), 1, w.takeCredit))
				return &x.task
			}
			for range c.queued {
				w.ring.Push(push(), w.overflowFn)
			}
			if c.dueBefore > 0 {
				w.dueEnd = w.ring.Tail()
			}
			before := w.slot.Load()
			if c.slotTaken {
				before = push()
				w.slot.Store(before)
			}
			if c.afterLIFO {
				w.lifoPolls = config.lifoCap
			}
			var due []*task
			for i := range c.due {
				x := push()
				x.state.ToRunning()
				x.state.ToIdle()
				due = append(due, x)
				rt.timers.set(&timer{task: x}, int64(i))
			}
			for range c.backlog {
				Submit(rt, empty)
			}
			w.lookForDue()
			require.True(t, w.dueLeft)
			next := w.pickDue()
			if c.next > 0 {
				require.Same(t, due[c.next-1], next)
			} else {
				require.Nil(t, next)
			}
			var ring []*task
			for x, ok := w.ring.Pop(); ok; x, ok = w.ring.Pop() {
				ring = append(ring, x)
			}
			if c.backlog > w.ring.Cap() {
				require.Nil(t, w.slot.Load())
				require.Equal(t, []*task{before}, ring)
			} else {
				require.Same(t, before, w.slot.Load())
			}
			require.Len(t, rt.timers.heap, c.left)
			require.Equal(t, c.left > 0, w.dueLeft)
			require.Equal(t, c.backlog, rt.injector.Len())
			require.GreaterOrEqual(t, len(ring), c.inRing)
			require.True(t, slices.Equal(due[c.next:c.next+c.inRing], ring[len(ring)-c.inRing:]))
		})
	}
}

// A Deadline has a timer for just its time, whenever it has come, and so has the context of its
// function. (runtime/R8)
func TestADeadlineIsNotMovedByItsCall(t *testing.T) {
	rt, err := New(Workers(1))
	require.NoError(t, err)
	const calls = 100
	begin := rt.base.Add(time.Hour)
	own := make(chan time.Time, calls)
	for i := range calls { // the latest first
		until := begin.Add(time.Duration(calls-i) * time.Nanosecond)
		Submit(rt, func(cx Cx) (int, error) {
			return Deadline(cx, until, func(cx Cx) (int, error) {
				d, _ := cx.Context().Deadline()
				own <- d
				var never Notify
				return 0, never.Wait(cx)
			})
		})
	}
	all := func() bool { return rt.timers.count.Load() == calls && len(own) == calls }
	require.Eventually(t, all, 10*time.Second, time.Millisecond)
	var when, told []int64
	rt.timers.lock.Lock()
	for _, e := range rt.timers.heap {
		when = append(when, e.when)
	}
	rt.timers.lock.Unlock()
	for range calls {
		told = append(told, int64((<-own).Sub(rt.base)))
	}
	slices.Sort(when)
	slices.Sort(told)
	for i := range calls {
		require.Equal(t, int64(time.Hour)+int64(i)+1, when[i])
		require.Equal(t, int64(time.Hour)+int64(i)+1, told[i])
	}
	require.NoError(t, rt.Close())
}
