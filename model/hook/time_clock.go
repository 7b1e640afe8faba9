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
		return explore.Epoch.Add(explore.Now()).Sub(t)
	}
	return time.Since(t)
}

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
