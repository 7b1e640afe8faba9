package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/driver"
)

// command is the built command, for the tests that start it as a user does.
var command string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "surewake-test-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	command = filepath.Join(dir, "surewake")
	if out, err := exec.Command("go", "build", "-o", command, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// An answer is what the command left.
type answer struct {
	code           int
	stdout, stderr string
}

// surewake starts the built command in dir.
func surewake(t *testing.T, dir string, args ...string) answer {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(command, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return answer{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func (a answer) String() string {
	return fmt.Sprintf("exit code %d\nstdout:\n%s\nstderr:\n%s", a.code, a.stdout, a.stderr)
}

// rows reads the output of check -json.
func (a answer) rows(t *testing.T) (rows []driver.Row, sum driver.Summary) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(a.stdout), "\n")
	for i, line := range lines {
		var err error
		if i == len(lines)-1 {
			err = json.Unmarshal([]byte(line), &sum)
		} else {
			rows = append(rows, driver.Row{})
			err = json.Unmarshal([]byte(line), &rows[i])
		}
		require.NoError(t, err, "%s", a)
	}
	require.Equal(t, len(rows), sum.Checks, "%s", a)
	return rows, sum
}

// canRace reports whether this machine can build with the race detector.
// Without a C compiler no check is better than bounded, and what is about races
// cannot be tested; where everything must be, that is a failure.
func canRace(t *testing.T) bool {
	t.Helper()
	out, err := exec.Command("go", "env", "CGO_ENABLED").Output()
	require.NoError(t, err)
	can := strings.TrimSpace(string(out)) == "1"
	require.True(t, can || os.Getenv("CI") == "", "no race detector: install a C compiler")
	return can
}

func needRace(t *testing.T) {
	t.Helper()
	if !canRace(t) {
		t.Skip("is about the race detector, which needs a C compiler")
	}
}

// bounded has the checks that are too large to exhaust, nearly all of them because two workers of
// the runtime look for work at once: they run under a bound that they state.
var bounded = regexp.MustCompile(`^(` +
	`(TestEverySmallConfiguration|TestNoTaskIsStrandedBehindLongOnes` +
	`|TestWiderSchedulersAreTheTable)/\d.*` +
	`|.*/(no_preemption|one_preemption|(two|three)_preemptions)` +
	`|TestTwoWorkersAndADescriptor|TestCancelMeetsReadiness` +
	`|TestTokenAndEventComeTogether|TestScopeEndsAfterItsChildren` +
	`|TestWhatAShieldHasStartedEndsAfterIt|TestLateWakeOfTheLastLife` +
	`|TestSelectOfATimer/goroutine` +
	`|TestEachQueueIsTheTable/workers_\d_submitters_\d` +
	`|(TestParkPathIsTheTable|TestTheSleepOfThePoolIsTheTable)/workers_` +
	`(1_submitters_2|2_submitters_\d)` +
	`)$`)

// Every other check of this project is proved: every schedule was run, and each
// was judged by the race detector. -short leaves all but a quick one out.
func TestEveryCheckIsProved(t *testing.T) {
	args := []string{"check", "-json", "./..."}
	if testing.Short() {
		args = []string{"check", "-json", "-run", quickCheck, "./deque"}
	}
	begin := time.Now()
	a := surewake(t, ".", args...)
	require.Zero(t, a.code, "%s", a)
	rows, sum := a.rows(t)
	require.NotEmpty(t, rows)
	require.Empty(t, sum.Skipped)
	races := canRace(t)
	for _, r := range rows {
		t.Logf(
			"%s %s: %s, %d complete, %.1f s", r.Package, r.Name, r.Verdict, r.Complete, r.Seconds,
		)
		if !races {
			require.Equal(t, driver.Bounded, r.Verdict, "%+v", r)
			require.Contains(t, r.Bounded, "races not checked", "%+v", r)
			require.Equal(t, "not checked", r.Races, "%+v", r)
			continue
		}
		if bounded.MatchString(r.Name) {
			require.Equal(t, driver.Bounded, r.Verdict, "%+v: proved by now? then say so", r)
			require.NotEmpty(t, r.Bounded, "%+v", r)
		} else {
			require.Equal(t, driver.Proved, r.Verdict, "%+v", r)
		}
		require.Equal(t, "none", r.Races, "%+v", r)
		require.Positive(t, r.Complete, "%+v", r)
	}
	require.Equal(t, sum.Checks, sum.Proved+sum.Bounded)
	t.Logf("%d checks in %.0f s", sum.Checks, time.Since(begin).Seconds())
}

// quickCheck is a check of the deque that takes less than a second.
const quickCheck = "^TestChainOfSteals$"

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		want string // in either stream
	}{
		{"-h", 0, "surewake mutants [flags] [packages]"},
		{"help", 0, "surewake replay [flags] TOKEN"},
		{"check -h", 0, "-preemptions n"},
		{"mutants -h", 0, "usage: surewake mutants"},
		{"prove", 2, `unknown command "prove"`},
		{"./deque", 2, `unknown command "./deque"`},
		{"check -frobnicate", 2, "flag provided but not defined: -frobnicate"},
		{"-frobnicate", 2, "usage: surewake check [flags] [packages]"},
		{"check -budget 0 ./deque", 2, `invalid value "0" for flag -budget: ` +
			`want a duration (30s, 2m), a number of executions (10000x) or both`},
		{"check -budget -5s ./deque", 2, `invalid value "-5s" for flag -budget: want`},
		{"check -budget soon ./deque", 2, `invalid value "soon" for flag -budget: want`},
		{"check -preemptions -1 ./deque", 2,
			`invalid value "-1" for flag -preemptions: want a number, 0 or more`},
		{"check -strategy luck ./deque", 2, `strategy "luck": want one of dpor, random, pos, pct`},
		{"check -race=perhaps", 2, `invalid boolean value "perhaps" for -race`},
		{"replay", 2, "replay wants one token"},
		{"replay a b", 2, "replay wants one token"},
		{"replay nonsense", 2, `token "nonsense"`},
	} {
		t.Run(c.args, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(context.Background(), strings.Fields(c.args), &stdout, &stderr)
			a := answer{code, stdout.String(), stderr.String()}
			require.Equal(t, c.code, code, "%s", a)
			require.Contains(t, a.stdout+a.stderr, c.want)
			if code == 0 {
				require.Empty(t, a.stderr)
			} else {
				require.Empty(t, a.stdout)
			}
		})
	}
}

