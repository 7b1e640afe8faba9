package hook

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/surewake/surewake/model/explore"
)

// A testState is what an execution knows of one *testing.T. Threads of the execution use it one
// after the other, in functions that the race detector does not see. Lists are linked: the runtime
// tells the detector of what append and maps touch, whoever calls them.
type testState struct {
	t        *testing.T
	name     string // of a subtest
	failed   bool
	skipped  bool
	returned bool     // the function of a subtest
	cleanups *cleanup // the last one first
	ctx      context.Context
	cancel   context.CancelFunc
	parent   *testState // of a subtest
	subs     int        // subtests so far
	next     *testState // in tests.states
}

type cleanup struct {
	f    func()
	next *cleanup
}

// tests is the state of all tests in the running execution, or in the last one.
var tests struct {
	states *testState
	said   *said // what was logged, the last first
	failed bool
	at     explore.Frame // of the first error
	undo   *cleanup      // what the end of the execution takes back, the last first
}

type said struct {
	text func() string
	at   explore.Frame
	next *said
}

// ResetTests forgets the execution before, and takes back what it left.
//
//go:norace
//go:noinline
func ResetTests() {
	for u := tests.undo; u != nil; u = u.next {
		u.f()
	}
	tests.states, tests.said, tests.failed = nil, nil, false
	tests.at, tests.undo = explore.Frame{}, nil
}

// EndTests ends the tests of the running execution, as package testing does when a test function
// has returned: contexts are cancelled, then cleanups run.
//
//go:norace
func EndTests() {
	for s := tests.states; s != nil; s = s.next {
		if s.parent == nil {
			s.end()
		}
	}
}

// TestsFailed gives the failure of an execution in which a test failed, else nil.
//
//go:norace
//go:noinline
func TestsFailed() *explore.Failure {
	if !tests.failed {
		return nil
	}
	return &explore.Failure{Kind: explore.KindAssert, Message: TestOutput(), At: tests.at}
}

// TestOutput gives what the tests said in the last execution, a line each with file and line.
//
//go:norace
//go:noinline
func TestOutput() string {
	var b []string
	for s := tests.said; s != nil; s = s.next {
		b = append(b, s.String())
	}
	slices.Reverse(b)
	return strings.Join(b, "\n\t")
}

// helpers has the functions that have called Helper, in any execution.
var helpers *helper

type helper struct {
	pc   uintptr // of a call
	name string
	next *helper
}

// noteHelper notes the caller of the method that calls it.
//
//go:norace
//go:noinline
func noteHelper() {
	var pcs [1]uintptr
	runtime.Callers(3, pcs[:])
	for h := helpers; h != nil; h = h.next {
		if h.pc == pcs[0] {
			return
		}
	}
	f, _ := runtime.CallersFrames(pcs[:]).Next()
	helpers = &helper{pcs[0], f.Function, helpers}
}

// isHelper reports whether a function has called Helper.
//
//go:norace
func isHelper(name string) bool {
	for h := helpers; h != nil; h = h.next {
		if h.name == name {
			return true
		}
	}
	return false
}

// state gives the state of t in the running execution, nil outside of one.
//
//go:norace
func (t Test) state() *testState {
	if !explore.Active() || explore.Aborting() {
		return t.lateState()
	}
	real := t.real()
	for s := tests.states; s != nil; s = s.next {
		if s.t == real {
			return s
		}
	}
	tests.states = &testState{t: real, next: tests.states}
	return tests.states
}

// lateState is for deferred functions of an execution that is torn down: what they say is lost.
//
//go:norace
func (t Test) lateState() *testState {
	if explore.Active() {
		return &testState{t: t.real()}
	}
	return nil
}

// newSub makes the state of a subtest.
//
//go:norace
func (s *testState) newSub(parent, name string) *testState {
	s.subs++
	if name == "" {
		name = fmt.Sprintf("#%02d", s.subs-1)
	}
	name = parent + "/" + strings.ReplaceAll(name, " ", "_")
	sub := &testState{t: new(testing.T), name: name, parent: s, next: tests.states}
	tests.states = sub
	return sub
}

