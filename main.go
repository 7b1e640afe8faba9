// Surewake checks concurrent Go code by running it through every interleaving
// that matters.
//
//	surewake check [flags] [packages]
//	surewake merge [flags] FILE...
//	surewake shard -plan FOLDER [flags] [packages]
//	surewake replay [flags] TOKEN
//	surewake mutants [flags] [packages]
//	surewake audit [flags]
//	surewake completion SHELL
//
// A check is a Test function that calls model.Check of
// github.com/surewake/surewake/model; check -test REGEXP explores ordinary tests
// as they stand. Without a command it is check ./...
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/surewake/surewake/model/driver"
	"github.com/surewake/surewake/model/instrument"
)

// Exit codes.
const (
	exitOK        = 0
	exitFailed    = 1 // a check or a proof failed, a mutant survived
	exitTrouble   = 2 // the question was not understood: usage, build error, interrupted
	exitUndecided = 3 // no check failed, and at least one is undecided
)

const usage = `Surewake runs concurrent Go code through every interleaving that matters.

	surewake check [flags] [packages]      run the checks of the packages
	surewake merge [flags] FILE...         make one result of the shards of checks
	surewake shard -plan FOLDER [flags] [packages]
	                                       write what runs all shards of checks in a cluster
	surewake replay [flags] TOKEN          run one schedule of a check again and draw it
	surewake mutants [flags] [packages]    put known bugs back, and see that each is found
	surewake audit [flags]                 redo the proofs of the parts and of the injector
	surewake completion SHELL              print completions for bash, zsh or fish

A check is a Test function that calls model.Check; check -test . explores all other
tests instead, as they stand. Packages are named as for the go command; the default
is ./... The default command is check.
"surewake COMMAND -h" lists the flags of a command.

Verdicts: proved     every execution was explored under the race detector; none failed
          bounded    no execution failed, but some were not explored; the row says which
          undecided  no answer; the row says what stood in the way
          FAILED     an execution fails: a bug of the program
A test that is skipped before it calls Check is listed as skipped, and is no check.

Exit code: 0  every check is proved or bounded, every mutant killed, every theorem proved
           1  a check failed, a mutant survived, a theorem was not proved
           2  nothing was run: bad usage, or a package that does not compile
           3  no check failed, and at least one is undecided
`

func main() {
	ctx, stop := signal.NotifyContext(whileRead(context.Background()), ends()...)
	context.AfterFunc(ctx, stop) // a second signal ends this at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	command, args := "check", whereFirst(args)
	switch {
	case len(args) == 0:
	case args[0] == "help" || len(args) == 1 && isHelp(args[0]):
		fmt.Fprint(stdout, usage)
		return exitOK
	case !strings.HasPrefix(args[0], "-"):
		command, args = args[0], args[1:]
	}
	switch command {
	case "audit":
		return audit(ctx, args, stdout, stderr)
	case "completion":
		return completion(args, stdout, stderr)
	}
	dos := map[string]func(*call) int{
		"check": (*call).check, "merge": (*call).merge, "replay": (*call).replay,
		"mutants": (*call).mutants, "shard": (*call).plan,
	}
	do := dos[command]
	if do == nil {
		fmt.Fprintf(stderr, "surewake: unknown command %q: the commands are check, merge, shard, "+
			"replay, mutants, audit and completion\n(surewake help says more)\n", command)
		return exitTrouble
	}
	c := newCall(ctx, command, stdout, stderr)
	switch err := c.parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(stdout, "usage: surewake %s\n", synopsis[command])
		c.flags.SetOutput(stdout)
		c.flags.PrintDefaults()
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "surewake: %v\nusage: surewake %s (-h lists the flags)\n",
			err, synopsis[command])
		return exitTrouble
	}
	return do(c)
}

