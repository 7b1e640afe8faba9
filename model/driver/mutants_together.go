package driver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/surewake/surewake/model/instrument"
	"github.com/surewake/surewake/model/mutant"
)

// enoughTogether is from how many mutants on one build with all of them is cheaper than one for
// each.
const enoughTogether = 5

// testsGrace is what ordinary tests that share a build have beyond their own limit.
const testsGrace = 5 * time.Second

// togetherTries bounds how often mutants that do not compile are left out.
const togetherTries = 5

// A together is one build of a package with many mutants in it, of which each run has one. It asks
// those of whom it is said that they object. Whoever survives here, and whatever does not fit in,
// is built alone.
type together struct {
	pkg   instrument.Package
	place string
	files []mutant.File

	once    sync.Once
	err     error          // it does not build
	numbers map[string]int // by the path of a mutant's file
	replace map[string][]byte
	runner  *runner
	checks  []planned

	plainOnce sync.Once
	plain     string // the test binary, without checks
	plainErr  error
	limit     time.Duration // of one run of it

	testsOnce sync.Once
	tests     *mutant.Functions
	testsErr  error
}

// groupMutants returns the packages of which enough mutants are judged for a build with all of
// them, by their paths.
func groupMutants(all []candidate, root string) map[string]*together {
	groups := map[string]*together{}
	for _, m := range all {
		place := placeOf(m.pkg, root)
		if m.suspect == "" || failsOnPurpose(place) {
			continue
		}
		g := groups[m.pkg.Path]
		if g == nil {
			g = &together{pkg: m.pkg, place: place, limit: testsTimeout + testsGrace}
			groups[m.pkg.Path] = g
		}
		same := func(f mutant.File) bool { return f.Path == m.file.Path }
		if !slices.ContainsFunc(g.files, same) {
			g.files = append(g.files, m.file)
		}
	}
	for path, g := range groups {
		if len(g.files) < enoughTogether {
			delete(groups, path)
		}
	}
	return groups
}

func (g *together) close() {
	if g.runner != nil {
		g.runner.close()
	}
}

// build makes the build, once. Mutants that do not compile are left out of it.
func (g *together) build(ctx context.Context, j *judge) error {
	g.once.Do(func() { g.err = g.tryBuild(ctx, j) })
	return g.err
}

func (g *together) tryBuild(ctx context.Context, j *judge) error {
	mutants := make([]*mutant.Mutant, len(g.files))
	for i, f := range g.files {
		mutants[i], _ = f.Read() // its error is told when it is judged alone
	}
	read := func(file string) ([]byte, error) {
		return os.ReadFile(filepath.Join(j.root, filepath.FromSlash(file)))
	}
	var err error
	for range togetherTries {
		all := mutant.PutTogether(mutants, read, mutant.Beside(j.root))
		g.replace = map[string][]byte{}
		for file, text := range all.Files {
			g.replace[filepath.Join(j.root, filepath.FromSlash(file))] = text
		}
		var set *instrument.Set
		cfg := j.options.instrument([]string{g.pkg.Path}, g.replace)
		cfg.Lean = true // ordinary tests have a build of their own
		set, err = instrument.Rewrite(ctx, cfg)
		if err == nil {
			if len(set.Packages) != 1 {
				return fmt.Errorf("%s is listed as %d packages", g.pkg.Path, len(set.Packages))
			}
			g.numbers = map[string]int{}
			for i, n := range all.Numbers {
				g.numbers[g.files[i].Path] = n
			}
			g.checks = checksOf(set.Packages[0], g.place)
			g.runner, err = newRunner(j.options, set)
			return err
		}
		var broken *instrument.BuildError
		if !errors.As(err, &broken) || !leaveOut(mutants, all, broken.Output) {
			return err
		}
	}
	return err
}

var atLine = regexp.MustCompile(`([^\s:]+\.go):(\d+)`)

// leaveOut takes the mutants out whose copies the messages of a compiler are about, and reports
// whether there was one.
func leaveOut(mutants []*mutant.Mutant, all *mutant.Together, messages string) (any bool) {
	for _, at := range atLine.FindAllStringSubmatch(messages, -1) {
		line, err := strconv.Atoi(at[2])
		if err != nil {
			continue
		}
		for file := range all.Files {
			if !strings.HasSuffix("/"+filepath.ToSlash(at[1]), "/"+filepath.Base(file)) {
				continue
			}
			for _, i := range all.At(file, line) {
				any = any || mutants[i] != nil
				mutants[i] = nil
			}
		}
	}
	return any
}

