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
}

// A planned Test function holds at least one check.
type planned struct {
	pkg      instrument.Package
	place    string // the package as tokens have it
	test     string
	run      string // for -test.run
	subtests bool   // run names subtests
}

// plan picks the Test functions to run.
func plan(packages []instrument.Package, root, run string) ([]planned, error) {
	first, rest := splitRun(run)
	match, err := regexp.Compile(first)
	if err != nil {
		return nil, usagef("-run %s: %v", run, err)
	}
	var tests []planned
	var all []string
	for _, p := range packages {
		for _, test := range p.Checks {
			all = append(all, test)
			if match.MatchString(test) {
				tests = append(tests, planned{
					pkg: p, place: placeOf(p, root), test: test,
					run: "^(" + test + ")$" + rest, subtests: rest != "",
				})
			}
		}
	}
	switch {
	case len(packages) == 0:
		return nil, usagef("the patterns match no packages")
	case len(all) == 0:
		return nil, usagef("no checks in %s (a check is a Test function that calls model.Check)",
			names(packages))
	case len(tests) == 0:
		return nil, usagef("-run %s matches no check; there are %s", run, strings.Join(all, ", "))
	}
	return tests, nil
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
