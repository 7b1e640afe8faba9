package park

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/model/history"
)

// tick is the timeout of the checks: long enough that an execution on real goroutines can tell it
// from none.
const tick = 2 * time.Microsecond

// The writes before an Unpark are seen after the Park that takes its token, whenever the one comes
// before the other.
func TestModelUnparkIsNotLost(t *testing.T) {
	eachSleeper(t, budget{nothings: 2}, func(x *model.Exec, parker func() *Parker) {
		p := parker()
		written := 0
		x.Go("waker", func() {
			written = 1
			p.Unpark()
		})
		p.Park()
		x.Assert(written == 1, "Park returned before Unpark")
		x.Join()
		x.Assert(!p.ParkTimeout(0), "one Unpark left two tokens")
	})
}

// Where two wakers have left one token, what each of them wrote is seen after the Park that takes
// it: also by a parker that has not learned of the second from anything else.
func TestModelEachUnparkSynchronizes(t *testing.T) {
	eachSleeper(t, budget{}, func(x *model.Exec, parker func() *Parker) {
		p := parker()
		a, b := 0, 0
		x.Go("waker a", func() { a = 1; p.Unpark() })
		x.Go("waker b", func() { b = 1; p.Unpark() })
		settle(x)
		p.Park()
		x.Assert(a == 1 && b == 1, "a wrote %d, b %d", a, b)
	})
}

// settle waits until all other goroutines have ended or wait, and does not synchronize with them:
// the clock of the checker moves only then, by what is slept. On real goroutines, where more time
// passes, it joins them.
func settle(x *model.Exec) {
	start := time.Now()
	time.Sleep(tick)
	if time.Since(start) != tick {
		x.Join()
	}
}

// What one waker leaves is one token, or two if the first is taken in between; and none after that.
func TestModelTwoUnparksLeaveAtMostTwoTokens(t *testing.T) {
	eachSleeper(t, budget{nothings: 1}, func(x *model.Exec, parker func() *Parker) {
		p := parker()
		for range 2 {
			x.Go("waker", p.Unpark)
		}
		p.Park()
		x.Join()
		p.ParkTimeout(0)
		x.Assert(!p.ParkTimeout(0), "two Unparks left three tokens")
	})
}

// A timeout that falls together with an Unpark either takes its token or leaves it. (park/P1)
func TestModelTimeoutEatsNoToken(t *testing.T) {
	eachSleeper(t, budget{timeouts: 1, nothings: 1}, func(x *model.Exec, parker func() *Parker) {
		p := parker()
		written := 0
		x.Go("waker", func() {
			written = 1
			p.Unpark()
		})
		if !p.ParkTimeout(tick) {
			p.Park()
		}
		x.Assert(written == 1, "a token was taken before Unpark")
		x.Join()
		x.Assert(!p.ParkTimeout(0), "one Unpark left two tokens")
	})
}

// ParkTimeout returns false after its time, not before, and true only for a token. Whatever is not
// positive only looks.
func TestModelTimeoutsAreNotEarly(t *testing.T) {
	eachSleeper(t, budget{timeouts: 2, nothings: 1}, func(x *model.Exec, parker func() *Parker) {
		p := parker()
		start := time.Now()
		x.Assert(!p.ParkTimeout(0) && !p.ParkTimeout(-1) && !p.ParkTimeout(-1<<63),
			"there is no token")
		var unparks atomic.Int32
		x.Go("waker", func() {
			unparks.Add(1)
			p.Unpark()
		})
		if p.ParkTimeout(tick) {
			x.Assert(unparks.Load() == 1, "a token out of nothing")
		} else {
			x.Assert(time.Since(start) >= tick, "gave up after %v", time.Since(start))
			p.Park()
		}
		x.Join()
	})
}

