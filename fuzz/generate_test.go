package fuzz_test

import (
	"math/bits"
	"slices"

	"pgregory.net/rapid"

	"github.com/surewake/surewake/fuzz/prog"
)

// A group is a set of operations that programs are made of. An operation that is
// named twice is drawn twice as often.
type group struct {
	name    string
	ops     []string
	threads int // at most
	length  int // of each, at most
}

// A drawing is a group while a program is drawn, with the operations and the channels
// that the program mostly uses; without any channels it uses all.
type drawing struct {
	group
	chans []int
}

// draws begins a program. Half of the programs, and all of a large group, have some of the
// operations only, so that their goroutines meet more often (swarm testing: Groce, Zhang,
// Eide, Chen, Regehr, ISSTA 2012).
func (g group) draws(t *rapid.T) drawing {
	d := drawing{g, sample(t, "chans", [][]int{{0}, {1}, {0, 1}, {0, 2}, {0, 1, 2}})}
	if len(g.ops) > 20 || rapid.Bool().Draw(t, "swarm") {
		d.ops = nil
		for range 3 + below(t, "ops", 4) {
			d.ops = append(d.ops, sample(t, "one of them", g.ops))
		}
	}
	return d
}

// below draws a number from 0 to n-1, each as often: ranges of rapid favour small numbers,
// so that programs would be short and of few operations.
func below(t *rapid.T, label string, n int) (v int) {
	bit := rapid.Bool()
	for range bits.Len(uint(n-1)) + 3 {
		v <<= 1
		if bit.Draw(t, label) {
			v++
		}
	}
	return v % n
}

func sample[T any](t *rapid.T, label string, from []T) T {
	return from[below(t, label, len(from))]
}

var groups = []group{
	{"atomics", []string{"load", "load", "store", "swap", "add", "cas", "cas", "or"}, 3, 4},
	{"locks", []string{"load", "store", "lock", "lock", "unlock", "unlock", "trylock"}, 3, 5},
	{"rwlocks", []string{
		"load", "store", "rlock", "tryrlock", "wlock", "trywlock", "runlock", "runlock",
	}, 3, 4},
	{"conditions", []string{
		"load", "store", "lock", "lock", "unlock", "wait", "wait", "signal", "broadcast",
	}, 3, 5},
	{"waitgroups", []string{"load", "store", "wgfinish", "wgfinish", "wgwait"}, 3, 4},
	{"waitgroups below zero", []string{
		"load", "store", "wgadd", "wgadd", "wgdone", "wgdone", "try",
	}, 3, 3},
	{"once", []string{"load", "add", "once", "once", "oncevalue", "lock", "unlock", "try"}, 3, 4},
	{"channels", []string{
		"send", "send", "recv", "recv", "close", "len", "range", "load", "store",
	}, 3, 4},
	{"selects", []string{
		"send", "recv", "close", "select", "select", "select",
		"select or default", "select or default",
	}, 3, 3},
	{"contexts", []string{
		"cancel", "cancel", "err", "cause", "ctxdone", "poll ctxdone",
		"derive", "drop", "without", "afterfunc", "stopfunc",
	}, 3, 4},
	{"control", []string{
		"load", "add", "panic", "goexit", "try", "try", "defer", "go", "go",
		"lock", "lock", "unlock", "send", "recv",
	}, 3, 4},
	{"coroutines", []string{
		"load", "add", "pull", "pull", "next", "next", "next", "stop", "yield", "yield",
		"panic", "goexit", "try",
	}, 2, 6},
	// No locks: who waits for one keeps time still in a bubble.
	{"timers", []string{
		"sleep", "now", "expire", "poll timer", "stop timer", "reset timer",
		"after", "after or recv", "timer func", "tick", "reset ticker",
		"timeout", "ctxdone", "poll ctxdone", "cause", "load", "store", "send", "recv",
	}, 3, 4},
	{"bubbles", []string{
		"quiet", "quiet", "sleep", "sleep", "now", "expire", "poll timer", "stop timer",
		"reset timer", "after", "after or recv", "timer func", "tick", "timeout", "poll ctxdone",
		"load", "store", "send", "recv", "close", "select", "select or default", "wgfinish",
		"wgwait", "derive", "cancel", "afterfunc", "err", "go",
	}, 3, 4},
	{"everything", []string{
		"load", "store", "cas", "add",
		"lock", "unlock", "trylock", "rlock", "wlock", "runlock", "wait", "broadcast", "once",
		"send", "recv", "close", "range", "select", "select or default",
		"cancel", "err", "cause", "ctxdone", "derive", "afterfunc", "stopfunc",
		"panic", "goexit", "try", "defer", "go", "pull", "next", "yield",
	}, 3, 4},
}

