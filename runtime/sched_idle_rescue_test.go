package runtime

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Whoever looks after slots sleeps without a timeout while nobody works. Whichever worker that is,
// it begins to look when one works.
func TestWatchBeginsWithTheFirstTaskWhoeverIsTheDriver(t *testing.T) {
	for range 60 {
		rt, err := New(Workers(3), RescueInterval(time.Millisecond))
		require.NoError(t, err)
		time.Sleep(5 * time.Millisecond)
		for rt.idle.Parked() < 3 {
			time.Sleep(time.Millisecond)
		}
		driver := rt.driver.Load()
		took, err := Submit(rt, func(cx Cx) (time.Duration, error) {
			time.Sleep(2 * time.Millisecond)
			next := Spawn(cx, empty)
			start := time.Now()
			for !next.ended() && time.Since(start) < 3*time.Second {
			}
			return time.Since(start), nil
		}).Wait(context.Background())
		require.NoError(t, err)
		require.Less(t, took, 2*time.Second, "driver %x", driver)
		require.NoError(t, rt.Close())
	}
}

// A driver that sleeps while no task runs drops what it has seen in the slots. (runtime/R10)
func TestADriverForgetsTheSlotsWhenNoTaskRuns(t *testing.T) {
	c, err := configure([]Option{Workers(2), RescueInterval(0)})
	require.NoError(t, err)
	rt := assemble(c)
	busy, driver := rt.workers[0], rt.workers[1]
	busy.slot.Store(&task{})
	rt.snapshotSlots(1)
	require.Equal(t, []*task{busy.slot.Load(), nil}, rt.slots.tasks)
	driver.parker.Unpark()
	require.True(t, driver.drive())
	require.Equal(t, []*task{nil, nil}, rt.slots.tasks)
}

func TestRingsOfManyWorkersAreSmall(t *testing.T) {
	for workers, want := range map[int]int{1: 256, mostThreads: 256, mostThreads + 1: 64} {
		c, err := configure([]Option{Workers(workers)})
		require.NoError(t, err)
		require.Equal(t, want, c.ring)
		c, err = configure([]Option{Ring(128), Workers(workers)})
		require.NoError(t, err)
		require.Equal(t, 128, c.ring)
	}
}
