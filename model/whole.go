package model

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"github.com/surewake/surewake/model/wire"
)

// Ordinary tests, which do not call Check, are explored as they stand: the function of the test is
// the body, on a *testing.T of its own in each execution (hook.Whole).

// Bounds on what was not written to be explored, unless the command gives others.
const (
	wholeDuration = time.Minute
	wholeSteps    = 1 << 20
)

func init() { hook.OnWhole = checkWhole }

// whole is what becomes of an ordinary test.
type whole struct {
	test     string
	complete int64              // executions that ended
	skipped  []hook.SkippedTest // each test once, in the order in which they were met
	times    map[string]int64   // in how many executions
}

// checkWhole explores the executions of f if the command asked for that: those of the whole test,
// or of each subtest that was asked for by itself.
func checkWhole(t *testing.T, f func(*testing.T)) bool {
	t.Helper()
	s, err := command()
	if err != nil {
		t.Fatal(err)
	}
	if s == nil || !s.Tests {
		return false
	}
	name := checkName(t.Name())
	if s.Mode != wire.Explore && strings.HasPrefix(s.Check, t.Name()+"/") {
		name = s.Check
	}
	if err := hook.SelectSubtests(s.Subtests); err != nil {
		t.Fatal(err)
	}
	if len(s.Subtests) == 0 {
		hook.OnlySubtest(name)
		newWhole(t, f, s, name).begin()
		return true
	}
	if !newWhole(t, f, s, name).findSubtests() {
		return true
	}
	// Further ones may come up in later executions.
	for i := 0; i < len(hook.MatchedSubtests()); i++ {
		only := hook.MatchedSubtests()[i]
		hook.OnlySubtest(only)
		newWhole(t, f, s, only).begin()
	}
	return true
}

func newWhole(t *testing.T, f func(*testing.T), s *wire.Settings, name string) *check {
	c := &check{
		t: t, name: name, set: s,
		body:  func(*Exec) { hook.RunWhole(t, f) },
		opts:  options{preemptions: -1, maxSteps: wholeSteps},
		whole: &whole{test: name, times: map[string]int64{}},
	}
	entry := reflect.ValueOf(f).Pointer()
	c.file, c.line = runtime.FuncForPC(entry).FileLine(entry)
	return c
}

// findSubtests runs one execution, to see which subtests it comes to. If that does not end, which
// may hide some, it explores the whole test and returns false.
func (c *check) findSubtests() bool {
	if c.refused() {
		return false
	}
	cfg := c.config()
	cfg.Executions, cfg.FirstOnly, cfg.Progress = 1, true, nil
	stop := c.watch()
	res := explore.Run(cfg, c.execution(&cfg))
	stop()
	hook.ResetTests()
	c.closeState()
	if res.Failure == nil || res.Complete > 0 {
		return true
	}
	if err := hook.SelectSubtests(nil); err != nil {
		c.t.Fatal(err)
	}
	c.begin()
	return false
}

// end is called after each execution that was complete.
func (w *whole) end() *explore.Failure {
	w.complete++
	for _, s := range hook.SkippedTests() {
		if w.times[s.Name] == 0 {
			w.skipped = append(w.skipped, s)
		}
		w.times[s.Name]++
	}
	return nil
}

// conclude takes into account what was skipped: nothing that comes after it was tested. It reports
// whether there is a result.
func (w *whole) conclude(r *wire.Result) bool {
	if !hook.OnlySubtestRan() {
		r.Verdict, r.Kind = wire.Undecided, wire.KindRefused
		r.Message = "this subtest does not run when the others of the test are left out"
	}
	ran := true
	for _, s := range w.skipped {
		n := w.times[s.Name]
		if n < w.complete {
			r.Verdict = wire.Bounded
			r.Bounded = joined("; ", r.Bounded, fmt.Sprintf("%d of %d executions skip %s at %s:%d: %s",
				n, w.complete, s.Name, filepath.Base(s.At.File), s.At.Line, s.Why))
			continue
		}
		send(wire.Message{Skip: &wire.Skip{
			Test: s.Name, Why: s.Why, File: s.At.File, Line: s.At.Line,
		}})
		ran = ran && s.Name != w.test
	}
	return ran
}