func (g group) generator() *rapid.Generator[prog.Program] {
	return rapid.Custom(func(t *rapid.T) prog.Program {
		var p prog.Program
		d := g.draws(t)
		for range 2 + below(t, "goroutines", g.threads-1) {
			p.Threads = append(p.Threads, d.block(t, 1, g.length, 2))
		}
		if below(t, "balanced", 4) > 0 {
			balance(t, p)
		}
		return p
	})
}

// balance adds up to three partners of operations that must wait for ever without them:
// most random programs end in that way, and soon.
func balance(t *rapid.T, p prog.Program) {
	more := [3]int{0, -1, -2} // sends for which there is neither a receive nor room
	ranged, closed := [3]bool{}, [3]bool{}
	waits, cancels := false, false
	for _, b := range p.Threads {
		for _, in := range b {
			switch {
			case in.Op == "ctxdone":
				waits = true
			case in.Op == "cancel":
				cancels = true
			case in.A > 2 || in.Odd:
			case in.Op == "send":
				more[in.A]++
			case in.Op == "recv":
				more[in.A]--
			case in.Op == "range":
				ranged[in.A] = true
			case in.Op == "close":
				closed[in.A] = true
			}
		}
	}
	added := 0
	add := func(in prog.Instr) {
		if added < 3 {
			added++
			i := below(t, "partner", len(p.Threads))
			p.Threads[i] = append(p.Threads[i], in)
		}
	}
	if waits && !cancels {
		add(prog.Instr{Op: "cancel", B: 1})
	}
	for c, n := range more {
		for ; n > 0; n-- {
			add(prog.Instr{Op: "recv", A: c})
		}
		for ; n < -c; n++ {
			add(prog.Instr{Op: "send", A: c, B: 1})
		}
		if ranged[c] && !closed[c] {
			add(prog.Instr{Op: "close", A: c})
		}
	}
}

// block draws a block of some instructions with blocks of its own, so deep.
func (g drawing) block(t *rapid.T, least, most, depth int) prog.Block {
	var b prog.Block
	for range least + below(t, "length", most-least+1) {
		in := prog.Instr{
			Op:  sample(t, "op", g.ops),
			A:   rapid.IntRange(0, 3).Draw(t, "a"), // mostly the first object
			B:   below(t, "b", 3),
			Odd: below(t, "odd", 8) == 7,
		}
		switch in.Op {
		case "send", "recv", "close", "len", "range":
			in.A = g.drawChan(t)
		case "cas":
			in.A %= 3
		case "wgadd":
			in.B-- // -1 to 1
		case "after or recv":
			if g.name == timed.name && in.B == 0 {
				in.B = 1 // a timer that is due and a value: Go takes either
			}
		case "panic":
			in.B = below(t, "kind", 5)
		case "select", "select or default":
			in.Cases = rapid.SliceOfN(rapid.Custom(g.drawCase), 1, 3).Draw(t, "cases")
		case "go", "try", "defer", "once", "afterfunc", "pull", "wggo", "timer func":
			if depth == 0 {
				continue
			}
			body := g
			if in.Op == "pull" {
				body.ops = slices.Concat(g.ops, []string{"yield", "yield", "yield"})
			}
			in.Body = body.block(t, 1, 3, depth-1)
		}
		b = append(b, in)
		if in.Op == "pull" && rapid.Bool().Draw(t, "used") {
			b = append(b, prog.Instr{Op: "next", A: in.A})
		}
	}
	return b
}

func (g drawing) drawCase(t *rapid.T) prog.Case {
	return prog.Case{
		Send: rapid.Bool().Draw(t, "send"),
		Chan: g.drawChan(t),
	}
}

// drawChan seldom draws the nil channel, which stops a goroutine for good.
func (g drawing) drawChan(t *rapid.T) int {
	if len(g.chans) == 0 || below(t, "any channel", 32) == 31 {
		return below(t, "chan", 4)
	}
	return sample(t, "chan", g.chans)
}
