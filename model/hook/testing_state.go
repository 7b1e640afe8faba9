package hook

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/surewake/surewake/model/explore"
)

// A testState is what an execution knows of one *testing.T. Threads of the execution use it one
// after the other, in functions that the race detector does not see. Lists are linked: the runtime
// tells the detector of what append and maps touch, whoever calls them.
type testState struct {
	t        *testing.T
	name     string // of a subtest, and of a test that is explored as it stands
	failed   bool
	skipped  bool
	whole    bool   // a test that is explored as it stands
	bubble   bool   // that of synctest.Test: all that its parent does there
	own      bool   // one that the program has made: nobody runs it, and nothing fails with it
	ending   bool   // its cleanups have begun
	returned bool   // the function
	done     bool   // all is over, parallel subtests and cleanups too
	panicked bool   // a cleanup has
	thread   int    // of the function
	looked   bool   // other threads have said something
	over     uint32 // the object that done is for the search
	turns    turns
	cleanups *cleanup // the last one first
	tempDir  string   // that all of TempDir are in; "": there is none
	tempDirs int      // how many there were
	ctx      context.Context
	cancel   context.CancelFunc
	parent   *testState // of a subtest
	next     *testState // in tests.states

	artifactDir string // "": nobody has asked for it

	// See Test.Parallel.

	parallel  bool
	alone     bool          // it has changed what parallel tests share, and cannot become one
	signal    chan struct{} // closed when Run may return
	ended     chan struct{} // closed at the end of a parallel subtest
	barrier   chan struct{} // closed when the parallel subtests may go on
	waiting   *testState    // the first of the parallel subtests
	nextAlike *testState    // the next one of the same parent
}

type subName struct {
	name string
	next *subName
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
	skips  *skip         // the last first
	names  *subName      // of subtests so far
}

// A skip is a test that was skipped in an execution.
type skip struct {
	test string
	why  func() string
	at   explore.Frame
	next *skip
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
	tests.at, tests.undo, tests.skips, tests.names = explore.Frame{}, nil, nil, nil
}

// EndTests ends the tests of the running execution, as package testing does when a test function
// has returned: parallel subtests run, contexts are cancelled, then cleanups run.
//
//go:norace
func EndTests() {
	for s := tests.states; s != nil; s = s.next {
		if s.parent == nil && !s.whole && !s.own {
			s.runParallel()
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
	own := real.Name() == "" // it panics if real is nil, as all methods do
	for s := tests.states; s != nil; s = s.next {
		if s.t == real {
			return s
		}
	}
	tests.states = &testState{t: real, own: own, next: tests.states}
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

// newSub makes the state of a subtest, nil if the command leaves it out.
//
//go:norace
func (s *testState) newSub(parent, name string) *testState {
	name = unique(parent, escaped(name))
	if !selected(parent, name) {
		return nil
	}
	sub := &testState{
		t: new(testing.T), name: name, parent: s, next: tests.states, signal: make(chan struct{}),
	}
	MadeChan(sub.signal)
	tests.states = sub
	return sub
}

// escaped gives the name of a subtest as package testing has it.
//
//go:norace
func escaped(name string) string {
	b := make([]byte, 0, len(name))
	for _, r := range name {
		switch quoted := strconv.QuoteRune(r); {
		case unicode.IsSpace(r):
			b = append(b, '_')
		case !strconv.IsPrint(r):
			b = append(b, quoted[1:len(quoted)-1]...)
		default:
			b = append(b, string(r)...)
		}
	}
	return string(b)
}

// unique gives the name of a subtest, with a number if there is one of that name, or if it has
// none.
//
//go:norace
func unique(parent, name string) string {
	base, n := parent+"/"+name, 1
	whole := base
	if name == "" {
		whole = base + "#00"
	}
	for ; used(whole); n++ {
		number := strconv.Itoa(n)
		if n < 10 {
			number = "0" + number
		}
		whole = base + "#" + number
	}
	tests.names = &subName{whole, tests.names}
	return whole
}

//go:norace
func used(name string) bool {
	for n := tests.names; n != nil; n = n.next {
		if n.name == name {
			return true
		}
	}
	return false
}

// say records what a test says; failed marks it, and those it is part of, as failed.
//
//go:norace
func (s *testState) say(text func() string, failed bool) {
	if explore.Aborting() {
		return
	}
	if !failed {
		s.look()
	}
	if s.done {
		s.late(text, failed)
	}
	n := &said{text: text, at: explore.Here(isHelper), next: tests.said}
	explore.Note(n.String)
	if s.own {
		if failed {
			s.inTurn("T.Fail")
			s.failed = true
		}
		return
	}
	tests.said = n
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

// failNow ends the execution of a test that has failed: nothing that comes later can make it pass.
// One that the program has made ends its goroutine.
//
//go:norace
func (s *testState) failNow() {
	if s.own {
		Goexit()
	}
	explore.FailAt(explore.KindAssert, TestOutput(), tests.at)
}

// skip ends a test. The execution of a check that is skipped shows nothing.
//
//go:norace
func (s *testState) skip(why func() string) {
	root := s
	for root.bubble {
		root = root.parent
	}
	if root.parent == nil && !root.whole && !root.own {
		explore.FailAt(explore.KindRefused, "t.Skip in the body of a check; skip before Check: "+
			strings.TrimSuffix(why(), "\n"), explore.Here(isHelper))
	}
	s.say(why, false)
	s.inTurn("T.SkipNow")
	s.skipped = true
	if s.own {
		Goexit()
	}
	tests.skips = &skip{s.name, why, explore.Here(isHelper), tests.skips}
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

// undoLater has f run as a cleanup, or at the end of the execution if that comes before.
//
//go:norace
func (s *testState) undoLater(f func()) {
	undone := false
	once := func() {
		if !undone {
			undone = true
			f()
		}
	}
	s.cleanups = &cleanup{once, s.cleanups}
	tests.undo = &cleanup{once, tests.undo}
}

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