// say records what a test says; failed marks it, and those it is part of, as failed.
//
//go:norace
func (s *testState) say(text func() string, failed bool) {
	if explore.Aborting() {
		return
	}
	n := &said{text: text, at: explore.Here(isHelper), next: tests.said}
	tests.said = n
	explore.Note(n.String)
	if !failed {
		return
	}
	if !tests.failed {
		tests.failed, tests.at = true, n.at
	}
	for ; s != nil; s = s.parent {
		s.failed = true
	}
}

// String gives the text with its place.
func (n *said) String() string {
	text := strings.TrimSuffix(n.text(), "\n")
	if n.at.File == "" {
		return text
	}
	return fmt.Sprintf("%s:%d: %s", filepath.Base(n.at.File), n.at.Line, text)
}

// failNow ends the execution: nothing that comes later can make it pass.
//
//go:norace
func failNow() { explore.FailAt(explore.KindAssert, TestOutput(), tests.at) }

// skip ends a subtest. The execution of a test that is skipped shows nothing.
//
//go:norace
func (s *testState) skip(why func() string) {
	if s.parent == nil {
		explore.FailAt(explore.KindRefused, "t.Skip in the body of a check; skip before Check: "+
			strings.TrimSuffix(why(), "\n"), explore.Here(isHelper))
	}
	s.say(why, false)
	s.skipped = true
	Goexit()
}

// OnSkip is told of each test that is skipped outside of an execution: its name, the reason, and
// where. It is set before tests run.
var OnSkip func(test, why string, at explore.Frame)

// skipped tells OnSkip.
//
//go:norace
func (t Test) skipped(why func() string) {
	if OnSkip != nil {
		OnSkip(t.TB.Name(), strings.TrimSuffix(why(), "\n"), explore.Here(isHelper))
	}
}

// exited is called at the end of a subtest's function, which has neither returned, failed nor
// skipped the subtest if it has called runtime.Goexit.
//
//go:norace
func (s *testState) exited() {
	if !s.returned && !s.skipped && explore.Exiting() {
		s.say(fixed(s.name+" called runtime.Goexit"), true)
	}
}

// end runs what the end of a test runs.
//
//go:norace
func (s *testState) end() {
	if explore.Aborting() {
		return
	}
	if s.cancel != nil {
		s.cancel()
	}
	for s.cleanups != nil {
		c := s.cleanups
		s.cleanups = c.next
		c.f()
	}
}

// undoLater has f run after the execution's cleanups, however it ends.
//
//go:norace
func (s *testState) undoLater(f func()) { tests.undo = &cleanup{f, tests.undo} }

// noteTest notes the use of what the checker does not see.
//
//go:norace
func noteTest(assumption, name string) {
	at := explore.Here(isHelper)
	explore.NoteUse(explore.Use{Assumption: assumption,
		Site: fmt.Sprintf("%s %s:%d", name, filepath.Base(at.File), at.Line)}, true)
}

// text formats as Errorf does.
//
//go:norace
func text(format string, args []any) func() string {
	return formatted(args, func(args []any) string { return fmt.Sprintf(format, args...) })
}

// line formats as Error does.
//
//go:norace
func line(args []any) func() string {
	return formatted(args, func(args []any) string { return fmt.Sprintln(args...) })
}

// formatted formats later what cannot change and has no methods: fmt's pools are edges for the race
// detector, which hide races. Everything else is formatted at once, as in Go.
//
//go:norace
func formatted(args []any, f func([]any) string) func() string {
	kept := make([]any, len(args))
	for i := range args {
		if !constant(args[i]) {
			s := f(args)
			return func() string { return s }
		}
		kept[i] = args[i]
	}
	return func() string { return f(kept) }
}

// fixed gives a text that needs no formatting.
//
//go:norace
func fixed(s string) func() string { return func() string { return s } }

// constant reports whether v prints as it does now at any time, without code of the program.
//
//go:norace
func constant(v any) bool {
	t := reflect.TypeOf(v)
	if t == nil {
		return true
	}
	k := t.Kind()
	return (k <= reflect.Complex128 || k == reflect.String) && t.NumMethod() == 0
}
