package park_test

import (
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/park"
)

// eachKind runs a test on every kind of parker that this platform has, and on the zero value.
func eachKind(t *testing.T, test func(t *testing.T, newParker func() *park.Parker)) {
	t.Run("zero value", func(t *testing.T) {
		test(t, func() *park.Parker { return new(park.Parker) })
	})
	for _, k := range []park.Kind{park.Futex, park.Portable} {
		t.Run(k.String(), func(t *testing.T) {
			if !k.Available() {
				t.Skip("not on this platform")
			}
			test(t, func() *park.Parker { return park.New(k) })
		})
	}
}

func TestTokenIsRemembered(t *testing.T) {
	eachKind(t, func(t *testing.T, newParker func() *park.Parker) {
		p := newParker()
		p.Unpark()
		p.Park()
		p.Unpark()
		require.True(t, p.ParkTimeout(time.Hour))
		p.Unpark()
		require.True(t, p.ParkTimeout(0))
	})
}

func TestOneTokenIsAllThatIsRemembered(t *testing.T) {
	eachKind(t, func(t *testing.T, newParker func() *park.Parker) {
		p := newParker()
		for range 3 {
			p.Unpark()
		}
		require.True(t, p.ParkTimeout(0))
		require.False(t, p.ParkTimeout(0))
		require.False(t, p.ParkTimeout(time.Microsecond))
	})
}

func TestUnparkWakesWhoSleeps(t *testing.T) {
	sleeps := map[string]func(*park.Parker) bool{
		"Park":              func(p *park.Parker) bool { p.Park(); return true },
		"ParkTimeout(hour)": func(p *park.Parker) bool { return p.ParkTimeout(time.Hour) },
		// The largest duration must not overflow, neither here nor in the kernel's time structure.
		"ParkTimeout(max)": func(p *park.Parker) bool { return p.ParkTimeout(math.MaxInt64) },
	}
	for name, sleep := range sleeps {
		t.Run(name, func(t *testing.T) {
			eachKind(t, func(t *testing.T, newParker func() *park.Parker) {
				p := newParker()
				var awake atomic.Bool
				took := make(chan bool)
				go func() {
					ok := sleep(p)
					awake.Store(true)
					took <- ok
				}()
				// it sleeps by now, on most machines; if not, the test is none the worse
				time.Sleep(2 * time.Millisecond)
				require.False(t, awake.Load(), "returned without a token")
				p.Unpark()
				require.True(t, <-took)
				require.False(t, p.ParkTimeout(0), "one Unpark, two tokens")
			})
		})
	}
}

func TestTimeoutIsNeverEarly(t *testing.T) {
	durations := []time.Duration{1, time.Microsecond, 999_999, time.Millisecond,
		3*time.Millisecond + 1}
	eachKind(t, func(t *testing.T, newParker func() *park.Parker) {
		p := newParker()
		for _, d := range durations {
			start := time.Now()
			require.False(t, p.ParkTimeout(d))
			require.GreaterOrEqual(t, time.Since(start), d)
		}
		p.Unpark()
		require.True(t, p.ParkTimeout(1), "it works as before")
	})
}

// Without a positive duration, ParkTimeout looks and returns. If it slept, nobody would end it
// here.
func TestNoTimeIsALook(t *testing.T) {
	eachKind(t, func(t *testing.T, newParker func() *park.Parker) {
		p := newParker()
		for _, d := range []time.Duration{0, -1, -time.Hour, math.MinInt64} {
			require.False(t, p.ParkTimeout(d))
			p.Unpark()
			require.True(t, p.ParkTimeout(d))
		}
	})
}

func TestTokenAfterTimeoutStays(t *testing.T) {
	eachKind(t, func(t *testing.T, newParker func() *park.Parker) {
		p := newParker()
		require.False(t, p.ParkTimeout(time.Microsecond))
		p.Unpark()
		require.True(t, p.ParkTimeout(time.Microsecond))
		require.False(t, p.ParkTimeout(time.Microsecond))
	})
}

// Parkers as they lie in a worker: by value, made by nobody, unparked before they are used.
func TestZeroValueIsReady(t *testing.T) {
	var workers [3]struct {
		id int
		p  park.Parker
	}
	for i := range workers {
		workers[i].p.Unpark()
	}
	for i := range workers {
		workers[i].p.Park()
	}
}

// The first sleep makes what it needs, while others unpark; the race detector looks on.
func TestFirstParkAndFirstUnparkMeet(t *testing.T) {
	eachKind(t, func(t *testing.T, newParker func() *park.Parker) {
		for range 100 {
			p := newParker()
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(p.Unpark)
			}
			p.Park()
			p.ParkTimeout(time.Microsecond)
			wg.Wait()
		}
	})
}

// What came before Unpark is seen after Park, and what came before the return of one parker's Park
// by the next parker: without that, these plain accesses would race.
func TestUnparkSynchronizesBeforePark(t *testing.T) {
	eachKind(t, func(t *testing.T, newParker func() *park.Parker) {
		const rounds = 300
		there, back := newParker(), newParker()
		value := 0
		var wg sync.WaitGroup
		wg.Go(func() {
			for range rounds {
				there.Park()
				value++
				back.Unpark()
			}
		})
		for i := range rounds {
			if value != 2*i {
				t.Errorf("round %d: value is %d", i, value)
			}
			value++
			there.Unpark()
			back.Park()
		}
		wg.Wait()
		require.Equal(t, 2*rounds, value)
	})
}

// A parker is one token: every sequence of calls by one goroutine agrees with a bool.
func TestParkerIsABool(t *testing.T) {
	eachKind(t, func(t *testing.T, newParker func() *park.Parker) {
		rapid.Check(t, func(t *rapid.T) {
			p := newParker()
			there := false
			taken := func(ok bool) {
				require.Equal(t, there, ok)
				there = false
			}
			t.Repeat(map[string]func(*rapid.T){
				"Unpark": func(*rapid.T) {
					p.Unpark()
					there = true
				},
				"Park": func(t *rapid.T) {
					if !there {
						t.Skip("would wait for ever")
					}
					p.Park()
					there = false
				},
				"look": func(t *rapid.T) {
					taken(p.ParkTimeout(time.Duration(rapid.Int64Max(0).Draw(t, "d"))))
				},
				"ParkTimeout": func(t *rapid.T) {
					d := time.Duration(rapid.Int64Range(1, 20_000).Draw(t, "d"))
					start := time.Now()
					ok := p.ParkTimeout(d)
					if !ok {
						require.GreaterOrEqual(t, time.Since(start), d)
					}
					taken(ok)
				},
				"long ParkTimeout": func(t *rapid.T) {
					if !there {
						t.Skip("would wait for long")
					}
					taken(p.ParkTimeout(time.Duration(rapid.Int64Min(int64(time.Hour)).Draw(t,
						"d"))))
				},
			})
		})
	})
}
