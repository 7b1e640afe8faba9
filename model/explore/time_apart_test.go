//go:build !race

package explore_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

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

// Operations on one timer depend on one another, without the clock as well.
func TestReductionOfTimersApart(t *testing.T) {
	for _, p := range []program{
		{{{Op: "alarm"}}, {{Op: "alarm"}}},
		{{{Op: "alarm"}}, {{Op: "rearm"}, {Op: "alarm"}}},
		{{{Op: "alarm"}}, {{Op: "disarm"}, {Op: "rearm"}}},
		{{{Op: "value or alarm", Var: 2}}, {{Op: "alarm"}, {Op: "send", Var: 2}}},
		{{{Op: "either alarm"}}, {{Op: "alarm"}, {Op: "disarm", Var: 1}}},
		{{{Op: "value or alarm"}}, {{Op: "value or alarm", Var: 2}}, {{Op: "send"}},
			{{Op: "send", Var: 2}}},
		{{{Op: "alarm"}}, {{Op: "alarm", Var: 1}}, {{Op: "either alarm"}, {Op: "rearm"}}},
	} {
		require.True(t, timersApart(t, p, explore.Config{EarlyTimeouts: 9}, true))
	}
}

// seesClock reports whether an execution of body sees the clock. A part of a search tells it.
func seesClock(cfg explore.Config, body func()) bool {
	cfg.Preemptions, cfg.Subtree = -1, &explore.Subtree{}
	for !strings.Contains(cfg.Subtree.Modes, "t") {
		res := explore.Run(cfg, body)
		if res.Again == nil {
			return false
		}
		cfg.Subtree = res.Again
	}
	return true
}

// Timers are independent of one another as long as nobody compares them, and no longer: the search
// is held against the one without reduction, with enough early timeouts and with too few.
func TestReductionKeepsEveryOutcomeOfTimersApart(t *testing.T) {
	apart := []string{
		"rest", "rest", "alarm", "disarm", "rearm", "value or alarm", "either alarm",
		"value or timeout", "send", "send", "load", "store",
	}
	and := func(ops ...string) []string { return append(ops, apart...) }
	passes := func(early int, short time.Duration) explore.Config {
		return explore.Config{EarlyTimeouts: early, TimePasses: true, Short: short}
	}
	enough := explore.Config{EarlyTimeouts: 9}
	cases := []struct {
		ops   []string
		cfg   explore.Config
		exact bool
	}{
		{apart, enough, true},
		{and("func"), enough, false},
		{and("look"), enough, false},
		{and("look at an alarm"), enough, false},
		{and("alarm that polls"), enough, false},
		{
			and("func", "look", "look at an alarm", "alarm that polls", "both", "give"),
			enough, false,
		},
		{apart, explore.Config{EarlyTimeouts: 3}, false},
		{apart, passes(9, 30), true},
		{and("look"), passes(9, 30), false},
		{and("func"), passes(3, 5), false},
	}
	all, alone := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c := cases[rapid.IntRange(0, len(cases)-1).Draw(t, "case")]
		p := buffered(genProgram(c.ops, 3, 3).Draw(t, "program"))
		all++
		if timersApart(t, p, c.cfg, c.exact) {
			alone++
		}
	})
	t.Logf("%d of %d programs without the clock", alone, all)
	require.NotZero(t, alone)
}

// timersApart is sameOutcomesOf. It reports whether the search needed no clock; with exact it
// requires then that each trace was run once.
func timersApart(t tester, p program, cfg explore.Config, exact bool) bool {
	sameOutcomesOf(t, p, cfg)
	every, reduced := cfg, cfg
	every.Preemptions, reduced.Preemptions = -1, -1
	every.Unreduced = true
	if seesClock(cfg, func() { p.run(newWorld()) }) {
		return false
	}
	got, gotDead, res := explored(t, p, reduced, (*world).chanTrace)
	all, allDead, _ := explored(t, p, every, (*world).chanTrace)
	require.Equal(t, keys(all), keys(got), "traces of\n%v", p)
	require.Equal(t, keys(allDead), keys(gotDead), "deadlocked traces of\n%v", p)
	if exact {
		require.EqualValues(t, len(all), res.Complete, "each trace once:\n%v", p)
		require.EqualValues(t, len(allDead), res.Deadlocked, "each deadlock once:\n%v", p)
	}
	return true
}

