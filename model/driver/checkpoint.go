package driver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/surewake/surewake/model/wire"
)

// CheckpointVersion is the version of checkpoints. It changes when a checkpoint of one surewake
// would mean something else to another one.
const CheckpointVersion = 1

// A checkpoint keeps what was found, and from where other processes could go on, in the file that
// Options.Checkpoint names.
//
// The file is replaced as a whole, so that it has all of an earlier or of a later moment. It stays
// when all has ended, and says so: what was found is then shown without running anything.
type checkpoint struct {
	name  string
	every time.Duration
	say   func(string)
	lock  *fileLock // nil if there is nothing to write

	lost bool // it could not be written, which was said

	mu       sync.Mutex
	asked    []askedFor
	runs     map[string]*keptRun // by keptRun.key
	finished bool                // there is nothing left to do
	dirty    bool                // not all of it is in the file
}

// A checkpointFile is the content of the file.
type checkpointFile struct {
	Asked    []askedFor `json:"asked"`
	Finished bool       `json:"finished"` // there is nothing left to do
	Runs     []keptRun  `json:"runs"`
}

// askedFor is one of the things that decide what the result is. All must be the same when the
// command goes on.
type askedFor struct {
	What string `json:"what"`
	Is   string `json:"is"`
}

// A keptRun is what is kept of one process, of a Test function in one mode.
type keptRun struct {
	Package string `json:"package"`
	Test    string `json:"test"`
	Race    bool   `json:"race"`
	Ended   bool   `json:"ended"` // there is nothing left to do

	Results []keptResult        `json:"results"`
	Skips   []wire.Skip         `json:"skips"`
	Marks   []map[string][]byte `json:"marks"`
	Said    string              `json:"said"`   // after the last result
	Failed  bool                `json:"failed"` // the process, if it has ended
	Seconds float64             `json:"seconds"`

	State *wire.Checkpoint `json:"state"` // of the check that has no result

	file *checkpoint
}

// A keptResult is a result as it came.
type keptResult struct {
	Result   wire.Result    `json:"result"`
	Said     string         `json:"said"`
	Reversal *wire.Reversal `json:"reversal,omitempty"` // of the trace, which is written without it
}

func keep(r *result) keptResult {
	k := keptResult{Result: r.Result, Said: r.said}
	if r.Trace != nil {
		k.Reversal = r.Trace.Reversal
	}
	return k
}

func (k *keptResult) result() result {
	r := result{k.Result, k.Said}
	if r.Trace != nil {
		trace := *r.Trace
		trace.Reversal = k.Reversal
		r.Trace = &trace
	}
	return r
}

// checkCheckpoint says which options are not for checkpoints.
func (o *Options) checkCheckpoint() error {
	switch {
	case o.Checkpoint == "":
	case o.Shard.Of > 0:
		return usagef("-checkpoint with -shard: a shard is run again as a whole; give one of them")
	case o.Certify != "":
		return usagef("-checkpoint with -certify: the traces are those of one process from its " +
			"beginning to its end; give one of them")
	case o.Merge != nil:
		return usagef("-checkpoint is for check")
	}
	return nil
}

// openCheckpoint locks the file, and reads it if there is one. It returns nil without
// Options.Checkpoint. The caller calls release.
func (o *Options) openCheckpoint() (*checkpoint, error) {
	if o.Checkpoint == "" {
		return nil, nil
	}
	name := o.Checkpoint
	if !filepath.IsAbs(name) {
		name = filepath.Join(o.Dir, name)
	}
	c := &checkpoint{
		name: name, every: cmp.Or(o.SaveEvery, DefaultSaveEvery), say: o.Say,
		runs: map[string]*keptRun{},
	}
	if c.say == nil {
		c.say = func(string) {}
	}
	var unlocked error
	if c.lock, unlocked = lockFile(name + ".lock"); errors.Is(unlocked, errLocked) {
		return nil, usagef("checkpoint %s: %v", name, unlocked)
	}
	if err := c.read(unlocked); err != nil {
		c.release()
		return nil, err
	}
	return c, nil
}

// release lets other commands have the file.
func (c *checkpoint) release() {
	if c != nil {
		c.lock.release()
	}
}

