// Package commandtest is for tests that start the built command as a user does.
package commandtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/driver"
)

// Main builds the command, whose package is at root, runs the tests of m and returns their exit
// code. It stores the path of the command for them. TestMain calls it.
func Main(m *testing.M, root string, path *string) int {
	dir, err := os.MkdirTemp("", "surewake-test-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	*path = filepath.Join(dir, "surewake")
	build := exec.Command("go", "build", "-o", *path, ".")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// An Answer is what the command left.
type Answer struct {
	Code           int
	Stdout, Stderr string
}

// Run starts the command in dir, and returns when it has ended.
func Run(t *testing.T, command, dir string, args ...string) Answer {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(command, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return Answer{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func (a Answer) String() string {
	return fmt.Sprintf("exit code %d\nstdout:\n%s\nstderr:\n%s", a.Code, a.Stdout, a.Stderr)
}

// Rows reads the output of check -json.
func (a Answer) Rows(t *testing.T) ([]driver.Row, driver.Summary) {
	t.Helper()
	return Rows(t, a.Stdout)
}

// Rows reads what check -json has printed to its end.
func Rows(t *testing.T, stdout string) (rows []driver.Row, sum driver.Summary) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	for i, line := range lines {
		var err error
		if i == len(lines)-1 {
			err = json.Unmarshal([]byte(line), &sum)
		} else {
			rows = append(rows, driver.Row{})
			err = json.Unmarshal([]byte(line), &rows[i])
		}
		require.NoError(t, err, "%s", stdout)
	}
	require.Equal(t, len(rows), sum.Checks, "%s", stdout)
	return rows, sum
}

// CanRace reports whether this machine can build with the race detector. Without a C compiler no
// check is better than bounded, and what is about races cannot be tested; where everything must be,
// that is a failure.
func CanRace(t *testing.T) bool {
	t.Helper()
	out, err := exec.Command("go", "env", "CGO_ENABLED").Output()
	require.NoError(t, err)
	can := strings.TrimSpace(string(out)) == "1"
	require.True(t, can || os.Getenv("CI") == "", "no race detector: install a C compiler")
	return can
}

// NeedRace skips a test that is about the race detector where there is none.
func NeedRace(t *testing.T) {
	t.Helper()
	if !CanRace(t) {
		t.Skip("is about the race detector, which needs a C compiler")
	}
}