func TestReplayCommandCanBePasted(t *testing.T) {
	require.Equal(t, []string{"./surewake"}, self("./surewake"))
	// Here, where go.mod is this module's.
	require.Equal(t, []string{"go", "run", "."}, self("/tmp/go-build123/b001/exe/surewake"))
	require.Equal(t, []string{"go", "run", "."}, self("/home/x/.cache/go-build/ab/abcd-d/surewake"))
	t.Chdir("deque")
	require.Equal(t, []string{"go", "run", modulePath}, self("/tmp/go-build123/b001/exe/surewake"))
	t.Chdir(t.TempDir())
	require.Equal(t, []string{"go", "run", modulePath}, self("/tmp/go-build123/b001/exe/surewake"))
	const m = modulePath
	for gomod, want := range map[string]string{
		"module a\n\ntool " + m + "\n\nrequire " + m + " v1.0.0\n": "go tool surewake",
		"module a\n\ntool (\n\tb.c/d\n\t" + m + " // x\n)\n":       "go tool surewake",
		"module a\n\nrequire (\n\t" + m + " v1.0.0\n)\n":           "go run " + m,
		"module a\n\ntool " + m + "/other\n":                       "go run " + m,
	} {
		require.NoError(t, os.WriteFile("go.mod", []byte(gomod), 0o666))
		require.NoError(t, os.MkdirAll("inside", 0o777))
		t.Chdir("inside")
		words := self("/home/x/.cache/go-build/ab/abcd-d/surewake")
		t.Chdir("..")
		require.Equal(t, want, strings.Join(words, " "), gomod)
	}

	require.Equal(t, "deque:TestA/b:1f3a9c2e:3b2a", quoted("deque:TestA/b:1f3a9c2e:3b2a"))
	require.Equal(t, `'a(b):it'\''s'`, quoted("a(b):it's"))
}
