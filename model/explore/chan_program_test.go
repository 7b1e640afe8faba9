//go:build !race

package explore_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"pgregory.net/rapid"
)

// testChan is a channel with what happened to it: who sent and who received, in
// these two orders, and what each look saw at its place in the order it belongs
// to. Two executions with the same are the same trace. A send that panics keeps
// its place among the sends, and behind the receive that made room.
type testChan struct {
	c      chan int32
	n      int // values sent
	sends  []string
	recvs  []string
	looks  []string
	closed bool
}

func (c *testChan) lookRecv(who string) {
	found := c.n > len(c.recvs) && !(c.closed && cap(c.c) == 0)
	look := fmt.Sprintf("%s r%d %v %v", who, len(c.recvs), found, !found && c.closed)
	c.looks = append(c.looks, look+c.seen(c.n, len(c.recvs)))
}

func (c *testChan) lookSend(who string) {
	room := c.n-len(c.recvs) < cap(c.c)
	if c.closed {
		c.looks = append(c.looks, fmt.Sprint(who, " s closed ", room))
		return
	}
	look := fmt.Sprintf("%s s%d %v", who, len(c.sends), room)
	c.looks = append(c.looks, look+c.seen(len(c.recvs), c.n))
}

// seen says how many of the other side that can be for it, after so many of its own, a look at a
// channel without room has seen.
func (c *testChan) seen(others, own int) string {
	if cap(c.c) > 0 {
		return ""
	}
	return fmt.Sprint(" of ", min(others, own+1))
}

func (c *testChan) received(who string, v int32, ok bool) int32 {
	if !ok {
		c.lookRecv(who + " got")
		return 0
	}
	c.recvs = append(c.recvs, fmt.Sprint(who, "=", v))
	return v
}

func (c *testChan) sent(who string) {
	c.sends = append(c.sends, who)
	c.n++
}

func (c *testChan) trace() string {
	return fmt.Sprint(c.sends, c.recvs, slices.Sorted(slices.Values(c.looks)))
}

