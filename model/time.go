package model

import (
	"fmt"
	"strings"
	"time"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/wire"
)

// The two ways in which time passes: the first exploration of a check lets it pass only when
// nothing else can run, the second also while goroutines can.

// earlyTimers is how many short timers and sleeps of an execution may end early in the second way.
const earlyTimers = 2

// timePasses reports whether the check is to be explored in the second way after
// the first gave res, and prepares cfg for it.
func (c *check) timePasses(cfg *explore.Config, res *explore.Result) bool {
	if res.Failure != nil || cfg.Short <= 0 || !res.Timed {
		return false
	}
	if cfg.Duration > 0 {
		cfg.Duration -= time.Duration(res.Seconds * float64(time.Second))
		if cfg.Duration <= 0 {
			if res.Bounded == "" {
				res.Bounded = "no time was left to let time pass while goroutines can run"
			}
			res.CutShort = true
			return false
		}
	}
	c.letTimePass(cfg)
	return true
}

// letTimePass turns cfg to the second way. A token of it is replayed in it even if
// the command leaves it out otherwise.
func (c *check) letTimePass(cfg *explore.Config) {
	cfg.TimePasses, cfg.EarlyTimeouts = true, earlyTimers
}

// both merges the results of the first way, in which nothing failed, and of the second:
// numbers are those of both.
func both(a, b explore.Result) explore.Result {
	b.Complete += a.Complete
	b.Pruned += a.Pruned
	b.Steps += a.Steps
	counted := func(r *explore.Result) bool { return !r.CutShort || r.Counted }
	b.Counted = counted(&a) && counted(&b)
	b.CutShort = b.CutShort || a.CutShort
	b.Left += a.Left
	b.Seconds += a.Seconds
	b.Threads = max(a.Threads, b.Threads)
	b.Digest = b.Digest*0x9E3779B97F4A7C15 ^ a.Digest
	if b.Bounded == "" && b.Held {
		b.Bounded = fmt.Sprintf("at most %d timers and sleeps of an execution end early", earlyTimers)
	}
	if b.Bounded == "" || a.Bounded != "" && b.Failure == nil {
		b.Bounded = joined("; ", a.Bounded, b.Bounded)
	}
	b.ForcedTimeouts, b.Rescued = a.ForcedTimeouts, a.Rescued
	b.Assumed = union(a.Assumed, b.Assumed)
	b.Uses = union(a.Uses, b.Uses)
	return b
}

// joined joins the texts that are not empty, each once.
func joined(sep string, texts ...string) string {
	var out []string
	for _, t := range texts {
		if t != "" {
			out = union(out, []string{t})
		}
	}
	return strings.Join(out, sep)
}

func union[T comparable](a, b []T) []T {
	out := a[:len(a):len(a)]
next:
	for _, v := range b {
		for _, u := range a {
			if u == v {
				continue next
			}
		}
		out = append(out, v)
	}
	return out
}

// assumedOfTime says what the exploration took for granted about timers and the
// clock.
func (c *check) assumedOfTime(cfg explore.Config, res explore.Result) (out []string) {
	if !cfg.TimePasses {
		switch {
		case c.opts.timeouts > 0:
		case res.Held:
			out = append(out, "timers and sleeps end only when nothing else can run")
		case res.Timed && !c.opts.ownTime:
			out = append(out, "time passes only when nothing else can run")
		case res.AsksTime && !c.opts.ownTime:
			out = append(out, "no time passes between two looks at the clock, "+
				"except by sleeps and timers")
		}
		// A futex wait is an operation on its word alone: the search does not see that it reads the
		// clock, and moves it when it ends early.
		if c.opts.timeouts > 0 && res.HeldFutex && (res.AsksTime || res.Timed) {
			out = append(out, "the order of timeouts of futex waits, of timers and of looks at "+
				"the clock does not matter")
		}
		return out
	}
	if res.HeldFutex {
		out = append(out, "timeouts of futex waits come only when nothing else can run")
	}
	if res.HeldLong {
		out = append(out, fmt.Sprintf("timers and sleeps of %v and more end only when "+
			"nothing else can run", cfg.Short))
	}
	if res.HeldClock {
		out = append(out, fmt.Sprintf("the clock moves by itself once in an execution, "+
			"by less than %v", cfg.Short))
	}
	return out
}

// kindOf gives the kind that the command is told.
func kindOf(f *explore.Failure) wire.Kind {
	k := f.Kind.Wire()
	if f.Passed && k.Verdict() == wire.Failed {
		return wire.KindTiming
	}
	return k
}

// said is the message of a failure.
func said(f *explore.Failure) string {
	text := f.Error() + waits(f)
	if kindOf(f) != wire.KindTiming {
		return text
	}
	text = "timing: " + text
	for _, p := range f.Passing {
		text += "\n\t" + p
	}
	return text
}
