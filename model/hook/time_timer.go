package hook

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

// A timer made in a check is a time.Timer whose channel nobody sends on. The engine knows the
// channel and lets the timer fire into a receive. The methods of such a timer would panic in the
// standard library; they are hooked wherever rewritten code calls them.

// timerKey returns the address by which the engine knows a timer: its channel, or the timer itself
// if it runs a function.
func timerKey(t *time.Timer) unsafe.Pointer {
	if t.C == nil {
		return unsafe.Pointer(t)
	}
	return channelKey(t.C)
}

func channelKey(c <-chan time.Time) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&c)) }

// asyncTimers reports whether the program has the timers of Go 1.22, whose channels have a buffer.
var asyncTimers = func() bool {
	t := time.NewTimer(time.Hour)
	defer t.Stop()
	return cap(t.C) > 0
}()

// refuseAsyncTimers fails a check that asks for these timers itself.
//
//go:norace
func refuseAsyncTimers(key, value string) {
	if key == "GODEBUG" && strings.Contains(value, "asynctimerchan=") &&
		!strings.Contains(value, "asynctimerchan=0") {
		explore.Fail(explore.KindRefused, "GODEBUG is set to "+value+
			" in a check: timers with the channels of Go 1.22 are not modelled")
	}
}

// timerChannel makes the channel of a timer.
//
//go:norace
//go:noinline
func timerChannel() chan time.Time {
	if asyncTimers {
		explore.Assume("timers are those of Go 1.23, whose channels hold no value after Stop or Reset; " +
			"the program has asynctimerchan=1, by GODEBUG or the release that go.mod names")
	}
	return make(chan time.Time)
}

// NewTimer is the hook of time.NewTimer.
//
//go:norace
//go:noinline
func NewTimer(d time.Duration) *time.Timer {
	if !explore.InExecution() {
		return time.NewTimer(d)
	}
	c := timerChannel()
	explore.StartTimer(channelKey(c), d, 0, nil)
	return &time.Timer{C: c}
}

// After is the hook of time.After.
//
//go:norace
//go:noinline
func After(d time.Duration) <-chan time.Time {
	if !explore.InExecution() {
		return time.After(d)
	}
	return NewTimer(d).C
}

// TimeAfterFunc is the hook of time.AfterFunc.
//
//go:norace
//go:noinline
func TimeAfterFunc(d time.Duration, f func()) *time.Timer {
	if !explore.InExecution() {
		if explore.Withhold() {
			d = math.MaxInt64
		}
		return time.AfterFunc(d, f)
	}
	t := &time.Timer{}
	explore.StartTimer(timerKey(t), d, 0, startable(f))
	return t
}

// startable gives f, or what fails when it is run, as the start of a nil function by a timer or a
// context ends the process.
//
//go:norace
func startable(f func()) func() {
	if f == nil {
		return func() { panic("go of nil func value") }
	}
	return f
}

// NewTicker is the hook of time.NewTicker.
//
//go:norace
//go:noinline
func NewTicker(d time.Duration) *time.Ticker {
	if !explore.InExecution() {
		return time.NewTicker(d)
	}
	if d <= 0 {
		panic(errors.New("non-positive interval for NewTicker"))
	}
	c := timerChannel()
	explore.StartTimer(channelKey(c), d, d, nil)
	return &time.Ticker{C: c}
}

// Tick is the hook of time.Tick.
//
//go:norace
//go:noinline
func Tick(d time.Duration) <-chan time.Time {
	if !explore.InExecution() {
		return time.Tick(d)
	}
	if d <= 0 {
		return nil
	}
	return NewTicker(d).C
}

// active reports whether the timer was active, and fails the check if the timer was not started in
// the check.
func active(s explore.TimerState, method string) bool {
	if s == explore.TimerUnknown {
		explore.Fail(explore.KindRefused, method+" of a timer that was made outside of the check, "+
			"or as a composite literal, is not modelled")
	}
	return s == explore.TimerActive
}

// TimerStop is the hook of time.Timer.Stop.
//
//go:norace
//go:noinline
func TimerStop(t *time.Timer) bool {
	if s := explore.StopTimer(timerKey(t)); s != explore.TimerReal {
		v := active(s, "Stop")
		explore.LeaveValue(func() string { return strconv.FormatBool(v) })
		return v
	}
	return t.Stop()
}

// TimerReset is the hook of time.Timer.Reset.
//
//go:norace
//go:noinline
func TimerReset(t *time.Timer, d time.Duration) bool {
	if s := explore.ResetTimer(timerKey(t), d); s != explore.TimerReal {
		v := active(s, "Reset")
		explore.LeaveValue(func() string { return strconv.FormatBool(v) })
		return v
	}
	return t.Reset(d)
}

// TickerStop is the hook of time.Ticker.Stop.
//
//go:norace
//go:noinline
func TickerStop(t *time.Ticker) {
	if s := explore.StopTimer(channelKey(t.C)); s != explore.TimerReal {
		active(s, "Stop")
		return
	}
	t.Stop()
}

// TickerReset is the hook of time.Ticker.Reset.
//
//go:norace
//go:noinline
func TickerReset(t *time.Ticker, d time.Duration) {
	if explore.InExecution() && d <= 0 {
		panic("non-positive interval for Ticker.Reset")
	}
	if s := explore.ResetTimer(channelKey(t.C), d); s != explore.TimerReal {
		active(s, "Reset")
		return
	}
	t.Reset(d)
}