// communicate does an instruction on channels. A send on a closed channel, or
// closing one again, is an outcome like any other.
func (w *world) communicate(in instr, who string) (last int32) {
	c := &w.ch[in.Var]
	v := in.Val*8 + int32(who[0]-'0')
	defer func() {
		if hook.Recover(recover()) != nil {
			if in.Op == "close" || w.hasPosted(who) {
				c.looks = append(c.looks, who+" panics")
			} else {
				room := c.n-len(c.recvs) < cap(c.c) && (cap(c.c) > 0 || in.Op != "send")
				c.sends = append(c.sends, fmt.Sprint(who, " panics ", room))
			}
			w.saw(who, -1)
			last = 1
			return
		}
		w.saw(who, last)
	}()
	switch in.Op {
	case "send":
		if hook.To(c.c).Send(v); !w.hasPosted(who) {
			c.sent(who)
		}
	case "recv":
		v, ok := hook.Recv2(c.c)
		if last = v; w.hasPosted(who) {
			c.looks = append(c.looks, fmt.Sprint(who, "=", v, ok))
		} else {
			last = c.received(who, v, ok)
		}
	case "close":
		hook.Close(c.c)
		c.looks = append(c.looks, fmt.Sprint(who, " closes", len(c.sends)))
		c.closed = true
	case "len":
		last = int32(hook.Len(c.c))
		if in.Var > 0 {
			c.looks = append(c.looks, fmt.Sprint(who, " len", len(c.sends), len(c.recvs)))
		}
	case "poll":
		s := hook.NewSelection(1, true)
		select {
		case v, ok := <-hook.SelectRecv(&s, c.c):
			last = c.received(who, v, ok)
		default:
			c.lookRecv(who)
		}
	case "offer":
		s := hook.NewSelection(1, true)
		select {
		case hook.SelectSend(&s, c.c) <- v:
			hook.SelectSent(&s)
			c.sent(who)
			last = 1
		default:
			c.lookSend(who)
		}
	case "give":
		s := hook.NewSelection(2, false)
		select {
		case hook.SelectSend(&s, c.c) <- v:
			hook.SelectSent(&s)
			c.sent(who)
		case <-hook.SelectRecv[int32](&s, nil):
		}
	case "keep polling":
		n := explore.SpinStart()
		for got := false; !got; {
			explore.Spin(n)
			s := hook.NewSelection(1, true)
			select {
			case v, ok := <-hook.SelectRecv(&s, c.c):
				last, got = c.received(who, v, ok), true
			default:
			}
		}
	case "keep offering", "insist":
		if in.Op == "keep offering" {
			c = &w.ch[max(1, in.Var)]
		}
		n := explore.SpinStart()
		for last == 0 {
			explore.Spin(n)
			s := hook.NewSelection(1, true)
			select {
			case hook.SelectSend(&s, c.c) <- v:
				hook.SelectSent(&s)
				c.sent(who)
				last = 1
			default:
			}
		}
	case "either":
		d := &w.ch[(in.Var+1)%3]
		s := hook.NewSelection(2, false)
		select {
		case v, ok := <-hook.SelectRecv(&s, c.c):
			d.lookRecv(who)
			last = c.received(who, v, ok)
		case v, ok := <-hook.SelectRecv(&s, d.c):
			c.lookRecv(who)
			last = d.received(who, v, ok)
		}
	case "both":
		d := &w.ch[(in.Var+1)%3]
		s := hook.NewSelection(2, in.Val == 1)
		select {
		case hook.SelectSend(&s, c.c) <- v:
			d.lookRecv(who)
			hook.SelectSent(&s)
			c.sent(who)
			last = 1
		case v, ok := <-hook.SelectRecv(&s, d.c):
			c.lookSend(who)
			last = d.received(who, v, ok)
		default:
			c.lookSend(who)
			d.lookRecv(who)
		}
	case "three":
		s := hook.NewSelection(3, false)
		select {
		case last = <-hook.SelectRecv(&s, c.c):
		case last = <-hook.SelectRecv(&s, w.ch[(in.Var+1)%3].c):
		case hook.SelectSend(&s, w.ch[(in.Var+2)%3].c) <- v:
			hook.SelectSent(&s)
			last = 1
		}
	case "itself":
		s := hook.NewSelection(2, false)
		select {
		case hook.SelectSend(&s, c.c) <- v:
			hook.SelectSent(&s)
			last = 1
		case last = <-hook.SelectRecv(&s, c.c):
		}
	case "wgchange":
		hook.WaitGroupAdd(&w.wg, int(in.Val)-1)
	case "same":
		s := hook.NewSelection(3, false)
		select {
		case last = <-hook.SelectRecv(&s, c.c):
		case v := <-hook.SelectRecv(&s, c.c):
			last = v + 100
		case hook.SelectSend(&s, w.ch[(in.Var+1)%3].c) <- v:
			hook.SelectSent(&s)
			last = 200
		}
	case "sleep":
		hook.Sleep(time.Duration(in.Val))
	case "quiet":
		explore.QuietWait()
		last = hook.Int32Load(&w.vars[0]) + 10*hook.Int32Load(&w.vars[1])
	case "now":
		last = int32(hook.Now().Sub(explore.Epoch))
	case "stop":
		if hook.TimerStop(w.timer(in.Var)) {
			last = 1
		}
	case "reset":
		if hook.TimerReset(w.timer(in.Var), time.Duration(in.Val+1)) {
			last = 1
		}
	case "expire":
		last = int32((<-hookRecv(w.timer(in.Var).C)).Sub(explore.Epoch))
	case "expired":
		s := hook.NewSelection(1, true)
		select {
		case v := <-hook.SelectRecv(&s, w.timer(in.Var).C):
			last = int32(v.Sub(explore.Epoch))
		default:
		}
	case "await or expire":
		s := hook.NewSelection(2, false)
		select {
		case last = <-hook.SelectRecv(&s, c.c):
		case v := <-hook.SelectRecv(&s, w.timer(in.Var).C):
			last = int32(v.Sub(explore.Epoch))
		}
	default:
		last = w.onTimer(in, who)
	}
	return last
}

