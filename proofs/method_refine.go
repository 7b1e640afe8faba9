package proofs

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"strings"

	"github.com/surewake/surewake/model/driver"
)

// refinement is a Test function of package refine: the checker runs the shipped code, in every
// interleaving within the bounds of the test, and holds each atomic access against the table.
type refinement struct {
	test string
	in   string // the file of the test, seen from here
	// mutant, if there is one, is a mutant of the code or of the table, in testdata beside the
	// test: the test must object to it.
	mutant string
}

const modulePath = "github.com/surewake/surewake"

// pkg is the package of the test.
func (r refinement) pkg() string { return path.Join(modulePath, "proofs", path.Dir(r.in)) }

// checker is this program, which needs the source of its module, to rewrite it.
var checker = tool{program: "surewake check"}

func (r refinement) method() string { return "refinement" }
func (r refinement) tools() []tool  { return []tool{checker} }
func (r refinement) anyN() bool     { return false }
func (r refinement) file() string   { return r.in }

func (r refinement) check(ctx context.Context, _ *bench) error {
	if r.mutant != "" {
		return r.judge(ctx)
	}
	var failed failures
	sum, err := driver.Check(ctx, driver.Options{Patterns: []string{r.pkg()}, Run: "^" + r.test +
		"$", Race: true, Preemptions: -1}, &failed)
	switch {
	case err != nil:
		return err
	case failed != nil:
		return &refuted{strings.Join(failed, "\n")}
	case sum.NoRace != "":
		return fmt.Errorf("races were not checked: %s", sum.NoRace)
	}
	return nil
}

func (r refinement) judge(ctx context.Context) error {
	var out strings.Builder
	sum, err := driver.Mutants(ctx, driver.Options{Patterns: []string{r.pkg()}, Run: "^" +
		r.mutant + "$", Ask: r.test, Preemptions: -1}, &out)
	if err != nil {
		return err
	}
	said := strings.TrimSpace(out.String())
	if sum.Killed == 0 || sum.Killed != sum.Mutants ||
		!strings.Contains(said, "killed by "+r.test) {
		return errors.New(said)
	}
	return &refuted{said}
}

// failures are the messages of checks that failed.
type failures []string

func (f *failures) Plan([]driver.Row)                    {}
func (f *failures) Active(_, _ int, _ []driver.Activity) {}

func (f *failures) Row(r driver.Row) {
	if r.Verdict == driver.Failed {
		*f = append(*f, r.Name+": "+r.Message)
	}
}

// alone is a refinement of one goroutine of the shipped code, among all others that keep the
// table's rules, so among any number of them: before each access they have done whatever the rules
// let them do, and each access is a step of the table. What holds of each of them by itself then
// holds of all together, by induction on the steps.
type alone struct{ refinement }

func (r alone) method() string { return "rely and guarantee" }
func (r alone) anyN() bool     { return true }

func (r alone) check(ctx context.Context, _ *bench) error {
	var failed unproved
	_, err := driver.Check(ctx, driver.Options{Patterns: []string{r.pkg()}, Run: "^" + r.test + "$",
		Race: true, Preemptions: -1}, &failed)
	if err == nil && failed.failures != nil {
		err = &refuted{strings.Join(failed.failures, "\n")}
	}
	return err
}

// unproved are the messages of checks that failed or did not go through everything.
type unproved struct{ failures }

func (f *unproved) Row(r driver.Row) {
	if r.Verdict != driver.Proved {
		f.failures = append(f.failures, fmt.Sprintf("%s: %s: %s%s", r.Name, r.Verdict, r.Message,
			r.Bounded))
	}
}

// describeChecker looks whether the module's source is there.
func describeChecker(ctx context.Context) (string, error) {
	const name = "surewake check (this program)"
	if _, err := exec.LookPath("go"); err != nil {
		return name, errors.New("go is not installed; see https://go.dev/dl")
	}
	if out, err := exec.CommandContext(ctx, "go", "list", modulePath).CombinedOutput(); err != nil {
		return name, fmt.Errorf("the source of this module is not here, in whose directory this "+
			"must run: %s", tail(string(out)))
	}
	return name, nil
}