// The first executions that see the clock make all timers depend on it, and so does nothing else.
func TestWhatSeesTheClock(t *testing.T) {
	const ms = time.Millisecond
	rest := func(d time.Duration) func() { return func() { hook.Sleep(d) } }
	elapsed := func() time.Duration { return hook.Now().Sub(explore.Epoch) }
	budget := func(n int) explore.Config { return explore.Config{EarlyTimeouts: n} }
	passes := explore.Config{EarlyTimeouts: 9, TimePasses: true, Short: 10}
	order := func(note func(...any), ds ...time.Duration) {
		var n atomic.Int32
		places := make([]int32, len(ds))
		var all []func()
		for i, d := range ds {
			all = append(all, func() {
				hook.Sleep(d)
				places[i] = hook.Int32Add(&n, 1)
			})
		}
		spawn(all...)
		note(places)
	}
	for _, c := range []struct {
		name string
		cfg  explore.Config
		sees bool
		body func(note func(...any))
	}{
		{"only sleeps", budget(3), false, func(note func(...any)) { order(note, 1, 2, 3) }},
		{"as long as all may be", passes, false, func(note func(...any)) { order(note, 3, 3, 3) }},
		{"more than may be early", budget(2), true, func(note func(...any)) {
			order(note, 1, 5, 0, 3)
		}},
		{"longer than all may be", passes, true, func(note func(...any)) { order(note, 3, 0, 7) }},
		// The later timer comes first, so that none is kept from firing in this execution.
		{"more than may be early, set before", budget(1), true, func(note func(...any)) {
			later, timer := hook.NewTimer(5), hook.NewTimer(1)
			spawn(func() { hook.Await(later.C) }, func() { hook.Await(timer.C) })
		}},
		{"longer than all may be, set before", passes, true, func(note func(...any)) {
			later, timer := hook.NewTimer(7), hook.NewTimer(3)
			spawn(func() { hook.Await(later.C) }, func() { hook.Await(timer.C) })
		}},
		{"none that can be early", passes, true, func(note func(...any)) { order(note, 3, 20, 1) }},
		{"a look after it", budget(2), true, func(note func(...any)) {
			spawn(func() { hook.Sleep(1); note(elapsed()) }, rest(2))
		}},
		{"a look at the end", budget(2), true, func(note func(...any)) {
			spawn(rest(1), rest(2))
			note(elapsed())
		}},
		{"a look beside it", budget(1), true, func(note func(...any)) {
			spawn(func() { note(elapsed()) }, rest(2))
		}},
		{"a look of a goroutine before it", budget(2), false, func(note func(...any)) {
			spawn(func() {
				note(elapsed())
				spawn(rest(1), rest(2))
			})
		}},
		{"a look of the only goroutine", budget(2), false, func(note func(...any)) {
			note(elapsed())
			spawn(rest(1), rest(2))
		}},
		{"the clock moves by itself", passes, true, func(note func(...any)) {
			timer := hook.NewTimer(1)
			note(elapsed())
			spawn(func() { hook.Await(timer.C) })
		}},
		{"a value", budget(2), true, func(note func(...any)) {
			spawn(func() { note(hook.Recv(hook.After(1)).Sub(explore.Epoch)) }, rest(2))
		}},
		{"a value of a select", budget(2), true, func(note func(...any)) {
			spawn(func() {
				s := hook.NewSelection(2, false)
				select {
				case <-hook.SelectAwait[int](&s, nil):
				case v := <-hook.SelectRecv(&s, hook.After(1)):
					note(v.Sub(explore.Epoch))
				}
			}, rest(2))
		}},
		{"a value that nobody uses", budget(2), false, func(note func(...any)) {
			spawn(func() { hook.Await(hook.After(1)); note("came") }, rest(2))
		}},
		{"a timer that may have fired", budget(2), true, func(note func(...any)) {
			timer := hook.NewTimer(1)
			spawn(func() {
				s := hook.NewSelection(1, true)
				select {
				case <-hook.SelectAwait(&s, timer.C):
					note("fired")
				default:
					note("not yet")
				}
			}, rest(2))
		}},
		{"a timer that is due", budget(2), true, func(note func(...any)) {
			timer := hook.NewTimer(1)
			hook.Sleep(2)
			spawn(func() {
				s := hook.NewSelection(1, true)
				select {
				case <-hook.SelectAwait(&s, timer.C):
					note("fired")
				default:
					note("not yet")
				}
			}, rest(2))
		}},
		// Other orders of an execution that has seen this are none of it.
		{"a timer that is due after a sleep", budget(3), true, func(note func(...any)) {
			timer := hook.NewTimer(1)
			var n atomic.Int32
			spawn(rest(2), func() {
				s := hook.NewSelection(1, true)
				select {
				case <-hook.SelectAwait(&s, timer.C):
					note("fired")
					hook.Int32Load(&n)
				default:
					note("not yet")
					hook.Int32Add(&n, 1)
				}
			})
		}},
		{"a timer that was stopped", budget(2), false, func(note func(...any)) {
			timer := hook.NewTimer(1)
			hook.TimerStop(timer)
			spawn(func() {
				s := hook.NewSelection(1, true)
				select {
				case <-hook.SelectAwait(&s, timer.C):
				default:
					note("stopped")
				}
			}, rest(2))
		}},
		{"two timers of a select", budget(3), false, func(note func(...any)) {
			spawn(func() {
				s := hook.NewSelection(2, false)
				select {
				case <-hook.SelectAwait(&s, hook.After(1)):
					note(1)
				case <-hook.SelectAwait(&s, hook.After(2)):
					note(2)
				}
			}, rest(3))
		}},
		{"a ticker that ticks too often", budget(2), true, func(note func(...any)) {
			var n atomic.Int32
			spawn(func() {
				ticker := hook.NewTicker(5)
				hook.Await(ticker.C)
				hook.Await(ticker.C)
				note(hook.Int32Load(&n))
			}, func() { hook.Sleep(3); hook.Int32Store(&n, 1) })
		}},
		{"a ticker that ticks too often, set before", budget(2), true, func(note func(...any)) {
			timer, ticker := hook.NewTimer(5), hook.NewTicker(1)
			spawn(func() {
				hook.Await(timer.C)
				hook.Await(ticker.C)
				hook.Await(ticker.C)
			}, func() {})
		}},
		{"sleeps of before the goroutines", budget(2), false, func(note func(...any)) {
			for range 5 {
				hook.Sleep(1)
			}
			order(note, 1, 2)
		}},
		{"a loop that waits", budget(2), true, func(note func(...any)) {
			var ready atomic.Int32
			spawn(func() {
				n := explore.SpinStart()
				for explore.Turn(n); hook.Int32Add(&ready, 0) == 0; {
					explore.Turn(n)
				}
				note("ready")
			}, func() { hook.Sleep(ms); hook.Int32Store(&ready, 1) })
		}},
		{"a loop that waits for a timer set before", budget(2), true, func(note func(...any)) {
			var ready atomic.Int32
			timer := hook.NewTimer(ms)
			spawn(func() {
				n := explore.SpinStart()
				for explore.Turn(n); hook.Int32Add(&ready, 0) == 0; {
					explore.Turn(n)
				}
				note("ready")
			}, func() { hook.Await(timer.C); hook.Int32Store(&ready, 1) })
		}},
		{"a futex wait", budget(2), true, func(note func(...any)) {
			var word uint32
			var n atomic.Int32
			spawn(func() {
				how, _ := explore.FutexWait(unsafe.Pointer(&word), 0, 3)
				note(how, hook.Int32Load(&n))
			}, func() { hook.Sleep(1); hook.Int32Store(&n, 1) })
		}},
		{"a futex wait before it", budget(3), true, func(note func(...any)) {
			var word uint32
			spawn(func() { explore.FutexWait(unsafe.Pointer(&word), 0, 3); hook.Sleep(1) }, rest(2))
		}},
		{"a futex wait after it", budget(3), true, func(note func(...any)) {
			var word uint32
			spawn(func() { hook.Sleep(1); explore.FutexWait(unsafe.Pointer(&word), 0, 3) })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			outcomes := func(cfg explore.Config) []string {
				var text string
				seen := map[string]int{}
				end := func() { seen[text]++ }
				cfg.Preemptions, cfg.Linearize = -1, true
				cfg.End, cfg.Deadlock = func() *explore.Failure { end(); return nil }, end
				res := explore.Run(cfg, func() {
					text = ""
					c.body(func(v ...any) { text += fmt.Sprint(v...) + " " })
				})
				require.Nil(t, res.Failure)
				require.False(t, res.CutShort)
				return keys(seen)
			}
			every := c.cfg
			every.Unreduced = true
			require.Equal(t, outcomes(every), outcomes(c.cfg))
			require.Equal(t, c.sees, seesClock(c.cfg, func() { c.body(func(...any) {}) }))
		})
	}
}
