package driver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/surewake/surewake/model/wire"
)

// Verdicts of a check. Of a proved one every schedule was explored, and each was
// judged by the race detector.
const (
	Proved    = wire.Proved
	Bounded   = wire.Bounded
	Undecided = wire.Undecided
	Failed    = wire.Failed
)

// skipped is the verdict of what is no check: a test that was skipped before it called Check.
const skipped = "skipped"

// What Row.Races says; otherwise it is "found N".
const (
	racesNone       = "none"
	racesNotChecked = "not checked"
)

// A Row is the result of one check. Its JSON form is what check -json prints.
type Row struct {
	Version     int      `json:"version"` // JSONVersion, where it is printed
	Package     string   `json:"package"`
	Name        string   `json:"name"`
	Verdict     string   `json:"verdict"`
	Complete    int64    `json:"complete"`   // executions that ran to their end
	Deadlocked  int64    `json:"deadlocked"` // executions that ended with threads waiting
	Pruned      int64    `json:"pruned"`     // executions cut short as equivalent to another
	Steps       int64    `json:"steps"`
	Seconds     float64  `json:"seconds"` // of the runs that were made
	Token       string   `json:"token"`   // for replay; "" if no execution decided the verdict
	Message     string   `json:"message"` // what failed or stood in the way; "" if nothing did
	Assumptions []string `json:"assumptions"`
	Bounded     string   `json:"bounded"`        // why the verdict is "bounded", else ""
	Cut         string   `json:"cut,omitempty"`  // which run was cut short; "" if none was
	Left        float64  `json:"left,omitempty"` // executions that it cut off: an estimate
	Races       string   `json:"races"`          // "none", "not checked" or "found N"

	// What decided the verdict and where, unless it is proved or bounded. File is
	// relative to the root of the module if it lies there, with slashes; it is ""
	// where no line of the program is to blame.
	Kind wire.Kind `json:"kind"`
	File string    `json:"file"`
	Line int       `json:"line"`

	Replayed string `json:"replayed,omitempty"` // of a regression test: what its schedule did

	// Of a row that failed: what would have made its execution pass, and the token of that.
	Passes  string `json:"passes,omitempty"`
	Passing string `json:"passing,omitempty"`

	Place string            `json:"-"` // the package as tokens have it
	Trace *wire.Trace       `json:"-"` // the failing execution; nil if none was recorded
	Files map[string]string `json:"-"` // what else was written, by kind

	schedule string           // of the failing execution
	later    bool             // see wire.Result
	digest   string           // of all schedules
	alone    bool             // see wire.Result
	left     string           // Left as text
	source   string           // instrument.Package.Source and Engine
	searches [2][]wire.Search // with Options.Shard: of the plain run and the race run
}

// The values of Row.Cut.
const (
	cutPlain = "plain"
	cutRace  = "race"
	cutBoth  = "both"
)

// A Summary counts rows.
type Summary struct {
	Version   int `json:"version"` // JSONVersion, where it is printed
	Checks    int `json:"checks"`
	Proved    int `json:"proved"`
	Bounded   int `json:"bounded"`
	Undecided int `json:"undecided"`
	Failed    int `json:"failed"`

	// Those of Bounded that were cut short: a budget, or an interrupt, ended one of their runs
	// before everything within their other bounds was explored. The rest is complete within bounds
	// that its rows name.
	Cut int `json:"cut,omitempty"`

	// Tests that were skipped before they called Check, which are none of the checks.
	Skipped []SkippedTest `json:"skipped,omitempty"`

	Coverage *Coverage `json:"coverage,omitempty"` // nil without Options.CoverProfile

	Missing int `json:"-"` // tests without a row, after an interrupt

	NoRace string `json:"-"` // why this machine cannot check races, "" if it can
}

// A SkippedTest is a test that ran no check because it was skipped.
type SkippedTest struct {
	Package string `json:"package"`
	Name    string `json:"name"`
	Message string `json:"message"` // why
	File    string `json:"file"`
	Line    int    `json:"line"`
}

func (s *Summary) add(r Row) {
	if r.Verdict == skipped {
		s.Skipped = append(s.Skipped, SkippedTest{r.Package, r.Name, r.Message, r.File, r.Line})
		return
	}
	s.Checks++
	switch r.Verdict {
	case Proved:
		s.Proved++
	case Bounded:
		s.Bounded++
		if r.Cut != "" {
			s.Cut++
		}
	case Failed:
		s.Failed++
	default:
		s.Undecided++
	}
}

// passes reports that nothing was found against a check.
func (r *Row) passes() bool {
	return r.Verdict == Proved || r.Verdict == Bounded || r.Verdict == skipped
}

// A testRun is what the two processes of one Test function left.
type testRun struct {
	test      string
	plain     *outcome // nil: the race run stands for it
	race      *outcome // nil: not run
	early     *outcome // the race run that was made first, if race is nil for a failure of plain
	raceFirst bool     // the race run had ended before the plain one began
	unchecked string   // why race is nil, if that is not for a failure of plain
	subtests  bool     // only some subtests were asked for: none at all is no failure
	stackReader
	options *Options
}

