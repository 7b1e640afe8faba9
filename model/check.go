package model

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/history"
	"github.com/surewake/surewake/model/report"
)

// Check checks body: in an ordinary go test by running it many times on real
// goroutines, under `surewake check` by exploring its executions. A check that
// fails makes t fail. Only one goroutine may be in Check at a time.
func Check(t testing.TB, body func(*Exec), opts ...Option) {
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
	if s.Mode == "replay" && s.Check != c.name {
		return
	}
	defer c.watch()()
	c.run()
}

var names struct {
	sync.Mutex
	used map[string]int
}

// checkName tells several checks of one test apart.
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
	set   *settings
	judge *history.Judge
	html  string // a violation drawn by porcupine
}

func (c *check) run() {
	c.t.Helper()
	if p := unregistered(c.set); p != "" {
		c.fail(record{Message: fmt.Sprintf("package %s was not rewritten: it would have run unchecked. "+
			"(An overlay is ignored when a directory is reached by another path, for example through a symbolic link.)", p)})
		return
	}
	if c.set.Race != explore.Race {
		c.fail(record{Message: fmt.Sprintf("the test binary was built with race detector %v, the command expects %v", explore.Race, c.set.Race)})
		return
	}
	cfg := c.config()
	if c.set.Mode == "replay" {
		c.replay(cfg)
		return
	}
	res := explore.Run(cfg, c.execution(&cfg))
	r := c.result(res)
	if res.Failure == nil {
		send(r)
		return
	}
	if s := c.set; s.Quick {
		r.Schedule, r.Message = encode(res.Failure.Schedule), res.Failure.Error()
		c.fail(r)
		return
	}
	f := c.shorten(cfg, res.Failure)
	c.describe(&r, cfg, f)
	c.fail(r)
}

// config gives the exploration that options and command ask for.
func (c *check) config() explore.Config {
	o, s := &c.opts, c.set
	cfg := explore.Config{
		Strategy:    explore.Strategy(s.Strategy),
		Preemptions: o.preemptions,
		MaxSteps:    o.maxSteps,
		Early:       o.timeouts,
		NoLate:      o.noRescue,
		Executions:  o.executions,
		Duration:    o.duration,
		Seed:        s.Seed,
		FirstOnly:   s.Quick,
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
	if cfg.Strategy != "" && cfg.Strategy != explore.DPOR && cfg.Duration == 0 && cfg.Executions == 0 {
		cfg.Executions = 10_000 // random strategies never end by themselves
	}
	if cfg.Duration == 0 && cfg.Executions == 0 {
		cfg.Duration = defaultDuration
	}
	failed := c.t.Failed()
	cfg.Failed = func() string {
		if !failed && c.t.Failed() {
			failed = true
			return "the body made the test fail (t.Error, t.Fail)"
		}
		return ""
	}
	cfg.Exited = func() string {
		switch {
		case c.t.Skipped():
			return "called t.Skip in the body of a check; skip before Check"
		case c.t.Failed():
			failed = true
			return "called t.FailNow or t.Fatal in the body of a check; x.Assert says what is wrong"
		}
		return ""
	}
	if !explore.Race {
		cfg.Observe = o.observe
	}
	cfg.Progress = c.progress
	return cfg
}

// execution prepares cfg to run the body, with a recorder for its history.
func (c *check) execution(cfg *explore.Config) func() {
	x := &Exec{name: c.name}
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
		cfg.Begin = rec.Reset
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
			return &explore.Failure{Kind: explore.KindHistory, Message: v.Error()}
		}
	}
	return func() { c.body(x) }
}

// defaultDuration ends a check that nobody gave a budget.
const defaultDuration = 10 * time.Minute