// whereFirst moves a -C that stands before the command behind it.
func whereFirst(args []string) []string {
	n := 1 // arguments of -C
	if len(args) > 0 && strings.TrimLeft(args[0], "-") == "C" && args[0] != "C" {
		n = 2
	} else if len(args) == 0 || !strings.HasPrefix(strings.TrimLeft(args[0], "-"), "C=") {
		return args
	}
	if len(args) <= n || strings.HasPrefix(args[n], "-") || synopsis[args[n]] == "" {
		return args
	}
	return slices.Concat(args[n:n+1], args[:n], args[n+1:])
}

// parse sets the flags, which may stand behind the operands, too, as those of go test may; behind
// "--" all are operands.
func (c *call) parse(args []string) error {
	for {
		if err := c.flags.Parse(args); err != nil {
			return err
		}
		left := c.flags.Args()
		if parsed := len(args) - len(left); parsed > 0 && args[parsed-1] == "--" {
			c.operands = append(c.operands, left...)
			return nil
		}
		if len(left) == 0 {
			return nil
		}
		c.operands, args = append(c.operands, left[0]), left[1:]
	}
}

func isHelp(arg string) bool {
	return arg == "-h" || arg == "-help" || arg == "--help"
}

var synopsis = map[string]string{
	"check":   "check [flags] [packages]",
	"merge":   "merge [flags] FILE...",
	"replay":  "replay [flags] TOKEN",
	"mutants": "mutants [flags] [packages]",
	"shard":   "shard -plan FOLDER [flags] [packages]",
}

// A call is one command with its flags.
type call struct {
	ctx            context.Context
	flags          *flag.FlagSet
	operands       []string // what is no flag
	stdout, stderr io.Writer
	opts           driver.Options
	json           bool
	format         string // one of formats
	html           string // the file for the page, "" for none
	full           bool   // pictures are as wide as they need
	emitTest       bool   // replay prints a test
	debug          string // the file into which replay writes a binary for a debugger
	shardOut       string // the file for the certificate of a shard
	planned        planned
}

func newCall(ctx context.Context, command string, stdout, stderr io.Writer) *call {
	c := &call{
		ctx: ctx, stdout: stdout, stderr: stderr,
		flags: flag.NewFlagSet(command, flag.ContinueOnError),
	}
	c.flags.SetOutput(io.Discard) // run prints errors, without the list of flags
	c.flags.Usage = func() {}
	o := &c.opts
	o.Preemptions = -1
	o.Strategy = driver.Strategies[0]
	c.flags.StringVar(&o.Dir, "C", "", "change to `dir` before anything else")
	if command != "merge" {
		c.flags.StringVar(&o.Tags, "tags", "", "build `tags`, separated by commas")
	}
	if command != "merge" {
		c.flags.BoolVar(&o.Race, "race", true,
			"explore every check under the race detector;\n"+
				"without it no check is better than bounded")
		c.flags.DurationVar(&o.Early, "early", driver.DefaultEarly,
			"let only timers and sleeps of less than this `time` end while goroutines can run")
	}
	if command != "mutants" && command != "shard" {
		c.flags.BoolVar(&c.full, "full", false,
			"draw executions as wide as they need, so that no name and no line of source is cut")
		c.flags.StringVar(&c.html, "html", "",
			"also write into `file` one HTML page, which needs nothing else, with the verdicts and\n"+
				"the execution of each check that fails, to be gone through step by step")
	}
	switch command {
	case "check":
		c.whichFlags()
		c.checkFlags()
		c.checkpointFlag()
		c.shardFlags()
		c.formatFlags()
	case "merge":
		c.formatFlags()
	case "shard":
		c.whichFlags()
		c.planFlags()
	case "replay":
		c.flags.StringVar(&c.debug, "debug", "",
			"build, instead of running the schedule, a binary into `file` that runs it under a debugger,\n"+
				"and print the command that starts it there")
		c.flags.BoolVar(&c.emitTest, "emit-test", false,
			"print, instead of the execution, a test file for its package, in which a regression test\n"+
				"runs this schedule again")
	case "mutants":
		c.flags.StringVar(&o.Run, "run", "",
			"put back only the mutants whose id matches the regular `expression`")
		c.flags.BoolVar(&o.All, "all", false,
			"also put back those in testdata/mutants/more, further examples of the same bugs")
		c.flags.Var(&o.Part, "part",
			"put back only every N-th of these, from the K-th on, as `K/N` says: 1/3, 2/3 and 3/3\n"+
				"are three machines' shares")
		c.flags.Var(&o.Budget, "budget", "run each check for at most this `time` per mutant")
		c.flags.DurationVar(&o.For, "for", 4*time.Minute,
			"stop after this `time`, and say how many are left; the first of each hazard come first.\n"+
				"0 is never, as with -all, -part and -run if -for is not given")
	}
	return c
}