// inRaceRun begins what the race run says against a check.
const inRaceRun = "in the race run: "

// rows merges the runs that were made. Where both were, a check is proved only if both proved it
// and explored the same schedules.
func (t *testRun) rows() []Row {
	if t.plain == nil {
		return cutAs(cutBoth, t.rowsOf(t.race, inRaceRun))
	}
	if t.subtests && len(t.plain.results)+len(t.plain.skips) == 0 &&
		t.plain.exit == nil && !t.plain.silent {
		return nil
	}
	rows := t.rowsOf(t.plain, "")
	if t.race == nil {
		raced := t.racedEarly()
		for i := range rows {
			rows[i].Races = racesNotChecked
			if !rows[i].passes() || rows[i].Verdict == skipped {
				continue
			}
			if at := indexByName(raced, rows[i].Name); at >= 0 {
				rows[i].merge(raced[at])
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
	raced := cutAs(cutRace, t.rowsOf(t.race, inRaceRun))
	for i := range rows {
		r := &rows[i]
		at := indexByName(raced, r.Name)
		test, _, _ := strings.Cut(r.Name, "#")
		if skip := indexByName(raced, test); skip >= 0 && raced[skip].Verdict == skipped {
			if r.Verdict != skipped {
				r.Races = racesNotChecked
				r.bound("races not checked: the race run skips it: " + raced[skip].Message)
			}
			continue
		}
		if r.Verdict == skipped {
			continue // the race run is all there is, or there is none either
		}
		if at < 0 {
			r.object(wire.KindNondeterminism, fmt.Sprintf("the race run has no result for %s: "+
				"what is checked depends on something outside the checker's control", r.Name))
			r.Races = racesNotChecked
			continue
		}
		r.merge(raced[at])
		raced = append(raced[:at], raced[at+1:]...)
	}
	for _, r := range raced {
		if at := indexByName(rows, r.Name); at >= 0 && rows[at].Verdict == skipped {
			r.searches = [2][]wire.Search{1: r.searches[0]}
			rows[at] = r
			continue
		}
		if r.Verdict == skipped {
			continue
		}
		if r.passes() {
			r.object(wire.KindNondeterminism, fmt.Sprintf("only the race run has a result for %s: "+
				"what is checked depends on something outside the checker's control", r.Name))
		}
		r.searches = [2][]wire.Search{1: r.searches[0]}
		rows = append(rows, r)
	}
	return rows
}

// racedEarly returns what a race run that was made first has found, of a test in which something
// fails in the plain run.
func (t *testRun) racedEarly() []Row {
	if t.early == nil {
		return nil
	}
	return slices.DeleteFunc(cutAs(cutRace, t.rowsOf(t.early, inRaceRun)), func(r Row) bool {
		return r.Verdict == skipped
	})
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
	for i := range out.results {
		row := t.rowOf(&out.results[i])
		if !row.passes() {
			row.Bounded = ""
			row.Message = where + row.Message
		}
		rows = append(rows, row)
	}
	for _, s := range out.skips {
		if indexByName(rows, s.Test) < 0 {
			rows = append(rows, Row{
				Name: s.Test, Verdict: skipped, Message: s.Why, File: s.File, Line: s.Line,
				Assumptions: []string{}, Races: racesNotChecked,
			})
		}
	}
	if why := t.unexplained(out, t.test, t.options.Watchdog); why != nil {
		at := indexByName(rows, t.test)
		if at < 0 {
			at = len(rows)
			rows = append(rows, Row{
				Name: t.test, Assumptions: []string{}, Seconds: out.seconds, Races: racesNotChecked,
			})
		}
		why.message = where + why.message
		rows[at].blame(why)
	}
	return rows
}

// cutAs notes which run was cut short in the rows of one that was.
func cutAs(run string, rows []Row) []Row {
	for i := range rows {
		if rows[i].Cut != "" {
			rows[i].Cut = run
		}
	}
	return rows
}

// rowOf reads the result of one check.
func (t *testRun) rowOf(r *result) Row {
	row := Row{
		Name: r.Check, Verdict: r.Verdict, Message: r.Message, Bounded: r.Bounded,
		Complete: r.Complete, Deadlocked: r.Deadlocked, Pruned: r.Pruned,
		Steps: r.Steps, Seconds: r.Seconds,
		Assumptions: append([]string{}, r.Assumptions...),
		Kind:        r.Kind, File: r.File, Line: r.Line,
		Trace: r.Trace, Files: r.Files, Races: racesNone, Replayed: r.Replayed,
		Left: r.Left, left: leftText(r.Left, r.Complete+r.Deadlocked+r.Pruned),
		schedule: r.Schedule, later: r.Later, digest: r.Digest, alone: r.Alone,
		searches: [2][]wire.Search{r.Searches, nil},
	}
	if r.Cut {
		row.Cut = cutPlain
	}
	switch r.Verdict {
	case Proved, Undecided, Failed:
	case Bounded:
		if r.Bounded == "" {
			row.Bounded = "a budget or a bound cut the exploration short"
		}
	default:
		row.object(wire.KindInternal, fmt.Sprintf("the binary reports an unknown verdict %q: "+
			"was it built with another version of the checker?", r.Verdict))
	}
	if r.Races > 0 {
		row.Races = fmt.Sprintf("found %d", r.Races)
		t.raced(&row, r)
	} else {
		row.Trace = placeRace(row.Trace, &raceReport{})
	}
	return row
}

// raced puts the report of the race detector into the row of a check. It fails
// the check unless the checker raced with itself.
func (t *testRun) raced(row *Row, r *result) {
	if row.passes() {
		row.object(wire.KindRace, "data race")
	}
	reports := t.races(r.said)
	if len(reports) == 0 {
		row.Trace = placeRace(row.Trace, &raceReport{})
		return
	}
	// The one in the picture if there is such, else the first in the order of the schedules.
	report := worstRace(append(ofRecorded(row.Trace, reports), reports...))
	row.Trace = placeRace(row.Trace, &report)
	if row.Kind == wire.KindRace {
		if report.internal {
			row.Kind, row.Verdict = wire.KindInternal, wire.KindInternal.Verdict()
			row.Message = "internal error of the checker: " +
				"both accesses of a data race are its own\n" + row.Message
		}
		if report.file != "" {
			row.File, row.Line = report.file, report.line
		}
	}
	row.Message += "\n" + report.text
}

// object decides the verdict of a row; the first message stays in front, and
// its kind with it, unless only the new one is a bug of the program.
func (r *Row) object(kind wire.Kind, text string) {
	r.blame(&objection{kind: kind, message: text})
}

// blame is object with a place.
func (r *Row) blame(o *objection) {
	if r.Verdict != Failed && (r.Verdict != Undecided || o.kind.Verdict() == Failed) {
		r.Verdict, r.Kind, r.File, r.Line = o.kind.Verdict(), o.kind, o.file, o.line
	}
	r.Bounded, r.Cut, r.Left, r.left = "", "", 0, ""
	text := o.message
	if r.Message != "" {
		text = r.Message + "\n" + text
	}
	r.Message = text
}

// An objection is something that keeps a check from passing.
type objection struct {
	kind    wire.Kind
	message string
	file    string // "" if unknown
	line    int
}

// bound makes a row at most bounded.
func (r *Row) bound(why string) {
	r.Verdict = Bounded
	if r.Bounded != "" && !strings.Contains(r.Bounded, why) {
		why = r.Bounded + "; " + why
	}
	r.Bounded = why
}

// cutToo notes that a run was cut short.
func (r *Row) cutToo(run string) {
	if r.Cut != "" && r.Cut != run {
		run = cutBoth
	}
	r.Cut = run
}

// merge adds the race run of the same check. The plain run passed.
func (r *Row) merge(race Row) {
	seconds := r.Seconds + race.Seconds
	defer func() { r.Seconds = seconds }()
	r.Races = race.Races
	r.searches[1] = race.searches[0]
	for _, a := range race.Assumptions { // of code that only the race build has
		if race.passes() && !slices.Contains(r.Assumptions, a) {
			r.Assumptions = append(r.Assumptions, a)
		}
	}
	switch {
	case !race.passes():
		race.Package, race.Place = r.Package, r.Place
		*r = race
	case r.alone:
		// What others do is not done there.
	case race.Cut != "" && r.Cut != "":
		r.cutToo(cutRace) // two runs under one time budget stop at different places
	case race.Verdict == Bounded && (race.Cut != "" || r.Verdict != Bounded):
		r.bound("the race run was cut short: " + race.Bounded)
		r.Left, r.left = race.Left, race.left
		if race.Cut != "" {
			r.cutToo(cutRace)
		}
	case r.Verdict == Bounded:
		// The race run, the slower one, got through.
	case r.differs(race):
		r.object(wire.KindNondeterminism, fmt.Sprintf("the race run explored other schedules: "+
			"plain %s, race %s\nthe body depends on something the checker does not control "+
			"(map order, the clock, addresses, package state kept between executions, "+
			"files that are built for the race detector only)",
			r.counts(), race.counts()))
	}
}

// differs reports whether the two runs explored other schedules. How many are cut short, and the
// digest, depend on how an exploration was divided among processes.
func (r *Row) differs(race Row) bool {
	if r.digest == "" || race.digest == "" {
		return r.Complete != race.Complete || r.Deadlocked != race.Deadlocked
	}
	return r.counts() != race.counts() || r.digest != race.digest
}

func (r *Row) counts() string {
	return fmt.Sprintf("%d complete, %d deadlocked, %d pruned, %d steps",
		r.Complete, r.Deadlocked, r.Pruned, r.Steps)
}
