package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/surewake/surewake/model/instrument"
	"github.com/surewake/surewake/model/report"
	"github.com/surewake/surewake/model/wire"
)

// An Observer is told how the checks go. Its methods are called one at a time.
type Observer interface {
	// Plan names the checks, as far as they are known before they run.
	Plan(rows []Row)
	// Active is called a few times a second, and once with a total of 0 before the plan.
	Active(done, total int, active []Activity)
	// Row comes in the order of the plan.
	Row(Row)
}

// Observers tells several observers, in their order.
type Observers []Observer

// Plan tells all of them.
func (o Observers) Plan(rows []Row) {
	for _, each := range o {
		each.Plan(rows)
	}
}

// Active tells all of them.
func (o Observers) Active(done, total int, active []Activity) {
	for _, each := range o {
		each.Active(done, total, active)
	}
}

// Row tells all of them.
func (o Observers) Row(r Row) {
	for _, each := range o {
		each.Row(r)
	}
}

// An Activity is a process at work.
type Activity struct {
	Place, Name string
	Race        bool
	Building    bool
	Executions  int64
	Rate        float64 // executions a second
	Left        float64 // executions that seem left, -1 if unknown
}

// tell takes over how far the exploration has got.
func (a *Activity) tell(p *wire.Progress) {
	a.Name, a.Executions, a.Rate, a.Left = p.Check, p.Executions, p.Rate, p.Left
	if p.Most > 0 {
		a.Left = min(a.Left, p.Most)
	}
}

// Check rewrites, builds and runs checks. An error means that no verdicts can be given: bad usage,
// a package that does not build, or an interrupt. A check that fails is no error.
func Check(ctx context.Context, opts Options, observer Observer) (Summary, error) {
	var sum Summary
	if err := opts.normalize(); err != nil {
		return sum, err
	}
	kept, err := opts.openCheckpoint()
	if err != nil {
		return sum, err
	}
	defer kept.release()
	profile, err := opts.openProfile()
	if err != nil {
		return sum, err
	}
	if sum, err = check(ctx, opts, observer, profile, kept); err != nil {
		profile.abandon()
	}
	return sum, err
}

func check(
	ctx context.Context, opts Options, observer Observer, profile *profileFile, kept *checkpoint,
) (Summary, error) {
	var sum Summary
	observer.Active(0, 0, nil)
	root, err := moduleRoot(ctx, opts.Dir)
	if err != nil {
		return sum, err
	}
	cfg := opts.instrument(opts.Patterns, nil)
	// A profile is of all packages that the tests import.
	cfg.Lean = opts.Tests == "" && opts.CoverProfile == ""
	cfg.Race = opts.raceFirst()
	set, err := instrument.Rewrite(ctx, cfg)
	if err != nil {
		return sum, err
	}
	tests, err := plan(set.Packages, root, &opts)
	if err != nil {
		return sum, err
	}
	r, err := newRunner(&opts, set)
	if err != nil {
		return sum, err
	}
	defer r.close()
	r.root = root
	if err := opts.Merge.matches(tests); err != nil {
		return sum, err
	}
	sum, err = r.allKept(ctx, tests, observer, kept)
	sum.NoRace = r.noRace
	if err == nil {
		err = opts.Merge.complete(&sum)
	}
	if err == nil && profile != nil {
		sum.Coverage = r.cover.coverage(func(file string) string { return r.relative("", file) })
		err = profile.write(&r.cover)
	}
	return sum, err
}

// A runner builds each binary once and runs processes, both no more than
// Options.Procs at a time.
type runner struct {
	options *Options
	target  target
	dir     string // of binaries
	root    string // of the main module, "" without one
	kept    *checkpoint
	turns   *turns
	cover   collector

	mu       sync.Mutex
	binaries map[string]*binary
	active   map[*Activity]bool
	noRace   string // why race binaries cannot be built here
}

type binary struct {
	once sync.Once
	path string
	err  error
}

func newRunner(opts *Options, t target) (*runner, error) {
	dir, err := os.MkdirTemp("", "surewake-")
	if err != nil {
		return nil, err
	}
	if err = writeSuppressions(dir); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return &runner{
		options: opts, target: t, dir: dir,
		turns:    newTurns(opts.Procs),
		binaries: map[string]*binary{},
		active:   map[*Activity]bool{},
	}, nil
}

func (r *runner) close() { os.RemoveAll(r.dir) }

