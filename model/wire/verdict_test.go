package wire_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/wire"
)

func TestOnlyBugsOfTheProgramFail(t *testing.T) {
	for _, k := range []wire.Kind{
		wire.KindDeadlock, wire.KindLeak, wire.KindLivelock, wire.KindRace, wire.KindPanic,
		wire.KindAssertion, wire.KindHistory, wire.KindTiming,
	} {
		require.Equal(t, wire.Failed, k.Verdict(), k)
	}
	for _, k := range []wire.Kind{
		wire.KindRefused, wire.KindNondeterminism, wire.KindLimit, wire.KindInternal, "", "new",
	} {
		require.Equal(t, wire.Undecided, k.Verdict(), k)
	}
}

func TestAMessageIsReadAsItWasWritten(t *testing.T) {
	for _, m := range []wire.Message{
		{Progress: &wire.Progress{Check: "TestA", Executions: 7, Rate: 1.5, Left: -1}},
		{Result: &wire.Result{
			Check: "TestA/b", Verdict: wire.Failed, Kind: wire.KindPanic, File: "/a/b.go", Line: 3,
			Message: "line\nline",
			Trace:   &wire.Trace{Steps: []wire.Step{{Op: "Load", Object: "#1"}}},
		}},
	} {
		var b bytes.Buffer
		require.NoError(t, m.Write(&b))
		lines := bytes.SplitAfter(b.Bytes(), []byte("\n"))
		require.Equal(t, "\n", string(lines[0]), "the body may have left a line unfinished")
		before, got, ok := wire.Parse(append([]byte("said "), lines[1]...))
		require.True(t, ok)
		require.Equal(t, "said ", string(before))
		require.Equal(t, m, got)
	}
}

func TestWhatIsNoMessageIsOutput(t *testing.T) {
	for _, line := range []string{
		"", "x\n", wire.Mark, wire.Mark + "{}", wire.Mark + "{\"result\":",
	} {
		before, m, ok := wire.Parse([]byte(line))
		require.False(t, ok, "%q", line)
		require.Equal(t, line, string(before))
		require.Zero(t, m)
	}
}

func TestSettingsComeThrough(t *testing.T) {
	s, err := wire.DecodeSettings("")
	require.NoError(t, err)
	require.Nil(t, s)
	want := wire.Settings{
		Mode:        wire.Replay,
		Race:        true,
		Preemptions: 0,
		Schedule:    "3b2a",
		Check:       "TestA",
	}
	text, err := want.Encode()
	require.NoError(t, err)
	s, err = wire.DecodeSettings(text)
	require.NoError(t, err)
	require.Equal(t, want, *s)
	_, err = wire.DecodeSettings("{")
	require.ErrorContains(t, err, "environment variable SUREWAKE: ")
}