// formats of the output of check; the first is the default.
var formats = []string{"table", "json", "gotest"}

// An output shows the results of checks.
type output interface {
	driver.Observer
	Close(driver.Summary)
	Abandon()
}

// output returns what -format and -json ask for.
func (c *call) output() (output, error) {
	if c.json {
		if c.format != formats[0] && c.format != "json" {
			return nil, &driver.UsageError{Text: "-json is -format json: give one of them"}
		}
		c.format = "json"
	}
	switch c.format {
	case "table":
		t := driver.NewTable(c.stdout, isTerminal(c.stdout), c.replayCommand)
		t.Full = c.full
		return t, nil
	case "json":
		return driver.NewJSON(c.stdout), nil
	case "gotest":
		l := driver.NewTestLog(c.stdout, c.replayCommand)
		l.Full = c.full
		return l, nil
	}
	return nil, &driver.UsageError{Text: fmt.Sprintf(
		"format %q: want one of %s", c.format, strings.Join(formats, ", "))}
}

// live returns what says on standard error what is going on, nil if the table does so itself, or if
// programs may read standard error together with the results.
func (c *call) live() *driver.Live {
	terminal, table := isTerminal(c.stderr), c.format == "table"
	if table && isTerminal(c.stdout) || !table && !terminal {
		return nil
	}
	return driver.NewLive(c.stderr, terminal)
}

func parsePreemptions(s string) (int, error) {
	var n int
	if _, err := fmt.Sscanf(s, "%d", &n); err != nil || n < 0 || fmt.Sprint(n) != s {
		return -1, errors.New("want a number, 0 or more")
	}
	return n, nil
}

func (c *call) packages() []string {
	if len(c.operands) == 0 {
		return []string{"./..."}
	}
	return c.operands
}

func (c *call) check() int {
	c.opts.Patterns = c.packages()
	out, err := c.output()
	if err != nil {
		return c.trouble(err)
	}
	page, err := c.page()
	if err != nil {
		return c.trouble(err)
	}
	certifier, err := c.certifier()
	if err != nil {
		return c.trouble(err)
	}
	return c.explore(out, page, certifier)
}

// explore runs the checks. Page and certifier are nil if none is wanted.
func (c *call) explore(out output, page *driver.Page, certifier *driver.Certifier) int {
	observers := driver.Observers{out}
	if page != nil {
		observers = append(observers, page)
	}
	if certifier != nil {
		observers = append(observers, certifier)
	}
	live := c.live()
	if live != nil {
		observers = append(observers, live)
	}
	sum, err := driver.Check(c.ctx, c.opts, observers)
	if live != nil {
		live.Close()
	}
	if err != nil {
		if page != nil {
			page.Abandon()
		}
		if c.ctx.Err() != nil && sum.Checks > 0 {
			return c.interrupted(out, sum)
		}
		out.Abandon()
		return c.trouble(err)
	}
	if sum.NoRace != "" {
		fmt.Fprintf(c.stderr, "races were not checked: %s\n%s\n",
			sum.NoRace, driver.HowToRace(sum.NoRace))
	}
	out.Close(sum)
	if page != nil {
		if err := page.Close(sum); err != nil {
			return c.trouble(err)
		}
	}
	if certifier != nil {
		if err := certifier.Close(); err != nil {
			return c.trouble(err)
		}
	}
	switch {
	case sum.Failed > 0:
		return exitFailed
	case sum.Undecided > 0:
		return exitUndecided
	}
	return exitOK
}

