package driver

import (
	"fmt"
	"slices"
	"time"

	"github.com/surewake/surewake/model/instrument"
	"github.com/surewake/surewake/model/wire"
)

// A regression test, which EmitTest writes, stands for a schedule of another test: that is run
// first, and then all others. Its row has its own name.

// regressionBudget bounds a regression test if the command gives no budget: the test that it
// replays is explored as well, by itself.
const regressionBudget = 10 * time.Second

// testsOf returns the names of the tests of a package, in their order, and of those that replay
// others.
func testsOf(p *instrument.Package) []string {
	all := slices.Clone(p.Checks)
	for _, again := range p.Replays {
		if !slices.Contains(all, again.Name) {
			all = append(all, again.Name)
		}
	}
	return all
}

// replayNamed returns the regression test of that name, nil if there is none.
func replayNamed(p *instrument.Package, test string) *instrument.Replay {
	for i := range p.Replays {
		if p.Replays[i].Name == test {
			return &p.Replays[i]
		}
	}
	return nil
}

func regression(p instrument.Package, place string, again *instrument.Replay) planned {
	return planned{
		pkg: p, place: place, test: again.Name, run: "^(" + again.Test() + ")$", replay: again,
	}
}

// function is the test that the binary runs.
func (t *planned) function() string {
	if t.replay != nil {
		return t.replay.Test()
	}
	return t.test
}

// trouble returns the row of a regression test that has nothing to replay, nil for any other test.
func (t *planned) trouble(relative func(dir, file string) string) *Row {
	if t.replay == nil || t.replay.Trouble == "" {
		return nil
	}
	return &Row{
		Package: t.pkg.Path, Place: t.place, Name: t.test, Verdict: Undecided,
		Kind: wire.KindRefused, Message: t.replay.Trouble, Assumptions: []string{},
		File: relative(t.pkg.Dir, t.replay.File), Line: t.replay.Line, Races: racesNotChecked,
	}
}

// regress changes the settings of an exploration to those of a regression test.
func (t *planned) regress(s *wire.Settings) {
	if t.replay == nil {
		return
	}
	s.Mode, s.Check, s.Schedule = wire.Regress, t.replay.Check, t.replay.Schedule
	s.Certify = "" // the other test has its own
	if s.Seconds == 0 && s.Executions == 0 {
		s.Seconds = regressionBudget.Seconds()
	}
}

// stoodFor makes the row of a regression test from those of the test that it replays.
func (t *planned) stoodFor(rows []Row) []Row {
	if t.replay == nil {
		return rows
	}
	at := indexByName(rows, t.replay.Check)
	if at >= 0 {
		rows[at].Name = t.test
		return []Row{rows[at]}
	}
	row := Row{
		Verdict: Undecided, Kind: wire.KindRefused, Message: "it has no such check",
		Assumptions: []string{}, Races: racesNotChecked,
	}
	if at = indexByName(rows, t.replay.Test()); at >= 0 {
		row = rows[at]
	}
	if row.Name = t.test; row.File == "" {
		row.File, row.Line = t.replay.File, t.replay.Line
	}
	if row.Verdict != skipped {
		row.Message = fmt.Sprintf("it replays a schedule of %s: %s", t.replay.Check, row.Message)
	}
	return []Row{row}
}

// checkOf returns the check whose schedule a row shows.
func (t *planned) checkOf(r Row) string {
	if t.replay != nil {
		return t.replay.Check
	}
	return r.Name
}
