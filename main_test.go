package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/internal/commandtest"
)

// command is the built command, for the tests that start it as a user does.
var command string

func TestMain(m *testing.M) {
	os.Exit(commandtest.Main(m, ".", &command))
}

type answer = commandtest.Answer

// surewake starts the built command in dir.
func surewake(t *testing.T, dir string, args ...string) answer {
	t.Helper()
	return commandtest.Run(t, command, dir, args...)
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
		{"check ./deque -frobnicate", 2, "flag provided but not defined: -frobnicate"},
		{"check ./deque -run ^TestNothing$", 2, "-run ^TestNothing$ matches no check"},
		{"check -run ^TestNothing$ -- ./deque", 2, "-run ^TestNothing$ matches no check"},
		{"-C deque check -run ^TestNothing$ .", 2, "-run ^TestNothing$ matches no check"},
		{"-C=deque check -run ^TestNothing$ .", 2, "-run ^TestNothing$ matches no check"},
		{"-frobnicate", 2, "usage: surewake check [flags] [packages]"},
		{"check -budget 0 ./deque", 2, `invalid value "0" for flag -budget: ` +
			`want a duration (30s, 2m), a number of executions (10000x) or both`},
		{"check -budget -5s ./deque", 2, `invalid value "-5s" for flag -budget: want`},
		{"check -budget soon ./deque", 2, `invalid value "soon" for flag -budget: want`},
		{"check -preemptions -1 ./deque", 2,
			`invalid value "-1" for flag -preemptions: want a number, 0 or more`},
		{"check -jobs 0 ./deque", 2,
			`invalid value "0" for flag -jobs: want a number of at least 1`},
		{"check -strategy luck ./deque", 2, `strategy "luck": want one of dpor, random, pos, pct`},
		{"check -race=perhaps", 2, `invalid boolean value "perhaps" for -race`},
		{"replay", 2, "replay wants one token"},
		{"replay a b", 2, "replay wants one token"},
		{"replay none/such:TestX:1f3a9c2e:0", 2, "the package of the token, none/such: "},
		{"replay nonsense", 2, `token "nonsense"`},
	} {
		t.Run(c.args, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(context.Background(), strings.Fields(c.args), &stdout, &stderr)
			a := answer{Code: code, Stdout: stdout.String(), Stderr: stderr.String()}
			require.Equal(t, c.code, code, "%s", a)
			require.Contains(t, a.Stdout+a.Stderr, c.want)
			if code == 0 {
				require.Empty(t, a.Stderr)
			} else {
				require.Empty(t, a.Stdout)
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
