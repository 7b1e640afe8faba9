package modules

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/driver"
)

const folder = "../../testdata/modules"

// unexplained is the reason of a failure that nobody has looked at.
const unexplained = "explain"

var (
	run    = flag.Bool("modules", false, "fetch the modules and run their tests: takes an hour")
	only   = flag.String("modules.only", "", "run only modules that match the regular `expression`")
	update = flag.Bool("modules.update", false, "write what the tests get into the table")
	budget = flag.String("modules.budget", "2s,2000x", "of each test, as in check -budget")
)

func table(t *testing.T) []row {
	t.Helper()
	rows, err := readTable(filepath.Join(folder, "table.txt"))
	require.NoError(t, err)
	return rows
}

func list(t *testing.T) []module {
	t.Helper()
	all, err := readList(filepath.Join(folder, "list.txt"))
	require.NoError(t, err)
	return all
}

func TestEachRowGivesItsReason(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range table(t) {
		require.False(t, seen[r.key()], "%s has two rows", r)
		seen[r.key()] = true
		kind, reason, _ := strings.Cut(r.why, ": ")
		switch r.verdict {
		case driver.Failed, driver.Undecided:
			require.NotEmpty(t, kind, "%s", r)
			require.NotEmpty(t, reason, "%s", r)
			require.NotEqual(t, unexplained, reason, "%s", r)
		default:
			require.Empty(t, r.why, "%s", r)
		}
	}
}

// The README has the counts of each module.
func TestTheSummaryIsThatOfTheTable(t *testing.T) {
	t.Parallel()
	rows := table(t)
	want, tenths := map[string]int{}, map[string]int{} // of seconds
	for _, r := range rows {
		want[r.module+" "+r.verdict]++
		want["all "+r.verdict]++
		took := int(math.Round(10 * r.seconds))
		tenths[r.module] += took
		tenths["all"] += took
	}
	var summary []string
	summaryRow := func(name, key string) {
		text := "| " + name
		for _, v := range []string{
			driver.Proved, driver.Bounded, driver.Undecided, driver.Failed,
		} {
			text += fmt.Sprintf(" | %d", want[key+" "+v])
		}
		summary = append(summary, fmt.Sprintf("%s | %d |", text, (tenths[key]+5)/10))
	}
	for _, m := range list(t) {
		require.True(t, slices.ContainsFunc(rows, func(r row) bool { return r.module == m.path }),
			"%s has no row", m.path)
		summaryRow(m.path+" "+m.version, m.path)
	}
	summaryRow("together", "all")
	page, err := os.ReadFile(filepath.Join(folder, "README.md"))
	require.NoError(t, err)
	shown := regexp.MustCompile(`(?m)^\| \S+(?: v\S+)?(?: \| \d+){5} \|$`).
		FindAllString(string(page), -1)
	require.Equal(t, strings.Join(summary, "\n"), strings.Join(shown, "\n"))
}

func TestPublicModulesGetTheirVerdicts(t *testing.T) {
	if !*run {
		t.Skip("takes an hour; ci/modules.sh runs it")
	}
	command := build(t)
	want := map[string]row{}
	for _, r := range table(t) {
		want[r.key()] = r
	}
	var written []row
	chosen := regexp.MustCompile(*only)
	for _, m := range list(t) {
		t.Run(m.path, func(t *testing.T) {
			if !chosen.MatchString(m.path) {
				written = append(written, rowsOf(m, want)...)
				t.Skip("not chosen")
			}
			got := check(t, command, fetch(t, m), m)
			for _, r := range got {
				if !*update {
					requireVerdict(t, want[r.key()], r)
				}
				switch old := want[r.key()]; {
				case old.other != "" && old.other == r.verdict:
					r.verdict, r.other, r.why = old.verdict, old.other, old.why
				case old.verdict == r.verdict && old.kind() == r.kind():
					r.other, r.why = old.other, old.why
				case old.verdict == driver.Failed && r.verdict == driver.Bounded:
					r.verdict, r.why = old.verdict, old.why
				}
				written = append(written, r)
				delete(want, r.key())
			}
			if !*update {
				require.Empty(t, rowsOf(m, want), "the command says nothing of these")
			}
		})
	}
	if *update {
		text := "# Verdicts of the tests of public modules; ci/modules/doc.go describes the rows.\n"
		for _, r := range written {
			text += r.String() + "\n"
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, "table.txt"), []byte(text), 0o666))
	}
}

