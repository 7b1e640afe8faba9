package driver

import (
	"context"
	"strings"

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
