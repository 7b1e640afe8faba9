//go:build unix

package killed

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/internal/commandtest"
	"github.com/surewake/surewake/model/driver"
)

const checkpointPackage = "./testdata/checkpoint"

// A killer ends a command, which has this process id, or a process of it.
type killer func(pid int) error

func killCommand(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) }

func interruptCommand(pid int) error { return syscall.Kill(pid, syscall.SIGINT) }

// killChild kills one of the processes that explore, if it finds one.
func killChild(pid int) error {
	if all := descendants(pid, explores); len(all) > 0 {
		return syscall.Kill(all[rand.IntN(len(all))], syscall.SIGKILL)
	}
	return nil
}

// explores and helps are in the environment of processes that explore checks, and of helpers.
const explores, helps = `SUREWAKE={`, `"Mode":"help"`

// descendants returns those of a process whose environment has a text.
func descendants(ancestor int, text string) (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range all {
		env, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(env, []byte(text)) {
			continue
		}
		pid, _ := strconv.Atoi(strings.Split(file, "/")[2])
		for p := pid; p > 1; p = parentOf(p) {
			if p == ancestor {
				pids = append(pids, pid)
				break
			}
		}
	}
	return pids
}

// goesOn runs a check with a checkpoint again and again, and ends it as each of killers says, some
// time after it has written the checkpoint once more. It returns the answer that was not ended, and
// how often it was. If the check was over each time, all is done again, with less time.
func goesOn(
	t *testing.T, file string, killers []killer, args ...string,
) (a commandtest.Answer, ended int) {
	t.Helper()
	for wait := 1200 * time.Millisecond; ended == 0 && wait > time.Millisecond; wait /= 3 {
		_ = os.Remove(file)
		a, ended = goesOnWithin(t, wait, file, killers, args...)
	}
	return a, ended
}

// goesOnWithin is one try of goesOn, with so much time at most.
func goesOnWithin(
	t *testing.T, wait time.Duration, file string, killers []killer, args ...string,
) (a commandtest.Answer, ended int) {
	t.Helper()
	args = append([]string{"check", "-checkpoint", file}, args...)
	for _, kill := range killers {
		var stdout, stderr bytes.Buffer
		cmd := exec.Command(command, args...)
		cmd.Dir = root
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		before := written(file)
		require.NoError(t, cmd.Start())
		over := make(chan struct{})
		go func() {
			defer close(over)
			_ = cmd.Wait()
		}()
		for n := 1 + rand.IntN(2); n > 0; {
			select {
			case <-over:
				n = 0
			case <-time.After(5 * time.Millisecond):
			}
			if now := written(file); now != before {
				before = now
				n--
			}
		}
		select {
		case <-over:
		case <-time.After(rand.N(wait)):
			_ = kill(cmd.Process.Pid)
			<-over
			ended++
		}
		require.NotContains(t, stderr.String(), "damaged")
	}
	return surewake(t, args...), ended
}

// written returns when a file was written.
func written(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

func times(n int, kill ...killer) (all []killer) { return slices.Repeat(kill, n) }

// ofTheProcess are addresses and numbers of goroutines in reports of the race detector.
var ofTheProcess = regexp.MustCompile(`0x[0-9a-f]+|[Gg]oroutine \d+`)

// timeless returns rows without what depends on time: how long it took, and how many executions
// were run after a failure, to look for a shorter one.
func timeless(rows []driver.Row) []driver.Row {
	rows = slices.Clone(rows)
	for i := range rows {
		r := &rows[i]
		r.Seconds, r.Left = 0, 0 // estimated by what this process has explored
		r.Message = ofTheProcess.ReplaceAllString(r.Message, "#")
		if r.Verdict == driver.Failed {
			r.Complete, r.Deadlocked, r.Pruned, r.Steps = 0, 0, 0, 0
			r.Races, _, _ = strings.Cut(r.Races, " ")
		}
	}
	slices.SortFunc(rows, func(a, b driver.Row) int {
		return strings.Compare(a.Package+a.Name, b.Package+b.Name)
	})
	return rows
}

// sameWhenKilled holds a command that is killed again and again against one that is not.
func sameWhenKilled(t *testing.T, killers []killer, args ...string) {
	t.Helper()
	sameRows(t, killers, timeless, args...)
}

// sameRows is sameWhenKilled for what look leaves of the rows.
func sameRows(
	t *testing.T, killers []killer, look func([]driver.Row) []driver.Row, args ...string,
) {
	t.Helper()
	args = append([]string{"-json"}, args...)
	whole := surewake(t, append([]string{"check"}, args...)...)
	want, _ := whole.Rows(t)
	a, ended := goesOn(t, filepath.Join(t.TempDir(), "checkpoint"), killers, args...)
	require.NotZero(t, ended)
	got, _ := a.Rows(t)
	require.Equal(t, whole.Code, a.Code, "%s", a)
	require.Equal(t, look(want), look(got))
	t.Logf("ended %d times", ended)
}

// A command that is killed at any time, and started again, has the results of one that is not:
// verdicts, counts, assumptions, tokens, pictures.
func TestACommandThatIsKilledGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	for _, args := range []string{
		"-race=false -run=Several|Polls|Observed|Selects|LateFailure ./testdata/checkpoint " +
			"./testdata/jobs",
		"-race=false -run=Several -strategy=pos -budget=300000x ./testdata/checkpoint",
		"-race=false -run=Several -preemptions=12 ./testdata/checkpoint",
		"-race=false -test=. ./testdata/checkpoint",
	} {
		t.Run(args, func(t *testing.T) {
			sameWhenKilled(t, times(2, killCommand), strings.Fields(args)...)
		})
	}
}

// The same under the race detector.
func TestARaceRunThatIsKilledGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	commandtest.NeedRace(t)
	sameWhenKilled(t, times(4, killCommand), "-run=LateRace|Observed|Small|Times",
		"./testdata/checkpoint", "./testdata/jobs")
}

// Several processes share the checks, and are killed, too. How many executions are cut short
// depends on how they did so.
func TestJobsThatAreKilledGoOn(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("looks for processes in /proc")
	}
	counts := func(rows []driver.Row) []driver.Row {
		rows = timeless(rows)
		for i := range rows {
			rows[i].Pruned, rows[i].Steps = 0, 0
		}
		return rows
	}
	sameRows(t, times(2, killChild, killCommand), counts,
		"-race=false", "-jobs=3", "-run=Adds|Selects", "./testdata/jobs")
}

// A process that is killed leaves its check undecided. The same command goes on with that.
func TestACheckThatIsKilledGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("looks for processes in /proc")
	}
	sameWhenKilled(t, times(3, killChild, interruptCommand),
		"-race=false", "-run=Several", checkpointPackage)
}

// What was reached before the command was killed counts.
func TestCoverageOfACommandThatIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := t.TempDir()
	profile := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(text)
	}
	args := []string{"-json", "-race=false", "-run=Several|Polls", checkpointPackage}
	whole := surewake(t, slices.Concat([]string{
		"check", "-coverprofile", filepath.Join(dir, "whole")}, args)...)
	want, sum := whole.Rows(t)
	a, ended := goesOn(t, filepath.Join(dir, "checkpoint"), times(3, killCommand),
		append([]string{"-coverprofile", filepath.Join(dir, "parts")}, args...)...)
	require.NotZero(t, ended)
	got, sumOfParts := a.Rows(t)
	require.Equal(t, timeless(want), timeless(got))
	require.Equal(t, sum, sumOfParts)
	require.Equal(t, profile("whole"), profile("parts"))
}
