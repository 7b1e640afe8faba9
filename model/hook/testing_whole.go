package hook

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

// Ordinary tests are explored as they stand: the rewriter has each of their functions begin with a
// call of Whole, and so the function is the body of an execution. There it runs on a thread, with
// the life of a test in package testing, subtests likewise:
//
//   - it runs until it ends or, a subtest, calls Parallel: then the Run that began it returns;
//   - when it has ended, its parallel subtests go on together, as goroutines;
//   - when those are over its context is cancelled, and its cleanups run.

// OnWhole explores f, the function of test t. It is set before tests run.
var OnWhole func(t *testing.T, f func(*testing.T)) bool

// Whole explores the executions of f, the function of an ordinary test, if the command asked for
// that and none runs. It reports whether it did.
//
//go:norace
//go:noinline
func Whole(t *testing.T, f func(*testing.T)) bool {
	return !explore.Active() && OnWhole != nil && OnWhole(t, f)
}

// RunWhole runs f as test t in an execution, which it belongs to alone. What is left of it when it
// has returned goes on in the background.
//
//go:norace
//go:noinline
func RunWhole(t *testing.T, f func(*testing.T)) {
	s := &testState{t: t, name: t.Name(), whole: true, signal: make(chan struct{})}
	tests.states = s
	explore.Go(s.name, func() { s.run(f) }, true)
	explore.Join()
}

// run is the life of a test.
//
//go:norace
func (s *testState) run(f func(*testing.T)) {
	s.thread = explore.Thread()
	defer s.finish()
	defer s.exited()
	f(s.t)
	s.returned = true
}

// exited is called at the end of a test's function, which has neither returned, failed nor skipped
// the test if it has called runtime.Goexit.
//
//go:norace
func (s *testState) exited() {
	if !s.returned && !s.skipped && explore.Exiting() {
		s.say(fixed(s.name+" called runtime.Goexit"), true)
	}
}

// finish ends a test whose function has ended.
//
//go:norace
func (s *testState) finish() {
	if explore.Aborting() {
		return
	}
	if !s.returned && !s.skipped && !explore.Exiting() {
		s.end() // it panics, and nobody goes on
		return
	}
	defer s.complete()
	s.runParallel()
	s.end()
}

// complete tells that a test is over. A cleanup that ends its goroutine does not keep it from that;
// if one has panicked, nobody goes on.
//
//go:norace
func (s *testState) complete() {
	if explore.Aborting() || s.panicked {
		return
	}
	if s.looked {
		StoreUint32(&s.over, 1)
	}
	s.done = true
	switch {
	case s.bubble:
	case s.parent == nil:
		explore.Detach()
	case s.parallel:
		Close(s.ended)
	default:
		Close(s.signal)
	}
}

// runParallel lets the parallel subtests go on, and waits for them.
//
//go:norace
func (s *testState) runParallel() {
	if s.waiting == nil {
		return
	}
	Close(s.barrier)
	for sub := s.waiting; sub != nil; sub = sub.nextAlike {
		Recv(sub.ended)
	}
}

// becomeParallel ends the part of a test that its parent waits for in Run.
//
//go:norace
func (s *testState) becomeParallel() {
	if s.parallel {
		panic("testing: t.Parallel called multiple times")
	}
	if s.alone {
		panic(aloneAndParallel)
	}
	s.parallel = true
	p := s.parent
	if p == nil {
		return // no other test is part of the execution
	}
	last := &p.waiting
	for *last != nil {
		last = &(*last).nextAlike
	}
	*last = s
	if p.barrier == nil {
		p.barrier = make(chan struct{})
	}
	s.ended = make(chan struct{})
	Close(s.signal)
	Recv(p.barrier)
}

const aloneAndParallel = "testing: test using t.Setenv or t.Chdir can not use t.Parallel"

// standAlone is called before the test changes something of the process.
//
//go:norace
func (s *testState) standAlone() {
	for p := s; p != nil; p = p.parent {
		if p.parallel {
			panic(aloneAndParallel)
		}
	}
	s.alone = true
}

// look is called before a test says something that does not fail it: whether it comes before the
// end of the test is for the search to try out.
//
//go:norace
func (s *testState) look() {
	if (s.whole || s.parent != nil) && s.thread != explore.Thread() {
		s.looked = true
		LoadUint32(&s.over)
	}
}

// late is called when a test that is over says something. As in package testing, a text that fails
// nothing goes to a test that it is part of, if one is not over.
//
//go:norace
func (s *testState) late(text func() string, failed bool) {
	if failed {
		panic("Fail in goroutine after " + s.name + " has completed: " + text())
	}
	for p := s.parent; p != nil; p = p.parent {
		if !p.done {
			return
		}
	}
	panic("Log in goroutine after " + s.name + " has completed: " + text())
}

// turns is the lock of a test: in which order several goroutines register cleanups, or start
// subtests of one name, tells in which order these run, or what they are called.
type turns struct {
	object [unsafe.Sizeof(sync.Map{})]byte // that turns are for the search
	token  uint64                          // that they hand on for the race detector
}