func hookRecv[T any](c <-chan T) <-chan T {
	out := make(chan T, 1)
	out <- hook.Recv(c)
	return out
}

// timer gives one of two timers, which the program begins with.
func (w *world) timer(i int) *time.Timer { return w.timers[i%2] }

// chanTrace is trace for what is done to channels.
func (w *world) chanTrace() string {
	var b strings.Builder
	for i := range w.ch {
		fmt.Fprintln(&b, w.ch[i].trace())
	}
	return b.String() + w.trace()
}

// buffered keeps to channels with room.
func buffered(p program) program {
	for _, th := range p {
		for i := range th {
			in := &th[i]
			if in.Op == "either" || in.Op == "both" {
				in.Var = 1
			} else if in.Var == 0 && in.Op != "load" && in.Op != "store" {
				in.Var = 1
			}
		}
	}
	return p
}

// An operation on channels depends on no more than it must: each trace is
// explored once.
func TestReductionKeepsEveryTraceOfChannels(t *testing.T) {
	for _, c := range []struct {
		name string
		ops  []string
	}{
		{"sends and receives", []string{"send", "recv"}},
		{"with closing", []string{"send", "recv", "recv", "close", "store", "load"}},
		{"with looks", []string{"send", "recv", "poll", "offer", "len", "load", "store"}},
		{"with select", []string{"send", "recv", "either", "both", "close", "poll"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			gen := genProgram(c.ops, 4, 4)
			rapid.Check(t, func(t *rapid.T) {
				sameChanTraces(t, buffered(gen.Draw(t, "program")))
			})
		})
	}
}

func TestReductionKeepsEveryOutcomeOfChannels(t *testing.T) {
	for _, c := range []struct {
		name  string
		ops   []string
		early int
	}{
		{"unbuffered", []string{"send", "recv", "either", "poll", "close"}, 0},
		{"meetings", []string{"send", "recv", "either", "both", "offer", "poll"}, 0},
		{"one channel in two cases", []string{"send", "recv", "same", "same", "offer"}, 0},
		{"timers", []string{
			"send", "await or expire", "expire", "expired", "stop", "reset", "sleep", "now",
		}, 0},
		{"timers that come early", []string{
			"send", "await or expire", "expire", "expired", "stop", "reset", "sleep", "now",
		}, 2},
		{"timers and meetings", []string{
			"send", "await or expire", "expire", "stop", "both", "offer", "sleep",
		}, 1},
		{"timers and requests", []string{
			"send", "recv", "await or expire", "expire", "stop", "both", "offer", "give", "sleep",
		}, 1},
		{"locks and requests", []string{
			"send", "recv", "recv", "both", "give", "close", "load", "store", "lock", "unlock",
		}, 0},
		{"everything", []string{
			"send", "send", "recv", "recv", "either", "both", "offer", "poll", "close", "len",
			"load", "store", "lock", "unlock",
		}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			gen := genProgram(c.ops, 4, 3)
			rapid.Check(t, func(t *rapid.T) {
				p := gen.Draw(t, "program")
				if strings.HasSuffix(c.name, "requests") {
					p = sendsBySelect(p)
				}
				sameOutcomes(t, p, c.early)
			})
		})
	}
}

// sameOutcomes holds the search against the one without reduction on what the
// threads could tell afterwards.
func sameOutcomes(t tester, p program, early int) {
	sameOutcomesOf(t, p, explore.Config{EarlyTimeouts: early})
}