// The wake of one Unpark may come when the parker sleeps for the next one: it goes on sleeping.
func TestModelWakeComesLate(t *testing.T) {
	eachSleeper(t, budget{}, func(x *model.Exec, parker func() *Parker) {
		p := parker()
		var awake atomic.Bool
		second := 0
		x.Go("first", p.Unpark)
		x.Go("second", func() {
			for !awake.Load() {
				runtime.Gosched()
			}
			second = 1
			p.Unpark()
		})
		p.Park()
		awake.Store(true)
		p.Park()
		x.Assert(second == 1, "the second Park returned before the second Unpark")
		x.Join()
	})
}

// Unpark waits for nobody: whatever became of the sleeps before, a wake finds its place.
func TestModelUnparkDoesNotWait(t *testing.T) {
	eachSleeper(t, budget{timeouts: 2}, func(x *model.Exec, parker func() *Parker) {
		p := parker()
		for range 2 {
			x.Go("waker", p.Unpark)
			p.ParkTimeout(tick)
			x.Join()
		}
	})
}

// Two that wake each other in turns.
func TestModelPingPong(t *testing.T) {
	eachSleeper(t, budget{nothings: 1}, func(x *model.Exec, parker func() *Parker) {
		const rounds = 2
		ping, pong := parker(), parker()
		turns := 0 // plain: whoever has been unparked has it
		x.Go("ping", func() {
			for range rounds {
				ping.Park()
				turns++
				pong.Unpark()
			}
		})
		for range rounds {
			turns++
			ping.Unpark()
			pong.Park()
		}
		x.Join()
		x.Assert(turns == 2*rounds, "%d turns", turns)
	})
}

// The loop of the package documentation: whatever is put is taken.
func TestModelEverythingPutIsTaken(t *testing.T) {
	eachSleeper(t, budget{timeouts: 1}, func(x *model.Exec, parker func() *Parker) {
		p := parker()
		const producers = 2
		var box [producers]atomic.Bool
		for i := range producers {
			x.Go("producer", func() {
				box[i].Store(true)
				p.Unpark()
			})
		}
		for taken := 0; taken < producers; {
			found := false
			for i := range box {
				if box[i].Swap(false) {
					taken++
					found = true
				}
			}
			if !found {
				p.ParkTimeout(tick)
			}
		}
		x.Join()
	})
}

// The role of the parker passes with the return of Park, and nothing else.
func TestModelAnotherParkerFollows(t *testing.T) {
	eachSleeper(t, budget{timeouts: 1}, func(x *model.Exec, parker func() *Parker) {
		p := parker()
		var left atomic.Int32
		x.Go("waker", func() {
			p.Unpark()
			for left.Load() == 0 {
				runtime.Gosched()
			}
			p.Unpark()
		})
		x.Go("one", func() {
			p.Park()
			left.Store(1)
		})
		for left.Load() == 0 {
			runtime.Gosched()
		}
		for !p.ParkTimeout(tick) {
		}
		x.Join()
	})
}

type call uint8

const (
	unpark call = iota + 1
	parkOrGiveUp
)

func (c call) String() string { return [...]string{"", "Unpark", "Park"}[c] }

// oneToken is what a Parker is when nothing overlaps. The results say whether a token was taken.
var oneToken = history.Spec[bool, call, bool]{
	Name: "one token",
	Init: func() bool { return false },
	Step: func(there bool, c call, took bool) (bool, bool) {
		if c == unpark {
			return true, !took
		}
		return false, took == there // gives up only when there is no token
	},
}

// Every history is that of one token, with calls that linearize one after the other.
func TestModelOneToken(t *testing.T) {
	eachSleeper(t, budget{timeouts: 1, nothings: 1}, func(x *model.Exec, parker func() *Parker) {
		p := parker()
		h := x.History()
		for range 2 {
			x.Go("waker", func() {
				history.Do(h, unpark, func() bool { p.Unpark(); return false })
			})
		}
		took := history.Do(h, parkOrGiveUp, func() bool { return p.ParkTimeout(tick) })
		if !took {
			history.Do(h, parkOrGiveUp, func() bool { p.Park(); return true })
		}
		history.Do(h, parkOrGiveUp, func() bool { return p.ParkTimeout(0) })
		x.Join()
	}, model.Spec(oneToken))
}
