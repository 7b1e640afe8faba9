package driver

import (
	"context"
	"errors"
	"slices"
)

// The run under the race detector explores the schedules of the plain run, and asks of each
// execution what the plain run asks. So it is made first, and it alone decides where it finds
// nothing and the plain run would do no more. The plain run is made as well
//
//   - if the race run says something against a check: what fails in the plain run, too, has the
//     plain run's message, which is shorter, and only it looks for what decides a failure;
//   - if a check has the option Observe or Before, whose functions the plain run alone calls, or
//     the binary was built with a checker that does not say so (wire.Result.Stands);
//   - if the race run was cut short by the time that it took: the plain run is three to four times
//     as fast, and comes further. A number of executions ends both with the same one;
//   - if it skips a test, or runs no check;
//   - if the binary is made of other files under the race detector, or asks how it was built;
//   - always, and then as the first one, if the two runs share a time budget, and for results that
//     have both: those of shards, checkpoints, certificates and coverage profiles;
//   - with Options.Both. The two runs are two processes, of which one is built in another way.
//     What a process does the same again and again, and another one differently, shows by
//     comparing them.
//
// Where the race detector is not to be had, only plain runs are made, and no check is proved.

// raceFirst reports whether the race run of a test is made first.
func (r *runner) raceFirst() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.noRace == "" && r.options.raceFirst()
}

// raceFirst reports whether race runs are made first where there are any.
func (o *Options) raceFirst() bool {
	return o.Race && !o.Both && o.Budget.Time == 0 && o.Shard.Of == 0 && o.Merge == nil &&
		o.Checkpoint == "" && o.Certify == "" && o.CoverProfile == ""
}

// raceAlone makes the race run of a test, and reports whether it stands for the plain run. A race
// run that cannot be made is none.
func (r *runner) raceAlone(ctx context.Context, t planned, run *testRun) (bool, error) {
	out, err := r.process(ctx, t, true, r.settings(t, true))
	var no *raceUnavailable
	if errors.As(err, &no) {
		return false, nil
	}
	run.race = out
	if out != nil {
		run.stackReader = stackReader{r.target.RewrittenMode(t.pkg.Path, true)}
	}
	if err != nil || !run.stands() {
		return false, err
	}
	return r.target.SameFiles(ctx, t.pkg.Path)
}

// stands reports whether a plain run of the test would do no more than its race run has done.
func (t *testRun) stands() bool {
	out := t.race
	return len(out.results) > 0 && len(out.skips) == 0 && !t.objects(out) &&
		!slices.ContainsFunc(out.results, func(r result) bool { return !r.Stands })
}