// sameOutcomesOf is sameOutcomes for searches that differ from cfg only in their bounds.
func sameOutcomesOf(t tester, p program, cfg explore.Config) {
	every, reduced := cfg, cfg
	every.Preemptions, reduced.Preemptions = -1, -1
	every.Unreduced, every.Executions = true, 20_000
	all, allDead, full := explored(t, p, every, (*world).outcome)
	if full.Bounded != "" {
		t.Skip("too large")
	}
	got, gotDead, res := explored(t, p, reduced, (*world).outcome)
	require.Equal(t, keys(all), keys(got), "outcomes of\n%v", p)
	require.Equal(t, keys(allDead), keys(gotDead), "outcomes of deadlocks of\n%v", p)
	require.LessOrEqual(t, res.Complete, full.Complete)
	sameWithin(t, p, p.run, cfg, (*world).outcome)
}

// sameWithin holds the search within a bound on preemptions against all schedules within it.
func sameWithin(
	t tester, p program, run func(*world), cfg explore.Config, show func(*world) string,
) {
	for n := range 4 {
		every, reduced := cfg, cfg
		every.Preemptions, reduced.Preemptions = n, n
		every.Unreduced, every.Executions = true, 5_000
		all, allDead, full := exploredBy(t, p, run, every, show)
		if strings.HasPrefix(full.Bounded, "budget") {
			return
		}
		got, gotDead, res := exploredBy(t, p, run, reduced, show)
		if full.Failures > 0 {
			require.NotZero(t, res.Failures, "%d preemptions miss a failure: %v\n%v",
				n, full.Failure, p)
			return
		}
		require.Equal(t, keys(all), keys(got), "with %d preemptions\n%v", n, p)
		require.Equal(t, keys(allDead), keys(gotDead), "deadlocks with %d preemptions\n%v", n, p)
		require.LessOrEqual(t, res.Complete, full.Complete)
		if res.Bounded == "" { // then this is all that there is
			unbounded := cfg
			unbounded.Preemptions = -1
			all, allDead, _ := exploredBy(t, p, run, unbounded, show)
			require.Equal(t, keys(all), keys(got), "no more than %d preemptions\n%v", n, p)
			require.Equal(t, keys(allDead), keys(gotDead), "deadlocks of all\n%v", p)
			return
		}
	}
}

// sameChanTraces holds the search against the one without reduction: both must
// see the same traces, and the reduced one each of them once.
func sameChanTraces(t tester, p program) { sameChanTracesBy(t, p, p.run, true) }

// sameChanTracesBy is sameChanTraces for a program that run runs. Without once, a trace may be
// explored more than once.
func sameChanTracesBy(t tester, p program, run func(*world), once bool) {
	every := explore.Config{Preemptions: -1, Unreduced: true, Executions: 20_000}
	all, allDead, full := exploredBy(t, p, run, every, (*world).chanTrace)
	if full.Bounded != "" {
		t.Skip("too large")
	}
	reduced := explore.Config{Preemptions: -1}
	got, gotDead, res := exploredBy(t, p, run, reduced, (*world).chanTrace)
	require.Equal(t, keys(all), keys(got), "complete traces of\n%v", p)
	require.Equal(t, keys(allDead), keys(gotDead), "deadlocked traces of\n%v", p)
	if once {
		require.EqualValues(t, len(all), res.Complete, "each trace once:\n%v", p)
		require.EqualValues(t, len(allDead), res.Deadlocked, "each deadlock once:\n%v", p)
	}
	sameWithin(t, p, run, explore.Config{}, (*world).chanTrace)
}

// Time may pass while threads can run, and the sum of that is bounded.
func TestReductionKeepsEveryOutcomeOfTimeThatPasses(t *testing.T) {
	gen := genProgram([]string{
		"await or expire", "expire", "expire", "stop", "reset", "reset", "sleep", "now", "now",
	}, 3, 3)
	rapid.Check(t, func(t *rapid.T) {
		short := time.Duration(rapid.IntRange(2, 5).Draw(t, "short"))
		sameOutcomesOf(t, gen.Draw(t, "program"), explore.Config{
			EarlyTimeouts: 1, TimePasses: true, Short: short,
		})
	})
}

