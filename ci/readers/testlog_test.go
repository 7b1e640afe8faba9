package readers

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// gotestsum reads the test log, counts checks, shows what failed, and fails if the command does,
// by the command line of the manual of the checker.
func TestGotestsumReadsTheTestLog(t *testing.T) {
	dir := newModule(t, map[string]string{"log_test.go": `package log

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func TestGood(t *testing.T) {
	model.Check(t, func(x *model.Exec) { x.Choose(2) })
}

func TestBad(t *testing.T) {
	model.Check(t, func(x *model.Exec) { x.Assert(x.Choose(2) == 0, "one was chosen") })
}

func TestSkipped(t *testing.T) {
	t.Skip("not here")
	model.Check(t, func(x *model.Exec) {})
}
`})
	summarise := func(args string) (string, error) {
		tool, err := exec.Command("go", "tool", "-n", "gotestsum").Output()
		require.NoError(t, err)
		cmd := exec.CommandContext(t.Context(), string(tool[:len(tool)-1]),
			"--format", "testname", "--no-color", "--raw-command", "--",
			"bash", "-o", "pipefail", "-c",
			command+" check -race=false "+args+" -format gotest | go tool test2json")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := summarise("")
	require.Error(t, err)
	require.Contains(t, out, "DONE 3 tests, 1 skipped, 1 failure")
	require.Contains(t, out, "=== FAIL:  TestBad")
	require.Contains(t, out, "one was chosen")
	require.Contains(t, out, "replay  ")
	out, err = summarise("-run TestGood")
	require.NoError(t, err, out)
	require.Contains(t, out, "DONE 1 tests in ")
}
