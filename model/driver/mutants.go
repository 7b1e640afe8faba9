package driver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/surewake/surewake/model/instrument"
	"github.com/surewake/surewake/model/mutant"
)

// A candidate is a known bug, and a package whose checks and tests must object to it: the one in
// whose testdata/mutants it is, or one that it names.
type candidate struct {
	id   string // the file's name, with the path of its package before it if that is another
	file mutant.File
	pkg  instrument.Package
	// suspect is who is asked first, "" if it is not said: a check, or the beginning of the names
	// of ordinary tests. It saves time and decides nothing: whoever does not object any more is
	// passed over.
	suspect string
}

// A MutantSummary counts mutants.
type MutantSummary struct {
	Mutants, Killed, Survived int
	Broken                    int // did not apply, did not compile, or nothing to be told by
	Left                      int // not judged when the time was up
}

// Times of the stages a mutant goes through, cheap ones first: most are killed
// at once.
const (
	firstLook    = 1 * time.Second  // a check, plainly
	suspectLook  = 5 * time.Second  // the one that is asked first, plainly
	testsTimeout = 30 * time.Second // ordinary tests; all of them thrice their own time more
	ownTimeout   = 10 * time.Minute // all ordinary tests of the unchanged package
	onlyLook     = 10 * time.Minute // the only check that is asked
	raceLook     = 10 * time.Second // a check under the race detector
	lastLook     = 30 * time.Second // a check, plainly, if the first look was cut short
)

// Mutants puts every mutant in, one at a time, in memory, and prints who
// objects. Options.Run selects mutants by id. With Options.For those come
// first that share a build, and of these those that begin with different
// hazards, and the rest may be left.
func Mutants(ctx context.Context, opts Options, out io.Writer) (MutantSummary, error) {
	var sum MutantSummary
	begin := time.Now()
	if err := opts.normalize(); err != nil {
		return sum, err
	}
	match, err := regexp.Compile(opts.Run)
	if err != nil {
		return sum, usagef("-run %s: %v", opts.Run, err)
	}
	root, err := moduleRoot(ctx, opts.Dir)
	if err != nil {
		return sum, err
	}
	if root == "" {
		return sum, usagef("mutants need a module: there is no go.mod here")
	}
	set, err := instrument.Rewrite(ctx, opts.instrument(opts.Patterns, nil))
	if err != nil {
		return sum, err
	}
	selected := set.Packages
	elsewhere, err := killersElsewhere(selected, root, opts.All)
	if err != nil {
		return sum, err
	}
	if len(elsewhere) > 0 {
		patterns := slices.Concat(opts.Patterns, elsewhere)
		if set, err = instrument.Rewrite(ctx, opts.instrument(patterns, nil)); err != nil {
			return sum, err
		}
	}
	all, err := findMutants(selected, set.Packages, root, opts.All)
	if err != nil {
		return sum, err
	}
	if len(all) == 0 {
		return sum, usagef("no mutants (testdata/mutants/*.mutant) in %s", names(selected))
	}
	all = slices.DeleteFunc(all, func(m candidate) bool {
		return !match.MatchString(m.id) && !match.MatchString(m.file.ID)
	})
	if len(all) == 0 {
		return sum, usagef("-run %s matches no mutant", opts.Run)
	}
	selection := len(all)
	if all = opts.Part.of(all); len(all) == 0 {
		return sum, usagef("-part %s: there are only %d mutants", opts.Part, selection)
	}
	original, err := newRunner(&opts, set)
	if err != nil {
		return sum, err
	}
	defer original.close()
	limited, stop := context.WithCancel(ctx)
	together := groupMutants(all, root)
	if opts.For > 0 {
		spread(all, func(m candidate) bool { return !together[m.pkg.Path].shares(m) })
		limited, stop = context.WithDeadline(ctx, begin.Add(opts.For))
	}
	defer stop()
	j := &judge{
		options: &opts, root: root, set: set, original: original, together: together,
		testsTimeout: testsTimeout,
	}
	defer func() {
		for _, g := range j.together {
			g.close()
		}
	}()
	sum, err = judgeAll(limited, j, all, out)
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		sum.Left, err = sum.Mutants-sum.Killed-sum.Survived-sum.Broken, nil
	}
	return sum, err
}

