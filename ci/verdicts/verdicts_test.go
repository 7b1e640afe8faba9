// Package verdicts tests that the programs of testdata/verdicts get the verdicts that they name.
package verdicts

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/internal/commandtest"
	"github.com/surewake/surewake/model/driver"
)

// Each Test function below testdata/verdicts says in its doc comment which verdict it must get,
// by a line that begins with one of
//
//	verdict: proved              also bounded, undecided, FAILED
//	verdict: proved|bounded      either
//	verdict: proved, 20 traces   with so many complete executions and none pruned
//	verdict: FAILED TEXT         the message, or the reason, matches the regular expression TEXT
//	verdict: proved without assumptions
//	verdict: said TEXT           not proved, or proved under an assumption that matches TEXT
//	verdict: skipped TEXT        no check: the test is skipped, for a reason that matches TEXT
//
// A reason is why the verdict is bounded, or what came of the schedule that a test replays.
//
// The tests in a folder whose name begins with ordinary are explored as they stand, by -test.
var (
	verdictLine = regexp.MustCompile(`(?m)^verdict: (.+)$`)
	wanted      = regexp.MustCompile(`^([a-zA-Z|]+)(?:, (\d+) traces?)?(?: (.+))?$`)
)

const root = "../.."

var command string

func TestMain(m *testing.M) {
	os.Exit(commandtest.Main(m, root, &command))
}

func TestVerdictsAreTrue(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob(filepath.Join(root, "testdata/verdicts/*"))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			want := wantedVerdicts(t, folder)
			require.NotEmpty(t, want)
			args := []string{"check", "-json", "-budget", "30s,2000000x",
				"./testdata/verdicts/" + filepath.Base(folder)}
			if strings.HasPrefix(filepath.Base(folder), "ordinary") {
				args = append([]string{"check", "-test", "."}, args[1:]...)
			}
			a := commandtest.Run(t, command, root, args...)
			rows, sum := a.Rows(t)
			for _, s := range sum.Skipped {
				row := driver.Row{Name: s.Name, Verdict: "skipped", Message: s.Message}
				rows = append(rows, row)
			}
			met := map[string]bool{}
			for _, row := range rows {
				test, _, _ := strings.Cut(row.Name, "#") // TestX#2 is the second check of TestX
				met[test] = true
				requireVerdict(t, row, want[test])
			}
			require.Len(t, met, len(want), "%s", a)
		})
	}
}

func wantedVerdicts(t *testing.T, folder string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	require.NoError(t, err)
	want := map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") ||
				f.Name.Name == "TestMain" {
				continue
			}
			line := verdictLine.FindStringSubmatch(f.Doc.Text())
			require.NotNil(t, line, "%s: %s says no verdict", name, f.Name.Name)
			want[f.Name.Name] = line[1]
		}
	}
	return want
}

func requireVerdict(t *testing.T, row driver.Row, want string) {
	t.Helper()
	w := wanted.FindStringSubmatch(want)
	require.NotNil(t, w, "%s: %q", row.Name, want)
	verdicts, traces, text := strings.Split(w[1], "|"), w[2], w[3]
	said := row.Message + "\n" + row.Replayed + "\n" + row.Bounded
	if w[1] == "said" {
		if row.Verdict == driver.Proved {
			said = strings.Join(row.Assumptions, "\n")
			assert.NotEmpty(t, said, "%s is proved without an assumption", row.Name)
		}
	} else {
		assert.Contains(t, verdicts, row.Verdict, "%s: %s", row.Name, said)
	}
	if text == "without assumptions" {
		assert.Empty(t, row.Assumptions, row.Name)
	} else if text != "" {
		assert.Regexp(t, "(?s)"+text, said, row.Name)
	}
	if traces != "" {
		assert.Equal(t, traces, strconv.FormatInt(row.Complete, 10), row.Name)
		assert.Zero(t, row.Pruned, row.Name)
	}
}
