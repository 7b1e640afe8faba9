//go:build !race

package explore_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"pgregory.net/rapid"
)

// times starts f so often, in threads of their own, and waits for them.
func times(n int, f func(i int)) {
	for i := range n {
		explore.Go("", func() { f(i) }, true)
	}
	explore.Join()
}

// valueOrTimeout waits for a value of its own, or a timeout.
func valueOrTimeout(i int) {
	c := make(chan int, 1)
	explore.Go("", func() { hook.To(c).Send(1) }, true)
	s := hook.NewSelection(2, false)
	select {
	case <-hook.SelectAwait(&s, c):
	case <-hook.SelectAwait(&s, hook.After(time.Duration(i+1))):
	}
	explore.Join()
}

// Timers that nobody compares cost the product of their own outcomes.
func TestTimersOfTheirOwn(t *testing.T) {
	power := func(b, n int) (p int64) {
		for p = 1; n > 0; n-- {
			p *= int64(b)
		}
		return p
	}
	for _, c := range []struct {
		name string
		each int // outcomes of each
		body func(i int)
	}{
		{"sleep", 1, func(i int) { hook.Sleep(time.Duration(i + 1)) }},
		{"same sleep", 1, func(int) { hook.Sleep(1) }},
		{"receive", 1, func(i int) { hook.Await(hook.After(time.Duration(i + 1))) }},
		{"stop", 2, func(i int) { // before it runs, or after
			hook.TimerStop(hook.TimeAfterFunc(time.Duration(i+1), func() {}))
		}},
		{"value or timeout", 3, valueOrTimeout},
	} {
		for n := 1; n <= 4; n++ {
			t.Run(fmt.Sprint(c.name, "/", n), func(t *testing.T) {
				cfg := explore.Config{Preemptions: -1, EarlyTimeouts: n, Linearize: true}
				res := explore.Run(cfg, func() { times(n, c.body) })
				require.Nil(t, res.Failure)
				require.Equal(t, power(c.each, n), res.Complete)
				require.Zero(t, res.Pruned)
			})
		}
	}
}

// onTimer does an instruction on timers whose value nobody uses.
func (w *world) onTimer(in instr, who string) (last int32) {
	c, v := &w.ch[in.Var], in.Var%2
	d := time.Duration(in.Val + 1)
	note := func(timer int, class byte, res int32) {
		name := fmt.Sprint("t", timer)
		w.log[name] = append(w.log[name], access{who, class, int64(res)})
	}
	switch in.Op {
	case "rest":
		hook.Sleep(d)
	case "alarm":
		hook.Await(w.timers[v].C)
		note(v, 'w', 1)
	case "disarm":
		if hook.TimerStop(w.timers[v]) {
			last = 1
		}
		note(v, 'w', last)
	case "rearm":
		if hook.TimerReset(w.timers[v], d) {
			last = 1
		}
		note(v, 'w', last+2)
	case "value or alarm":
		s := hook.NewSelection(2, false)
		select {
		case v, ok := <-hook.SelectRecv(&s, c.c):
			note(in.Var%2, 'r', 4)
			last = c.received(who, v, ok)
		case <-hook.SelectAwait(&s, w.timers[v].C):
			c.lookRecv(who)
			note(v, 'w', 5)
		}
	case "either alarm":
		s := hook.NewSelection(2, false)
		select {
		case <-hook.SelectAwait(&s, w.timers[0].C):
			note(0, 'w', 6)
			note(1, 'r', 6)
		case <-hook.SelectAwait(&s, w.timers[1].C):
			note(0, 'r', 7)
			note(1, 'w', 7)
			last = 1
		}
	case "value or timeout":
		s := hook.NewSelection(2, false)
		select {
		case v, ok := <-hook.SelectRecv(&s, c.c):
			last = c.received(who, v, ok)
		case <-hook.SelectAwait(&s, hook.After(d)):
			c.lookRecv(who)
		}
	case "alarm that polls":
		s := hook.NewSelection(1, true)
		select {
		case <-hook.SelectAwait(&s, w.timers[v].C):
			last = 1
		default:
		}
	case "func":
		hook.TimeAfterFunc(d, func() {
			w.saw(who+"f", hook.Int32Add(&w.vars[in.Var], 1))
		})
	case "look":
		last = int32(hook.Now().Sub(explore.Epoch))
	case "look at an alarm":
		last = int32(hook.Recv(w.timers[v].C).Sub(explore.Epoch))
	default:
		last = w.onSignal(in, who)
	}
	return last
}

// clockedBy reports whether the search of cfg, which it prepares, ended with timers that depend on
// the clock.
func clockedBy(cfg *explore.Config) func() bool {
	clocked := false
	cfg.Between = func(p explore.Part) bool {
		clocked = strings.Contains(p.Rest().Modes, "t")
		return true
	}
	return func() bool { return clocked }
}

// Timers are independent of one another as long as nobody compares them, and no longer: the search
// is held against the one without reduction, with enough early timeouts and with too few.
func TestReductionKeepsEveryOutcomeOfTimersApart(t *testing.T) {
	apart := []string{
		"rest", "rest", "alarm", "disarm", "rearm", "value or alarm", "either alarm",
		"value or timeout", "send", "send", "load", "store",
	}
	for _, c := range []struct {
		name  string
		ops   []string
		early int
		exact bool
	}{
		{"alone", apart, 9, true},
		{"and functions", append(apart[:len(apart):len(apart)], "func"), 9, false},
		{"and looks", append(apart[:len(apart):len(apart)], "look"), 9, false},
		{"and values", append(apart[:len(apart):len(apart)], "look at an alarm"), 9, false},
		{"and polls", append(apart[:len(apart):len(apart)], "alarm that polls"), 9, false},
		{"more than may be early", apart, 3, false},
		{"all", append(apart[:len(apart):len(apart)],
			"func", "look", "look at an alarm", "alarm that polls", "both", "give"), 5, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			gen := genProgram(c.ops, 3, 3)
			all, apart := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				p := buffered(gen.Draw(t, "program"))
				all++
				if timersApart(t, p, explore.Config{EarlyTimeouts: c.early}, c.exact) {
					apart++
				}
			})
			t.Logf("%d of %d programs without the clock", apart, all)
			require.NotZero(t, apart)
		})
	}
}

// timersApart is sameOutcomesOf. It reports whether the search needed no clock; with exact it
// requires then that each trace was run once.
func timersApart(t tester, p program, cfg explore.Config, exact bool) bool {
	sameOutcomesOf(t, p, cfg)
	every, reduced := cfg, cfg
	every.Preemptions, reduced.Preemptions = -1, -1
	every.Unreduced = true
	clocked := clockedBy(&reduced)
	got, gotDead, res := explored(t, p, reduced, (*world).chanTrace)
	if clocked() {
		return false
	}
	all, allDead, _ := explored(t, p, every, (*world).chanTrace)
	require.Equal(t, keys(all), keys(got), "traces of\n%v", p)
	require.Equal(t, keys(allDead), keys(gotDead), "deadlocked traces of\n%v", p)
	if exact {
		require.EqualValues(t, len(all), res.Complete, "each trace once:\n%v", p)
		require.EqualValues(t, len(allDead), res.Deadlocked, "each deadlock once:\n%v", p)
	}
	return true
}
