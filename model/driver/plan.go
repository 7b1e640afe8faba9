package driver

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/surewake/surewake/model/instrument"
)

// A target is what the driver needs of *instrument.Set.
type target interface {
	RewrittenMode(pkg string, race bool) []string
	Build(ctx context.Context, pkg string, race bool, output string) error
	Covered(pkg string) []instrument.CoveredFile
	SameFiles(ctx context.Context, pkg string) (bool, error)
}

// A planned Test function holds at least one check.
type planned struct {
	pkg      instrument.Package
	place    string // the package as tokens have it
	test     string
	run      string             // for -test.run
	some     bool               // only some subtests were asked for
	subtests []string           // patterns for those of an ordinary test
	mutant   int                // of a build with several; see together
	replay   *instrument.Replay // the test stands for a schedule of another one; nil: for itself

	index, rank int // in the plan, and of its package: see rank
}

// plan picks the Test functions to run.
func plan(packages []instrument.Package, root string, o *Options) ([]planned, error) {
	flag, pattern, noun := "-run", o.Run, "check"
	if o.Tests != "" {
		flag, pattern, noun = "-test", o.Tests, "test"
	}
	match, rest, subtests, err := selection(flag, pattern)
	if err != nil {
		return nil, err
	}
	var tests []planned
	var all []string
	for _, p := range packages {
		for _, test := range testsOf(&p) {
			all = append(all, test)
			if !match.MatchString(test) {
				continue
			}
			if again := replayNamed(&p, test); again != nil {
				tests = append(tests, regression(p, placeOf(p, root), again))
				continue
			}
			t := planned{pkg: p, place: placeOf(p, root), test: test, run: "^(" + test + ")$"}
			t.some = rest != ""
			if o.Tests != "" {
				t.subtests = subtests
			} else {
				t.run += rest
			}
			tests = append(tests, t)
		}
	}
	switch {
	case len(packages) == 0:
		return nil, usagef("the patterns match no packages")
	case len(all) == 0 && o.Tests != "":
		return nil, usagef("no ordinary tests in %s (a Test function that calls model.Check is a "+
			"check, which -run selects)", names(packages))
	case len(all) == 0:
		return nil, usagef("no checks in %s (a check is a Test function that calls model.Check; "+
			"-test . explores the others)", names(packages))
	case len(tests) == 0:
		return nil, usagef("%s %s matches no %s; there are %s", flag, pattern, noun, someOf(all))
	}
	return tests, nil
}

// someOf lists names, of many the first.
func someOf(names []string) string {
	const most = 40
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// subtestPatterns splits what follows the first element of a pattern, "/a/b", at its slashes.
func subtestPatterns(rest string) (patterns []string, err error) {
	for rest != "" {
		var first string
		first, rest = splitRun(rest[1:])
		if _, err := regexp.Compile(first); err != nil {
			return nil, err
		}
		patterns = append(patterns, first)
	}
	return patterns, nil
}

func names(packages []instrument.Package) string {
	var paths []string
	for _, p := range packages {
		paths = append(paths, p.Path)
	}
	if len(paths) > 5 {
		paths = append(paths[:5], fmt.Sprintf("and %d more packages", len(paths)-5))
	}
	return strings.Join(paths, ", ")
}

// selection returns what the tests match that a flag selects, the rest of its pattern, and the
// patterns for their subtests.
func selection(
	flag, pattern string,
) (tests *regexp.Regexp, rest string, subtests []string, err error) {
	first, rest := splitRun(pattern)
	if tests, err = regexp.Compile(first); err == nil {
		subtests, err = subtestPatterns(rest)
	}
	if err != nil {
		err = usagef("%s %s: %v", flag, pattern, err)
	}
	return tests, rest, subtests, err
}

// splitRun splits at the first slash outside brackets, as go test -run does.
func splitRun(run string) (first, rest string) {
	depth := 0
	for i := 0; i < len(run); i++ {
		switch run[i] {
		case '\\':
			i++
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case '/':
			if depth == 0 {
				return run[:i], run[i:]
			}
		}
	}
	return run, ""
}

// placeOf names a package in tokens: relative to the module root, or by import
// path when it is elsewhere.
func placeOf(p instrument.Package, root string) string {
	if rel, err := filepath.Rel(root, p.Dir); root != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return p.Path
}

// moduleRoot is the directory of the main module, "" without one.
func moduleRoot(ctx context.Context, dir string) (string, error) {
	out, err := goCommand(ctx, dir, "env", "GOMOD")
	if err != nil {
		return "", err
	}
	file := strings.TrimSpace(string(out))
	if file == "" || file == os.DevNull {
		return "", nil
	}
	return filepath.Dir(file), nil
}

// goCommand runs the go command to its end.
func goCommand(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return out, nil
}
