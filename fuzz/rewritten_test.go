package fuzz_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/fuzz/prog"
	"github.com/surewake/surewake/fuzz/serve"
)

// sequential has what one goroutine can do in one way only.
var sequential = group{name: "sequential", ops: []string{
	"load", "store", "swap", "add", "cas", "or",
	"lock", "unlock", "trylock", "rlock", "tryrlock", "wlock", "trywlock", "runlock",
	"signal", "broadcast", "wgadd", "wgadd", "wgdone", "wgwait", "once", "oncevalue",
	"send", "recv", "close", "len", "range",
	"cancel", "err", "cause", "ctxdone", "poll ctxdone", "derive", "drop", "without",
	"get", "put", "try", "try", "defer", "panic", "goexit", "pull", "next", "stop", "yield",
}, length: 10}

// timed has what one goroutine can do with time. A wait for a lock would keep time
// still where Go runs it.
var timed = group{name: "timed", ops: []string{
	"sleep", "sleep", "now", "now", "expire", "poll timer", "stop timer", "reset timer",
	"after", "after or recv", "tick", "reset ticker", "timeout", "timeout",
	"ctxdone", "err", "cause", "cancel", "derive", "send", "recv", "load", "try", "defer",
}, length: 10}

// A program of one goroutine does the same as it stands, in a rewritten build
// outside of an exploration, and explored.
func TestRewrittenProgramsDoTheSame(t *testing.T) {
	for _, g := range []group{sequential, timed} {
		t.Run(g.name, func(t *testing.T) { rewrittenDoesTheSame(t, g) })
	}
}

func rewrittenDoesTheSame(t *testing.T, g group) {
	refused, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		d := drawing{group: g}
		p := prog.Program{Threads: []prog.Block{d.block(t, 1, g.length, 2)}}
		ask := func(s *server, mode string, runs int) serve.Answer {
			a, err := s.ask(serve.Request{Program: p, Mode: mode, Runs: runs})
			require.NoError(t, err, "%v", p)
			return a
		}
		only := func(a serve.Answer) string {
			outcomes := slices.AppendSeq(slices.Collect(maps.Keys(a.Complete)), maps.Keys(a.Stuck))
			require.Len(t, outcomes, 1, "%v", p)
			return outcomes[0]
		}
		explored := ask(exploring, serve.Reduced, 10)
		all++
		if explored.Refused != "" {
			refused++
			return
		}
		require.Empty(t, explored.Failure, "%v", p)
		want := only(ask(native, serve.Native, 2))
		require.Equal(t, want, only(ask(exploring, serve.Native, 2)), "rewritten:\n%v", p)
		require.Equal(t, want, only(explored), "explored:\n%v", p)
	})
	require.Less(t, 10*refused, all, "too few programs were of use")
}
