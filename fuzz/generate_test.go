package fuzz_test

import (
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
		"load", "add", "panic", "goexit", "try", "defer", "go", "lock", "unlock", "send", "recv",
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
		for range rapid.IntRange(2, g.threads).Draw(t, "goroutines") {
			p.Threads = append(p.Threads, g.block(t, 1, g.length, 2))
		}
		return p
	})
}

// block draws a block of some instructions with blocks of its own, so deep.
func (g group) block(t *rapid.T, least, most, depth int) prog.Block {
	var b prog.Block
	for range rapid.IntRange(least, most).Draw(t, "length") {
		in := prog.Instr{
			Op:  rapid.SampledFrom(g.ops).Draw(t, "op"),
			A:   rapid.IntRange(0, 3).Draw(t, "a"),
			B:   rapid.IntRange(0, 2).Draw(t, "b"),
			Odd: rapid.IntRange(0, 5).Draw(t, "odd") == 5,
		}
		switch in.Op {
		case "send", "recv", "close", "len", "range":
			in.A = drawChan(t)
		case "cas":
			in.A %= 3
		case "wgadd":
			in.B-- // -1 to 1
		case "panic", "cancel":
			in.B += in.A % 3
		case "select", "select or default":
			in.Cases = rapid.SliceOfN(rapid.Custom(drawCase), 1, 3).Draw(t, "cases")
		case "go", "try", "defer", "once", "afterfunc", "pull", "wggo", "timer func":
			if depth == 0 {
				continue
			}
			in.Body = g.block(t, 1, 3, depth-1)
		}
		b = append(b, in)
	}
	return b
}

func drawCase(t *rapid.T) prog.Case {
	return prog.Case{
		Send: rapid.Bool().Draw(t, "send"),
		Chan: drawChan(t),
	}
}

// drawChan seldom draws the nil channel, which stops a goroutine for good.
func drawChan(t *rapid.T) int {
	return rapid.SampledFrom([]int{0, 1, 2, 0, 1, 2, 0, 1, 2, 3}).Draw(t, "chan")
}
