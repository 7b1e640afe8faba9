package model

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/history"
	"github.com/surewake/surewake/model/hook"
	"github.com/surewake/surewake/model/wire"
)

// Check checks body. Under `go test` it runs body many times on real goroutines and fails t if an
// execution fails. Under `surewake check` it explores the executions of body; t fails unless the
// verdict is proved or bounded. body runs once per execution and makes all that it uses.
//
// Check is called from a test, by one goroutine at a time. It panics if body is nil.
func Check(t testing.TB, body func(*Exec), opts ...Option) {
	if explore.Active() {
		explore.Fail(explore.KindRefused, "model.Check is called in an execution; a body and an "+
			"ordinary test, which -test explores, must not call it")
	}
	t = hook.RealTest(t)
	t.Helper()
	if body == nil {
		panic("model: Check with a nil body")
	}
	o := options{preemptions: -1}
	for _, opt := range opts {
		opt(&o)
	}
	s, err := command()
	if err != nil {
		t.Fatal(err)
	}
	if s == nil {
		runStress(t, body, &o)
		return
	}
	c := &check{t: t, name: checkName(t.Name()), body: body, opts: o, set: s}
	_, c.file, c.line, _ = runtime.Caller(1)
	c.begin()
}

// begin explores the check, or replays an execution of it, if the command asked for that.
func (c *check) begin() {
	c.t.Helper()
	if c.set.Mode != wire.Explore && c.set.Check != c.name {
		return
	}
	if c.hasEnded() {
		return
	}
	defer c.watch()()
	defer hook.ResetTests()
	c.run()
}

var names struct {
	sync.Mutex
	used map[string]int
}

// checkName returns the name of the next check in a test: the second is TestX#2.
func checkName(test string) string {
	names.Lock()
	defer names.Unlock()
	if names.used == nil {
		names.used = map[string]int{}
	}
	names.used[test]++
	if n := names.used[test]; n > 1 {
		return fmt.Sprintf("%s#%d", test, n)
	}
	return test
}

type check struct {
	t     testing.TB
	name  string
	body  func(*Exec)
	opts  options
	set   *wire.Settings
	judge *history.Judge
	state *packageState // nil if executions need none of their own
	html  string        // a violation drawn by porcupine
	file  string        // of the call of Check
	line  int
	whole *whole // nil if Check was called

	decided  atomic.Bool      // it fails, and that was sent
	ended    []explore.Result // the searches of this check that have ended
	saved    *savedCheck      // of an earlier process, until the search goes on that it was in
	savedAt  time.Time        // when the command was told how far the check is
	saveTook time.Duration    // how long that took

	broken   string          // why there is no result after all
	divided  bool            // several processes have explored it
	searches []wire.Search   // with Settings.Shards: what was found
	merged   [][]wire.Search // with Settings.Found: what is not yet taken
}

func (c *check) run() {
	c.t.Helper()
	if c.refused() {
		return
	}
	defer c.closeState()
	hook.ResetMarks()
	explore.BeginCheck()
	defer sendCoverage()
	cfg := c.config()
	if c.set.Mode == wire.Replay {
		c.replay(cfg)
		return
	}
	if c.set.Mode == wire.Help {
		c.help(cfg)
		return
	}
	if c.set.Found != "" {
		known, err := c.openFound()
		if err != nil || !known {
			c.refuse(wire.KindInternal, "no certificate has this check (error: %v)", err)
			return
		}
	}
	replayed, fails := c.regress(cfg)
	if fails {
		return
	}
	if err := c.takeSaved(&cfg); err != nil {
		c.refuse(wire.KindInternal, "what an earlier run has left: %v", err)
		return
	}
	res := c.explore(&cfg)
	if c.timePasses(&cfg, &res) {
		res = both(res, c.explore(&cfg))
	}
	if c.broken != "" {
		c.refuse(wire.KindInternal, "%s", c.broken)
		return
	}
	if err := c.certify(res.Certificate); err != nil {
		c.refuse(wire.KindInternal, "the traces could not be written: %v", err)
		return
	}
	r := c.result(cfg, res)
	r.Replayed = replayed
	f := res.Failure
	if f == nil {
		c.passes(r)
		return
	}
	r.Bounded = ""
	if c.set.Quick {
		c.decide(&r, f, nil)
		r.Schedule, r.Message = encode(cfg, f), f.Error()
		c.fail(r)
		return
	}
	f = c.shorten(cfg, f)
	recorded := c.describe(&r, cfg, f)
	c.failDecided(r, recording(cfg, wire.Deviations(f.Schedule)), &recorded)
}