// inTurn is a step, which has the lock.
//
//go:norace
func (s *testState) inTurn(what string) {
	if !explore.InExecution() {
		return
	}
	explore.EnterMap(unsafe.Pointer(&s.turns.object), explore.OpMapStore, what, nil)
	explore.Acquire(&s.turns.token)
	explore.Release(&s.turns.token)
}

// assumeLate is called when a goroutine does something for the first time, or adds a cleanup, after
// the function of the test has ended. That end is no step, so that it came first is not tried out.
//
//go:norace
func (s *testState) assumeLate() {
	if s.thread != explore.Thread() {
		explore.Assume("goroutines that first ask for the context of their test, or add a cleanup, " +
			"after its function has ended do so each time")
	}
}

// end runs what the end of a test runs: all cleanups, although one ends its goroutine or panics.
//
//go:norace
func (s *testState) end() {
	if explore.Aborting() {
		return
	}
	s.ending = true
	defer func() {
		if s.cleanups != nil {
			s.end()
		}
	}()
	if s.cancel != nil {
		s.cancel()
	}
	for s.cleanups != nil {
		s.inTurn("cleanup")
		c := s.cleanups
		s.cleanups = c.next
		s.cleanUp(c.f)
	}
}

// cleanUp calls f, a cleanup, and notes whether that panics.
//
//go:norace
func (s *testState) cleanUp(f func()) {
	before := explore.SetExiting(false)
	returned := false
	defer func() {
		exits := explore.Exiting()
		explore.SetExiting(before || exits)
		s.panicked = s.panicked || !returned && !exits
	}()
	f()
	returned = true
}

// A SkippedTest is a test that was skipped in an execution.
type SkippedTest struct {
	Name, Why string
	At        explore.Frame
}

// SkippedTests returns the tests that the last execution skipped.
//
//go:norace
//go:noinline
func SkippedTests() []SkippedTest {
	var out []SkippedTest
	for s := tests.skips; s != nil; s = s.next {
		out = append(out, SkippedTest{s.test, strings.TrimSuffix(s.why(), "\n"), s.at})
	}
	slices.Reverse(out)
	return out
}

// subtests says which subtests run.
var subtests struct {
	wanted  []*regexp.Regexp // for the elements of a name, from the second on
	only    []string         // likewise: the elements themselves; nil: all that are wanted
	ran     bool             // the only one has run, or all may
	matched *subMatch        // those that wanted matches, the last first
	known   *subMatch
}

// subMatch remembers an answer: regular expressions synchronize.
type subMatch struct {
	name     string
	selected bool
	next     *subMatch
}

// SelectSubtests has only those subtests run that the patterns match, one for each further element
// of the name, as for go test -run.
//
//go:norace
//go:noinline
func SelectSubtests(patterns []string) error {
	subtests.wanted, subtests.only, subtests.ran = nil, nil, true
	subtests.matched, subtests.known = nil, nil
	for _, p := range patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			return err
		}
		subtests.wanted = append(subtests.wanted, re)
	}
	return nil
}

// OnlySubtest has only the named subtest run, those that it is part of, and its own; for the name
// of a test all.
//
//go:norace
//go:noinline
func OnlySubtest(name string) {
	subtests.only, subtests.known = strings.Split(name, "/")[1:], nil
	subtests.ran = len(subtests.only) == 0
}

// OnlySubtestRan reports whether the named subtest has run.
//
//go:norace
//go:noinline
func OnlySubtestRan() bool { return subtests.ran }

// MatchedSubtests returns the subtests that executions have come to, and that all patterns match.
//
//go:norace
//go:noinline
func MatchedSubtests() []string {
	var names []string
	for m := subtests.matched; m != nil; m = m.next {
		names = append(names, m.name)
	}
	slices.Reverse(names)
	return names
}

// ResumeSubtests notes what executions of another process have come to: whether the only subtest
// has run, and MatchedSubtests.
//
//go:norace
//go:noinline
func ResumeSubtests(ran bool, matched []string) {
	subtests.ran = ran
	for _, name := range MatchedSubtests() {
		if !slices.Contains(matched, name) {
			matched = append(matched, name)
		}
	}
	subtests.matched = nil
	for _, name := range matched {
		subtests.matched = &subMatch{name, true, subtests.matched}
	}
}

// selected reports whether a subtest of parent is to run.
//
//go:norace
func selected(parent, name string) bool {
	if len(subtests.wanted)+len(subtests.only) == 0 {
		return true
	}
	for m := subtests.known; m != nil; m = m.next {
		if m.name == name {
			return m.selected
		}
	}
	elements := strings.Split(name, "/")[1:]
	wanted, only := true, true
	for i, e := range elements {
		wanted = wanted && (i >= len(subtests.wanted) || subtests.wanted[i].MatchString(e))
		only = only && (i >= len(subtests.only) || subtests.only[i] == e)
	}
	subtests.known = &subMatch{name, wanted && only, subtests.known}
	if wanted && only && len(elements) == len(subtests.only) {
		subtests.ran = true
	}
	first := strings.Count(parent, "/") < len(subtests.wanted) &&
		len(elements) >= len(subtests.wanted)
	if wanted && first && !slices.Contains(MatchedSubtests(), name) {
		subtests.matched = &subMatch{name, true, subtests.matched}
	}
	return wanted && only
}
