package modules

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// A module is a line of list.txt.
type module struct {
	path, version string
	packages      []string
}

func readList(name string) (list []module, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for i, line := range lines(string(text)) {
		words := strings.Fields(line)
		if len(words) < 3 {
			return nil, fmt.Errorf("%s, entry %d: want a module, a version and packages: %q",
				name, i+1, line)
		}
		list = append(list, module{words[0], words[1], words[2:]})
	}
	return list, nil
}

// A row says what is expected of one test.
type row struct {
	module, pkg, test string
	verdict           string
	other             string // what it is too, where that depends on the machine
	seconds           float64
	why               string // the kind, and what it is about
}

func (r row) key() string { return r.module + " " + r.pkg + " " + r.test }

func (r row) kind() string {
	kind, _, _ := strings.Cut(r.why, ": ")
	return kind
}

func (r row) String() string {
	verdict := r.verdict
	if r.other != "" {
		verdict += "|" + r.other
	}
	text := fmt.Sprintf("%s %s %s %s %.1fs", r.module, r.pkg, r.test, verdict, r.seconds)
	return strings.TrimSpace(text + " " + r.why)
}

var rowLine = regexp.MustCompile(
	`^(\S+) (\S+) (Test\S*) (proved|bounded|FAILED|undecided)(?:\|(proved))? (\d+\.\d)s(?: (\S.*))?$`)

func readTable(name string) (rows []row, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for i, line := range lines(string(text)) {
		m := rowLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("%s, row %d: %q is none", name, i+1, line)
		}
		seconds, err := strconv.ParseFloat(m[6], 64)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{m[1], m[2], m[3], m[4], m[5], seconds, m[7]})
	}
	return rows, nil
}

// lines returns those that are neither empty nor comments.
func lines(text string) (list []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}
