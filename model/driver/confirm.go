package driver

import (
	"context"
	"strings"

	"github.com/surewake/surewake/model/report"
	"github.com/surewake/surewake/model/wire"
)

// A failure of an execution that was not the first of its process may come from what those before
// it have left where nothing makes it anew: in the library (a name that can be registered once), in
// a file, in a closure. Go runs a test once, so that is no failure of the program. The schedule is
// therefore run again, as the first of a process: only what fails there, too, has failed.

// onlyLater begins the message of what fails only behind other executions.
const onlyLater = "an execution fails that passes when it is the first of its process: those before " +
	"it have left something that nothing makes anew (see Package variables in model/README.md)\n"

// confirm finds out whether the failure in a row is one of its execution alone.
func (r *runner) confirm(ctx context.Context, t planned, row *Row) {
	if !r.doubts(t, row) {
		return
	}
	tok, err := wire.ParseToken(row.Token)
	if err != nil {
		return
	}
	race := strings.HasPrefix(row.Message, inRaceRun)
	again, err := r.replayOnce(ctx, t, tok, race, r.replaySettings(t, tok, race))
	if err != nil || again.Shows {
		return
	}
	row.Verdict, row.Kind = wire.KindNondeterminism.Verdict(), wire.KindNondeterminism
	row.Message = onlyLater + row.Message
	row.Passes, row.Passing = "", ""
}

// doubts reports whether a row has failed by an execution that others went before. A data race is
// one whatever they have left, and shards are judged when all of them are merged.
func (r *runner) doubts(t planned, row *Row) bool {
	o := r.options
	return row.Verdict == Failed && row.Kind != wire.KindRace && row.Token != "" &&
		row.later && t.replay == nil && o.Shard.Of == 0 && o.Merge == nil
}

// judge finds out whether the race detector objects to the execution that passes instead of a
// failed one, which only a plain run has shown to pass.
func (r *runner) judge(ctx context.Context, t planned, row *Row) {
	r.mu.Lock()
	races := r.options.Race && r.noRace == "" && r.options.Shard.Of == 0 && r.options.Merge == nil
	r.mu.Unlock()
	tok, err := wire.ParseToken(row.Passing)
	if err != nil || !races || row.Trace == nil || row.Trace.Reversal == nil {
		return
	}
	other, err := r.replayOnce(ctx, t, tok, true, r.replaySettings(t, tok, true))
	if err != nil || other.Row.Kind != wire.KindRace {
		return
	}
	trace, reversal := *row.Trace, *row.Trace.Reversal // of a result, which may be kept
	reversal.Races, trace.Reversal = true, &reversal
	row.Trace, row.Passes = &trace, report.Reversal(&trace, report.SourceLines())
}
