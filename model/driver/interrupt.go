package driver

import "fmt"

const interrupted = "interrupted"

// partial returns the rows of a test of which a process was ended by an interrupt: of the checks
// that have a result, and of the one that was explored, as far as it has told.
func (r *runner) partial(t planned, run *testRun) []Row {
	if run.plain == nil {
		return nil
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
	if p := last.progress; p != nil {
		at := indexByName(rows, p.Check)
		if at < 0 {
			at = len(rows)
			rows = append(rows, Row{
				Name: p.Check, Verdict: Bounded, Complete: p.Executions, Steps: p.Steps,
				Seconds: last.seconds, Assumptions: []string{}, Races: racesNotChecked,
				Bounded: fmt.Sprintf("%s after %s executions", interrupted, grouped(p.Executions)),
				Cut:     cutPlain, Left: max(0, p.Left), left: leftText(p.Left, p.Executions),
			})
		}
		if p.Failure != "" {
			rows[at].object(p.Kind, p.Failure)
		}
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
	return r.placed(t, t.stoodFor(rows))
}
