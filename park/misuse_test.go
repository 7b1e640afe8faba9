package park_test

import (
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/park"
)

const misuse = "park: a second goroutine is in Park or ParkTimeout of the same Parker; only one may be at a time"

// The second of two parkers panics, and the first does not suffer. Which of the two is the second
// is not known here.
func TestSecondParkerPanics(t *testing.T) {
	for name, sleep := range map[string]func(*park.Parker){
		"Park":        (*park.Parker).Park,
		"ParkTimeout": func(p *park.Parker) { p.ParkTimeout(time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			eachKind(t, func(t *testing.T, newParker func() *park.Parker) {
				p := newParker()
				// two at once the first time are a data race besides, which the race detector
				// reports
				p.ParkTimeout(1)
				ended := make(chan any)
				for range 2 {
					go func() {
						defer func() { ended <- recover() }()
						sleep(p)
					}()
				}
				require.Equal(t, misuse, <-ended)
				p.Unpark()
				require.Nil(t, <-ended)
				require.False(t, p.ParkTimeout(0), "the token was not taken")
			})
		})
	}
}

func TestKinds(t *testing.T) {
	require.Equal(t, "Default", park.Default.String())
	require.Equal(t, "Futex", park.Futex.String())
	require.Equal(t, "Portable", park.Portable.String())
	require.Equal(t, "Kind(7)", park.Kind(7).String())

	require.True(t, park.Default.Available())
	require.True(t, park.Portable.Available())
	require.Equal(t, runtime.GOOS == "linux" || runtime.GOOS == "android", park.Futex.Available())
	require.False(t, park.Kind(3).Available())

	require.PanicsWithValue(t, "park: New(Kind(7)): not available on "+runtime.GOOS,
		func() { park.New(7) })
	if !park.Futex.Available() {
		require.PanicsWithValue(t, "park: New(Futex): not available on "+runtime.GOOS,
			func() { park.New(park.Futex) })
	}
	p := park.New(park.Default)
	p.Unpark()
	p.Park()
}

// A Parker that is a field becomes one of a kind in place.
func TestInitChoosesTheKindOfAField(t *testing.T) {
	for _, k := range []park.Kind{park.Default, park.Futex, park.Portable} {
		var worker struct{ token park.Parker }
		if !k.Available() {
			require.PanicsWithValue(t, "park: Init("+k.String()+"): not available on "+
				runtime.GOOS, func() { worker.token.Init(k) })
			continue
		}
		worker.token.Init(k)
		worker.token.Unpark()
		worker.token.Park()
		worker.token.Init(k) // it has not slept
		worker.token.ParkTimeout(1)
		require.Equal(t, sleeperOf(k), sleeperType(&worker.token), k)
		require.PanicsWithValue(t, "park: Init of a Parker that has slept",
			func() { worker.token.Init(k) })
	}
	require.PanicsWithValue(t, "park: Init(Kind(7)): not available on "+runtime.GOOS,
		func() { new(park.Parker).Init(7) })
}

// sleeperOf returns the type of what a Parker that New has made of a kind sleeps by.
func sleeperOf(k park.Kind) string {
	p := park.New(k)
	p.ParkTimeout(1)
	return sleeperType(p)
}

func sleeperType(p *park.Parker) string {
	return reflect.ValueOf(p).Elem().FieldByName("sleeper").Elem().Type().String()
}

func TestNothingIsAllocated(t *testing.T) {
	eachKind(t, func(t *testing.T, newParker func() *park.Parker) {
		p := newParker()
		p.ParkTimeout(1) // the first sleep makes what the later ones use
		require.Zero(t, testing.AllocsPerRun(100, func() {
			p.Unpark()
			p.Park()
			p.ParkTimeout(0)
			p.ParkTimeout(1)
		}))
	})
}