// judgeAll judges several mutants at a time and prints the verdicts in order.
func judgeAll(
	ctx context.Context, j *judge, all []candidate, out io.Writer,
) (MutantSummary, error) {
	sum := MutantSummary{Mutants: len(all)}
	ctx, cancel := context.WithCancel(ctx)
	type verdict struct {
		killer  string
		err     error
		seconds float64
	}
	verdicts := make([]chan verdict, len(all))
	for i := range verdicts {
		verdicts[i] = make(chan verdict, 1)
	}
	var working sync.WaitGroup
	defer working.Wait()
	defer cancel()
	next := make(chan int)
	for range min(j.options.Procs, len(all)) {
		working.Go(func() {
			for i := range next {
				begin := time.Now()
				killer, err := j.judge(ctx, all[i])
				verdicts[i] <- verdict{killer, err, time.Since(begin).Seconds()}
			}
		})
	}
	working.Go(func() {
		defer close(next)
		for i := range all {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	})
	for i, m := range all {
		var v verdict
		select {
		case v = <-verdicts[i]:
		case <-ctx.Done():
			return sum, ctx.Err()
		}
		switch {
		case ctx.Err() != nil:
			return sum, ctx.Err()
		case v.err != nil:
			sum.Broken++
			fmt.Fprintf(
				out, "%s ... ERROR %s\n", m.id,
				strings.ReplaceAll(strings.TrimSpace(v.err.Error()), "\n", "\n    "),
			)
		case v.killer == "":
			sum.Survived++
			fmt.Fprintf(out, "%s ... SURVIVED  %.1fs\n", m.id, v.seconds)
		default:
			sum.Killed++
			fmt.Fprintf(out, "%s ... killed by %s  %.1fs\n", m.id, v.killer, v.seconds)
		}
	}
	return sum, nil
}

// A judge decides about mutants. It is used by several goroutines.
type judge struct {
	options  *Options
	root     string
	set      *instrument.Set // the unchanged source
	original *runner
	together map[string]*together // by the path of the package

	mu    sync.Mutex
	known map[string]*innocence

	testsTimeout time.Duration // see tests

	timing sync.Mutex
	times  map[string]time.Duration // of ordinary tests of a package, unchanged; see ownTime
}

// innocence: that who objects to a mutant does not object to the original.
type innocence struct {
	once sync.Once
	err  error
}

// judge returns who objects to m, "" if nobody does.
func (j *judge) judge(ctx context.Context, m candidate) (killer string, err error) {
	bug, err := m.file.Read()
	if err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Base(m.file.Path), err)
	}
	replace, err := j.mutate(bug)
	if err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Base(m.file.Path), err)
	}
	compiled, err := j.compiled(ctx, m.pkg.Path, replace)
	if err != nil {
		return "", err
	}
	if !compiled {
		return "", fmt.Errorf(
			"%s: what it changes is not part of the test binary of %s",
			filepath.Base(m.file.Path), m.pkg.Path,
		)
	}
	if j.options.Ask != "" {
		return j.askOnly(ctx, m, replace, j.options.Ask)
	}
	if g := j.together[m.pkg.Path]; g != nil {
		killer, err = g.ask(ctx, j, m)
		if killer != "" || err != nil {
			return killer, err
		}
	}
	suspectIsCheck := slices.Contains(testsOf(&m.pkg), m.suspect)
	if m.suspect != "" {
		killer, err = j.askSuspect(ctx, m, replace, suspectIsCheck)
		ends := suspectIsCheck && failsOnPurpose(placeOf(m.pkg, j.root))
		if killer != "" || err != nil || ends {
			return killer, err
		}
	}
	r, checks, err := j.mutated(ctx, m, replace)
	if err != nil {
		return "", err
	}
	defer r.close()
	cutShort, killer, err := j.look(ctx, r, checks, false, firstLook)
	if killer != "" || err != nil {
		return killer, err
	}
	killer, err = j.tests(ctx, m.pkg, replace, "")
	if killer != "" || err != nil {
		return killer, err
	}
	if j.options.Race {
		_, killer, err = j.look(ctx, r, checks, true, raceLook)
		var no *raceUnavailable
		if errors.As(err, &no) {
			err = nil
		}
		if killer != "" || err != nil {
			return killer, err
		}
	}
	_, killer, err = j.look(ctx, r, cutShort, false, lastLook)
	return killer, err
}