// rowsOf returns those of a module, in the order of their keys.
func rowsOf(m module, rows map[string]row) (own []row) {
	for _, r := range rows {
		if r.module == m.path {
			own = append(own, r)
		}
	}
	slices.SortFunc(own, func(a, b row) int { return strings.Compare(a.key(), b.key()) })
	return own
}

// fetch copies a module from the registry, and returns where.
func fetch(t *testing.T, m module) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", m.path+"@"+m.version)
	cmd.Dir = os.TempDir()
	out, err := cmd.Output()
	var info struct{ Dir, Error string }
	require.NoError(t, json.Unmarshal(out, &info), "%v: %s", err, out)
	if info.Error != "" {
		t.Skipf("the registry does not have it, or cannot be reached: %s", info.Error)
	}
	dir := filepath.Join(t.TempDir(), "m")
	require.NoError(t, os.CopyFS(dir, os.DirFS(info.Dir)))
	gomod := filepath.Join(dir, "go.mod")
	if _, err := os.Stat(gomod); err != nil {
		require.NoError(t, os.WriteFile(gomod, []byte("module "+m.path+"\n\ngo 1.21\n"), 0o666))
		tidy := exec.Command("go", "mod", "tidy")
		tidy.Dir = dir
		out, err := tidy.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	return dir
}

// check returns a row for each test of the module.
func check(t *testing.T, command, dir string, m module) (rows []row) {
	t.Helper()
	args := append([]string{"check", "-json", "-test", ".", "-budget", *budget}, m.packages...)
	all := output(t, command, dir, args...)
	for _, line := range all[:len(all)-1] { // the last one is the summary
		var got driver.Row
		require.NoError(t, json.Unmarshal([]byte(line), &got), "%s", line)
		r := row{
			module: m.path, test: got.Name, verdict: string(got.Verdict), seconds: got.Seconds,
		}
		r.pkg = strings.TrimPrefix(strings.TrimPrefix(got.Package, m.path), "/")
		if r.pkg == "" {
			r.pkg = "."
		}
		if got.Verdict == driver.Failed {
			r.why = string(got.Kind) + ": " + unexplained
		} else if got.Verdict == driver.Undecided {
			first, _, _ := strings.Cut(strings.TrimPrefix(got.Message, "in the race run: "), "\n")
			_, reason, _ := strings.Cut(first, ": ")
			r.why = string(got.Kind) + ": " + reason
		}
		t.Logf("%s: %d complete", r, got.Complete)
		rows = append(rows, r)
	}
	return rows
}

// build makes the command, and returns where it is.
func build(t *testing.T) string {
	t.Helper()
	command := filepath.Join(t.TempDir(), "surewake")
	out, err := exec.Command("go", "build", "-o", command, "../..").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return command
}

// output returns the lines that the command prints; its exit code says only which verdicts there
// are among them.
func output(t *testing.T, command, dir string, args ...string) []string {
	t.Helper()
	var stdout, stderr strings.Builder
	cmd := exec.Command(command, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	err := cmd.Run()
	require.NotNil(t, cmd.ProcessState, "%v", err)
	all := lines(stdout.String())
	require.NotEmpty(t, all, "%v\n%s", err, &stderr)
	return all
}

func requireVerdict(t *testing.T, want, got row) {
	t.Helper()
	noFailure := []string{driver.Proved, driver.Bounded}
	if slices.Contains(noFailure, want.verdict) && slices.Contains(noFailure, got.verdict) {
		return
	}
	if want.verdict == driver.Failed && got.verdict == driver.Bounded {
		return // the failure was not reached
	}
	if want.other != "" && got.verdict == want.other {
		return
	}
	assert.Equal(t, want.verdict, got.verdict, "%s, and the table: %s", got, want)
	assert.Equal(t, want.kind(), got.kind(), "%s, and the table: %s", got, want)
}
