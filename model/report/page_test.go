package report_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/model/report"
	"github.com/surewake/surewake/model/wire"
)

// lines is a file of which line gives the text.
func lines(string) []string {
	out := make([]string, 60)
	for n, text := range source {
		out[n-1] = "\t" + text
	}
	return out
}

func racing() *wire.Trace {
	trace := stealing()
	trace.Steps[3].After = []int{0}
	trace.Steps = append(trace.Steps, step(2, 21, "claim", "plain read", "", ""))
	trace.Steps[4].Race, trace.Steps[7].Race = 1, 1
	return &trace
}

func pageOfAll() *report.Page {
	locked := deadlock()
	locked.Reversal = &wire.Reversal{First: 0, Second: len(locked.Steps) + 2}
	for i := range locked.Steps {
		locked.Steps[i].Op = "Lock"
	}
	for i := range locked.Blocked[1:] {
		locked.Blocked[i+1].Op = "Lock"
	}
	return &report.Page{
		Heading: "4 checks", Source: lines, Short: filepath.Base,
		Checks: []report.PageCheck{
			{Package: "example.com/u/deque", Name: "TestSteal", Verdict: wire.Failed, Kind: "race",
				Place: "deque/steal.go:21", Executions: []string{"12 complete"}, Steps: "120",
				Notes: []string{"race"}, Message: "data race\nRead at 0x00c000074448",
				Trace: racing(),
				Token: "deque:TestSteal:0a1b:3b", Replay: "surewake replay deque:TestSteal:0a1b:3b",
				Files: []string{"porcupine: /tmp/x.html"}},
			{Package: "example.com/u/locks", Name: "TestBoth", Verdict: wire.Failed,
				Kind:       "deadlock",
				Executions: []string{"1 complete", "1 deadlocked"}, Steps: "4", Message: "deadlock",
				Trace: &locked, Token: "locks:TestBoth:0a1b:3b", Replay: "surewake replay failing",
				ReplayPassing: "surewake replay passing"},
			{Package: "example.com/u/locks", Name: "TestOne", Verdict: wire.Proved,
				Executions: []string{"1 complete"}, Steps: "2", Notes: []string{"assumes nothing"}},
			{Package: "example.com/u/locks", Name: "TestSetup", Verdict: wire.Undecided,
				Executions: []string{"0 complete"}, Steps: "0", Message: "setup failed",
				Trace: &wire.Trace{Message: "setup failed"}},
		},
		Skipped: []report.PageSkip{{Package: "example.com/u/locks", Name: "TestSlow", Why: "slow"}},
	}
}

func written(t require.TestingT, p *report.Page) string {
	var b strings.Builder
	require.NoError(t, report.WritePage(&b, p))
	return b.String()
}

var (
	style   = regexp.MustCompile(`(?s)<style>.*?</style>\n`)
	scripts = regexp.MustCompile(`(?s)<script>.*?</script>\n`)
	data    = regexp.MustCompile(`(?s)<script type="application/json" class="data">(.*?)</script>`)
)

func TestPage(t *testing.T) {
	text := written(t, pageOfAll())
	require.Equal(t, text, written(t, pageOfAll()), "the same page again")
	golden(t, "page", scripts.ReplaceAllString(style.ReplaceAllString(text, ""), ""))
	require.NotContains(t, text, "http://www.w3.org/1999", "it is HTML")
	for _, address := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		require.Regexp(t, `^(#\w+|data:,)$`, address[1], "nothing comes from elsewhere")
	}
}

// A step of the page is a step of the lanes: number, operation, value and note.
func TestPageSaysWhatTheLanesSay(t *testing.T) {
	trace := racing()
	lanes := report.Lanes(trace, report.Options{Source: line, Width: 400})
	checks := []report.PageCheck{{Verdict: wire.Failed, Trace: trace}}
	page := &report.Page{Source: lines, Checks: checks}
	var shown struct {
		Rows []struct {
			Op, Value, Note string
			Line            int
		}
	}
	require.NoError(t, json.Unmarshal([]byte(data.FindStringSubmatch(written(t, page))[1]), &shown))
	require.Len(t, shown.Rows, len(trace.Steps))
	rows := strings.Split(lanes, "\n")
	for _, r := range shown.Rows {
		found := false
		for _, row := range rows {
			found = found || strings.Contains(row, r.Op) && strings.Contains(row, r.Value)
		}
		require.True(t, found, "%+v", r)
		if r.Note != "" {
			require.Contains(t, lanes, "("+r.Note+")")
		}
	}
}

