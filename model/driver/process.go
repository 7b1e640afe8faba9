package driver

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/surewake/surewake/model/wire"
)

// A job is one process: one Test function of one package in one mode.
type job struct {
	binary   string
	dir      string // the package's, as go test has it
	run      string // for -test.run
	settings wire.Settings
	watchdog time.Duration
	progress func(wire.Progress)
	kept     *keptRun // what is kept of it, nil: nothing
	covers   bool     // the binary marks what it reaches
	mutant   int      // the one that the binary has, of several
}

// An outcome is what a process wrote and how it ended.
type outcome struct {
	results []result
	skips   []wire.Skip

	progress *wire.Progress // of the check without a result, as it was told last

	marks   []map[string][]byte // by file: what was reached, in a binary that marks it
	exit    error               // nil: exit status 0
	said    string              // printed after the last result
	silent  bool                // given up by the watchdog; dump tells where it was
	dump    string              // all goroutines
	seconds float64
}

// keptOutput bounds what is kept of each end of a stream.
const keptOutput = 64 << 10

// dumpTime is how long a process may take to print its goroutines.
const dumpTime = 5 * time.Second

// testFlags are the arguments of a test binary that runs the tests that match.
func testFlags(run string) []string {
	return []string{
		"-test.run", run, "-test.timeout", "0", "-test.v=false", "-test.paniconexit0",
	}
}

// start runs a job to its end. The error is about starting it, or the
// context's, with the outcome so far: what the process did wrong is in the
// outcome.
func (j *job) start(ctx context.Context) (*outcome, error) {
	encoded, err := j.settings.Encode()
	if err != nil {
		return nil, err
	}
	disableCoreDumps()
	cmd := exec.CommandContext(ctx, j.binary, testFlags(j.run)...)
	cmd.Dir = j.dir
	cmd.Env = append(os.Environ(),
		wire.SettingsVariable+"="+encoded,
		"GORACE="+raceEnvironment(filepath.Join(filepath.Dir(j.binary), suppressionsFile)),
		"GOTRACEBACK="+wire.Traceback,
	)
	if j.mutant != 0 {
		cmd.Env = append(cmd.Env, chosen(j.mutant))
	}
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	// A grandchild that holds the pipes must not hold us.
	cmd.WaitDelay = 2 * time.Second

	out := cmp.Or(j.kept.outcome(), &outcome{})
	earlier := len(out.results)
	said := newOutput(keptOutput)
	_, _ = said.Write([]byte(out.said))
	out.exit = nil
	var heard lastHeard
	stream := &splitter{rest: said, onMessage: func(m wire.Message) {
		heard.now()
		if m.Progress != nil {
			out.progress = m.Progress
			if j.progress != nil {
				j.progress(*m.Progress)
			}
		}
		if m.Result != nil {
			out.progress = nil
			out.results = append(out.results, result{*m.Result, said.take(keptOutput)})
		}
		if n := len(out.results); m.Reversal != nil && n > 0 && out.results[n-1].Trace != nil {
			out.results[n-1].Trace.Reversal = m.Reversal
		}
		if m.Coverage != nil {
			out.marks = append(out.marks, m.Coverage.Marks)
		}
		if m.Skip != nil {
			out.skips = append(out.skips, *m.Skip)
		}
		if j.isWhole(&m) {
			j.kept.note(out, said.String(), m.Checkpoint)
		}
	}}
	cmd.Stdout, cmd.Stderr = stream, stream

	begin := time.Now()
	heard.now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()

	tick := time.NewTicker(min(250*time.Millisecond, j.watchdog/4))
	defer tick.Stop()
	var before string // printed before the dump
wait:
	for {
		select {
		case out.exit = <-ended:
			break wait
		case <-tick.C:
			if heard.since() < j.watchdog {
				continue
			}
			out.silent = true
			before = said.take(1 << 20)
			askForDump(cmd.Process)
			select {
			case out.exit = <-ended:
			case <-time.After(dumpTime):
				_ = killGroup(cmd.Process)
				out.exit = <-ended
			}
			break wait
		}
	}
	// Whatever the process started goes with it.
	_ = killGroup(cmd.Process)
	stream.flush()
	stream.history.note(out.exit, out.results[earlier:])
	out.said = said.String()
	if out.silent {
		out.said, out.dump = before, out.said
	}
	out.seconds = time.Since(begin).Seconds()
	if err := ctx.Err(); err != nil {
		return out, err
	}
	if errors.Is(out.exit, exec.ErrWaitDelay) {
		out.exit = nil
	}
	return out, nil
}

// isWhole reports whether what was told up to a message can be kept. What decides a failure, and
// what a check has reached, come after its result: all are kept, or none.
func (j *job) isWhole(m *wire.Message) bool {
	switch {
	case m.Checkpoint != nil || m.Coverage != nil:
		return true
	case j.covers:
		return false
	}
	return m.Reversal != nil || m.Result != nil && m.Result.Verdict != Failed
}

// lastHeard is the time of a process's last message.
type lastHeard struct {
	mu sync.Mutex
	at time.Time
}

func (l *lastHeard) now() {
	l.mu.Lock()
	l.at = time.Now()
	l.mu.Unlock()
}

func (l *lastHeard) since() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.at)
}
