package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/surewake/surewake/model/instrument"
	"github.com/surewake/surewake/model/wire"
)

// A Replayed is one schedule, run again.
type Replayed struct {
	Row   Row  // of the last run; Trace is filled in whether it failed or not
	Shows bool // the failure, or what made the check undecided, showed again
	Race  bool // the last run was under the race detector

	// OtherOrder says that only the search under the race detector finds the data race: it runs
	// small checks, and those that call code that is not rewritten, in further orders.
	OtherOrder bool

	opts  Options // Tests is not empty if it is an ordinary test
	token wire.Token
	dir   string // of the package
}

// Replay runs the schedule of a token again, plainly and, if that passes and
// Options.Race is set, under the race detector.
func Replay(ctx context.Context, opts Options, token string) (*Replayed, error) {
	r, t, tok, err := openToken(ctx, &opts, token)
	if err != nil {
		return nil, err
	}
	defer r.close()
	again, err := r.replay(ctx, t, tok)
	if err != nil {
		return nil, err
	}
	again.opts, again.token, again.dir = opts, tok, t.pkg.Dir
	return again, nil
}

// openToken returns a runner for the package of a token, and the check.
func openToken(
	ctx context.Context, opts *Options, token string,
) (r *runner, t planned, tok wire.Token, err error) {
	if err = opts.normalize(); err != nil {
		return
	}
	if tok, err = wire.ParseToken(token); err != nil {
		err = usagef("%v", err)
		return
	}
	root, err := moduleRoot(ctx, opts.Dir)
	if err != nil {
		return
	}
	dir, pattern := packageOfToken(root, opts.Dir, tok.Package)
	opts.Dir = dir
	set, t, err := ofToken(ctx, opts, pattern, unwritten(dir, pattern, opts.Output), tok)
	var build *instrument.BuildError
	if errors.As(err, &build) {
		err = &instrument.BuildError{
			Output: fmt.Sprintf("the package of the token, %s: %s", tok.Package, build.Output),
		}
	}
	if err != nil {
		return
	}
	if r, err = newRunner(opts, set); err == nil {
		r.root = root
	}
	return
}

// ofToken finds the check of a token, or the ordinary test.
func ofToken(
	ctx context.Context, opts *Options, pattern string, replace map[string][]byte, tok wire.Token,
) (*instrument.Set, planned, error) {
	var first error
	for _, opts.Tests = range []string{"", "."} {
		set, err := instrument.Rewrite(ctx, opts.instrument([]string{pattern}, replace))
		var t planned
		if err == nil {
			t, err = findCheck(set.Packages, tok)
		}
		var none *noSuchCheck
		var build *instrument.BuildError
		if err == nil || !errors.As(err, &none) && !errors.As(err, &build) {
			return set, t, err
		}
		if first == nil {
			first = err // a module with ordinary tests alone may not require the checker
		}
	}
	return nil, planned{}, first
}

// noSuchCheck says that the package of a token has no such check.
type noSuchCheck struct{ UsageError }

func (e *noSuchCheck) Unwrap() error { return &e.UsageError }

// packageOfToken finds where and under which pattern a token's package is
// listed.
func packageOfToken(root, dir, pkg string) (listDir, pattern string) {
	if local := filepath.FromSlash(pkg); root != "" && filepath.IsLocal(local) {
		if info, err := os.Stat(filepath.Join(root, local)); err == nil && info.IsDir() {
			if local == "." {
				return root, "." // "./." would match no package
			}
			return root, "./" + filepath.ToSlash(local)
		}
	}
	return dir, pkg
}