func TestPageShowsWhoHoldsALock(t *testing.T) {
	lock := func(thread int, op, value string) wire.Step {
		return wire.Step{Thread: thread, Op: op, Object: "mu", Value: value}
	}
	for _, c := range []struct {
		steps []wire.Step
		want  string
	}{
		{[]wire.Step{lock(0, "Lock", "")}, "[0]"},
		{[]wire.Step{lock(0, "Lock", ""), lock(0, "Unlock", ""), lock(2, "Lock", "")}, "[2]"},
		{[]wire.Step{lock(0, "TryLock", "false"), lock(2, "TryLock", "true")}, "[1]"},
		{[]wire.Step{lock(0, "RLock", ""), lock(2, "RLock", ""), lock(2, "RUnlock", "")}, "[0]"},
		{[]wire.Step{lock(0, "RLock", ""), lock(2, "RLock", ""), lock(3, "RUnlock", "")}, "[1]"},
		{[]wire.Step{lock(0, "Lock", ""), lock(0, "Unlock", "")}, "[]"},
	} {
		trace := &wire.Trace{
			Steps: c.steps, Blocked: []wire.Blocked{{Thread: 1, Op: "Lock", Object: "mu"}},
		}
		page := &report.Page{Checks: []report.PageCheck{{Verdict: wire.Failed, Trace: trace}}}
		rows := data.FindStringSubmatch(written(t, page))[1]
		require.Contains(t, rows, `"waits":true,"after":[],"holds":`+c.want)
	}
}

// Whatever a program says stays text.
func TestPageKeepsTextInert(t *testing.T) {
	hostile := rapid.SampledFrom([]string{
		"</script><script>x()</script>", `"><img src=x onerror=x()>`, "<!--", "]]>", "{{.}}",
		"' onclick='x()", "\u2028", "世界", "\x00", "\xff", "</style>", "-->", "plain",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := func(label string) string { return hostile.Draw(t, label) }
		trace := &wire.Trace{
			Threads: []string{text("thread"), text("thread")}, Message: text("message"),
			Steps: []wire.Step{
				{Op: text("op"), Object: text("object"), Value: text("value"), Note: text("note"),
					File: text("file"), Line: 1, Func: text("func")},
				{Thread: 1, Preempt: true, Name: text("name")},
			},
			Blocked: []wire.Blocked{
				{Thread: 1, Op: text("op"), Note: text("note"), File: text("file")},
			},
		}
		out := written(t, &report.Page{
			Heading: text("heading"),
			Source:  func(string) []string { return []string{hostile.Draw(t, "source")} },
			Checks: []report.PageCheck{{
				Package: text("package"), Name: text("name"), Verdict: wire.Failed, Trace: trace,
				Place: text("place"), Message: text("message") + "\n" + text("message"),
				Token: "t", Replay: text("replay"), Notes: []string{text("assumption")},
				Files: []string{text("file")},
			}},
			Skipped: []report.PageSkip{{Name: text("name"), Why: text("why")}},
		})
		require.Equal(t, 2, strings.Count(out, "<script"), "the data and the program")
		require.Equal(t, 2, strings.Count(out, "</script"))
		require.Equal(t, 1, strings.Count(out, "</style"))
		require.True(t, json.Valid([]byte(data.FindStringSubmatch(out)[1])))
		rest := data.ReplaceAllString(out, "")
		for _, mark := range []string{"<img", "onclick='", "<!--"} {
			require.False(t, strings.Contains(rest, mark), mark)
		}
	})
}

func TestWhereAPageCannotBeWritten(t *testing.T) {
	require.ErrorContains(t, report.WritePage(full{}, pageOfAll()), "no room")
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestSourceFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.go")
	require.NoError(t, os.WriteFile(path, []byte("package a\r\n\r\nvar b int\r\n"), 0o644))
	read := report.SourceFiles()
	require.Equal(t, []string{"package a", "", "var b int", ""}, read(path))
	require.NoError(t, os.Remove(path))
	require.Len(t, read(path), 4, "read once")
	require.Empty(t, read(filepath.Join(t.TempDir(), "none.go")))
}
