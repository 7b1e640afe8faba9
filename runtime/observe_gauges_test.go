package runtime

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What there is at the moment is counted, and what has failed. (runtime/R9)
func TestStatsCountWhatThereIs(t *testing.T) {
	rt := scripted(t, Workers(1), SpareCoroutines(2))
	t.Cleanup(func() { rt.raiseMode(cancelled) }) // if it fails, some sleep
	w := rt.workers[0]
	waiting := func(n int) (all []*Handle[int]) {
		for range n {
			sleeps := func(cx Cx) (int, error) { return 0, cx.Sleep(time.Hour) }
			all = append(all, Submit(rt, sleeps))
		}
		w.work()
		return all
	}
	all := waiting(4)
	s := rt.Stats()
	require.Equal(t, []int{4, 4, 4, 0}, []int{s.Live, s.Timers, s.Stacks, s.Spares})
	for range 2 {
		Submit(rt, empty)
	}
	w.work()
	s = rt.Stats()
	require.Equal(t, []int{4, 4, 5, 1}, []int{s.Live, s.Timers, s.Stacks, s.Spares})
	for _, h := range all[1:] {
		h.Cancel()
		h.Cancel()
	}
	w.work()
	s = rt.Stats()
	require.Equal(t, []int{1, 1, 3, 2}, []int{s.Live, s.Timers, s.Stacks, s.Spares})
	require.EqualValues(t, 3, s.Cancelled)
	Submit(rt, func(cx Cx) (int, error) {
		for range 5 { // before they begin, by a task
			Spawn(cx, empty).cancel(w)
		}
		all[0].cancel(w)
		return 0, nil
	})
	w.work()
	s = rt.Stats()
	require.Equal(t, []int{0, 0}, []int{s.Live, s.Timers})
	require.EqualValues(t, 9, s.Cancelled)
	all[0].Cancel() // it has ended
	require.EqualValues(t, 9, rt.Stats().Cancelled)
	h := Submit(rt, func(cx Cx) (_ int, err error) {
		cx.Shield(func() { err = cx.Sleep(1) }) // cancelled in a shield counts at once
		return 0, err
	})
	w.work()
	h.Cancel()
	require.EqualValues(t, 10, rt.Stats().Cancelled)
	for range 7 {
		Submit(rt, func(Cx) (int, error) { panic("as it should") })
	}
	w.work()
	require.EqualValues(t, 7, rt.Stats().Panicked)
}

// After the end of a runtime nothing is left of what it counts, Goexit or not.
func TestStatsCountNothingThatIsAfterTheEnd(t *testing.T) {
	rt, err := New(Workers(2), SpareCoroutines(1))
	require.NoError(t, err)
	for i := range 40 {
		Submit(rt, func(cx Cx) (int, error) {
			if i%4 == 0 {
				runtime.Goexit()
			}
			return 0, cx.Sleep(time.Hour)
		})
	}
	require.NoError(t, rt.Close())
	s := rt.Stats()
	require.Equal(t, []int{0, 0, 0, 0}, []int{s.Live, s.Timers, s.Stacks, s.Watches})
	require.Zero(t, s.Panicked)
	require.Zero(t, s.Cancelled)
}
