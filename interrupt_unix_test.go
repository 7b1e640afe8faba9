//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An interrupt ends the command, which prints what it has so far; as JSON without a summary.
func TestAnInterruptLeavesTheResultsSoFar(t *testing.T) {
	table := interrupted(t, "./testdata/endless")
	require.Regexp(t, `(?m)^\S+ +TestLong/first +bounded +1 .*races not checked$`, table.Stdout)
	require.Regexp(t, `(?m)^(1 checks: 0 proved, 1 bounded, 0 failed|`+
		`2 checks: 0 proved, 2 bounded, 0 failed; 1 of the bounded cut short)$`, table.Stdout)

	lines := interrupted(t, "-json", "./testdata/endless")
	require.Contains(t, lines.Stdout, `"name":"TestLong/first","verdict":"bounded","complete":1,`)
	require.NotContains(t, lines.Stdout, `"checks":`)
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
	awaitFile(t, started, ended, &stderr)
	time.Sleep(2 * time.Second) // it tells how far it is once a second
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	<-ended
	a := answer{
		Code: cmd.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String(),
	}
	require.Equal(t, exitTrouble, a.Code, "%s", a)
	require.Equal(t, "surewake: interrupted; every test has a result\n", a.Stderr, "%s", a)
	return a
}

// Whoever closes the terminal, or reads only the beginning of the output, leaves nothing behind.
func TestNothingIsLeftOfACommandThatNobodyReads(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*os.Process, *os.File) error
	}{
		{"the terminal is closed", func(p *os.Process, _ *os.File) error {
			return p.Signal(syscall.SIGHUP)
		}},
		{"nobody reads", func(_ *os.Process, output *os.File) error { return output.Close() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			started := filepath.Join(dir, "started")
			output, w, err := os.Pipe()
			require.NoError(t, err)
			var stderr bytes.Buffer
			cmd := exec.Command(command, "check", "-race=false", "-json", "-budget", "2s",
				"./testdata/endless")
			cmd.Env = append(os.Environ(), "STARTED="+started, "TMPDIR="+dir)
			cmd.Stdout, cmd.Stderr = w, &stderr
			require.NoError(t, cmd.Start())
			require.NoError(t, w.Close())
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				_ = cmd.Wait()
			}()
			awaitFile(t, started, ended, &stderr)
			require.NoError(t, c.end(cmd.Process, output))
			<-ended
			require.True(t, cmd.ProcessState.Exited(), "%s: %s", cmd.ProcessState, &stderr)
			require.NoError(t, os.Remove(started))
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Empty(t, left)
			output.Close()
		})
	}
}

// awaitFile returns when a command has made a file.
func awaitFile(t *testing.T, file string, ended <-chan struct{}, said fmt.Stringer) {
	t.Helper()
	for _, err := os.Stat(file); err != nil; _, err = os.Stat(file) {
		select {
		case <-ended:
			require.FailNow(t, "ended too early", "%s", said)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
