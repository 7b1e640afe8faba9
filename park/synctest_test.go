package park_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/park"
)

// In a bubble, a portable parker waits as channels do: the clock moves on only when all wait, and
// exactly as far as it has to.

func TestSynctestTimeoutIsExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := park.New(park.Portable)
		for _, d := range []time.Duration{1, time.Second, 1000 * time.Hour, 1} {
			start := time.Now()
			require.False(t, p.ParkTimeout(d))
			require.Equal(t, d, time.Since(start))
		}
	})
}

func TestSynctestSleeperIsWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := park.New(park.Portable)
		start := time.Now()
		go func() {
			time.Sleep(time.Hour)
			p.Unpark()
			synctest.Wait() // the parker has gone on, and sleeps again
			p.Unpark()
		}()
		p.Park()
		require.Equal(t, time.Hour, time.Since(start))
		require.True(t, p.ParkTimeout(math.MaxInt64))
		require.Equal(t, time.Hour, time.Since(start))
	})
}

// Unpark and timeout at the same time: the token is taken, now or by the next call.
func TestSynctestUnparkAtTheTimeout(t *testing.T) {
	for range 200 {
		synctest.Test(t, func(t *testing.T) {
			p := park.New(park.Portable)
			for range 3 {
				go func() {
					time.Sleep(time.Second)
					p.Unpark()
				}()
				start := time.Now()
				if !p.ParkTimeout(time.Second) {
					p.Park()
				}
				require.Equal(t, time.Second, time.Since(start))
				synctest.Wait()
				require.False(t, p.ParkTimeout(0))
			}
		})
	}
}
