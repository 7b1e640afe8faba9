package driver

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/surewake/surewake/model/report"
	"github.com/surewake/surewake/model/wire"
)

// A Table prints rows for people. On a terminal it keeps a line below them that
// says what is going on, and verdicts have colours unless NO_COLOR is set.
type Table struct {
	Full bool // executions are drawn as wide as they need

	out    io.Writer
	live   *live                     // nil when out is not a terminal
	replay func(token string) string // the command that runs a token again

	colour      bool
	place, name int // widths
	header      bool
}

// NewTable prints to out; terminal says whether that is one. The function replay returns the
// command line that runs a token again.
func NewTable(out io.Writer, terminal bool, replay func(token string) string) *Table {
	t := &Table{out: out, replay: replay, place: len("package"), name: len("check")}
	if terminal {
		t.live = &live{out: out}
		t.colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	return t
}

// Plan sets the widths of the columns.
func (t *Table) Plan(rows []Row) {
	for _, r := range rows {
		t.widen(r)
	}
}

func (t *Table) widen(r Row) {
	t.place = max(t.place, len(r.Place))
	t.name = max(t.name, len(r.Name))
}

// Active shows what is going on.
func (t *Table) Active(done, total int, active []Activity) {
	if t.live != nil {
		t.live.show(done, total, active)
	}
}

// Row prints one row and, below it, what there is to say about a failure.
func (t *Table) Row(r Row) {
	if t.live != nil {
		t.live.clear()
	}
	t.widen(r)
	if !t.header {
		t.header = true
		t.line("package", "check", "verdict",
			"complete", "deadlocked", "pruned", "steps", "seconds", "")
	}
	if r.Verdict == skipped {
		t.line(r.Place, r.Name, r.Verdict, "", "", "", "", "", r.Message)
		return
	}
	t.line(r.Place, r.Name, r.Verdict,
		grouped(r.Complete), grouped(r.Deadlocked), grouped(r.Pruned), grouped(r.Steps),
		fmt.Sprintf("%.1f", r.Seconds), note(r))
	if !r.passes() {
		t.failure(r)
	}
}

func (t *Table) line(
	place, name, verdict, complete, deadlocked, pruned, steps, seconds, note string,
) {
	text := fmt.Sprintf("%-*s  %-*s  %s  %11s  %10s  %9s  %13s  %7s  %s",
		t.place, place, t.name, name, t.coloured(verdict),
		complete, deadlocked, pruned, steps, seconds, note)
	fmt.Fprintln(t.out, strings.TrimRight(text, " "))
}

// colours of the verdicts on a terminal: foreground colours of ANSI escapes.
var colours = map[string]string{Proved: "32", Bounded: "36", Undecided: "33", Failed: "31;1"}

// coloured fills a verdict up to the width of its column, with its colour on a
// terminal.
func (t *Table) coloured(verdict string) string {
	text := fmt.Sprintf("%-9s", verdict)
	if c := colours[verdict]; t.colour && c != "" {
		return "\x1b[" + c + "m" + text + "\x1b[0m"
	}
	return text
}

// note is what limits a verdict.
func note(r Row) string {
	var parts []string
	if r.Replayed != "" {
		parts = append(parts, r.Replayed)
	}
	if r.Bounded != "" {
		parts = append(parts, r.Bounded)
	}
	if r.left != "" {
		parts = append(parts, r.left)
	}
	if len(r.Assumptions) > 0 {
		parts = append(parts, "assumes "+strings.Join(r.Assumptions, ", "))
	}
	return strings.Join(parts, "; ")
}

func (t *Table) failure(r Row) {
	fmt.Fprintf(t.out, "\n%s\n\n", indent(withEvidence(r, t.replay, t.Full)))
}

// withEvidence is the message of a row, followed by the execution, files and the token.
func withEvidence(r Row, replay func(token string) string, full bool) string {
	text := strings.TrimRight(r.Message, "\n")
	// A body that failed before its first step has nothing but the message.
	if r.Trace != nil && len(r.Trace.Steps) > 0 {
		text += "\n\n" + drawn(r.Trace, full)
	}
	for kind, path := range r.Files {
		text += fmt.Sprintf("\n\n%s: %s", kind, path)
	}
	if r.Token != "" {
		text += fmt.Sprintf("\n\ntoken   %s\nreplay  %s", r.Token, replay(r.Token))
	}
	if r.Passing != "" {
		text += "\npasses  " + replay(r.Passing)
	}
	return text
}

// drawn draws an execution, with the text of the source lines; full leaves nothing out of them.
func drawn(t *wire.Trace, full bool) string {
	lanes := report.Lanes(t, report.Options{Source: report.SourceLines(), Full: full})
	return strings.TrimRight(lanes, "\n")
}

func indent(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("    "+line, " ")
	}
	return strings.Join(lines, "\n")
}

// grouped writes 1234567 as 1,234,567.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// Close ends the table: the live line goes, the summary is the last line.
func (t *Table) Close(sum Summary) {
	if t.live != nil {
		t.live.clear()
	}
	if sum.Coverage != nil {
		fmt.Fprint(t.out, sum.Coverage.text())
	}
	fmt.Fprintln(t.out, sum.text())
}

// text is one line with the counts.
func (s *Summary) text() string {
	text := fmt.Sprintf("%d checks: %d proved, %d bounded, %d failed",
		s.Checks, s.Proved, s.Bounded, s.Failed)
	if s.Undecided > 0 {
		text += fmt.Sprintf(", %d undecided", s.Undecided)
	}
	if n := len(s.Skipped); n > 0 {
		text += fmt.Sprintf(", %d skipped", n)
	}
	if s.Cut > 0 {
		text += fmt.Sprintf("; %d of the bounded cut short", s.Cut)
	}
	return text
}

// Abandon ends the table without a summary.
func (t *Table) Abandon() {
	if t.live != nil {
		t.live.clear()
	}
}
