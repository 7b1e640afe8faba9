//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An interrupt ends the command, which prints what it has so far; as JSON without a summary.
func TestAnInterruptLeavesTheResultsSoFar(t *testing.T) {
	table := interrupted(t, "./testdata/endless")
	require.Regexp(t, `(?m)^\S+ +TestLong/first +bounded +1 .*races not checked$`, table.stdout)
	require.Regexp(t, `(?m)^[12] checks: 0 proved, [12] bounded, 0 failed$`, table.stdout)

	lines := interrupted(t, "-json", "./testdata/endless")
	require.Contains(t, lines.stdout, `"name":"TestLong/first","verdict":"bounded","complete":1,`)
	require.NotContains(t, lines.stdout, `"checks":`)
}

// interrupted returns the answer of a check that is interrupted a moment after its last test began.
func interrupted(t *testing.T, args ...string) answer {
	t.Helper()
	started := filepath.Join(t.TempDir(), "started")
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(command, append([]string{"check", "-race=false"}, args...)...)
	cmd.Env = append(os.Environ(), "STARTED="+started)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	for _, err := os.Stat(started); err != nil; _, err = os.Stat(started) {
		select {
		case <-ended:
			require.FailNow(t, "ended too early", "%s%s", &stdout, &stderr)
		case <-time.After(10 * time.Millisecond):
		}
	}
	time.Sleep(2 * time.Second) // it tells how far it is once a second
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	<-ended
	a := answer{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
	require.Equal(t, exitTrouble, a.code, "%s", a)
	require.Equal(t, "surewake: interrupted; every test has a result\n", a.stderr, "%s", a)
	return a
}
