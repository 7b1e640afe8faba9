package driver

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/surewake/surewake/model/instrument"
)

// Strategies lists the ways to choose schedules; the first is the exhaustive
// one.
var Strategies = []string{"dpor", "random", "pos", "pct"}

// Times lists the ways in which time passes: only when nothing else can run, and
// then also while goroutines can run; or the first alone.
var Times = []string{"both", "synctest"}

// DefaultEarly is the length from which on timers are watchdogs: they never come
// early.
const DefaultEarly = time.Second

// Options says what to check and how hard.
type Options struct {
	Dir      string   // where patterns are resolved; "" is the working directory
	Patterns []string // packages, as the go command takes them
	Tags     string   // build tags
	Run      string   // regular expression, as go test -run takes it; "" is every check
	Tests    string   // likewise: ordinary tests that are explored instead of checks; "": none

	Shard      Part    // of the executions of each check; the zero Part is all
	ShardModes string  // letters that Merge has asked for; "": none
	Merge      *Shards // what all shards have found, instead of an exploration; nil: explore

	All         bool          // the mutants in testdata/mutants/more as well
	For         time.Duration // no mutant is judged after it; 0: all are
	Part        Part          // which of the selected mutants
	Ask         string        // the only check that looks at mutants, to its end; "": see judge
	Race        bool          // run every schedule under the race detector
	Both        bool          // and plainly as well, also where the race run stands for that
	Strategy    string        // one of Strategies; "" is "dpor"
	Preemptions int           // bound; -1 is none
	Budget      Budget
	Early       time.Duration // timers below it may come early; 0 is DefaultEarly
	Time        string        // one of Times; "" is "both"
	MapOrders   bool          // loops over maps are explored in all orders
	Seed        uint64        // of the random strategies

	// A file for what the executions reach, in the format of Go's coverage profiles; "": none. A
	// relative name is below Dir.
	CoverProfile string

	Debug bool // binaries are built for a debugger

	// Where the output of Replay goes, nil if unknown. A file of the package that is still empty
	// counts as absent: the shell has made it for the test that EmitTest writes.
	Output os.FileInfo

	// A file from which the command goes on when it was ended, in whatever way; "": none. A
	// relative name is below Dir.
	Checkpoint string
	SaveEvery  time.Duration // how often that is written; 0 is DefaultSaveEvery
	Say        func(string)  // is told what is to be known of that, in a line; nil: nobody

	Certify  string        // folder for the traces of each check, of the plain run; "": none
	Watchdog time.Duration // silence after which a process is given up; 0 is DefaultWatchdog
	Procs    int           // processes at once; 0 is the number of CPUs
	Jobs     int           // processes that share one long check; 0 is 1
	Cache    string        // directory of rewritten copies; "" is the user's cache directory
}

// DefaultWatchdog is how long a binary may be silent. It reports every second
// while it explores, and has a watchdog of its own for single executions; this
// one is for when the whole process hangs, or its Test function does.
const DefaultWatchdog = time.Minute

// Validate returns an error that says which options are not valid, or not together.
func (o *Options) Validate() error {
	normal := *o
	if err := normal.normalize(); err != nil {
		return err
	}
	_, _, _, err := selection("-run", o.Run)
	return err
}

func (o *Options) normalize() error {
	if info, err := os.Stat(cmp.Or(o.Dir, ".")); err != nil || !info.IsDir() {
		return usagef("-C %s: there is no such directory", o.Dir)
	}
	if o.Strategy == "" {
		o.Strategy = Strategies[0]
	}
	if !slices.Contains(Strategies, o.Strategy) {
		return usagef("strategy %q: want one of %s", o.Strategy, strings.Join(Strategies, ", "))
	}
	if o.Time == "" {
		o.Time = Times[0]
	}
	if !slices.Contains(Times, o.Time) {
		return usagef("time %q: want one of %s", o.Time, strings.Join(Times, ", "))
	}
	if o.Run != "" && o.Tests != "" {
		return usagef("-run selects checks, -test selects ordinary tests: give one of them")
	}
	if o.Early == 0 {
		o.Early = DefaultEarly
	}
	if o.Early < 0 {
		return usagef("early %v: must be more than 0 (-time=synctest lets no timer come early)",
			o.Early)
	}
	if o.Certify != "" {
		dir, err := filepath.Abs(o.Certify)
		if err == nil {
			err = os.MkdirAll(dir, 0o777)
		}
		if err != nil {
			return usagef("certify %s: %v", o.Certify, err)
		}
		o.Certify = dir
	}
	if o.Watchdog == 0 {
		o.Watchdog = DefaultWatchdog
	}
	if o.For < 0 {
		return usagef("for %v: must not be negative", o.For)
	}
	if o.Jobs < 0 {
		return usagef("jobs %d: want 1 or more", o.Jobs)
	}
	if err := o.checkShard(); err != nil {
		return err
	}
	if err := o.checkCheckpoint(); err != nil {
		return err
	}
	if o.Procs == 0 {
		o.Procs = runtime.NumCPU()
	}
	return nil
}

// certifyDir returns the folder for traces, which the plain run writes.
func (o *Options) certifyDir(race bool) string {
	if race {
		return ""
	}
	return o.Certify
}

func (o *Options) instrument(patterns []string, replace map[string][]byte) instrument.Config {
	return instrument.Config{
		Dir: o.Dir, Patterns: patterns, Tests: o.Tests != "", Tags: o.Tags, Replace: replace,
		Cover: o.CoverProfile != "", Cache: o.Cache, Debug: o.Debug,
	}
}

// A UsageError says that the arguments make no sense together, or with this source. Nothing was
// run.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

func usagef(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}