// Programs that the search once got wrong, or would with one of its rules left out.
func TestReductionOfKeptPrograms(t *testing.T) {
	t.Run("a blocked receive of an execution that is cut short", func(t *testing.T) {
		sameChanTraces(t, buffered(program{
			{
				{Op: "send", Cond: true}, {Op: "send", Var: 2},
				{Op: "send", Cond: true}, {Op: "recv"},
			},
			{{Op: "recv"}, {Op: "send"}},
			{{Op: "send"}, {Op: "send"}, {Op: "send", Var: 2}},
		}))
	})
	t.Run("a timer beside another one that uses up the early timeouts", func(t *testing.T) {
		sameOutcomes(t, program{
			{{Op: "await or expire", Var: 2}},
			{{Op: "await or expire", Var: 1}},
			{{Op: "stop", Var: 1}},
			{{Op: "send"}},
		}, 1)
	})
	t.Run("a timer that is stopped, beside a look at the clock", func(t *testing.T) {
		sameOutcomes(t, program{
			{
				{Op: "send", Cond: true}, {Op: "await or expire"},
				{Op: "await or expire", Var: 1, Cond: true},
			},
			{{Op: "send"}, {Op: "stop", Var: 1}},
			{{Op: "now"}},
		}, 2)
	})
	t.Run("a timer that is stopped, beside the setting of another one", func(t *testing.T) {
		sameOutcomes(t, program{
			{{Op: "expired", Var: 1}, {Op: "await or expire"}},
			{{Op: "send", Var: 1}, {Op: "stop", Var: 1}},
			{{Op: "reset"}},
		}, 2)
	})
	t.Run("a timer that the clock, moved by itself, keeps from firing early", func(t *testing.T) {
		sameOutcomesOf(t, program{
			{{Op: "now"}, {Op: "reset", Var: 2}},
			{
				{Op: "reset", Var: 1, Val: 1}, {Op: "await or expire", Var: 2, Cond: true},
				{Op: "sleep", Val: 2},
			},
			{
				{Op: "reset", Var: 2, Val: 1}, {Op: "await or expire", Var: 1},
				{Op: "sleep", Cond: true},
			},
		}, explore.Config{EarlyTimeouts: 1, TimePasses: true, Short: 3})
	})
	// It could have gone on before what it waited for was taken away, and before its partner came.
	t.Run("a waiter that a partner finds, within a bound", func(t *testing.T) {
		sameOutcomes(t, program{
			{{Op: "send", Var: 1}},
			{{Op: "recv", Var: 1}, {Op: "both"}},
			{{Op: "send", Var: 1}, {Op: "either"}, {Op: "recv"}},
		}, 0)
	})
	t.Run("a choice that sleeps", func(t *testing.T) {
		sameChanTraces(t, buffered(program{
			{
				{Op: "store", Var: 1, Val: 1}, {Op: "poll"},
				{Op: "send", Cond: true}, {Op: "send", Cond: true},
			},
			{{Op: "send", Cond: true}},
			{{Op: "store", Var: 1, Val: 1}},
		}))
	})
	t.Run("looks at two counts beside an offer, and loads", func(t *testing.T) {
		sameChanTraces(t, buffered(program{
			{{Op: "send", Cond: true}, {Op: "store", Var: 1}, {Op: "recv"}},
			{
				{Op: "len", Var: 1, Val: 1}, {Op: "len", Val: 2}, {Op: "load", Var: 1},
				{Op: "store", Var: 2, Val: 1},
			},
			{
				{Op: "offer"}, {Op: "load", Var: 1, Val: 1, Cond: true}, {Op: "recv", Val: 1},
				{Op: "len", Var: 2, Val: 2, Cond: true},
			},
		}))
	})
	t.Run("selects of signals and values, of which each has two partners", func(t *testing.T) {
		sameOutcomes(t, program{
			{{Op: "send", Var: 2, Val: 2}},
			{{Op: "beep or never", Val: 1, Cond: true}, {Op: "receive or halted", Var: 1, Val: 1}},
			{{Op: "beep or never"}, {Op: "receive or halted", Var: 2}},
			{{Op: "receive or halted", Var: 2, Val: 1}, {Op: "beep or never", Val: 2}},
		}, 0)
	})
}
