package fuzz_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/fuzz/prog"
	"github.com/surewake/surewake/fuzz/serve"
)

// reach is what some of 1,000 programs of each group must do, so that comparing them
// tells something. "waits OP" is an operation that waits for ever in one execution and
// not in another one; "either case" is a select that is found at different cases; any other
// text is part of an outcome.
var reach = map[string][]string{
	"atomics":    {"several outcomes"},
	"locks":      {"several outcomes", "waits lock"},
	"rwlocks":    {"several outcomes", "waits rlock", "waits wlock"},
	"conditions": {"several outcomes", "waits wait", "waits lock", "woken"},
	"waitgroups": {"several outcomes", "in wgwait:"},
	"waitgroups below zero": {
		"several outcomes", "negative WaitGroup counter", "panic sync: negative",
	},
	"once": {"several outcomes", "waits lock", "waits once", "even", "panic even"},
	"channels": {
		"several outcomes", "waits send", "waits recv", "waits range", "sent",
		"send on closed channel", "close of closed channel", "=-1",
	},
	"selects": {
		"several outcomes", "waits select", "waits send", "waits recv", "either case", "=20", "=50",
		"send on closed channel", "sent",
	},
	"contexts": {
		"several outcomes", "in ctxdone:", "=done", "=e0", "=e1", "=context canceled",
		"({end:",
	},
	"control": {
		"several outcomes", "waits lock", "waits send", "waits recv", "{exit", "panic e0",
		"panic a string", "nil pointer", "out of range", "nil argument", "({end:",
	},
	"coroutines": {
		"several outcomes", "=6", "{exit", "panic e0", "nil pointer", "out of range",
	},
	"timers": {
		"several outcomes", "=done", "=e1", "sent", "in expire:",
	},
	"bubbles": {
		"several outcomes", "sent", "in expire:", "wait already in progress",
		"in wgwait:", "waits send",
	},
	"everything": {
		"several outcomes", "waits lock", "waits send", "waits recv", "waits select",
		"=done", "{exit", "{panic", "({end:",
	},
}

// Some of the programs that are compared do what is worth comparing.
func TestProgramsReachWhatMatters(t *testing.T) {
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			require.NotEmpty(t, reach[g.name])
			ops, seen := map[string]int{}, map[string]int{}
			gen := g.generator()
			for seed := range 1000 {
				p := gen.Example(seed)
				count(p, ops)
				r := serve.Request{Program: p, Mode: serve.Reduced, Runs: 100}
				a, err := exploring.ask(r)
				require.NoError(t, err, "%v", p)
				for _, what := range reach[g.name] {
					if reached(what, a) {
						seen[what]++
					}
				}
			}
			t.Logf("so many programs had %v\nand reached %v", ops, seen)
			for _, op := range g.ops {
				require.Positive(t, ops[op], op)
			}
			for _, what := range reach[g.name] {
				require.Positive(t, seen[what], what)
			}
		})
	}
}

// count counts the programs that have each operation.
func count(p prog.Program, ops map[string]int) {
	has := map[string]bool{}
	var walk func(prog.Block)
	walk = func(b prog.Block) {
		for _, in := range b {
			has[in.Op] = true
			walk(in.Body)
		}
	}
	for _, b := range p.Threads {
		walk(b)
	}
	for op := range has {
		ops[op]++
	}
}

// reached reports whether the explored executions of a program show what reach names.
func reached(what string, a serve.Answer) bool {
	outcomes := slices.AppendSeq(slices.Collect(maps.Keys(a.Complete)), maps.Keys(a.Stuck))
	if what == "several outcomes" {
		return len(outcomes) > 1
	}
	if what == "either case" {
		return eitherCase(outcomes)
	}
	if op, ok := strings.CutPrefix(what, "waits "); ok {
		stuck := regexp.MustCompile("stuck at [0-9]+ in " + op + ":")
		return slices.ContainsFunc(outcomes, stuck.MatchString) &&
			slices.ContainsFunc(outcomes, func(o string) bool { return !stuck.MatchString(o) })
	}
	return slices.ContainsFunc(outcomes, func(o string) bool { return strings.Contains(o, what) })
}

var firstChoice = regexp.MustCompile(`\{[^:{}]*: 1=([1-4])\d*`)

// eitherCase reports whether the first instruction of a goroutine was found at different
// cases of a select.
func eitherCase(outcomes []string) bool {
	found := map[int]map[string]bool{}
	for _, o := range outcomes {
		for i, text := range strings.Split(o, "} ") {
			m := firstChoice.FindStringSubmatch(text)
			if m == nil {
				continue
			}
			if found[i] == nil {
				found[i] = map[string]bool{}
			}
			found[i][m[1]] = true
			if len(found[i]) > 1 {
				return true
			}
		}
	}
	return false
}
