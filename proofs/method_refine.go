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

// refinement is a Test function of package refine: the checker runs the shipped code, in every interleaving within the bounds of
// the test, and holds each atomic access against the table.
type refinement struct {
	test string
	in   string // the file of the test, seen from here
	// mutant, if there is one, is a mutant of the code or of the table, in testdata beside the test: the test must object to it.
	mutant string
}

const modulePath = "github.com/surewake/surewake"

// pkg is the package of the test.
func (r refinement) pkg() string { return path.Join(modulePath, "proofs", path.Dir(r.in)) }

// checker is this program, which needs the source of its module, to rewrite it.
var checker = tool{program: "surewake check"}

func (r refinement) method() string { return "refinement" }
func (r refinement) tools() []tool  { return []tool{checker} }
func (r refinement) file() string   { return r.in }

func (r refinement) check(ctx context.Context, _ *bench) error {
	if r.mutant != "" {
		return r.judge(ctx)
	}
	var failed failures
	sum, err := driver.Check(ctx, driver.Options{Patterns: []string{r.pkg()}, Run: "^" + r.test + "$", Race: true, Preemptions: -1}, &failed)
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
	sum, err := driver.Mutants(ctx, driver.Options{Patterns: []string{r.pkg()}, Run: "^" + r.mutant + "$", Preemptions: -1}, &out)
	if err != nil {
		return err
	}
	said := strings.TrimSpace(out.String())
	if sum.Caught != 1 || sum.Mutants != 1 || !strings.Contains(said, "killed by "+r.test) {
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

// describeChecker looks whether the module's source is there.
func describeChecker(ctx context.Context) (string, error) {
	const name = "surewake check (this program)"
	if _, err := exec.LookPath("go"); err != nil {
		return name, errors.New("go is not installed; see https://go.dev/dl")
	}
	if out, err := exec.CommandContext(ctx, "go", "list", modulePath).CombinedOutput(); err != nil {
		return name, fmt.Errorf("the source of this module is not here, in whose directory this must run: %s", tail(string(out)))
	}
	return name, nil
}

// follows is a row about a table that the code follows step by step.
func follows(id, what, scope, test, in string, code []string, mutants ...[2]string) Theorem {
	t := Theorem{
		ID: id, Statement: "each atomic access of the shipped " + what + " is a transition of the table, or changes nothing",
		Scope: scope, Assumptions: []string{"the accesses of the loop and of the callers are those of the test"}, Code: code,
		proof: refinement{test: test, in: in},
	}
	for _, m := range mutants {
		t.mutants = append(t.mutants, mutant{m[0], m[1], refinement{test: test, in: in, mutant: m[0]}})
	}
	return t
}

func refinements() []Theorem {
	both := append(append([]string{}, idleCode...), "park/park.go", "park/futex_linux.go")
	return []Theorem{
		follows("idle/R1", "idle and park", "1 worker and 2 submitters, or 2 and 1; 1 task each, 1 timeout or signal", "TestSchedulerIsTheTable", "refine/idle_test.go", both,
			[2]string{"idle-publish-swapped", "Publish takes itself off the count before it sets its bit"},
			[2]string{"idle-I1", "a worker that did not search is not told to recheck"},
			[2]string{"table-idle-no-timeouts", "the table has no timeouts"}),
		follows("idle/R2", "idle and park", "2 workers, 2 submitters, 3 preemptions, 10,000 executions each", "TestWiderSchedulersAreTheTable", "refine/idle_test.go", both,
			[2]string{"idle-last-searcher", "the last searcher that finds something notifies nobody"}),
		follows("injector/R1", "runtime as it falls asleep, sleeps, wakes and ends", "1 worker and 1 submitter; 2 and 1 with 1 preemption; 1 and 2, and 2 and 2, the first 4,000 and 2,000 executions with 2 and 1", "TestParkPathIsTheTable",
			"../runtime/sched_refinement_model_test.go", append(append([]string{}, both...), "runtime/sched_idle.go", "runtime/sched_find.go", "runtime/sched_injector.go"),
			[2]string{"park-no-recheck", "a worker that is about to sleep does not look at the queues again"},
			[2]string{"park-looks-first", "a worker looks at the queues before it says that it is about to sleep"},
			[2]string{"park-found-untold", "who has found work as the last searcher does not say so"}),
		follows("park/R1", "park", "1 parker, 2 wakers who come twice, 2 timeouts or signals", "TestParkerIsTheTable", "refine/park_test.go", []string{"park/park.go", "park/futex_linux.go"},
			[2]string{"park-P1-plain-store-on-the-way-out", "the way out stores empty and does not look at what was there"},
			[2]string{"table-park-sleeps-blindly", "the table's sleep does not compare the word"}),
		follows("deque/R1", "deque", "an owner and 2 thieves, capacities 2 and 4", "TestDequeIsTheTable", "refine/deque_test.go", []string{"deque/owner.go", "deque/steal.go"},
			[2]string{"deque-tail-before-head", "a thief loads the tail before the head"},
			[2]string{"table-deque-pop-frees", "the table's pop frees the slots of an open steal"}),
		follows("taskstate/R1", "taskstate", "a runner and 2 others, each transition", "TestTaskIsTheTable", "refine/task_test.go",
			[]string{"taskstate/run.go", "taskstate/cancel.go", "taskstate/join.go", "taskstate/reference.go"},
			[2]string{"taskstate-T1", "RUNNING to IDLE, and rescheduling in a second step"},
			[2]string{"table-taskstate-stale-in-one-step", "the table has an entry that is found stale and dropped in one step"}),
	}
}
