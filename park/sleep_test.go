package park

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A sleeper has no say in whether a token was taken or the time is over; those below return when
// they should not.

// A restless sleeper returns spuriously after its time divided by n, and remembers what it was
// asked for.
type restless struct {
	n     time.Duration
	asked []time.Duration
}

func (r *restless) sleep(_ *word, d time.Duration) bool {
	r.asked = append(r.asked, d)
	if d < 0 {
		d = time.Second
	}
	time.Sleep((d-1)/r.n + 1) // rounded up
	return false
}

func (r *restless) receiveWake() {}
func (r *restless) wake(*word)   {}

// After a sleep that ended spuriously, what is left of the time is slept, no less and no more.
func TestWhatIsLeftIsSlept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &restless{n: 4}
		p := Parker{sleeper: r}
		start := time.Now()
		require.False(t, p.ParkTimeout(256*time.Second))
		require.Equal(t, 256*time.Second, time.Since(start))
		require.Equal(t, []time.Duration{256e9, 192e9, 144e9, 108e9, 81e9}, r.asked[:5])
		require.Equal(t, time.Duration(1), r.asked[len(r.asked)-1])
	})
}

// The longest time overflows neither on the way in nor after a sleep that ended spuriously.
func TestLongestTimeIsSlept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &restless{n: 1 << 33}
		p := Parker{sleeper: r}
		start := time.Now()
		go func() {
			time.Sleep(10 * time.Second)
			p.Unpark()
		}()
		require.True(t, p.ParkTimeout(math.MaxInt64))
		require.GreaterOrEqual(t, time.Since(start), 10*time.Second)
	})
}

func TestParkSleepsOnUntilThereIsAToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &restless{n: 1}
		p := Parker{sleeper: r}
		go func() {
			time.Sleep(10*time.Second + time.Millisecond)
			p.Unpark()
		}()
		p.Park()
		require.Len(t, r.asked, 11)
		for _, d := range r.asked {
			require.Equal(t, forever, d)
		}
	})
}

// A waking sleeper is where, of all places, the Unpark comes: when the time is over, and the parker
// has not noticed.
type waking struct {
	p        *Parker
	unparks  int
	received int
	woken    int
}

func (w *waking) sleep(*word, time.Duration) bool {
	for range w.unparks {
		w.p.Unpark()
	}
	return false
}

func (w *waking) receiveWake() { w.received++ }
func (w *waking) wake(*word)   { w.woken++ }

// (park/P1)
func TestUnparkAfterTheTimeout(t *testing.T) {
	for unparks := range 4 {
		w := &waking{unparks: unparks}
		w.p = &Parker{sleeper: w}
		require.Equal(t, unparks > 0, w.p.ParkTimeout(1))
		require.False(t, w.p.ParkTimeout(0))
		require.Equal(t, min(unparks, 1), w.woken, "one wake a sleep")
		require.Equal(t, w.woken, w.received, "each wake is received")
	}
}

// The token of one who sleeps was taken by another goroutine: that must not pass for a timeout.
func TestStolenTokenPanics(t *testing.T) {
	thief := &thief{}
	p := Parker{sleeper: thief}
	thief.p = &p
	for _, d := range []time.Duration{forever, time.Hour} {
		require.Panics(t, func() { p.wait(d) })
	}
}

type thief struct{ p *Parker }

func (t *thief) sleep(*word, time.Duration) bool {
	t.p.Unpark()
	t.p.Park()
	return false
}

func (t *thief) receiveWake() {}
func (t *thief) wake(*word)   {}

// A parker that finds a token when it is about to sleep takes it, and does not sleep.
func TestTokenBeforeTheSleep(t *testing.T) {
	var p Parker
	p.Unpark()
	require.False(t, p.announce())
	require.False(t, p.ParkTimeout(0), "taken")
	require.True(t, p.announce())
	require.False(t, p.leave(false), "no token")
	require.False(t, p.ParkTimeout(0))
}

// A sleeper may return spuriously, but not as a habit: it sleeps.
func TestSleepersSleep(t *testing.T) {
	for _, k := range []Kind{Futex, Portable} {
		if !k.Available() {
			continue
		}
		s, start, sleeps := newSleeper(k), time.Now(), 0
		var w word
		w.Store(asleep)
		for ; time.Since(start) < 20*time.Millisecond; sleeps++ {
			s.sleep(&w, 20*time.Millisecond)
		}
		require.Less(t, sleeps, 50, "%v", k)
	}
}

// Wakes and sleeps of a channel are one to one: when nobody is under way, nothing is left in its
// buffer.
func TestChannelKeepsNoWake(t *testing.T) {
	p := New(Portable)
	p.ParkTimeout(1) // makes the channel
	for i := range 500 {
		unparked := make(chan struct{})
		go func() {
			p.Unpark()
			close(unparked)
		}()
		p.ParkTimeout(time.Duration(i % 50 * 100))
		<-unparked
		p.ParkTimeout(0)
		require.Empty(t, p.sleeper.(*channel).wakes)
	}
}
