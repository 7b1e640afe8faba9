// Package manifests holds what `surewake shard -plan` writes against those who read it: the types
// of Kubernetes, actionlint, a parser of container files. And it runs plans as engines would.
package manifests

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.." // of the repository

// command is the surewake that writes plans; those build their own.
var command string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "manifests")
		if err == nil {
			defer os.RemoveAll(dir)
			command = filepath.Join(dir, "surewake")
			build := exec.Command("go", "build", "-o", command, ".")
			build.Dir, build.Stderr = root, os.Stderr
			err = build.Run()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// checks are those of testdata/shards that are run: some are divided, some are too small.
const checks = "Adds|Small|Choices|Times"

// newModule makes somebody's module, which uses surewake, with the checks of testdata/shards.
func newModule(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		return string(text)
	}
	above, err := filepath.Abs(root)
	require.NoError(t, err)
	const path = "github.com/surewake/surewake"
	for name, text := range map[string]string{
		"go.mod": strings.Replace(read("go.mod"), "module "+path, "module example.com/user", 1) +
			"\ntool " + path + "\n\nrequire " + path + " v0.0.0\n\nreplace " + path + " => " + above + "\n",
		"go.sum":         read("go.sum"),
		"shards_test.go": read("testdata/shards/shards_test.go"),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	return dir
}

// run runs a command in a folder and returns what it writes and its exit code.
func run(t *testing.T, dir string, env []string, name string, args ...string) (out string, code int) {
	t.Helper()
	var b bytes.Buffer
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = dir, &b, &b, append(os.Environ(), env...)
	err := cmd.Run()
	require.NotNil(t, cmd.ProcessState, "%s: %v", name, err)
	return b.String(), cmd.ProcessState.ExitCode()
}

// plan writes a plan for a module and returns its files.
func plan(t *testing.T, dir string, args ...string) map[string]string {
	t.Helper()
	const folder = "deploy/shards"
	out, code := run(t, dir, nil, command, append([]string{"shard", "-plan", folder}, args...)...)
	require.Zero(t, code, out)
	files := map[string]string{}
	for _, name := range strings.Fields(out) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		files[filepath.Base(name)] = string(text)
	}
	return files
}

// install does what the container file says, and returns where the image has its commands.
func install(t *testing.T, dir, containerfile string) (bin string) {
	t.Helper()
	bin = t.TempDir()
	for _, script := range scripts(t, containerfile) {
		script = strings.ReplaceAll(script, "/usr/local/bin", bin)
		out, code := run(t, dir, path(bin), "sh", "-c", script)
		require.Zero(t, code, "%s:\n%s", script, out)
	}
	return bin
}

func path(bin string) []string { return []string{"PATH=" + bin + ":" + os.Getenv("PATH")} }

var unlike = regexp.MustCompile(`"(pruned|steps|seconds)":[^,]*,`)

// rows returns what -json says of checks, without what depends on how the work was divided.
func rows(t *testing.T, dir, bin string, args ...string) []string {
	t.Helper()
	out, code := run(t, dir, path(bin), filepath.Join(bin, "surewake"), args...)
	require.Zero(t, code, out)
	var rows []string
	for line := range strings.Lines(out) {
		if strings.Contains(line, `"name"`) {
			rows = append(rows, unlike.ReplaceAllString(line, ""))
		}
	}
	slices.Sort(rows)
	return rows
}

// requireWhole holds the certificates in a folder against one process.
func requireWhole(t *testing.T, dir, bin, certificates string, shards int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(certificates, "*.json"))
	require.NoError(t, err)
	require.Len(t, names, shards)
	want := rows(t, dir, bin, "check", "-json", "-run="+checks)
	require.Len(t, want, 4)
	require.Equal(t, want, rows(t, dir, bin, append([]string{"merge", "-json"}, names...)...))
}