// ask has the one object to m of whom it is said, "" if nobody does, or m is not in the build. The
// error is the context's.
func (g *together) ask(ctx context.Context, j *judge, m candidate) (killer string, err error) {
	if g.shares(m) && g.build(ctx, j) == nil {
		if n := g.numbers[m.file.Path]; n > 0 {
			killer, err = g.objects(ctx, j, m.suspect, n)
		}
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if err != nil { // who is asked alone says more
		return "", nil //nolint:nilerr
	}
	return killer, nil
}

func (g *together) objects(
	ctx context.Context, j *judge, suspect string, number int,
) (killer string, err error) {
	if !slices.Contains(testsOf(&g.pkg), suspect) {
		return g.fails(ctx, j, suspect, number)
	}
	for _, t := range g.checks {
		if t.test != suspect {
			continue
		}
		for _, race := range []bool{false, true} {
			if race && !j.options.Race {
				continue
			}
			killer, err = g.finds(ctx, j, t, number, race)
			if killer != "" || err != nil {
				return killer, err
			}
		}
	}
	return "", nil
}

// finds returns who fails in a check of a mutant and not without it.
func (g *together) finds(
	ctx context.Context, j *judge, t planned, number int, race bool,
) (killer string, err error) {
	most := suspectLook
	if race {
		most = raceLook
	}
	failing := func(number int) (string, error) {
		t.mutant = number
		rows, err := j.run(ctx, g.runner, t, race, most)
		for _, row := range rows {
			if row.Verdict == Failed || row.Verdict == Undecided {
				return row.Name, err
			}
		}
		return "", err
	}
	killer, err = failing(number)
	var no *raceUnavailable
	if errors.As(err, &no) {
		return "", nil
	}
	if killer == "" || err != nil {
		return "", err
	}
	key := fmt.Sprintf("together %s %s race=%t", g.pkg.Path, t.test, race)
	return killer, j.presume(key, killer, func() (bool, error) {
		who, err := failing(mutant.Control)
		return who != "", err
	})
}

// fails returns which ordinary test fails with a mutant and not without it.
func (g *together) fails(
	ctx context.Context, j *judge, suspect string, number int,
) (killer string, err error) {
	g.plainOnce.Do(func() { g.plainErr = g.buildPlain(ctx, j) })
	if g.plainErr != nil {
		return "", g.plainErr
	}
	killer, err = g.test(ctx, suspect, number)
	if killer == "" || err != nil {
		return "", err
	}
	return killer, j.presume("together "+g.pkg.Path+" tests "+suspect, killer,
		func() (bool, error) {
			who, err := g.test(ctx, suspect, mutant.Control)
			return who != "", err
		})
}

// copiesShow are names of what tells a function from one that calls a copy: allocations, callers,
// and processes, which may have another environment.
var copiesShow = []string{"AllocsPerRun", "ReadMemStats", "Caller", "Callers", "FuncForPC",
	"Command", "CommandContext", "StartProcess"}

// seesCopies reports whether an ordinary test, or a function of test files that it calls, uses one
// of these: it is asked about each mutant alone.
func (g *together) seesCopies(test string) bool {
	g.testsOnce.Do(func() { g.tests, g.testsErr = testFunctions(g.pkg.Dir) })
	if g.testsErr != nil {
		return true
	}
	names := g.tests.Mentions(test)
	return slices.ContainsFunc(copiesShow, func(n string) bool { return names[n] })
}

// testFunctions returns the functions of the test files in a folder.
func testFunctions(dir string) (*mutant.Functions, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(text))
	}
	return mutant.FunctionsOf(texts)
}

// shares reports whether it can be asked of this build who objects to m.
func (g *together) shares(m candidate) bool {
	return g != nil && m.suspect != "" &&
		(slices.Contains(testsOf(&g.pkg), m.suspect) || !g.seesCopies(m.suspect))
}

func (g *together) buildPlain(ctx context.Context, j *judge) error {
	overlay, err := writeOverlay(g.runner.dir, g.replace)
	if err != nil {
		return err
	}
	g.plain = filepath.Join(g.runner.dir, "plain.test")
	args := []string{"test", "-c", "-vet=off", "-ldflags=-w", "-overlay", overlay, "-o", g.plain}
	if j.options.Tags != "" {
		args = append(args, "-tags", j.options.Tags)
	}
	_, err = run(ctx, g.pkg.Dir, nil, "go", append(args, ".")...)
	return err
}

// test runs the ordinary tests whose names begin so, and returns the first that fails. Go's own
// limit ends the tests only: what goes on before or after them, or in a child, ends a little later,
// and who objects is asked alone.
func (g *together) test(
	ctx context.Context, only string, number int,
) (failing string, err error) {
	limited, cancel := context.WithTimeout(ctx, g.limit)
	defer cancel()
	chosen := []string{chosen(number)}
	out, err := run(limited, g.pkg.Dir, chosen, "go", "tool", "test2json", g.plain,
		"-test.v=test2json", "-test.short", "-test.failfast", "-test.run", "^"+only,
		"-test.timeout", testsTimeout.String(), "-test.paniconexit0")
	var status *exec.ExitError
	if err == nil || limited.Err() != nil || !errors.As(err, &status) {
		return "", err
	}
	return readTestEvents(out).failing, nil
}

// chosen is the setting by which a program has a mutant.
func chosen(number int) string { return mutant.ChosenVariable + "=" + strconv.Itoa(number) }

// run runs a command to its end and returns what it has printed.
func run(
	ctx context.Context, dir string, environ []string, name string, args ...string,
) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = slices.Concat(quietRapid, cmd.Environ(), environ) // its PWD is dir, as in overlays
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	cmd.WaitDelay = 2 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.Bytes(), err
}
