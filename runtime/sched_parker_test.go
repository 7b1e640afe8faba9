package runtime

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/park"
)

// A runtime with the default options works in a bubble of testing/synctest, whose clock does not
// wait for workers that sleep. (runtime/R53)
func TestRuntimeInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, err := New(Workers(2))
		require.NoError(t, err)
		start := time.Now()
		_, err = Submit(rt, func(cx Cx) (int, error) {
			return Timeout(cx, 2*time.Hour, func(cx Cx) (int, error) {
				return 0, cx.Sleep(time.Hour)
			})
		}).Wait(context.Background())
		require.NoError(t, err)
		require.Equal(t, time.Hour, time.Since(start))
		require.NoError(t, rt.Close())
	})
	require.False(t, inBubble(time.Now()))
}

// Threads that sleep would stop the clock of a bubble for ever: New refuses them there, and only
// there, whatever the clock of the machine shows. (runtime/R53)
func TestThreadsAreRefusedInABubble(t *testing.T) {
	if !park.Futex.Available() {
		t.Skip("no worker has a thread to itself")
	}
	synctest.Test(t, func(t *testing.T) {
		rt, err := New(Workers(2), Parker(park.Futex))
		require.Nil(t, rt)
		require.EqualError(t, err, "surewake: Parker(Futex): in a bubble of testing/synctest, "+
			"threads that sleep stop the clock; Parker(Portable) has none")
		rt, err = New(Workers(2), Parker(park.Portable))
		require.NoError(t, err)
		require.NoError(t, rt.Close())
	})
	rt, err := New(Workers(2), Parker(park.Futex))
	require.NoError(t, err)
	require.NoError(t, rt.Close())
	require.False(t, inBubble(time.Now().Add(-26*365*24*time.Hour)))
}

// More workers than have a thread each sleep as goroutines, unless somebody has chosen.
// (runtime/R53)
func TestManyWorkersSleepAsGoroutines(t *testing.T) {
	if !park.Futex.Available() {
		t.Skip("no worker has a thread to itself")
	}
	for _, c := range []struct {
		workers     int
		kind, sleep park.Kind
	}{
		{2, park.Default, park.Default},
		{anyThreads, park.Default, park.Default},
		{mostThreads + 1, park.Default, park.Portable},
		{65536, park.Default, park.Portable},
		{mostThreads + 1, park.Futex, park.Futex},
		{65536, park.Portable, park.Portable},
	} {
		config, err := configure([]Option{Workers(c.workers), Parker(c.kind)})
		require.NoError(t, err)
		require.NoError(t, config.chooseParker())
		require.Equal(t, c.sleep, config.parker, "%d workers", c.workers)
	}
}

// Of many workers only the first has a goroutine before there is work: each that falls asleep looks
// through the queues of all. The others sleep, and are started as they are woken. (runtime/R53)
func TestManyWorkersAreDormantAtFirst(t *testing.T) {
	for _, n := range []int{mostThreads, mostThreads + 1, 65536} {
		rt, err := New(Workers(n), Parker(park.Portable))
		require.NoError(t, err)
		require.Equal(t, n > mostThreads, rt.workers[1].dormant)
		require.False(t, rt.workers[0].dormant)
		require.Equal(t, n > mostThreads, rt.workers[n-1].dormant)
		require.Eventually(t, rt.Idle, time.Minute, time.Millisecond)
		began, free := make(chan bool), make(chan bool)
		for range 10 {
			rt.Go(func(Cx) { began <- true; <-free })
		}
		for range 10 {
			<-began
		}
		require.Eventually(t, func() bool { return rt.Sleeping() == n-10 }, time.Minute,
			time.Millisecond)
		close(free)
		require.NoError(t, rt.Close())
		require.Zero(t, rt.Running())
	}
}

// Of many workers that are woken to stop, none looks through the queues of the others; it ends when
// nothing is left to it. (runtime/R53)
func TestManyWorkersStopWithoutASearch(t *testing.T) {
	c, err := configure([]Option{Workers(3), Parker(park.Portable)})
	require.NoError(t, err)
	rt := assemble(c)
	w, other := rt.workers[0], rt.workers[1]
	for range 2 {
		Submit(rt, func(Cx) (int, error) { return 0, nil })
	}
	require.Equal(t, 2, rt.injector.TakeFunc(other.batch(2), 1, other.takeCredit))
	require.True(t, w.idle.Search())
	rt.finished.Store(true)
	rt.idle.Close(nil)
	other.ring.Push(other.scratch[0], other.overflowFn)
	require.Nil(t, w.search())
	require.True(t, w.sleep())
	require.False(t, other.sleep())

	w.ring.Push(other.scratch[1], w.overflowFn)
	require.False(t, w.sleep())
	first, ok := w.ring.Pop()
	require.True(t, ok)
	w.slot.Store(first)
	require.False(t, w.sleep())
	w.slot.Store(nil)
	require.True(t, w.sleep())
	Submit(rt, func(Cx) (int, error) { return 0, nil })
	require.False(t, w.sleep())
}