func (c *check) result(res explore.Result) record {
	r := record{
		Kind: "result", Name: c.name, Verdict: "proved",
		Complete: res.Complete, Deadlocked: res.Deadlocked, Pruned: res.Pruned,
		Steps: res.Steps, Seconds: res.Seconds, Races: res.Races,
		Bounded: res.Bounded, Assumptions: slices.Clone(c.opts.assume),
		Digest: fmt.Sprintf("%016x", res.Digest),
	}
	if c.opts.timeouts > 0 {
		r.Assumptions = append(r.Assumptions, fmt.Sprintf("at most %d early timeouts or signals in an execution", c.opts.timeouts))
	}
	if res.Held && c.opts.timeouts == 0 {
		r.Assumptions = append(r.Assumptions, "timers fire only when nothing else can run")
	}
	if res.Late > 0 {
		r.Assumptions = append(r.Assumptions, fmt.Sprintf("%d executions went on only by a timeout", res.Late))
	}
	r.Assumptions = append(r.Assumptions, res.Assumed...)
	if s := c.set.Strategy; r.Bounded == "" && s != "" && s != string(explore.DPOR) {
		r.Bounded = s + " draws schedules"
	}
	switch {
	case res.Failure != nil:
		r.Verdict = "FAILED"
	case r.Bounded != "":
		r.Verdict = "bounded"
	}
	return r
}

// shortest is how long the search for a shorter failure may take.
const shortest = 5 * time.Second

// shorten looks for a failure of the same kind with fewer preemptions: every
// schedule with none, with one, ... up to what f has.
func (c *check) shorten(cfg explore.Config, f *explore.Failure) *explore.Failure {
	switch f.Kind {
	case explore.KindNondeterminism, explore.KindForeign, explore.KindExit, explore.KindRefused, explore.KindLimit:
		return f
	}
	cfg.Strategy, cfg.FirstOnly = explore.DPOR, true
	end := time.Now().Add(shortest)
	for k := 0; k < f.Preemptions; k++ {
		left := time.Until(end)
		if left <= 0 {
			break
		}
		cfg.Preemptions, cfg.Executions, cfg.Duration = k, 0, left
		if g := explore.Run(cfg, c.execution(&cfg)).Failure; g != nil && g.Kind == f.Kind {
			return g
		}
	}
	return f
}

// describe runs the failing schedule once more, recorded, and draws it.
func (c *check) describe(r *record, cfg explore.Config, f *explore.Failure) {
	r.Schedule = encode(f.Schedule)
	again, res := c.record(cfg, deviations(f.Schedule))
	r.Message = f.Error()
	if again == nil {
		if f.Kind != explore.KindNondeterminism && f.Kind != explore.KindForeign {
			r.Message += "\n(the failure did not show again when the same schedule was replayed: the body depends on something the checker does not control)"
		}
		again = f
	} else if f.Kind == again.Kind {
		r.Message = again.Error() + waits(again)
	}
	if f.Stack != "" {
		r.Message += "\n" + userStack(f.Stack)
	}
	r.Lanes = lanes(res.Events, again, r.Message)
	c.files(r)
}

func (c *check) record(cfg explore.Config, d []explore.Deviation) (*explore.Failure, explore.Result) {
	cfg.Record, cfg.Replay, cfg.FirstOnly, cfg.Progress = true, d, true, nil
	cfg.Strategy, cfg.Preemptions, cfg.Executions, cfg.Duration = explore.DPOR, -1, 0, 0
	res := explore.Run(cfg, c.execution(&cfg))
	return res.Failure, res
}

// replay runs the schedule that the command gave.
func (c *check) replay(cfg explore.Config) {
	ds, err := report.DecodeSchedule(c.set.Schedule)
	if err != nil {
		c.fail(record{Message: err.Error()})
		return
	}
	f, res := c.record(cfg, fromReport(ds))
	r := c.result(res)
	r.Schedule, r.Verdict, r.Bounded = c.set.Schedule, "bounded", "one schedule"
	if f == nil {
		r.Lanes = lanes(res.Events, nil, "")
		send(r)
		return
	}
	r.Verdict, r.Message = "FAILED", f.Error()+waits(f)
	if f.Stack != "" {
		r.Message += "\n" + userStack(f.Stack)
	}
	r.Lanes = lanes(res.Events, f, r.Message)
	c.files(&r)
	c.fail(r)
}

func (c *check) fail(r record) {
	c.t.Helper()
	r.Kind, r.Name, r.Verdict = "result", c.name, "FAILED"
	send(r)
	c.t.Errorf("%s", r.Message)
}

func (c *check) progress(res explore.Result, part float64) {
	if !c.set.Progress {
		return
	}
	r := record{Kind: "progress", Name: c.name, Executions: res.Executions(), Left: -1}
	if res.Seconds > 0 {
		r.Rate = float64(r.Executions) / res.Seconds
	}
	if part > 0 {
		r.Left = float64(r.Executions)/part - float64(r.Executions)
	}
	send(r)
}
