// Command checkers runs the checker, loom and Shuttle at the same scenarios, in turns, and makes a
// table of what each needed. run.sh builds what it runs.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

// A scenario is one of testdata/checkers and of rust/src/scenarios.rs.
type scenario struct {
	name string // in Rust
	test string // in Go
}

var scenarios = []scenario{
	{"basic", "TestBasic"},
	{"steal_overflow", "TestStealOverflow"},
	{"multi_stealer", "TestMultiStealer"},
	{"chained_steal", "TestChainedSteal"},
	{"adds", "TestAdds"},
}

// A tool is one way to run a scenario.
type tool struct {
	name string
	args []string // of the checker, or the tool and the orders for the Rust program
	rust bool
	// samples says that the tool draws executions and has no end: it gets a twelfth of the limit.
	samples bool
}

var tools = []tool{
	{name: "Surewake, plain", args: []string{"-race=false"}},
	{name: "Surewake, race detector"},
	{name: "Surewake, 3 preemptions", args: []string{"-race=false", "-preemptions", "3"}},
	{name: "Surewake, 2 preemptions", args: []string{"-race=false", "-preemptions", "2"}},
	{name: "loom", args: []string{"loom", "seqcst"}, rust: true},
	{name: "loom, acquire and release", args: []string{"loom", "acqrel"}, rust: true},
	{name: "loom, 3 preemptions", args: []string{"loom-3", "seqcst"}, rust: true},
	{name: "loom, 2 preemptions", args: []string{"loom-2", "seqcst"}, rust: true},
	{name: "Shuttle, DFS", args: []string{"shuttle-dfs", "seqcst"}, rust: true},
	{name: "Shuttle, random", args: []string{"shuttle-random", "seqcst"}, rust: true,
		samples: true},
}

// An outcome is what one run came to.
type outcome struct {
	executions int64
	seconds    float64
	verdict    string // finished, stopped or failed
}

// Verdicts of an outcome, as the Rust program prints them.
const (
	finished = "finished"
	stopped  = "stopped"
	failed   = "failed"
)

// turns is how often what ends soon is run.
const turns = 3

func main() {
	var b bench
	flag.StringVar(&b.surewake, "surewake", "", "the command `file`")
	flag.StringVar(&b.rust, "rust", "", "the program `file` of rust")
	flag.DurationVar(&b.limit, "limit", 2*time.Minute,
		"how long one run may take; one of a tool that samples, a twelfth of it")
	only := flag.String("run", "", "only the scenario of this `name`, and write nothing")
	quick := flag.Bool("quick", false, "two seconds for each, once, and write nothing")
	onlyParts := flag.Bool("parts", false, "only what a step costs by part, and write nothing")
	bugs := flag.Bool("bugs", false, "only put a bug into each scenario, which all must find")
	flag.Parse()
	if *quick {
		b.limit = 2 * time.Second
	}
	run := func() error { return b.main(*only, *quick, *bugs) }
	if *onlyParts {
		run = b.printParts
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "checkers:", err)
		os.Exit(1)
	}
}

func (b *bench) main(only string, quick, bugs bool) error {
	selected := scenarios
	if only != "" {
		selected = nil
		for _, s := range scenarios {
			if s.name == only {
				selected = append(selected, s)
			}
		}
		if selected == nil {
			return fmt.Errorf("no scenario %s", only)
		}
	}
	if bugs {
		return b.findBugs(selected)
	}
	before, start := loads(), time.Now()
	rounds := turns
	if quick {
		rounds = 1
	}
	table, err := b.measure(selected, rounds)
	if err != nil {
		return err
	}
	session := describe(before, time.Since(start), b.limit)
	if only != "" || quick {
		fmt.Print(session, "\n", table)
		return nil
	}
	costs, err := b.measureParts()
	if err != nil {
		return err
	}
	return write("README.md", map[string]string{"session": session, "table": table, "parts": costs})
}

func (b *bench) printParts() error {
	costs, err := b.measureParts()
	fmt.Print(costs)
	return err
}

// measure runs each tool at each scenario, in turns: those that take more than a tenth of the limit
// once, the others as often as rounds says.
func (b *bench) measure(selected []scenario, rounds int) (string, error) {
	all := map[scenario]map[string][]outcome{}
	for round := range rounds {
		for _, s := range selected {
			if all[s] == nil {
				all[s] = map[string][]outcome{}
			}
			for _, t := range tools {
				before := all[s][t.name]
				if round > 0 && before[0].seconds > b.limit.Seconds()/10 {
					continue
				}
				o, err := b.run(t, s)
				if err != nil {
					return "", err
				}
				if o.verdict == failed {
					return "", fmt.Errorf("%s failed at %s", t.name, s.name)
				}
				fmt.Fprintf(os.Stderr, "%s: %s: %s, %d executions, %.3f s\n",
					s.name, t.name, o.verdict, o.executions, o.seconds)
				all[s][t.name] = append(before, o)
			}
		}
	}
	return render(selected, all), nil
}

// findBugs runs each tool at each scenario with a bug in it: a claim that stores the head, and an
// addition of two steps.
func (b *bench) findBugs(selected []scenario) error {
	var missed []error
	for _, args := range [][]string{
		{"mutants", "-run", "^claim-without-cas$", "./deque"},
		{"check", "-run", "^TestAddsOfTwoSteps$", "-budget", "1000x", "./testdata/checkers"},
	} {
		out, code, err := b.command(args...)
		if err != nil {
			return err
		}
		fmt.Print(string(out))
		if want := map[string]int{"mutants": 0, "check": 1}[args[0]]; code != want {
			missed = append(missed, fmt.Errorf("surewake %v ends with %d", args, code))
		}
	}
	for _, s := range selected {
		for _, t := range tools {
			if !t.rust {
				continue
			}
			o, err := b.runRust(t, s, "bug")
			if err != nil {
				return err
			}
			fmt.Printf("%s: %s: %s after %d executions\n", s.name, t.name, o.verdict, o.executions)
			if o.verdict != failed {
				missed = append(missed, fmt.Errorf("%s misses the bug in %s", t.name, s.name))
			}
		}
	}
	return errors.Join(missed...)
}
