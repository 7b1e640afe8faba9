package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/surewake/surewake/model/driver"
)

// whichFlags say which checks are run, and which of their executions.
func (c *call) whichFlags() {
	o := &c.opts
	c.flags.StringVar(&o.Run, "run", "", "run only the checks that match the regular `expression`")
	c.flags.Var(&o.Budget, "budget",
		"explore each check for at most a `time or number` of executions:\n"+
			"30s, 10000x or 30s,10000x; the time is that of the plain run and the race run\n"+
			"together, which are both made then, the number is for each run that is made;\n"+
			"a check that is cut short is bounded")
	c.flags.Func("preemptions", "explore only schedules with at most `n` preemptions",
		func(s string) error {
			n, err := parsePreemptions(s)
			o.Preemptions = n
			return err
		})
	c.flags.StringVar(&o.Time, "time", driver.Times[0],
		"let time pass in `ways`: "+strings.Join(driver.Times, " or ")+
			";\nboth explores each check with short timers or sleeps twice: so that time passes\n"+
			"only when nothing else can run, as in testing/synctest, then so that it also\n"+
			"passes while goroutines can run; synctest leaves out the second")
	c.flags.BoolVar(&o.MapOrders, "map-orders", false,
		"explore loops over maps in all orders of up to six entries, where one is explored otherwise")
}

func (c *call) checkFlags() {
	o := &c.opts
	c.flags.Func("test",
		"explore ordinary tests, those that call no model.Check, instead of checks: each that\n"+
			"matches the regular `expression`, all its subtests together; -test TestX/. explores each\n"+
			"subtest of TestX by itself, as go test -run would run it; a test ends after a minute\n"+
			"unless -budget says otherwise",
		func(s string) error {
			if o.Tests = s; s == "" {
				return errors.New("want a regular expression; . is every test")
			}
			return nil
		})
	c.flags.BoolVar(&o.Both, "both", false,
		"explore every check plainly too where the run under the race detector stands for that,\n"+
			"and compare the schedules of the two")
	c.flags.StringVar(&o.Strategy, "strategy", o.Strategy,
		"choose schedules `by` "+strings.Join(driver.Strategies, ", ")+
			";\ndpor explores all; the others are random and end after 10000 executions\n"+
			"unless -budget says otherwise")
	c.flags.Func("jobs",
		"let up to `n` processes share each check that runs for longer than a second;\n"+
			"how many executions are cut short (pruned) then differs from run to run",
		func(s string) (err error) {
			if o.Jobs, err = strconv.Atoi(s); err != nil || o.Jobs < 1 {
				return errors.New("want a number of at least 1")
			}
			return nil
		})
	c.flags.StringVar(&o.Certify, "certify", "",
		"write the explored traces of each check into `folder`, from which\n"+
			"github.com/surewake/surewake/model/certify verifies that none is missing")
	c.flags.StringVar(&o.CoverProfile, "coverprofile", "",
		"write into `file` which statements of the packages under check some execution reached,\n"+
			"for go tool cover; the summary then lists the lines that none reached")
	c.flags.Uint64Var(&o.Seed, "seed", 1, "`number` from which the random strategies start")
}

func (c *call) formatFlags() {
	c.flags.StringVar(&c.format, "format", formats[0],
		"print in the `format` "+strings.Join(formats, ", ")+";\n"+
			"gotest is what go test -v prints, for go tool test2json and gotestsum:\n"+
			"a check that is FAILED or undecided is a test that fails")
	c.flags.BoolVar(&c.json, "json", false,
		"short for -format json: one JSON object per check, then one with the counts and\n"+
			"skipped tests; \"kind\", \"file\" and \"line\" say what decided FAILED and undecided,\n"+
			"and where")
}

func (c *call) checkpointFlag() {
	c.flags.StringVar(&c.opts.Checkpoint, "checkpoint", "",
		"keep in `file`, every second, how far the checks are; when the command was ended, in whatever\n"+
			"way, the same command goes on from there, with the same results as if it had not been")
	c.opts.Say = func(text string) { fmt.Fprintf(c.stderr, "surewake: %s\n", text) }
}