// interrupted ends the output of a command that has results of some checks.
func (c *call) interrupted(out output, sum driver.Summary) int {
	if table, ok := out.(*driver.Table); ok {
		table.Close(sum)
	} else {
		out.Abandon() // without a summary it is incomplete
	}
	missing := "every test has a result"
	switch sum.Missing {
	case 0:
	case 1:
		missing = "1 test has no result"
	default:
		missing = fmt.Sprintf("%d tests have no result", sum.Missing)
	}
	if c.opts.Checkpoint != "" {
		missing += "; the same command goes on from " + c.opts.Checkpoint
	}
	fmt.Fprintf(c.stderr, "surewake: interrupted; %s\n", missing)
	if sum.Failed > 0 {
		return exitFailed
	}
	return exitTrouble
}

// page opens the page that -html asks for; nil if it does not.
func (c *call) page() (*driver.Page, error) {
	if c.html == "" {
		return nil, nil
	}
	return driver.NewPage(c.opts.Dir, c.html, c.replayCommand)
}

func (c *call) replay() int {
	if len(c.operands) != 1 {
		return c.trouble(&driver.UsageError{
			Text: "replay wants one token, as a failed or undecided check prints it\n" +
				"usage: surewake " + synopsis["replay"],
		})
	}
	return c.replayToken(c.operands[0])
}

func (c *call) replayToken(token string) int {
	if c.debug != "" {
		return c.debugToken(token)
	}
	page, err := c.page()
	if err != nil {
		return c.trouble(err)
	}
	if c.emitTest {
		c.opts.Output = fileInfo(c.stdout)
	}
	again, err := driver.Replay(c.ctx, c.opts, token)
	if err != nil {
		if page != nil {
			page.Abandon()
		}
		return c.trouble(err)
	}
	if page != nil {
		if err := page.Replayed(again); err != nil {
			return c.trouble(err)
		}
	}
	if c.emitTest {
		return c.emit(again)
	}
	fmt.Fprint(c.stdout, again.Print(c.full))
	switch {
	case !again.Shows:
		return exitOK
	case again.Row.Verdict == driver.Failed:
		return exitFailed
	}
	return exitUndecided
}

func (c *call) mutants() int {
	c.opts.Patterns = c.packages()
	given := map[string]bool{}
	c.flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if !given["for"] && (given["all"] || given["part"] || given["run"]) {
		c.opts.For = 0
	}
	sum, err := driver.Mutants(c.ctx, c.opts, c.stdout)
	if err != nil {
		return c.trouble(err)
	}
	broken := ""
	if sum.Broken > 0 {
		broken = fmt.Sprintf(", %d in error", sum.Broken)
	}
	noun := "mutants"
	if sum.Mutants == 1 {
		noun = "mutant"
	}
	if sum.Left > 0 {
		broken += fmt.Sprintf(", %d not tried in %v; -for 0 tries all", sum.Left, c.opts.For)
	}
	fmt.Fprintf(c.stdout, "%d %s: %d killed, %d survived%s\n",
		sum.Mutants, noun, sum.Killed, sum.Survived, broken)
	switch {
	case sum.Survived+sum.Broken > 0:
		return exitFailed
	case sum.Left == sum.Mutants:
		return exitUndecided
	}
	return exitOK
}

// trouble says why there is no answer.
func (c *call) trouble(err error) int {
	var build *instrument.BuildError
	switch {
	case c.ctx.Err() != nil:
		fmt.Fprintln(c.stderr, "surewake: interrupted")
	case errors.As(err, &build):
		fmt.Fprintln(c.stderr, strings.TrimRight(build.Output, "\n"))
	default:
		fmt.Fprintf(c.stderr, "surewake: %v\n", err)
	}
	return exitTrouble
}

func isTerminal(w io.Writer) bool {
	info := fileInfo(w)
	return info != nil && info.Mode()&os.ModeCharDevice != 0
}

// fileInfo returns nil if w is no file.
func fileInfo(w io.Writer) os.FileInfo {
	f, ok := w.(*os.File)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	return info
}
