package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/internal/commandtest"
)

func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

// steps returns operation and note of each step on a page.
func stepsOf(page string) (out []string) {
	row := regexp.MustCompile(`(?s)<li role="option".*?</li>`)
	op := regexp.MustCompile(`class="name" title="([^"]*)"`)
	note := regexp.MustCompile(`class="line note" title="([^"]*)"`)
	for _, r := range row.FindAllString(page, -1) {
		text := op.FindStringSubmatch(r)[1]
		if n := note.FindStringSubmatch(r); n != nil {
			text += " (" + n[1] + ")"
		}
		out = append(out, text)
	}
	return out
}

func TestPageOfChecks(t *testing.T) {
	commandtest.NeedRace(t)
	name := filepath.Join(t.TempDir(), "page.html")
	a := surewake(t, ".", "check", "-json", "-html", name, "-run", "^(TestRace|TestPasses)$",
		"./testdata/page")
	require.Equal(t, exitFailed, a.Code, "%s", a)
	rows, sum := a.Rows(t)
	require.Len(t, rows, 2, "JSON is printed as well")
	require.Equal(t, 1, sum.Failed)
	page := readPage(t, name)
	require.Equal(t, []string{
		"Store b.full", "plain write (data race with step 4)",
		"Load b.full", "plain read (data race with step 2)",
	}, stepsOf(page))
	require.Contains(t, page, rows[1].Token)
	require.Contains(t, page, ">TestPasses<")
}

// Of two goroutines that make no step each access is shown, in lanes and on the page.
func TestAccessesOfARaceAreSteps(t *testing.T) {
	commandtest.NeedRace(t)
	name := filepath.Join(t.TempDir(), "page.html")
	a := surewake(t, ".", "check", "-html", name, "-run", "^TestRaceWithoutSteps$",
		"./testdata/page")
	require.Regexp(t, `(?s)step │ one .*│ other\n.*`+
		`1 │ 43 .*plain write .*\(data race with step 2\).*`+
		`2 │ .*44 .*plain (read|write).*\(data race with step 1\)`, a.Stdout, "%s", a)
	require.Len(t, stepsOf(readPage(t, name)), 2)
}

// A select says which case it took or waits for, in lanes and on the page.
func TestPicturesOfASelectShowItsCases(t *testing.T) {
	name := filepath.Join(t.TempDir(), "page.html")
	a := surewake(t, ".", "check", "-race=false", "-html", name, "-run", "^TestSelect$",
		"./testdata/page")
	require.Equal(t, exitFailed, a.Code, "%s", a)
	picture, err := os.ReadFile("testdata/page/select.txt")
	require.NoError(t, err)
	require.Contains(t, a.Stdout, string(picture))
	require.Equal(t, []string{
		"select: case s.jobs &lt;- 1", "close of a channel s.stop",
		"select: case &lt;-s.stop (also ready: case j := &lt;-s.jobs)", "waits in Join",
		"waits in select (case &lt;-s.answers; nil: case &lt;-s.failures)",
	}, stepsOf(readPage(t, name)))
}

func TestPageOfAReplay(t *testing.T) {
	dir := t.TempDir()
	a := surewake(t, ".", "check", "-json", "-race=false", "-run", "^TestDeadlock$",
		"./testdata/page")
	rows, _ := a.Rows(t)
	var pages [2]string
	for i := range pages {
		name := filepath.Join(dir, "page.html")
		a = surewake(t, ".", "replay", rows[0].Token, "-html", name)
		require.Equal(t, exitFailed, a.Code, "%s", a)
		require.Contains(t, a.Stdout, "the failure shows again")
		pages[i] = readPage(t, name)
	}
	require.Equal(t, pages[0], pages[1])
	require.Equal(t, []string{
		"Lock p.left", "Lock p.right", "waits in Join",
		"waits in Lock p.right (held by second since page_test.go:59)",
		"waits in Lock p.left (held by first since page_test.go:52)",
	}, stepsOf(pages[0]))
	require.Contains(t, pages[0], "TestDeadlock: the failure shows again")
}

// Recording an execution is nothing that the race detector sees.
func TestReplayOfAnExecutionThatPasses(t *testing.T) {
	commandtest.NeedRace(t)
	a := surewake(t, ".", "check", "-json", "-race=false", "-run", "^TestDeadlock$",
		"./testdata/page")
	rows, _ := a.Rows(t)
	token := strings.Replace(rows[0].Token, "TestDeadlock", "TestApart", 1)
	token = token[:strings.LastIndex(token, ":")] + ":0"
	name := filepath.Join(t.TempDir(), "page.html")
	a = surewake(t, ".", "replay", "-html", name, token)
	require.Equal(t, exitOK, a.Code, "%s", a)
	require.Contains(t, a.Stdout, "this execution passes, plainly and under the race detector")
	page := readPage(t, name)
	require.Contains(t, page, "TestApart: this execution passes")
	require.Contains(t, stepsOf(page), "Lock mu#1")
}

// A page that cannot be written is known before anything runs, and what is there stays there if
// nothing runs.
func TestPageThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	nowhere := filepath.Join(dir, "none", "page.html")
	a := surewake(t, ".", "check", "-html", nowhere, "./testdata/page")
	require.Equal(t, exitTrouble, a.Code, "%s", a)
	require.Contains(t, a.Stderr, "html "+nowhere)
	require.Empty(t, a.Stdout, "nothing was run")
	a = surewake(t, ".", "replay", "-html", nowhere, "testdata/page:TestPanic:00000000:0")
	require.Equal(t, exitTrouble, a.Code, "%s", a)
	require.Contains(t, a.Stderr, "html "+nowhere)

	name := filepath.Join(dir, "page.html")
	a = surewake(t, ".", "check", "-html", name, "./testdata/bad/broken")
	require.Equal(t, exitTrouble, a.Code, "%s", a)
	require.NoFileExists(t, name)
	require.NoError(t, os.WriteFile(name, []byte("the one before"), 0o644))
	a = surewake(t, ".", "check", "-html", name, "./testdata/bad/broken")
	require.Equal(t, exitTrouble, a.Code, "%s", a)
	require.Equal(t, "the one before", readPage(t, name))

	require.NoError(t, os.WriteFile(name, []byte(strings.Repeat("the one before", 100_000)), 0o644))
	a = surewake(t, ".", "check", "-race=false", "-html", name, "-run", "TestPasses",
		"./testdata/page")
	require.Equal(t, exitOK, a.Code, "%s", a)
	require.NotContains(t, readPage(t, name), "the one before")
}