// askSuspect has only those look at a mutant who are asked first.
func (j *judge) askSuspect(
	ctx context.Context, m candidate, replace map[string][]byte, isCheck bool,
) (killer string, err error) {
	if !failsOnPurpose(placeOf(m.pkg, j.root)) {
		replace = narrow(m.pkg.Dir, replace, suspectsOf(&m.pkg, m.suspect)...)
	}
	if !isCheck {
		return j.tests(ctx, m.pkg, replace, m.suspect)
	}
	r, checks, err := j.mutated(ctx, m, replace)
	if err != nil {
		return "", err
	}
	defer r.close()
	return j.ask(ctx, r, checks, m.suspect)
}

// askOnly has one check look at a mutant, plainly and for as long as it takes. The caller has seen
// it pass on the unchanged source.
func (j *judge) askOnly(
	ctx context.Context, m candidate, replace map[string][]byte, check string,
) (killer string, err error) {
	r, checks, err := j.mutated(ctx, m, narrow(m.pkg.Dir, replace, check))
	if err != nil {
		return "", err
	}
	defer r.close()
	i := slices.IndexFunc(checks, func(t planned) bool { return t.test == check })
	if i < 0 {
		return "", fmt.Errorf("%s has no check %s", m.pkg.Path, check)
	}
	rows, err := j.run(ctx, r, checks[i], false, onlyLook)
	for _, row := range rows {
		if row.Verdict == Failed || row.Verdict == Undecided {
			return row.Name, nil
		}
	}
	return "", notCompiling(err)
}

// mutated returns what runs the checks of the package with some files replaced, and the checks.
func (j *judge) mutated(
	ctx context.Context, m candidate, replace map[string][]byte,
) (*runner, []planned, error) {
	cfg := j.options.instrument([]string{m.pkg.Path}, replace)
	cfg.Lean = true
	set, err := instrument.Rewrite(ctx, cfg)
	if err != nil {
		return nil, nil, notCompiling(err)
	}
	if len(set.Packages) != 1 {
		return nil, nil, fmt.Errorf(
			"%s is listed as %d packages once it is mutated", m.pkg.Path, len(set.Packages),
		)
	}
	r, err := newRunner(j.options, set)
	return r, checksOf(set.Packages[0], placeOf(m.pkg, j.root)), err
}

// compiled reports whether any of the files is part of the package's test binary: of the plain one
// or, if checks run under the race detector too, of that built for it.
func (j *judge) compiled(
	ctx context.Context, pkg string, replace map[string][]byte,
) (bool, error) {
	for file := range replace {
		in, err := j.set.Compiles(ctx, pkg, file, false)
		if err == nil && !in && j.options.Race {
			in, err = j.set.Compiles(ctx, pkg, file, true)
			var no *raceUnavailable
			if err != nil && errors.As(raceTrouble(err), &no) {
				err = nil
			}
		}
		if in || err != nil {
			return in, err
		}
	}
	return false, nil
}

// ask has one check look at a mutant, plainly and then under the race detector.
func (j *judge) ask(
	ctx context.Context, r *runner, checks []planned, suspect string,
) (killer string, err error) {
	for _, t := range checks {
		if t.test != suspect {
			continue
		}
		_, killer, err = j.look(ctx, r, []planned{t}, false, suspectLook)
		if killer != "" || err != nil || !j.options.Race {
			return killer, err
		}
		_, killer, err = j.look(ctx, r, []planned{t}, true, raceLook)
		var no *raceUnavailable
		if errors.As(err, &no) {
			err = nil
		}
	}
	return killer, err
}

// mutate applies the edits in memory.
func (j *judge) mutate(bug *mutant.Mutant) (map[string][]byte, error) {
	path := func(file string) string { return filepath.Join(j.root, filepath.FromSlash(file)) }
	files, err := bug.Apply(func(file string) ([]byte, error) { return os.ReadFile(path(file)) })
	if err != nil {
		return nil, err
	}
	replace := map[string][]byte{}
	for file, text := range files {
		replace[path(file)] = text
	}
	return replace, nil
}