// all runs the planned tests and reports their rows in order.
func (r *runner) all(ctx context.Context, tests []planned, observer Observer) (Summary, error) {
	outer := ctx // of an interrupt, after which each test still has the rows that it can have
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()

	rank(tests)
	ahead := make([]Row, len(tests))
	done := make([]chan []Row, len(tests))
	for i, t := range tests {
		ahead[i] = Row{Package: t.pkg.Path, Place: t.place, Name: t.test}
		done[i] = make(chan []Row, 1)
	}
	observer.Plan(ahead)

	finished, broken := 0, make(chan error, len(tests))
	for i, t := range tests {
		all.Go(func() {
			rows, err := r.test(ctx, t)
			if err != nil && outer.Err() == nil {
				broken <- err
				return
			}
			r.mu.Lock()
			finished++
			r.mu.Unlock()
			done[i] <- rows
		})
	}

	var sum Summary
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for next := 0; next < len(tests); {
		select {
		case rows := <-done[next]:
			if len(rows) == 0 && outer.Err() != nil {
				sum.Missing++
			}
			for _, row := range rows {
				sum.add(row)
				observer.Row(row)
			}
			next++
		case <-tick.C:
			r.mu.Lock()
			var active []Activity
			for a := range r.active {
				active = append(active, *a)
			}
			n := finished
			r.mu.Unlock()
			observer.Active(n, len(tests), active)
		case err := <-broken:
			return sum, err
		}
	}
	if err := outer.Err(); err != nil {
		return sum, err
	}
	if sum.Checks+len(sum.Skipped) == 0 {
		if r.options.Tests != "" {
			return sum, usagef("-test %s matches no subtest", r.options.Tests)
		}
		return sum, usagef("-run %s matches no check", r.options.Run)
	}
	return sum, nil
}

// test runs one Test function: under the race detector, and plainly where that says more
// (raceFirst); or plainly and then under the race detector.
func (r *runner) test(ctx context.Context, t planned) ([]Row, error) {
	if row := t.trouble(r.relative); row != nil {
		return []Row{*row}, nil
	}
	run := testRun{test: t.function(), subtests: t.some, options: r.options}
	if r.raceFirst() {
		if stands, err := r.raceAlone(ctx, t, &run); stands || err != nil {
			return r.concluded(ctx, t, &run, err)
		}
	}
	early := run.race
	run.race = nil
	run.stackReader = stackReader{r.target.RewrittenMode(t.pkg.Path, false)}
	var err error
	s := r.settings(t, false)
	budget := s.Seconds
	if r.options.Race {
		s.Seconds /= 2 // the race run has the rest
	}
	if run.plain, err = r.process(ctx, t, false, s); err != nil {
		run.race, run.raceFirst = early, early != nil
		return r.concluded(ctx, t, &run, err)
	}
	if r.options.CoverProfile != "" {
		r.cover.add(r.target.Covered(t.pkg.Path), run.plain.marks)
	}
	switch {
	case !r.options.Race:
	case run.objects(run.plain):
		run.early = early
	case early != nil:
		run.race = early
	default:
		s = r.settings(t, true)
		s.Seconds = raceSeconds(budget, run.plain.results)
		run.race, err = r.process(ctx, t, true, s)
		var no *raceUnavailable
		if errors.As(err, &no) {
			run.unchecked, err = no.why, nil
		} else if err != nil && run.race == nil {
			run.race = &outcome{} // which had not begun
		}
	}
	return r.concluded(ctx, t, &run, err)
}

// concluded returns the rows of a test: those that it can have if err ended a run.
func (r *runner) concluded(
	ctx context.Context, t planned, run *testRun, err error,
) ([]Row, error) {
	if err != nil {
		return r.placed(t, t.stoodFor(r.partial(run))), err
	}
	rows := r.placed(t, t.stoodFor(run.rows()))
	for i := range rows {
		r.confirm(ctx, t, &rows[i])
		r.judge(ctx, t, &rows[i])
	}
	return rows, nil
}

// raceSeconds is what the plain run has left of a budget, for each check of a race run: at least
// half of it.
func raceSeconds(budget float64, plain []result) float64 {
	seconds := budget
	for _, res := range plain {
		seconds = min(seconds, budget-res.Seconds)
	}
	return max(seconds, budget/2)
}

// placed completes the rows of a test: where they are, and their tokens.
func (r *runner) placed(t planned, rows []Row) []Row {
	for i := range rows {
		rows[i].Package, rows[i].Place = t.pkg.Path, t.place
		rows[i].source = t.pkg.Source + t.pkg.Engine
		rows[i].File = r.relative(t.pkg.Dir, rows[i].File)
		if !rows[i].passes() && rows[i].schedule != "" {
			tok := wire.Token{
				Package: t.place, Check: t.checkOf(rows[i]), Source: t.pkg.Source,
				Schedule: rows[i].schedule,
			}
			rows[i].Token = tok.String()
			if tr := rows[i].Trace; tr != nil && tr.Reversal != nil {
				tok.Schedule, tok.Passing = tr.Reversal.Schedule, true
				rows[i].Passing = tok.String()
				rows[i].Passes = report.Reversal(tr, report.SourceLines())
			}
		}
	}
	return rows
}

