package runtime

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/park"
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

// What a runtime allocates for its workers grows with their number and not with its square.
// (runtime/R11)
func TestAWorkerTakesAFewKilobytes(t *testing.T) {
	allocated := func(workers int) uint64 {
		c, err := configure([]Option{Workers(workers), Parker(park.Portable)})
		require.NoError(t, err)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		assemble(c)
		runtime.ReadMemStats(&after)
		return (after.TotalAlloc - before.TotalAlloc) / uint64(workers)
	}
	few, many := allocated(64), allocated(4096)
	t.Logf("with 64 workers %d bytes each, with 4096 %d", few, many)
	require.Less(t, many, few+2000)
	require.LessOrEqual(t, many, uint64(4096))
}
