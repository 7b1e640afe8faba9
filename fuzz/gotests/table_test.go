package gotests

import (
	"bufio"
	"fmt"
	"go/version"
	"os"
	"regexp"
	"strings"
)

// What a row says besides the verdicts of the command.
const (
	absent  = "absent"
	leftOut = "left out"
)

// A row says what is expected of one test.
type row struct {
	pkg, test    string
	verdict      string
	why          string
	edits        []edit
	since, until string // releases that have the test, such as go1.26; "" is no bound
	line         int    // of the table
}

// An edit replaces text in a function.
type edit struct{ function, old, new string }

func (r *row) String() string { return fmt.Sprintf("table.txt:%d: %s.%s", r.line, r.pkg, r.test) }

// in reports whether a release, such as go1.26, has the test.
func (r *row) in(release string) bool {
	return (r.since == "" || version.Compare(release, r.since) >= 0) &&
		(r.until == "" || version.Compare(release, r.until) <= 0)
}

var (
	rowLine = regexp.MustCompile(`^(\S+) +(Test\w*) +` +
		`(proved|bounded|FAILED|undecided|absent|left out)(?: +(\S.*))?$`)
	editLine = regexp.MustCompile(`^\s+(?:in (\w+): )?(.+) => (.*)$`)
	noteLine = regexp.MustCompile(`^\s+(since|until) (go1\.\d+)$`)
)

func readTable(name string) ([]*row, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var rows []*row
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimRight(lines.Text(), " ")
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if m := rowLine.FindStringSubmatch(text); m != nil {
			rows = append(rows, &row{pkg: m[1], test: m[2], verdict: m[3], why: m[4], line: n})
			continue
		}
		if len(rows) == 0 || !rows[len(rows)-1].note(text) {
			return nil, fmt.Errorf("%s:%d: neither a row nor part of one: %q", name, n, text)
		}
	}
	return rows, lines.Err()
}

// note reads an indented line.
func (r *row) note(text string) bool {
	if m := noteLine.FindStringSubmatch(text); m != nil {
		if m[1] == "since" {
			r.since = m[2]
		} else {
			r.until = m[2]
		}
		return true
	}
	m := editLine.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	if m[1] == "" {
		m[1] = r.test
	}
	r.edits = append(r.edits, edit{m[1], m[2], m[3]})
	return true
}
