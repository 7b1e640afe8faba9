package hook

import (
	"time"

	"github.com/surewake/surewake/model/explore"
)

// Sleep is the hook of time.Sleep.
//
//go:norace
//go:noinline
func Sleep(d time.Duration) {
	if !explore.Sleep(d) {
		time.Sleep(d)
	}
}

// Now is the hook of time.Now.
//
//go:norace
//go:noinline
func Now() time.Time {
	if explore.EnterClock() {
		return explore.Epoch.Add(explore.Now())
	}
	return time.Now()
}

// stillNow is Now in an execution, for a context that is about to be made: its own looks at the
// clock let no time pass.
//
//go:norace
func stillNow() time.Time {
	explore.EnterStillClock()
	return explore.Epoch.Add(explore.Now())
}

// Since is the hook of time.Since.
//
//go:norace
//go:noinline
func Since(t time.Time) time.Duration {
	if explore.EnterClock() {
		if t != lastSince.t {
			lastSince.t, lastSince.at = t, t.Sub(explore.Epoch)
		}
		if at := lastSince.at; at.Abs() < farAway {
			return explore.Now() - at
		}
		return explore.Epoch.Add(explore.Now()).Sub(t)
	}
	return time.Since(t)
}

// lastSince is the time that [Since] was asked for last, and how far from the epoch it is. Programs
// ask for few, and often. The race detector sees the functions of package time, which makes them
// slow. Threads use it one at a time.
var lastSince = struct {
	t  time.Time
	at time.Duration
}{explore.Epoch, 0}

// farAway is how far from the epoch differences may be more than a Duration holds.
const farAway = time.Duration(1) << 60

// Until is the hook of time.Until.
//
//go:norace
//go:noinline
func Until(t time.Time) time.Duration {
	if explore.EnterClock() {
		return t.Sub(explore.Epoch.Add(explore.Now()))
	}
	return time.Until(t)
}