// relative returns the path of a file in the form of Row.File. A name without directory is a file
// of the package in dir.
func (r *runner) relative(dir, file string) string {
	if file == "" {
		return ""
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	if rel, err := filepath.Rel(r.root, file); r.root != "" && err == nil && filepath.IsLocal(rel) {
		file = rel
	}
	return filepath.ToSlash(file)
}

// objects reports that a run says something against a check.
func (t *testRun) objects(out *outcome) bool {
	return slices.ContainsFunc(t.rowsOf(out, ""), func(r Row) bool { return !r.passes() })
}

func (r *runner) settings(t planned, race bool) wire.Settings {
	early := r.options.Early
	if r.options.Time == Times[1] {
		early = 0
	}
	s := wire.Settings{
		Tests: r.options.Tests != "", Subtests: t.subtests,
		Early: early, MapOrders: r.options.MapOrders,
		Mode: wire.Explore, Race: race,
		Strategy:    r.options.Strategy,
		Preemptions: r.options.Preemptions,
		Seconds:     r.options.Budget.Time.Seconds(),
		Executions:  r.options.Budget.Executions,
		Seed:        r.options.Seed,
		Progress:    true,
		Jobs:        r.options.Jobs,
		Package:     t.pkg.Path,
		Certify:     r.options.certifyDir(race),
		AllSteps:    r.options.Certify != "",
	}
	if r.options.Shard.Of > 0 {
		s.Shard, s.Shards, s.Modes = r.options.Shard.K, r.options.Shard.Of, r.options.ShardModes
	}
	t.regress(&s)
	return s
}

// process builds what it needs and runs it.
func (r *runner) process(
	ctx context.Context, t planned, race bool, s wire.Settings,
) (*outcome, error) {
	var kept *keptRun
	if s.Mode != wire.Replay {
		kept = r.kept.run(&t, race)
	}
	if kept.hasEnded() {
		return kept.outcome(), nil
	}
	path, err := r.build(ctx, t, race)
	if err != nil {
		return nil, err
	}
	s.Expect = r.target.RewrittenMode(t.pkg.Path, race)
	if kept != nil {
		s.Save = r.kept.every
		if s.Resume, err = kept.resume(r.dir); err != nil {
			return nil, err
		}
	}
	if err := r.turns.take(ctx, t.urgency(false)); err != nil {
		return nil, err
	}
	defer r.turns.give()
	a := &Activity{Place: t.place, Name: t.test, Race: race, Left: -1}
	defer r.show(a)()
	if r.options.Merge != nil {
		if s.Found, err = r.options.Merge.write(r.dir, t.pkg.Path, race); err != nil {
			return nil, err
		}
	}
	j := job{
		binary: path, dir: t.pkg.Dir, run: t.run, settings: s, watchdog: r.options.Watchdog,
		kept: kept, covers: r.options.CoverProfile != "", mutant: t.mutant,
		progress: func(p wire.Progress) {
			r.mu.Lock()
			a.tell(&p)
			r.mu.Unlock()
		},
	}
	out, err := j.start(ctx)
	reader := stackReader{r.target.RewrittenMode(t.pkg.Path, race)}
	if err == nil && !wasKilled(out.exit) &&
		reader.unexplained(out, t.function(), r.options.Watchdog) == nil {
		kept.end(out)
	}
	return out, err
}

// wasKilled reports whether a process was ended from outside.
func wasKilled(exit error) bool {
	var status *exec.ExitError
	return errors.As(exit, &status) && !status.Exited()
}

// build returns the binary of a package in one mode, which it builds once.
func (r *runner) build(ctx context.Context, t planned, race bool) (string, error) {
	key := fmt.Sprintf("%s race=%t", t.pkg.Path, race)
	r.mu.Lock()
	b := r.binaries[key]
	if b == nil {
		b = &binary{path: filepath.Join(r.dir, fmt.Sprintf("%d.test", len(r.binaries)))}
		r.binaries[key] = b
	}
	r.mu.Unlock()
	b.once.Do(func() {
		if b.err = r.turns.take(ctx, t.urgency(true)); b.err != nil {
			return
		}
		defer r.turns.give()
		if race {
			r.mu.Lock()
			why := r.noRace
			r.mu.Unlock()
			if why != "" {
				b.err = &raceUnavailable{why}
				return
			}
		}
		defer r.show(&Activity{Place: t.place, Race: race, Building: true})()
		b.err = r.target.Build(ctx, t.pkg.Path, race, b.path)
		if ctx.Err() != nil {
			b.err = ctx.Err()
		} else if race && b.err != nil {
			b.err = raceTrouble(b.err)
			var no *raceUnavailable
			if errors.As(b.err, &no) {
				r.mu.Lock()
				r.noRace = no.why
				r.mu.Unlock()
			}
		}
	})
	return b.path, b.err
}

// show lists an activity until the function it returns is called.
func (r *runner) show(a *Activity) func() {
	r.mu.Lock()
	r.active[a] = true
	r.mu.Unlock()
	return func() {
		r.mu.Lock()
		delete(r.active, a)
		r.mu.Unlock()
	}
}