// read reads the file if there is one. Without the lock, for that reason, it must be finished: it
// may lie where nothing can be written.
func (c *checkpoint) read(unlocked error) error {
	name := c.name
	text, err := os.ReadFile(name)
	none := errors.Is(err, fs.ErrNotExist)
	if none {
		err = unlocked
	}
	if err != nil {
		return usagef("checkpoint: %v", err)
	}
	if none {
		return nil
	}
	f, err := parseCheckpoint(text)
	if err != nil {
		return usagef("checkpoint %s %v", name, err)
	}
	if unlocked != nil && !f.Finished {
		return usagef("checkpoint: %v", unlocked)
	}
	c.asked = f.Asked
	results, open := 0, 0
	for i := range f.Runs {
		r := &f.Runs[i]
		r.file = c
		c.runs[r.key()] = r
		results += len(r.Results)
		if r.State != nil {
			open++
		}
	}
	if f.Finished {
		c.say(fmt.Sprintf("all has ended before: %s has the results (to run the checks again, "+
			"remove it)", name))
	} else {
		c.say(fmt.Sprintf("going on from %s, which has %s and the state of %s under way",
			name, counted(results, "result"), counted(open, "check")))
	}
	return nil
}

func (r *keptRun) key() string { return fmt.Sprintf("%s %s %t", r.Package, r.Test, r.Race) }

// begin takes note of what is to be checked, or sees that it is what the file is of. It writes the
// file, so that a name that cannot be written costs nothing.
func (c *checkpoint) begin(ctx context.Context, o *Options, tests []planned) error {
	asked, err := o.asked(ctx, tests)
	if err != nil {
		return err
	}
	if c.asked == nil {
		c.asked = asked
		c.dirty = true
	} else if text := differences(c.asked, asked); text != "" {
		return usagef("checkpoint %s is of something else: %s; "+
			"go on with what it is of, or remove it to begin anew", c.name, text)
	}
	if err := c.write(); err != nil {
		return usagef("checkpoint: %v", err)
	}
	return nil
}

// differences names what is not the same.
func differences(before, now []askedFor) string {
	var parts []string
	find := func(all []askedFor, what string) string {
		at := slices.IndexFunc(all, func(a askedFor) bool { return a.What == what })
		if at < 0 {
			return ""
		}
		return all[at].Is
	}
	all := slices.Clone(before)
	for _, a := range now {
		if !slices.ContainsFunc(before, func(b askedFor) bool { return b.What == a.What }) {
			all = append(all, a)
		}
	}
	for _, a := range all {
		if was, is := find(before, a.What), find(now, a.What); was != is {
			parts = append(parts, fmt.Sprintf("%s was %q, is %q", a.What, was, is))
		}
	}
	return strings.Join(parts, ", ")
}

// asked lists what decides the result: flags, what the go command builds with, and the source.
func (o *Options) asked(ctx context.Context, tests []planned) ([]askedFor, error) {
	all := []askedFor{
		{"-run", o.Run}, {"-test", o.Tests}, {"-tags", o.Tags}, {"-race", fmt.Sprint(o.Race)},
		{"-strategy", o.Strategy}, {"-preemptions", fmt.Sprint(o.Preemptions)},
		{"-budget", o.Budget.String()}, {"-early", o.Early.String()}, {"-time", o.Time},
		{"-map-orders", fmt.Sprint(o.MapOrders)},
		{"-seed", fmt.Sprint(o.Seed)}, {"-coverprofile", fmt.Sprint(o.CoverProfile != "")},
		{"GODEBUG", os.Getenv("GODEBUG")},
	}
	names := []string{
		"GOVERSION", "GOOS", "GOARCH", "GOFLAGS", "GOEXPERIMENT", "CGO_ENABLED",
	}
	out, err := goCommand(ctx, o.Dir, append([]string{"env", "-json"}, names...)...)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	if err := json.Unmarshal(out, &values); err != nil {
		return nil, err
	}
	for _, name := range names {
		all = append(all, askedFor{"go env " + name, values[name]})
	}
	known := map[string]bool{}
	for _, t := range tests {
		p := &t.pkg
		if !known[p.Path] {
			known[p.Path] = true
			all = append(all, askedFor{"the source of " + p.Path, p.Source},
				askedFor{"the checker of " + p.Path, p.Engine})
		}
		all = append(all, askedFor{"test " + p.Path + "." + t.test, "there"})
	}
	return all, nil
}

// run returns what is kept of a process, nil without a checkpoint.
func (c *checkpoint) run(t *planned, race bool) *keptRun {
	if c == nil {
		return nil
	}
	r := &keptRun{Package: t.pkg.Path, Test: t.test, Race: race, file: c}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.runs[r.key()]; old != nil {
		return old
	}
	c.runs[r.key()] = r
	return r
}

// outcome returns what has been found so far, before the process is started that goes on. It is nil
// without a checkpoint.
func (r *keptRun) outcome() *outcome {
	if r == nil {
		return nil
	}
	r.file.mu.Lock()
	defer r.file.mu.Unlock()
	out := &outcome{
		skips: slices.Clone(r.Skips), marks: slices.Clone(r.Marks), said: r.Said,
		seconds: r.Seconds,
	}
	if r.Failed {
		out.exit = errors.New("the process has failed")
	}
	for i := range r.Results {
		out.results = append(out.results, r.Results[i].result())
	}
	return out
}

