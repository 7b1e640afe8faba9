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