func notCompiling(err error) error {
	var build *instrument.BuildError
	if errors.As(err, &build) {
		return fmt.Errorf("does not compile:\n%s", build.Output)
	}
	return err
}

func checksOf(p instrument.Package, place string) []planned {
	var tests []planned
	for _, test := range p.Checks {
		tests = append(tests, planned{pkg: p, place: place, test: test, run: "^(" + test + ")$"})
	}
	for i := range p.Replays {
		if t := regression(p, place, &p.Replays[i]); t.replay.Trouble == "" {
			tests = append(tests, t)
		}
	}
	return tests
}

// look runs checks one after the other, each for at most the given time, up to
// the first that fails.
func (j *judge) look(
	ctx context.Context, r *runner, checks []planned, race bool, most time.Duration,
) (cutShort []planned, killer string, err error) {
	if j.options.Budget.Time > 0 {
		most = min(most, j.options.Budget.Time)
	}
	for _, t := range checks {
		rows, err := j.run(ctx, r, t, race, most)
		if err != nil {
			return nil, "", notCompiling(err)
		}
		for _, row := range rows {
			if failsOnPurpose(t.place) {
				changed, err := j.changesVerdict(ctx, t, race, most, row)
				if err != nil {
					return nil, "", err
				}
				if changed {
					return nil, row.Name, nil
				}
				continue
			}
			switch row.Verdict {
			case Failed, Undecided:
				key := fmt.Sprintf("%s %s race=%t", t.pkg.Path, t.test, race)
				return nil, row.Name, j.presume(key, row.Name, func() (bool, error) {
					rows, err := j.run(ctx, j.original, t, race, most)
					return slices.ContainsFunc(rows, func(r Row) bool { return !r.passes() }), err
				})
			case Bounded:
				same := func(p planned) bool { return p.test == t.test }
				if !slices.ContainsFunc(cutShort, same) {
					cutShort = append(cutShort, t)
				}
			}
		}
	}
	return cutShort, "", nil
}

// failsOnPurpose says whether the package at place is one whose checks have known verdicts, which
// need not be good ones. A mutant of the checker is killed there by a check whose verdict it
// changes.
func failsOnPurpose(place string) bool { return strings.HasPrefix(place, "testdata/") }

// changesVerdict says whether a check has another verdict than on the unchanged source, or one of
// another kind, or one that assumes something else.
func (j *judge) changesVerdict(
	ctx context.Context, t planned, race bool, most time.Duration, mutated Row,
) (bool, error) {
	rows, err := j.run(ctx, j.original, t, race, most)
	if err != nil {
		return false, err
	}
	for _, row := range rows {
		if row.Name == mutated.Name {
			return row.Verdict != mutated.Verdict || row.Kind != mutated.Kind ||
				!sameAssumptions(row.Assumptions, mutated.Assumptions), nil
		}
	}
	return true, nil
}

func sameAssumptions(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func (j *judge) run(
	ctx context.Context, r *runner, t planned, race bool, most time.Duration,
) ([]Row, error) {
	s := r.settings(t, race)
	s.Seconds = most.Seconds()
	s.Quick = true
	out, err := r.process(ctx, t, race, s)
	if err != nil {
		return nil, err
	}
	run := testRun{
		test:        t.function(),
		options:     r.options,
		stackReader: stackReader{r.target.RewrittenMode(t.pkg.Path, race)},
	}
	return t.stoodFor(run.rowsOf(out, "")), nil
}

// presume makes sure, once a killer, that it passes on the unchanged source:
// who always objects has found nothing.
func (j *judge) presume(key, name string, failsOnOriginal func() (bool, error)) error {
	j.mu.Lock()
	if j.known == nil {
		j.known = map[string]*innocence{}
	}
	k := j.known[key]
	if k == nil {
		k = &innocence{}
		j.known[key] = k
	}
	j.mu.Unlock()
	k.once.Do(func() {
		failed, err := failsOnOriginal()
		if err == nil && failed {
			err = fmt.Errorf("%s fails on the unchanged source, too", name)
		}
		k.err = err
	})
	return k.err
}
