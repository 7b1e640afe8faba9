package driver

import (
	"fmt"
	"strings"
)

const interrupted = "interrupted"

// partial returns the rows of a test of which a process was ended by an interrupt: of the checks
// that have a result, and of the one that was explored, as far as it has told.
func (r *runner) partial(run *testRun) []Row {
	switch {
	case run.plain == nil && run.race == nil:
		return nil
	case run.plain == nil || run.raceFirst:
		return run.partialRaceFirst()
	}
	var rows []Row
	last := run.plain
	if run.race == nil {
		for i := range run.plain.results {
			rows = append(rows, run.rowOf(&run.plain.results[i]))
		}
	} else {
		plain := *run
		plain.race, plain.unchecked = nil, interrupted
		rows, last = plain.rows(), run.race
		for i := range run.race.results {
			raced := run.rowOf(&run.race.results[i])
			if at := indexByName(rows, raced.Name); at >= 0 && !raced.passes() {
				rows[at].merge(raced)
			}
		}
	}
	if last.progress != nil {
		rows = withProgress(rows, last, cutPlain)
	}
	unchecked := "races not checked"
	if r.options.Race {
		unchecked += ": " + interrupted
	}
	for i := range rows {
		if run.race == nil && rows[i].passes() {
			rows[i].bound(unchecked)
			rows[i].Races = racesNotChecked
		}
		if rows[i].Verdict == Bounded && r.options.Race {
			rows[i].cutToo(cutRace)
		}
	}
	return rows
}

// partialRaceFirst is partial where the race run was made first. What the plain run found since
// then counts if it is something against a check.
func (t *testRun) partialRaceFirst() []Row {
	last, which := t.race, cutRace
	if t.raceFirst {
		last, which = t.plain, cutPlain
	}
	var rows []Row
	for i := range t.race.results {
		row := t.rowOf(&t.race.results[i])
		if row.Cut != "" {
			row.Cut = cutRace
		}
		if !row.passes() {
			row.Message = inRaceRun + row.Message
		}
		rows = append(rows, row)
	}
	if t.plain != nil {
		for i := range t.plain.results {
			row := t.rowOf(&t.plain.results[i])
			at := indexByName(rows, row.Name)
			switch {
			case at < 0:
				row.Races = racesNotChecked
				rows = append(rows, row)
			case !row.passes():
				row.Races = racesNotChecked
				rows[at] = row
			}
		}
	}
	if last != nil && last.progress != nil {
		rows = withProgress(rows, last, which)
	}
	for i := range rows {
		if !rows[i].passes() || rows[i].Verdict == skipped {
			continue
		}
		if !strings.Contains(rows[i].Bounded, interrupted) {
			rows[i].bound(interrupted + " before its test ended")
		}
		rows[i].cutToo(which)
	}
	return rows
}

// withProgress adds a row for the check that was being explored, or what it has told to its row.
func withProgress(rows []Row, last *outcome, which string) []Row {
	p := last.progress
	at := indexByName(rows, p.Check)
	if at < 0 {
		at = len(rows)
		rows = append(rows, Row{
			Name: p.Check, Verdict: Bounded, Complete: p.Executions, Steps: p.Steps,
			Seconds: last.seconds, Assumptions: []string{}, Races: racesNotChecked,
			Bounded: fmt.Sprintf("%s after %s executions", interrupted, grouped(p.Executions)),
			Cut:     which, Left: max(0, p.Left), left: leftText(p.Left, p.Executions),
		})
	}
	if p.Failure != "" {
		rows[at].object(p.Kind, p.Failure)
	}
	return rows
}
