// Package readers tries what other programs read of the command: the schema of -json, the test log,
// the workflow for GitHub. It is a module of its own, so that those programs are no dependencies of
// the project.
package readers

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	root    string // of the project
	command string // the command, built
)

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	var err error
	if root, err = filepath.Abs("../.."); err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "surewake-readers-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	command = filepath.Join(dir, "surewake")
	build := exec.Command("go", "build", "-o", command, ".")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// newModule makes a module that has the command as a tool, with the checkout in place of a release.
func newModule(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	gosum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	const path = "github.com/surewake/surewake"
	text := strings.Replace(string(gomod), "module "+path, "module example.com/user", 1) +
		"\ntool " + path + "\n\nrequire " + path + " v0.0.0\n\nreplace " + path + " => " + root + "\n"
	all := map[string]string{"go.mod": text, "go.sum": string(gosum)}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	return dir
}

// surewake runs the command and returns what it writes on standard output.
func surewake(t *testing.T, dir string, code int, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), command, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	err := cmd.Run()
	require.NotNil(t, cmd.ProcessState, "%v", err)
	require.Equal(t, code, cmd.ProcessState.ExitCode(), "%s%s", stdout.String(), stderr.String())
	return stdout.String()
}
