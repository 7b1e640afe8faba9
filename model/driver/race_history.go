package driver

import (
	"bytes"
	"regexp"
	"strconv"

	"github.com/surewake/surewake/model/wire"
)

// suppressionsFile is the name of the file with wire.Suppressions, beside the binaries.
const suppressionsFile = "suppressions"

// raceEnvironment is the value of GORACE with which reports are suppressed as the file says. A path
// may have what separates flags.
func raceEnvironment(file string) string {
	return wire.RaceEnvironment + " print_suppressions=1 suppressions=\"" + file + "\""
}

// A history tells whether the race detector has forgotten accesses: it has if fewer reports were
// suppressed than there should have been. Processes say both on their standard error, those that a
// process has started as well.
type history struct {
	should, suppressed int
}

// historyLine is what is said of it: by the checker, and at the end of a process by the detector.
var historyLine = regexp.MustCompile(regexp.QuoteMeta(wire.LookedBack) + `(\d+)\n$` +
	`|^(\d+) ` + regexp.QuoteMeta(wire.Suppressions) + `\n$` +
	`|^ThreadSanitizer: Matched \d+ suppressions .*\n$`)

// take returns what else stands in a line.
func (h *history) take(line []byte) []byte {
	mayBe := func(words string) bool { return bytes.Contains(line, []byte(words)) }
	if !mayBe(wire.LookedBack) && !mayBe(wire.Suppressions) && !mayBe("suppressions") {
		return line
	}
	m := historyLine.FindSubmatchIndex(line)
	if m == nil {
		return line
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(string(line[max(0, m[i]):max(0, m[i+1])])) // "" is no number
		return n
	}
	h.should, h.suppressed = h.should+number(2), h.suppressed+number(4)
	return line[:m[0]]
}

// forgetful is the assumption of a check in which the race detector has forgotten something.
const forgetful = "no data race is so far apart that the race detector has forgotten the first " +
	"access: in an execution, a goroutine does more than it remembers"

// note has the results of a process say that the race detector has forgotten something, those in
// which it may have been. Go has a process say what was suppressed that ends well: one in which a
// check fails does not.
func (h *history) note(exit error, results []result) {
	if h.suppressed >= h.should || exit != nil {
		return
	}
	for i := range results {
		if r := &results[i]; r.LookedBack {
			r.Assumptions = append(r.Assumptions, forgetful)
		}
	}
}
