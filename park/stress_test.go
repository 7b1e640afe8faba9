package park_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/park"
)

// Everything that producers put is taken, though the consumer parks, with and without timeouts,
// whenever it finds nothing. A lost token would leave it asleep for ever.
func TestStressEverythingPutIsTaken(t *testing.T) {
	eachKind(t, func(t *testing.T, newParker func() *park.Parker) {
		const producers, each = 3, 400
		p := newParker()
		var put atomic.Int64
		var wg sync.WaitGroup
		for i := range producers {
			wg.Go(func() {
				for j := range each {
					put.Add(1)
					p.Unpark()
					if (i+j)%7 == 0 {
						runtime.Gosched()
					}
				}
			})
		}
		for i := 0; ; i++ {
			if put.Load() == producers*each {
				break
			}
			if i%2 == 0 {
				p.Park()
			} else {
				p.ParkTimeout(time.Duration(i%5) * 10 * time.Microsecond)
			}
		}
		wg.Wait()
		p.ParkTimeout(0)
		require.False(t, p.ParkTimeout(0), "a second token")
	})
}

// Tokens are counted: as many are taken as are left, if each is left only after the one before was
// taken; with timeouts as short as a wake takes, so that the two fall together.
func TestStressTimeoutsAgainstUnparks(t *testing.T) {
	eachKind(t, func(t *testing.T, newParker func() *park.Parker) {
		const tokens = 300
		p := newParker()
		var taken atomic.Int64
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := range int64(tokens) {
				for taken.Load() != i {
					runtime.Gosched()
				}
				for range i % 64 {
					runtime.Gosched()
				}
				p.Unpark()
			}
		})
		for i := 0; taken.Load() < tokens; i++ {
			if p.ParkTimeout(time.Duration(1 + i%40*1000)) {
				taken.Add(1)
			}
		}
		wg.Wait()
		require.False(t, p.ParkTimeout(time.Microsecond), "more tokens taken than left")
	})
}

// A ring of parkers passes one token round; each has its turn to wake and to sleep.
func TestStressRing(t *testing.T) {
	eachKind(t, func(t *testing.T, newParker func() *park.Parker) {
		const members, rounds = 4, 100
		var ring [members]*park.Parker
		for i := range ring {
			ring[i] = newParker()
		}
		visits := 0 // plain: whoever has the token has it
		var wg sync.WaitGroup
		for i := range ring {
			wg.Go(func() {
				for range rounds {
					for !ring[i].ParkTimeout(50 * time.Microsecond) {
					}
					visits++
					ring[(i+1)%members].Unpark()
				}
			})
		}
		ring[0].Unpark()
		wg.Wait()
		require.Equal(t, members*rounds, visits)
		require.True(t, ring[0].ParkTimeout(0), "the token is back")
	})
}

// The collector stops the world while goroutines sleep, and the scheduler gives their processors to
// others.
func TestSleepersHoldNobodyUp(t *testing.T) {
	eachKind(t, func(t *testing.T, newParker func() *park.Parker) {
		sleepers := 2 * runtime.GOMAXPROCS(0) // as many again as could hold a processor
		ps := make([]*park.Parker, sleepers)
		var wg sync.WaitGroup
		for i := range ps {
			p := newParker()
			ps[i] = p
			wg.Go(func() { p.Park() })
		}
		for range 3 {
			time.Sleep(time.Millisecond)
			runtime.GC()
		}
		for _, p := range ps {
			p.Unpark()
		}
		wg.Wait()
	})
}
