//go:build !race

package explore_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"pgregory.net/rapid"
)

// A bubbled program runs in a bubble, except for its first so many threads. The channels with room
// for none and for one belong to the bubble, and so do its timers, its WaitGroup once it is used,
// and its Cond; the channel with room for two does not.
type bubbled struct {
	program
	outside int
}

func (p bubbled) String() string { return fmt.Sprintf("%d outside\n%v", p.outside, p.program) }

func (p bubbled) run(w *world) {
	if p.outside == 0 {
		p.runInside(w)
		return
	}
	p.start(w, 0, p.outside)
	w.deadlocks(func() { p.runInside(w) })
	explore.Join()
}

// deadlocks notes whether the bubble that f runs ends in a deadlock.
func (w *world) deadlocks(f func()) {
	defer func() {
		if err, ok := hook.Recover(recover()).(error); ok {
			w.seen = append(w.seen, err.Error())
		}
	}()
	f()
}

func (p bubbled) runInside(w *world) {
	explore.RunBubble(func() {
		for i := range w.ch[:2] {
			explore.Bubbled(*(*unsafe.Pointer)(unsafe.Pointer(&w.ch[i].c)))
		}
		w.prepare()
		p.start(w, p.outside, len(p.program))
		explore.Join()
	})
}

// genBubbled draws programs of the instructions, in which the threads outside keep to what they may
// do.
func genBubbled(ops []string) *rapid.Generator[bubbled] {
	return rapid.Custom(func(t *rapid.T) bubbled {
		p := bubbled{program: genProgram(ops, 4, 3).Draw(t, "program")}
		if rapid.IntRange(0, 2).Draw(t, "outside") != 0 {
			return p
		}
		p.outside = 1
		for i := range p.program[0] {
			in := &p.program[0][i]
			switch in.Op {
			case "load", "store", "cas", "lock", "unlock", "choose", "now":
			case "send", "recv", "poll", "offer", "close":
				in.Var = 2
			case "sleep":
				in.Op = "now"
			default:
				in.Op = "store"
			}
		}
		return p
	})
}

// sameInBubble holds the search against the one without reduction on what the threads could tell.
func sameInBubble(t tester, p bubbled, cfg explore.Config) {
	every, reduced := cfg, cfg
	every.Preemptions, reduced.Preemptions = -1, -1
	every.Unreduced, every.Executions = true, 20_000
	all, allDead, full := exploredBy(t, p.program, p.run, every, (*world).outcome)
	if strings.HasPrefix(full.Bounded, "budget") {
		t.Skip("too large")
	}
	got, gotDead, res := exploredBy(t, p.program, p.run, reduced, (*world).outcome)
	if full.Failures > 0 {
		require.NotZero(t, res.Failures, "a failing execution was missed: %v\n%v", full.Failure, p)
		return
	}
	require.Zero(t, res.Failures, "%v", res.Failure)
	require.Equal(t, keys(all), keys(got), "outcomes of\n%v", p)
	require.Equal(t, keys(allDead), keys(gotDead), "outcomes of deadlocks of\n%v", p)
	require.LessOrEqual(t, res.Complete, full.Complete)
	sameWithin(t, p.program, p.run, cfg, (*world).outcome)
}

func TestReductionKeepsEveryOutcomeOfBubbles(t *testing.T) {
	for _, c := range []struct {
		name string
		ops  []string
	}{
		{"waits", []string{"send", "recv", "poll", "load", "store", "quiet", "quiet", "sleep"}},
		{"sleeps", []string{"sleep", "sleep", "now", "load", "store", "quiet"}},
		{"timers", []string{
			"send", "await or expire", "expire", "expired", "stop", "reset", "sleep", "now",
			"quiet",
		}},
		{"meetings", []string{
			"send", "recv", "await or expire", "both", "offer", "sleep", "quiet",
		}},
		{"locks", []string{
			"load", "store", "lock", "lock", "unlock", "condwait", "signal", "quiet", "sleep",
		}},
		{"groups", []string{
			"load", "store", "wgadd", "wgadd", "wgdone", "wgdone", "wgwait", "quiet", "sleep",
		}},
		{"everything", []string{
			"load", "store", "send", "recv", "both", "poll", "close", "lock", "unlock", "condwait",
			"broadcast", "wgadd", "wgdone", "wgwait", "expire", "expired", "stop", "reset", "sleep",
			"now", "quiet", "quiet", "await or expire", "choose",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			gen := genBubbled(c.ops)
			rapid.Check(t, func(t *rapid.T) {
				early := rapid.SampledFrom([]int{0, 0, 9}).Draw(t, "early")
				sameInBubble(t, gen.Draw(t, "program"), explore.Config{EarlyTimeouts: early})
			})
		})
	}
}

// There is one way for time to pass in a bubble: a search in which it passes while threads can run
// finds the same.
func TestTimePassesInOneWayInBubbles(t *testing.T) {
	gen := genBubbled([]string{
		"sleep", "expire", "expired", "now", "stop", "load", "store", "quiet",
	})
	rapid.Check(t, func(t *rapid.T) {
		p := gen.Draw(t, "program")
		p.outside = 0
		first := explore.Config{Preemptions: -1}
		second := explore.Config{
			Preemptions: -1, EarlyTimeouts: 2, TimePasses: true, Short: time.Hour,
		}
		all, allDead, res := exploredBy(t, p.program, p.run, first, (*world).outcome)
		got, gotDead, other := exploredBy(t, p.program, p.run, second, (*world).outcome)
		require.Equal(t, keys(all), keys(got), "outcomes of\n%v", p)
		require.Equal(t, keys(allDead), keys(gotDead), "outcomes of deadlocks of\n%v", p)
		require.Equal(t, res.Complete, other.Complete)
		require.False(t, res.Timed || res.AsksTime || res.ForcedTimeouts > 0)
	})
}

// Programs that told a broken search from a right one.
func TestReductionOfKeptBubbles(t *testing.T) {
	for name, p := range map[string]bubbled{
		"a deadlock in two ways": {program: program{
			{{Op: "send", Var: 1}},
			{{Op: "send", Var: 1}, {Op: "sleep"}},
		}},
		"time that passes beside a thread outside": {program: program{
			{{Op: "store", Val: 1}},
			{{Op: "sleep", Val: 1}, {Op: "load"}},
		}, outside: 1},
		"a wait for quiet that nobody can begin yet": {program: program{
			{{Op: "poll", Var: 2}, {Op: "store", Val: 1}},
			{{Op: "load", Var: 2}, {Op: "send", Val: 2}},
			{{Op: "quiet", Var: 1}},
			{{Op: "load"}},
		}, outside: 1},
		"a sleep and a timer of one instant": {program: program{
			{{Op: "expire"}},
			{{Op: "sleep", Val: 1}, {Op: "stop"}},
		}},
		"a timer and a sleep of one instant": {program: program{
			{{Op: "sleep", Val: 1}, {Op: "stop"}},
			{{Op: "expire"}},
		}},
		"two that wait for one timer": {program: program{
			{{Op: "send", Cond: true}},
			{{Op: "await or expire", Var: 1}},
			{{Op: "send", Cond: true}},
			{{Op: "await or expire", Var: 1}},
		}},
		"quiet before time passes": {program: program{
			{{Op: "sleep", Val: 1}, {Op: "store", Val: 1}},
			{{Op: "quiet"}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			sameInBubble(t, p, explore.Config{})
			sameInBubble(t, p, explore.Config{EarlyTimeouts: 9}) // of others, outside
		})
	}
}
