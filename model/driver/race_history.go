package driver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/surewake/surewake/model/wire"
)

// suppressionsFile is the name of the file that says which reports of the race detector are counted
// (wire.Suppression), beside the binaries.
const suppressionsFile = "suppressions"

func writeSuppressions(dir string) error {
	var text []byte
	for i := range wire.Marks {
		text = fmt.Appendf(text, "%s%d\n", wire.Suppression, i)
	}
	return os.WriteFile(filepath.Join(dir, suppressionsFile), text, 0o600)
}

// raceEnvironment is the value of GORACE with which reports are suppressed as the file says. A path
// may have what separates flags.
func raceEnvironment(file string) string {
	return wire.RaceEnvironment + " print_suppressions=1 suppressions=\"" + file + "\""
}

// A history tells, for each function that marks, how many reports there should have been, and how
// many were suppressed: the race detector has forgotten the rest. Processes say both on their
// standard error, those that a process has started as well.
type history struct {
	should, suppressed [wire.Marks]int
}

// historyLine is what is said of it: by the checker, and at the end of a process by the detector.
var historyLine = regexp.MustCompile(regexp.QuoteMeta(wire.LookedBack) + `(\d+) by (\d)\n$` +
	`|^(\d+) ` + regexp.QuoteMeta(wire.Suppression) + `(\d)\n$` +
	`|^ThreadSanitizer: Matched \d+ suppressions .*\n$`)

// take returns what else stands in a line.
func (h *history) take(line []byte) []byte {
	mayBe := func(words string) bool { return bytes.Contains(line, []byte(words)) }
	if !mayBe(wire.LookedBack) && !mayBe(wire.Suppression) && !mayBe("suppressions") {
		return line
	}
	m := historyLine.FindSubmatchIndex(line)
	if m == nil {
		return line
	}
	add := func(to *[wire.Marks]int, number int) {
		if at := m[2*number:]; at[0] >= 0 {
			n, _ := strconv.Atoi(string(line[at[0]:at[1]])) // digits
			to[int(line[at[2]]-'0')%wire.Marks] += n
		}
	}
	add(&h.should, 1)
	add(&h.suppressed, 3)
	return line[:m[0]]
}

// forgetful is the assumption of a check in which the race detector has forgotten something.
const forgetful = "no data race is so far apart that the race detector has forgotten the first " +
	"access: in an execution, a goroutine does more than it remembers"

// forgets reports whether reports of two functions are missing.
func (h *history) forgets() bool {
	missing := 0
	for i := range wire.Marks {
		if h.suppressed[i] < h.should[i] {
			missing++
		}
	}
	return missing > 1
}

// note has the results of a process say that the race detector has forgotten something, those in
// which it may have been. Go has a process say what was suppressed that ends well: one in which a
// check fails does not.
func (h *history) note(exit error, results []result) {
	if !h.forgets() || exit != nil {
		return
	}
	for i := range results {
		if r := &results[i]; r.LookedBack {
			r.Assumptions = append(r.Assumptions, forgetful)
			for j := range r.Searches { // of which a merge makes the verdict
				r.Searches[j].Found = assuming(r.Searches[j].Found, forgetful)
			}
		}
	}
}

// assuming adds an assumption to an explore.Result, and leaves the rest as it is: some numbers have
// more digits than a float64.
func assuming(found json.RawMessage, text string) json.RawMessage {
	var fields map[string]json.RawMessage
	var assumed []string
	if json.Unmarshal(found, &fields) != nil ||
		fields["Assumed"] != nil && json.Unmarshal(fields["Assumed"], &assumed) != nil {
		return found
	}
	fields["Assumed"], _ = json.Marshal(append(assumed, text)) // strings
	out, err := json.Marshal(fields)
	if err != nil {
		return found
	}
	return out
}
