package driver

import (
	"fmt"
	"strings"

	"github.com/surewake/surewake/model/wire"
)

// Verdicts of a check. Of a proved one every schedule was explored, and each was
// judged by the race detector.
const (
	Proved  = wire.Proved
	Bounded = wire.Bounded
	Failed  = wire.Failed
)

// What Row.Races says; otherwise it is "found N".
const (
	racesNone       = "none"
	racesNotChecked = "not checked"
)

// A Row is the result of one check. Its JSON form is what check -json prints.
type Row struct {
	Package     string   `json:"package"`
	Name        string   `json:"name"`
	Verdict     string   `json:"verdict"`
	Complete    int64    `json:"complete"`   // executions that ran to their end
	Deadlocked  int64    `json:"deadlocked"` // executions that ended with threads waiting
	Pruned      int64    `json:"pruned"`     // executions cut short as equivalent to another
	Steps       int64    `json:"steps"`
	Seconds     float64  `json:"seconds"` // of both runs
	Token       string   `json:"token"`   // for replay; "" if nothing failed
	Message     string   `json:"message"` // what failed; "" if nothing did
	Assumptions []string `json:"assumptions"`
	Bounded     string   `json:"bounded"` // why the verdict is "bounded", else ""
	Races       string   `json:"races"`   // "none", "not checked" or "found N"

	Place string            `json:"-"` // the package as tokens have it
	Trace *wire.Trace       `json:"-"` // the failing execution; nil if none was recorded
	Files map[string]string `json:"-"` // what else was written, by kind

	schedule string // of the failing execution
	digest   string // of all schedules
}

// A Summary counts rows.
type Summary struct {
	Checks  int `json:"checks"`
	Proved  int `json:"proved"`
	Bounded int `json:"bounded"`
	Failed  int `json:"failed"`

	NoRace string `json:"-"` // why this machine cannot check races, "" if it can
}

func (s *Summary) add(r Row) {
	s.Checks++
	switch r.Verdict {
	case Proved:
		s.Proved++
	case Bounded:
		s.Bounded++
	default:
		s.Failed++
	}
}

// A testRun is what the two processes of one Test function left.
type testRun struct {
	test      string
	plain     *outcome
	race      *outcome // nil: not run
	unchecked string   // why race is nil, if that is not for a failure of plain
	subtests  bool     // only some subtests were asked for: none at all is no failure
	stackReader
	options *Options
}

// rows merges the two runs. A check is proved only if both runs proved it and
// explored the same schedules.
func (t *testRun) rows() []Row {
	if t.subtests && len(t.plain.results) == 0 && t.plain.exit == nil && !t.plain.silent {
		return nil
	}
	rows := t.rowsOf(t.plain, "")
	if t.race == nil {
		for i := range rows {
			rows[i].Races = racesNotChecked
			if rows[i].Verdict == Failed {
				continue
			}
			why := "races not checked"
			if t.unchecked != "" {
				why += ": " + t.unchecked
			}
			rows[i].bound(why)
		}
		return rows
	}
	raced := t.rowsOf(t.race, "in the race run: ")
	for i := range rows {
		r := &rows[i]
		at := indexByName(raced, r.Name)
		if at < 0 {
			r.fail(fmt.Sprintf("the race run has no result for %s: what is checked depends on something outside the checker's control", r.Name))
			r.Races = racesNotChecked
			continue
		}
		r.merge(raced[at])
		raced = append(raced[:at], raced[at+1:]...)
	}
	for _, r := range raced {
		if r.Verdict != Failed {
			r.fail(fmt.Sprintf("only the race run has a result for %s: what is checked depends on something outside the checker's control", r.Name))
		}
		rows = append(rows, r)
	}
	return rows
}

func indexByName(rows []Row, name string) int {
	for i := range rows {
		if rows[i].Name == name {
			return i
		}
	}
	return -1
}

// rowsOf reads one run by itself.
func (t *testRun) rowsOf(out *outcome, where string) []Row {
	var rows []Row
	for _, r := range out.results {
		row := Row{
			Name: r.Check, Verdict: r.Verdict, Message: r.Message, Bounded: r.Bounded,
			Complete: r.Complete, Deadlocked: r.Deadlocked, Pruned: r.Pruned, Steps: r.Steps, Seconds: r.Seconds,
			Assumptions: append([]string{}, r.Assumptions...),
			Trace:       r.Trace, Files: r.Files, Races: racesNone,
			schedule: r.Schedule, digest: r.Digest,
		}
		switch {
		case r.Verdict == Proved || r.Verdict == Bounded && r.Bounded != "":
		case r.Verdict == Bounded:
			row.Bounded = "a budget or a bound cut the exploration short"
		case r.Verdict != Failed:
			row.fail(fmt.Sprintf("the binary reports an unknown verdict %q: was it built with another version of the checker?", r.Verdict))
		}
		if r.Races > 0 {
			row.Races = fmt.Sprintf("found %d", r.Races)
			if row.Verdict != Failed {
				row.fail("data race")
			}
			if reports := t.races(r.said); len(reports) > 0 {
				row.Message += "\n" + reports[0]
			}
		}
		if row.Verdict == Failed {
			row.Bounded = ""
			row.Message = where + row.Message
		}
		rows = append(rows, row)
	}
	if text := t.unexplained(out, t.test, t.options.Watchdog); text != "" {
		at := indexByName(rows, t.test)
		if at < 0 {
			at = len(rows)
			rows = append(rows, Row{Name: t.test, Assumptions: []string{}, Seconds: out.seconds, Races: racesNotChecked})
		}
		rows[at].fail(where + text)
	}
	return rows
}

// fail makes a row FAILED; the first message stays in front.
func (r *Row) fail(text string) {
	r.Verdict, r.Bounded = Failed, ""
	if r.Message != "" {
		text = r.Message + "\n" + text
	}
	r.Message = text
}

// bound makes a row at most bounded.
func (r *Row) bound(why string) {
	r.Verdict = Bounded
	if r.Bounded != "" && !strings.Contains(r.Bounded, why) {
		why = r.Bounded + "; " + why
	}
	r.Bounded = why
}

// merge adds the race run of the same check. The plain run did not fail.
func (r *Row) merge(race Row) {
	seconds := r.Seconds + race.Seconds
	defer func() { r.Seconds = seconds }()
	r.Races = race.Races
	switch {
	case race.Verdict == Failed:
		race.Package, race.Place = r.Package, r.Place
		*r = race
	case race.Verdict == Bounded && r.Verdict == Bounded:
		// Two runs under one time budget stop at different places.
	case race.Verdict == Bounded:
		r.bound("the race run was cut short: " + race.Bounded)
	case r.Verdict == Bounded:
		// The race run, the slower one, got through.
	case r.counts() != race.counts() || r.digest != race.digest:
		r.fail(fmt.Sprintf("the race run explored other schedules: plain %s, race %s\n"+
			"the body depends on something the checker does not control (map order, the clock, addresses, package state kept between executions)",
			r.counts(), race.counts()))
	}
}

func (r *Row) counts() string {
	return fmt.Sprintf("%d complete, %d deadlocked, %d pruned, %d steps", r.Complete, r.Deadlocked, r.Pruned, r.Steps)
}
