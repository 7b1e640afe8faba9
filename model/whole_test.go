//go:build !race

// The engine is compiled without instrumentation when the race detector watches; these tests run it
// in their own binary, which is instrumented.

package model

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"github.com/surewake/surewake/model/wire"
)

// conclusions explores f as an ordinary test, called in its rewritten form, and returns what the
// command is told. f must not fail: what fails t cannot be taken back.
func conclusions(t *testing.T, f func(hook.Test)) []wire.Message {
	t.Helper()
	stdout := os.Stdout
	r, w, err := os.Pipe()
	require.NoError(t, err)
	os.Stdout = w
	settings := &wire.Settings{
		Mode: wire.Explore, Race: explore.Race, Tests: true, Preemptions: -1,
	}
	func() {
		defer func() { os.Stdout = stdout }()
		newWhole(t, func(t *testing.T) { f(hook.TestT(t)) }, settings, t.Name()).begin()
	}()
	require.NoError(t, w.Close())
	said, err := io.ReadAll(r)
	require.NoError(t, err)
	var all []wire.Message
	for line := range bytes.Lines(said) {
		if _, m, ok := wire.Parse(line); ok {
			all = append(all, m)
		}
	}
	return all
}

func TestATestThatIsAlwaysSkippedHasNoVerdict(t *testing.T) {
	said := conclusions(t, func(t hook.Test) {
		t.Run("sub", func(t *testing.T) { hook.TestT(t).Skip("also") })
		t.Skip("not today")
	})
	require.Len(t, said, 2)
	skips := map[string]string{}
	for _, m := range said {
		require.NotNil(t, m.Skip, "%+v", m)
		skips[m.Skip.Test] = m.Skip.Why
	}
	require.Equal(t, map[string]string{t.Name(): "not today", t.Name() + "/sub": "also"}, skips)
}

func TestATestThatIsSkippedInSomeExecutionsIsBounded(t *testing.T) {
	said := conclusions(t, func(t hook.Test) {
		if explore.Choose(3) == 1 {
			t.Skip("one of three")
		}
	})
	require.Len(t, said, 1)
	r := said[0].Result
	require.Equal(t, wire.Bounded, r.Verdict)
	require.Regexp(t, `^1 of 3 executions skip `+t.Name()+` at .*:\d+: one of three$`, r.Bounded)
}

func TestASubtestThatDoesNotRunAloneIsUndecided(t *testing.T) {
	defer func() { require.NoError(t, hook.SelectSubtests(nil)) }()
	for name, want := range map[string]string{"absent": wire.Undecided, "there": wire.Proved} {
		hook.OnlySubtest(t.Name() + "/" + name)
		said := conclusions(t, func(t hook.Test) { t.Run("there", func(*testing.T) {}) })
		require.Len(t, said, 1)
		require.Equal(t, want, said[0].Result.Verdict, name)
	}
}
