package fuzz_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/fuzz/serve"
)

// racing has plain accesses, and all that can order them.
var racing = group{"races", []string{
	"get", "get", "get", "get", "get", "put", "put", "put", "put", "put",
	"load", "store", "cas",
	"lock", "lock", "unlock", "unlock", "trylock", "rlock", "wlock", "runlock",
	"once", "wgfinish", "wgwait", "send", "recv", "close", "select", "select or default",
	"cancel", "ctxdone", "err", "afterfunc", "go", "pull", "next", "yield", "wait", "signal",
}, 3, 4}

// Where the race detector objects to a run of a program, it objects to an explored
// execution.
func TestRacesAreExplored(t *testing.T) {
	if testing.Short() {
		t.Skip("builds with the race detector")
	}
	native := &server{binary: nativeBinary(true)}
	exploring := &server{binary: exploringBinary(true)}
	t.Cleanup(native.stop)
	t.Cleanup(exploring.stop)
	ran, explored := 0, 0
	gen := racing.generator()
	rapid.Check(t, func(t *rapid.T) {
		p := gen.Draw(t, "program")
		got, err := exploring.ask(serve.Request{Program: p, Mode: serve.Reduced, Runs: 2000})
		require.NoError(t, err, "%v", p)
		require.Empty(t, got.Failure, "%v", p)
		if got.Races > 0 {
			explored++
		}
		if got.Refused != "" || got.Bounded && got.Races == 0 {
			return
		}
		was, err := native.ask(serve.Request{Program: p, Mode: serve.Native, Runs: 20, Seed: 1})
		require.NoError(t, err, "%v", p)
		if was.Races > 0 {
			ran++
			require.Positive(t, got.Races, "a race of Go is not explored:\n%v", p)
		}
	})
	t.Logf("%d programs with races that were explored, %d of them run", explored, ran)
	require.Positive(t, ran)
}