// hasEnded reports whether there is nothing left to do.
func (r *keptRun) hasEnded() bool {
	if r == nil {
		return false
	}
	r.file.mu.Lock()
	defer r.file.mu.Unlock()
	return r.Ended
}

// resume writes into dir, for the process that goes on, what the one before it has left. It returns
// "" if there is nothing.
func (r *keptRun) resume(dir string) (name string, err error) {
	r.file.mu.Lock()
	left := wire.Resume{Ended: []wire.Ended{}, Checkpoint: r.State}
	for i := range r.Results {
		k := &r.Results[i].Result
		left.Ended = append(left.Ended, wire.Ended{
			Check: k.Check, Passes: k.Verdict == Proved || k.Verdict == Bounded,
			Message: k.Message, Subtests: k.Subtests,
		})
	}
	r.file.mu.Unlock()
	if len(left.Ended) == 0 && left.Checkpoint == nil {
		return "", nil
	}
	text, err := json.Marshal(left)
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "resume-*.json")
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	return f.Name(), errors.Join(err, f.Close())
}

// note keeps what a process has told so far; said is what it has printed since the last result.
func (r *keptRun) note(out *outcome, said string, state *wire.Checkpoint) {
	if r == nil {
		return
	}
	r.file.mu.Lock()
	defer r.file.mu.Unlock()
	r.Results = r.Results[:0:0]
	for i := range out.results {
		r.Results = append(r.Results, keep(&out.results[i]))
	}
	r.Skips, r.Marks = slices.Clone(out.skips), slices.Clone(out.marks)
	r.Said, r.State = said, state
	r.file.dirty = true
}

// end keeps the outcome of a process that has told all there is to tell.
func (r *keptRun) end(out *outcome) {
	if r == nil {
		return
	}
	r.note(out, out.said, nil)
	r.file.mu.Lock()
	r.Ended, r.Failed, r.Seconds = true, out.exit != nil, out.seconds
	r.file.mu.Unlock()
}

// allKept is all with a checkpoint, nil for none.
func (r *runner) allKept(
	ctx context.Context, tests []planned, observer Observer, kept *checkpoint,
) (sum Summary, err error) {
	if kept == nil {
		return r.all(ctx, tests, observer)
	}
	if err := kept.begin(ctx, r.options, tests); err != nil {
		return sum, err
	}
	r.kept = kept
	stop := kept.keep()
	sum, err = r.all(ctx, tests, observer)
	stop()
	if lost := kept.close(err == nil, r.noRace != ""); err == nil {
		err = lost
	}
	return sum, err
}

// DefaultSaveEvery is how often checkpoints are written.
const DefaultSaveEvery = time.Second

// slowWrite bounds the part of the time that writing takes, and mostDelay what follows from that.
const (
	slowWrite = 10
	mostDelay = 4 * time.Second
)

// keep writes the file again and again, until the function is called that it returns.
func (c *checkpoint) keep() (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for delay := c.every; ; {
			select {
			case <-end:
				return
			case <-time.After(delay):
			}
			begun := time.Now()
			c.tryWrite()
			delay = max(c.every, min(slowWrite*time.Since(begun), mostDelay))
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// tryWrite writes what is not in the file yet. It says once that it cannot.
func (c *checkpoint) tryWrite() {
	if err := c.write(); err != nil && !c.lost {
		c.lost = true
		c.say(fmt.Sprintf("checkpoint: %v", err))
	}
}

func (c *checkpoint) write() error {
	c.mu.Lock()
	if !c.dirty {
		c.mu.Unlock()
		return nil
	}
	f := checkpointFile{Asked: c.asked, Finished: c.finished, Runs: []keptRun{}}
	for _, r := range c.runs {
		f.Runs = append(f.Runs, *r)
	}
	c.dirty = false
	c.mu.Unlock()
	slices.SortFunc(f.Runs, func(a, b keptRun) int { return cmp.Compare(a.key(), b.key()) })
	text, err := f.text()
	if err == nil {
		err = replaceFile(c.name, text)
	}
	if err != nil {
		c.mu.Lock()
		c.dirty = true
		c.mu.Unlock()
	}
	return err
}

// close writes the file for the last time. All says that all tests have rows, noRace that there are
// no race runs here.
func (c *checkpoint) close(all, noRace bool) error {
	c.mu.Lock()
	finished := all
	for _, r := range c.runs {
		finished = finished && (r.Ended || r.Race && noRace)
	}
	c.dirty = c.dirty || c.finished != finished
	c.finished = finished
	c.mu.Unlock()
	if err := c.write(); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}
