package gotests

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/driver"
)

// tableBudget is the budget for which the table says bounded.
const tableBudget = "10s,300x"

var (
	budget = flag.String("gotests.budget", tableBudget, "of each of Go's tests, as in check -budget")
	only   = flag.String("gotests.run", "", "run only Go's tests that match the regular `expression`")
	keep   = flag.String("gotests.keep", "", "write the copies into this `folder` and keep them")
)

// suites has the packages whose tests are run. Of runtime, channels and select are modelled; of io
// and net, pipes.
var suites = []struct {
	path string
	only []string
}{
	{path: "sync"},
	{path: "sync/atomic"},
	{path: "context"},
	{path: "runtime", only: []string{"chan_test.go", "chanbarrier_test.go"}},
	{path: "time"},
	{path: "testing/synctest"},
	{path: "internal/synctest"},
	{path: "io", only: []string{"pipe_test.go"}},
	{path: "net", only: []string{"pipe_test.go"}},
}

// release is that of the standard library, such as go1.26.
var release = version.Lang(strings.Fields(runtime.Version())[0])

func table(t *testing.T) map[string]*row {
	t.Helper()
	list, err := readTable("table.txt")
	require.NoError(t, err)
	rows := map[string]*row{}
	for _, r := range list {
		if r.in(release) {
			require.NotContains(t, rows, r.pkg+"."+r.test, "%s has two rows", r)
			rows[r.pkg+"."+r.test] = r
		}
	}
	return rows
}

func TestEachTestOfGoHasARow(t *testing.T) {
	t.Parallel()
	rows := table(t)
	for _, list := range suites {
		s, err := readSuite(list.path, list.only)
		require.NoError(t, err)
		tests := s.tests()
		require.NotEmpty(t, tests, "GOROOT has no tests of %s", s.path)
		for _, test := range tests {
			assert.Contains(t, rows, s.path+"."+test, "%s: a new test of %s", release, s.path)
			delete(rows, s.path+"."+test)
		}
	}
	for _, r := range rows {
		t.Errorf("%s: %s has no such test", r, release)
	}
}

func TestGoTestsGetTheirVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	t.Parallel()
	cgo, err := exec.Command("go", "env", "CGO_ENABLED").Output()
	require.NoError(t, err)
	require.Equal(t, "1\n", string(cgo), "no race detector: install a C compiler")
	rows := table(t)
	root := *keep
	if root == "" {
		root = t.TempDir()
	}
	writeModule(t, root)
	command := filepath.Join(t.TempDir(), "surewake")
	out, err := exec.Command("go", "build", "-o", command, "../..").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, list := range suites {
		t.Run(list.path, func(t *testing.T) {
			s, err := readSuite(list.path, list.only)
			require.NoError(t, err)
			want := map[string]*row{}
			var edits []edit
			for _, test := range s.tests() {
				r := rows[s.path+"."+test]
				require.NotNil(t, r, "%s.%s has no row", s.path, test)
				want[test] = r
				edits = append(edits, r.edits...)
			}
			require.NoError(t, s.edit(edits))
			require.NoError(t, s.reduce())
			written, err := s.write(filepath.Join(root, list.path), func(test string) bool {
				return want[test].verdict == leftOut
			})
			require.NoError(t, err)
			for test, r := range want {
				if r.verdict != leftOut {
					if lost := !slices.Contains(written, test); lost != (r.verdict == absent) {
						t.Errorf("%s is absent=%v: %s", r, lost, s.lost[test])
					}
				}
			}
			for _, got := range check(t, command, root, "./"+list.path) {
				requireVerdict(t, want[got.Name], got)
				delete(want, got.Name)
			}
			for _, r := range want {
				if r.verdict != leftOut && r.verdict != absent && *only == "" {
					t.Errorf("%s: the command says nothing of it", r)
				}
			}
		})
	}
}

// writeModule begins a module that may use the checker.
func writeModule(t *testing.T, root string) {
	t.Helper()
	repository, err := filepath.Abs("../..")
	require.NoError(t, err)
	own, err := os.ReadFile(filepath.Join(repository, "go.mod"))
	require.NoError(t, err)
	blocks := regexp.MustCompile(`(?s)require \(.*?\n\)\n`).FindAllString(string(own), -1)
	requires := strings.Join(blocks, "")
	require.NotEmpty(t, requires)
	sums, err := os.ReadFile(filepath.Join(repository, "go.sum"))
	require.NoError(t, err)
	text := fmt.Sprintf("module gotests\n\ngo %s\n\n%s\n"+
		"require github.com/surewake/surewake v0.0.0\n"+
		"replace github.com/surewake/surewake => %q\n",
		strings.TrimPrefix(release, "go"), requires, repository)
	require.NoError(t, os.MkdirAll(root, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte(text), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.sum"), sums, 0o600))
}

// check has the command check a package, and returns what it says of each test.
func check(t *testing.T, command, dir, pkg string) []driver.Row {
	t.Helper()
	return rowsOf(t, command, dir, "-budget", *budget, "-run", *only, pkg)
}

// rowsOf has the command check what args say.
func rowsOf(t *testing.T, command, dir string, args ...string) (rows []driver.Row) {
	t.Helper()
	var stdout, stderr strings.Builder
	cmd := exec.Command(command, append([]string{"check", "-json"}, args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	cmd.Env = append(os.Environ(), "TZ=America/Los_Angeles")
	err := cmd.Run()
	require.NotNil(t, cmd.ProcessState, "%v", err)
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	for i, line := range lines {
		if i == len(lines)-1 {
			break // the summary
		}
		var r driver.Row
		require.NoError(t, json.Unmarshal([]byte(line), &r), "%s", line)
		rows = append(rows, r)
	}
	require.True(t, len(rows) > 0 || *only != "", "%v\n%s", err, &stderr)
	return rows
}

func requireVerdict(t *testing.T, want *row, got driver.Row) {
	t.Helper()
	t.Logf("%-10s %s %s: %d complete, %.1f s, %s %s", got.Verdict, want.pkg, want.test,
		got.Complete, got.Seconds, got.Kind, got.Bounded)
	more := want.verdict == driver.Bounded && got.Verdict == driver.Proved && *budget != tableBudget
	if got.Verdict != want.verdict && !more {
		t.Errorf("%s is %s: %s: %s", want, got.Verdict, got.Kind, got.Message)
		return
	}
	if want.verdict == driver.Undecided || want.verdict == driver.Failed {
		kind, why, _ := strings.Cut(want.why, ": ")
		assert.Equal(t, kind, string(got.Kind), "%s: %s", want, got.Message)
		assert.NotEmpty(t, why, "%s gives no reason", want)
	}
}