// refused reports whether the binary is not fit for executions; it has said so then. Otherwise it
// prepares the variables of packages for them.
func (c *check) refused() bool {
	c.t.Helper()
	if p := unregistered(c.set); p != "" {
		c.refuse(wire.KindRefused, "package %s was not rewritten: it would have run unchecked. "+
			"(An overlay is ignored when a directory is reached by another path, "+
			"for example through a symbolic link.)", p)
		return true
	}
	if c.set.Race != explore.Race {
		c.refuse(wire.KindInternal, "the test binary was built with -race=%v, "+
			"the command expects -race=%v", explore.Race, c.set.Race)
		return true
	}
	c.state = openPackageState(c.name)
	if c.state != nil && c.state.refused != "" {
		c.refuse(wire.KindRefused, "%s", c.state.refused)
		c.closeState()
		return true
	}
	return false
}

// closeState gives the process its variables back.
func (c *check) closeState() {
	if c.state != nil {
		c.state.close()
	}
}

// passes sends the result of a check that does not fail.
func (c *check) passes(r wire.Result) {
	if c.whole == nil || c.whole.conclude(&r) {
		send(wire.Message{Result: &r})
	}
}

// config returns the exploration that options and command ask for.
func (c *check) config() explore.Config {
	o, s := &c.opts, c.set
	cfg := explore.Config{
		Strategy:         explore.Strategy(s.Strategy),
		Preemptions:      o.preemptions,
		MaxSteps:         o.maxSteps,
		MaxThreads:       o.maxGoroutines,
		EarlyTimeouts:    o.timeouts,
		NoForcedTimeouts: o.noRescue,
		Executions:       o.executions,
		Duration:         o.duration,
		Seed:             s.Seed,
		FirstOnly:        s.Quick,
		Outer:            c.whole != nil,
		MapOrders:        o.mapOrders || s.MapOrders,
		LooksBack:        s.Race,
	}
	if !o.ownTime {
		cfg.Short = s.Early
	}
	if s.Preemptions >= 0 {
		cfg.Preemptions = s.Preemptions
	}
	if s.Executions > 0 {
		cfg.Executions = s.Executions
	}
	if s.Seconds > 0 {
		cfg.Duration = time.Duration(s.Seconds * float64(time.Second))
	}
	random := cfg.Strategy != "" && cfg.Strategy != explore.DPOR
	if random && cfg.Duration == 0 && cfg.Executions == 0 {
		cfg.Executions = 10_000 // random strategies never end by themselves
	}
	if cfg.Duration == 0 && cfg.Executions == 0 {
		cfg.Duration = defaultDuration
		if c.whole != nil {
			cfg.Duration = wholeDuration
		}
	}
	failed := c.t.Failed()
	cfg.Failed = func() *explore.Failure {
		if f := hook.TestsFailed(); f != nil {
			return f
		}
		if !failed && c.t.Failed() { // by code that is not rewritten
			failed = true
			return &explore.Failure{Kind: explore.KindAssert, Message: testFailed}
		}
		return nil
	}
	cfg.Exited = func() (explore.Kind, string) {
		switch {
		case c.t.Skipped():
			return explore.KindRefused, "called t.Skip in the body of a check; skip before Check"
		case c.t.Failed():
			failed = true
			return explore.KindAssert,
				"called t.FailNow or t.Fatal in the body of a check; x.Assert says what is wrong"
		}
		return "", ""
	}
	if !explore.Race {
		cfg.Observe, cfg.Before = o.observe, o.before
	}
	cfg.Certify, cfg.AllSteps = c.set.Certify != "", c.set.AllSteps
	cfg.Linearize = explore.Race && hook.Foreign
	budget := cfg
	cfg.Progress = func(res explore.Result, part float64) { c.progress(&budget, &res, part) }
	return cfg
}

// execution prepares cfg to run the body, with a recorder for its history.
func (c *check) execution(cfg *explore.Config) func() {
	x := &Exec{name: c.name}
	cfg.Begin = hook.ResetTests
	if c.opts.spec != nil {
		if c.judge == nil {
			c.judge = history.NewJudge(c.opts.spec)
		}
		rec := c.judge.Recorder(history.Options{
			Thread:     explore.Thread,
			ThreadName: explore.ThreadName,
			Instant:    func(k history.Kind) { explore.Instant(k == history.ReturnInstant) },
		})
		x.history = rec
		cfg.Begin = func() {
			hook.ResetTests()
			rec.Reset()
		}
		cfg.End = func() *explore.Failure {
			v := c.judge.Judge(rec)
			if v == nil {
				return nil
			}
			if cfg.Record {
				var b strings.Builder
				if err := v.WriteHTML(&b); err == nil {
					c.html = b.String()
				}
			}
			kind := explore.KindHistory
			if v.Undecided {
				kind = explore.KindLimit
			}
			return &explore.Failure{Kind: kind, Message: v.Error()}
		}
	}
	if c.whole != nil {
		cfg.End = c.whole.end
	}
	return func() {
		if c.state != nil {
			explore.Initialise(c.state.renew)
		}
		c.body(x)
		hook.EndTests()
	}
}

// defaultDuration ends a check that nobody gave a budget.
const defaultDuration = 10 * time.Minute