// findCheck says in what way a token does not fit the source.
func findCheck(packages []instrument.Package, tok wire.Token) (planned, error) {
	test, _, _ := strings.Cut(tok.Check, "/")
	test, _, _ = strings.Cut(test, "#")
	for _, p := range packages {
		for _, name := range p.Checks {
			if name != test {
				continue
			}
			if p.Source != tok.Source {
				return planned{}, usagef("the token is from other source: "+
					"it was made from %s at %s, which is now %s; "+
					"run the check again for a new token",
					p.Path, tok.Source, p.Source)
			}
			run := "^" + regexp.QuoteMeta(test) + "$"
			return planned{pkg: p, place: tok.Package, test: test, run: run}, nil
		}
	}
	if len(packages) == 0 {
		return planned{}, usagef("unknown token: there is no package %s", tok.Package)
	}
	return planned{}, &noSuchCheck{UsageError{fmt.Sprintf(
		"unknown token: package %s has no check %s", tok.Package, tok.Check)}}
}

func (r *runner) replay(ctx context.Context, t planned, tok wire.Token) (*Replayed, error) {
	again, err := r.replayOnce(ctx, t, tok, false, r.replaySettings(t, tok, false))
	if err != nil || again.Shows || !r.options.Race {
		return again, err
	}
	// What only the race detector objects to shows only there.
	raced, err := r.replayOnce(ctx, t, tok, true, r.replaySettings(t, tok, true))
	var no *raceUnavailable
	if errors.As(err, &no) {
		again.Row.Bounded = "races not checked: " + no.why
		return again, nil
	}
	if err != nil || raced.Shows || tok.Passing {
		return raced, err
	}
	s := r.settings(t, true)
	s.Seconds = otherOrders.Seconds()
	searched, err := r.replayOnce(ctx, t, tok, true, s)
	if err != nil || searched.Row.Kind != wire.KindRace {
		return raced, err
	}
	searched.OtherOrder = true
	return searched, nil
}

// otherOrders bounds the search for a data race that no replay shows.
const otherOrders = 10 * time.Second

// replaySettings has the token's schedule run.
func (r *runner) replaySettings(t planned, tok wire.Token, race bool) wire.Settings {
	s := r.settings(t, race)
	s.Mode, s.Schedule, s.Check = wire.Replay, tok.Schedule, tok.Check
	return s
}

func (r *runner) replayOnce(
	ctx context.Context, t planned, tok wire.Token, race bool, s wire.Settings,
) (*Replayed, error) {
	out, err := r.process(ctx, t, race, s)
	if err != nil {
		return nil, err
	}
	run := testRun{
		test: t.test, plain: out, options: r.options,
		stackReader: stackReader{r.target.RewrittenMode(t.pkg.Path, race)},
	}
	rows := run.rowsOf(out, "")
	at := indexByName(rows, tok.Check)
	if at < 0 {
		at = indexByName(rows, t.test)
	}
	if at < 0 {
		return nil, usagef("unknown token: %s ran, but not the check %s", t.test, tok.Check)
	}
	row := rows[at]
	row.Package, row.Place = t.pkg.Path, t.place
	return &Replayed{Row: row, Shows: !row.passes(), Race: race}, nil
}

// Print writes the lanes, as wide as they need if full, and what came of the replay.
func (p *Replayed) Print(full bool) string {
	var b strings.Builder
	if p.Row.Trace != nil {
		fmt.Fprintf(&b, "%s\n\n", drawn(p.Row.Trace, full))
	}
	if p.Shows {
		fmt.Fprintf(&b, "%s\n\n", p.Row.Message)
	}
	fmt.Fprintf(&b, "%s %s: %s\n", p.Row.Place, p.Row.Name, p.says())
	return b.String()
}

// says is what came of the replay.
func (p *Replayed) says() string {
	how := ""
	if p.Race {
		how = " under the race detector"
	}
	if p.Shows && p.token.Passing {
		return "this execution does not fail as the other one does, but in another way" + how
	}
	if p.Shows {
		what := "the failure"
		if p.Row.Verdict == Undecided {
			what = "the reason why it is undecided"
		}
		if p.OtherOrder {
			how += ", in another order of steps that do not depend on one another"
		}
		return what + " shows again" + how
	}
	text := "this execution passes"
	if p.Race {
		text += ", plainly and" + how
	}
	if p.Row.Bounded != "" && strings.HasPrefix(p.Row.Bounded, "races") {
		text += fmt.Sprintf(" (%s)", p.Row.Bounded)
	}
	return text
}
