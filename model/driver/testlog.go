package driver

import (
	"fmt"
	"io"
)

// A TestLog prints what go test -v prints of tests, for programs that read that: go tool test2json
// and what is built on it. A check is a test that passes if its verdict is proved or bounded.
type TestLog struct {
	Full bool // executions are drawn as wide as they need

	out    io.Writer
	replay func(token string) string

	pkg     string // of the last row, "" before the first
	failed  bool   // some check of it
	any     bool   // some check of any package
	seconds float64
}

// NewTestLog prints to out. The function replay returns the command line that runs a token again.
func NewTestLog(out io.Writer, replay func(token string) string) *TestLog {
	return &TestLog{out: out, replay: replay}
}

// Plan prints nothing.
func (*TestLog) Plan([]Row) {}

// Active prints nothing.
func (*TestLog) Active(int, int, []Activity) {}

// Row prints one test.
func (l *TestLog) Row(r Row) {
	if r.Package != l.pkg {
		l.endPackage()
		l.pkg = r.Package
	}
	l.seconds += r.Seconds
	action := "PASS"
	switch {
	case r.Verdict == skipped:
		action = "SKIP"
	case !r.passes():
		action, l.failed = "FAIL", true
	}
	fmt.Fprintf(l.out, "=== RUN   %s\n%s\n--- %s: %s (%.2fs)\n",
		r.Name, indent(l.text(r)), action, r.Name, r.Seconds)
}

// text says what the table says of a row.
func (l *TestLog) text(r Row) string {
	counts := fmt.Sprintf("%s complete, %s deadlocked, %s pruned, %s steps",
		grouped(r.Complete), grouped(r.Deadlocked), grouped(r.Pruned), grouped(r.Steps))
	where := ""
	if r.File != "" {
		where = fmt.Sprintf("%s:%d: ", r.File, r.Line)
	}
	switch {
	case r.Verdict == skipped:
		return where + r.Message
	case !r.passes():
		return fmt.Sprintf("%s%s (%s): %s\n\n%s", where, r.Verdict, r.Kind,
			withEvidence(r, l.replay, l.Full), counts)
	}
	text := r.Verdict + ": " + counts
	if why := note(r); why != "" {
		text += "; " + why
	}
	return text
}

// endPackage prints the result of the package whose checks were the last.
func (l *TestLog) endPackage() {
	switch {
	case l.pkg == "":
	case l.failed:
		fmt.Fprintf(l.out, "FAIL\nFAIL\t%s\t%.3fs\n", l.pkg, l.seconds)
	default:
		fmt.Fprintf(l.out, "PASS\nok  \t%s\t%.3fs\n", l.pkg, l.seconds)
	}
	l.any = l.any || l.failed
	l.failed, l.seconds = false, 0
}

// Close prints the result of the last package, the summary of the table, and FAIL at last if a
// check of any package did not pass, as go test does.
func (l *TestLog) Close(sum Summary) {
	l.endPackage()
	NewTable(l.out, false, l.replay).Close(sum)
	if l.any {
		fmt.Fprintln(l.out, "FAIL")
	}
}

// Abandon prints nothing: without a result of the package the output is incomplete.
func (*TestLog) Abandon() {}
