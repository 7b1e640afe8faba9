package hook

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/surewake/surewake/model/explore"
)

// A *testing.T outlives an execution, and what is told to it cannot be taken back. So rewritten
// code calls the methods of what TestT and TB make of it: in an execution they act on a state that
// begins and ends with the execution, outside on the *testing.T. It also stands for the *testing.T
// wherever that becomes an interface, so that packages which are not rewritten, or know only an
// interface of their own, call the same methods.

// A Test stands for a *testing.T. Two are equal if they stand for the same one.
type Test struct{ testing.TB }

// TestT gives what stands for t.
//
//go:norace
//go:noinline
func TestT(t *testing.T) Test { return Test{t} }

// TB gives what stands for t if that is a *testing.T, else t.
//
//go:norace
//go:noinline
func TB[P testing.TB](t P) testing.TB {
	if real, ok := any(t).(*testing.T); ok {
		return Test{real}
	}
	return t
}

// TestAs gives what stands for v if that is a *testing.T, else v, as an interface of its methods.
//
//go:norace
//go:noinline
func TestAs[I, P any](v P) I {
	if real, ok := any(v).(*testing.T); ok {
		return any(Test{real}).(I)
	}
	return any(v).(I)
}

// RealTest gives a *testing.T for what stands for it, and everything else back.
//
//go:norace
//go:noinline
func RealTest[I any](v I) I {
	if t, ok := any(v).(Test); ok {
		if real, ok := t.TB.(I); ok {
			return real
		}
	}
	return v
}

//go:norace
func (t Test) real() *testing.T { return t.TB.(*testing.T) }

// Errorf is testing.T.Errorf.
//
//go:norace
func (t Test) Errorf(format string, args ...any) {
	if s := t.state(); s != nil {
		s.say(text(format, args), true)
		return
	}
	t.TB.Helper()
	t.TB.Errorf(format, args...)
}

// Error is testing.T.Error.
//
//go:norace
func (t Test) Error(args ...any) {
	if s := t.state(); s != nil {
		s.say(line(args), true)
		return
	}
	t.TB.Helper()
	t.TB.Error(args...)
}

// Fatalf is testing.T.Fatalf; in an execution it ends the execution.
//
//go:norace
func (t Test) Fatalf(format string, args ...any) {
	if s := t.state(); s != nil {
		s.say(text(format, args), true)
		s.failNow()
	}
	t.TB.Helper()
	t.TB.Fatalf(format, args...)
}

// Fatal is testing.T.Fatal; in an execution it ends the execution.
//
//go:norace
func (t Test) Fatal(args ...any) {
	if s := t.state(); s != nil {
		s.say(line(args), true)
		s.failNow()
	}
	t.TB.Helper()
	t.TB.Fatal(args...)
}

// Fail is testing.T.Fail.
//
//go:norace
func (t Test) Fail() {
	if s := t.state(); s != nil {
		s.say(fixed("Fail was called"), true)
		return
	}
	t.TB.Fail()
}

// FailNow is testing.T.FailNow; in an execution it ends the execution.
//
//go:norace
func (t Test) FailNow() {
	if s := t.state(); s != nil {
		if !s.failed {
			s.say(fixed("FailNow was called"), true)
		}
		s.failNow()
	}
	t.TB.FailNow()
}

// Failed is testing.T.Failed.
//
//go:norace
func (t Test) Failed() bool {
	if s := t.state(); s != nil {
		if s.own {
			s.inTurn("T.Failed")
		}
		return s.failed
	}
	return t.TB.Failed()
}

// Logf is testing.T.Logf; the text stands in the goroutine's lane, too.
//
//go:norace
func (t Test) Logf(format string, args ...any) {
	if s := t.state(); s != nil {
		s.say(text(format, args), false)
		return
	}
	t.TB.Helper()
	t.TB.Logf(format, args...)
}

// Log is testing.T.Log; the text stands in the goroutine's lane, too.
//
//go:norace
func (t Test) Log(args ...any) {
	if s := t.state(); s != nil {
		s.say(line(args), false)
		return
	}
	t.TB.Helper()
	t.TB.Log(args...)
}

// Helper is testing.T.Helper.
//
//go:norace
func (t Test) Helper() {
	noteHelper()
	if !explore.Active() {
		t.TB.Helper()
	}
}

// Skipf is testing.T.Skipf.
//
//go:norace
func (t Test) Skipf(format string, args ...any) {
	if s := t.state(); s != nil {
		s.skip(text(format, args))
	}
	t.skipped(text(format, args))
	t.TB.Helper()
	t.TB.Skipf(format, args...)
}

// Skip is testing.T.Skip.
//
//go:norace
func (t Test) Skip(args ...any) {
	if s := t.state(); s != nil {
		s.skip(line(args))
	}
	t.skipped(line(args))
	t.TB.Helper()
	t.TB.Skip(args...)
}

// SkipNow is testing.T.SkipNow.
//
//go:norace
func (t Test) SkipNow() {
	if s := t.state(); s != nil {
		s.skip(fixed("SkipNow was called"))
	}
	t.skipped(fixed("SkipNow was called"))
	t.TB.SkipNow()
}

// Skipped is testing.T.Skipped.
//
//go:norace
func (t Test) Skipped() bool {
	if s := t.state(); s != nil {
		s.inTurn("T.Skipped")
		return s.skipped
	}
	return t.TB.Skipped()
}

// Name is testing.T.Name.
//
//go:norace
func (t Test) Name() string {
	if s := t.state(); s != nil && s.name != "" {
		return s.name
	}
	return t.TB.Name()
}

// Cleanup is testing.T.Cleanup: in an execution f runs at the execution's end.
//
//go:norace
func (t Test) Cleanup(f func()) {
	if s := t.state(); s != nil {
		s.inTurn("T.Cleanup")
		if s.ending {
			s.assumeLate()
		}
		s.cleanups = &cleanup{f, s.cleanups}
		return
	}
	t.TB.Helper()
	t.TB.Cleanup(f)
}

// Context is testing.T.Context: in an execution it is cancelled before the first cleanup.
//
//go:norace
func (t Test) Context() context.Context {
	if s := t.state(); s != nil {
		if s.ctx == nil {
			s.ctx, s.cancel = WithCancel(context.Background())
			if s.ending {
				s.cancel()
				s.assumeLate()
			}
		}
		return s.ctx
	}
	return t.TB.Context()
}

// Run is testing.T.Run: in an execution f runs on a goroutine of it.
//
//go:norace
func (t Test) Run(name string, f func(t *testing.T)) bool {
	s := t.state()
	if s == nil {
		return t.real().Run(name, f)
	}
	s.noBubble("Run")
	if s.ending && !s.done {
		panic("testing: t.Run called during t.Cleanup")
	}
	s.inTurn("T.Run")
	sub := s.newSub(t.Name(), name)
	if sub == nil {
		return true
	}
	explore.Go(sub.name, func() { sub.run(f) }, false)
	Recv(sub.signal)
	return !sub.failed
}

// Parallel is testing.T.Parallel: in an execution a subtest waits until the function of the test
// that it is part of has ended, and goes on together with its parallel siblings.
//
//go:norace
func (t Test) Parallel() {
	s := t.state()
	switch {
	case s == nil:
		t.real().Parallel()
	case s.bubble:
		s.noBubble("Parallel")
	case s.parent == nil && !s.whole:
		explore.Fail(explore.KindRefused, "t.Parallel in the body of a check; call it before Check")
	default:
		s.becomeParallel()
	}
}

// Deadline is testing.T.Deadline: an execution has none.
//
//go:norace
func (t Test) Deadline() (deadline time.Time, ok bool) {
	if s := t.state(); s != nil {
		s.noBubble("Deadline")
		return time.Time{}, false
	}
	return t.real().Deadline()
}

// TempDir is testing.T.TempDir: a directory for one execution.
//
//go:norace
func (t Test) TempDir() string {
	s := t.state()
	if s == nil {
		return t.TB.TempDir()
	}
	noteTest("the order of uses of files does not matter", "testing.T.TempDir")
	return s.newTempDir("TempDir")
}

// newTempDir is makeTempDir for the method of that name, which ends the test if there is an error.
//
//go:norace
func (s *testState) newTempDir(method string) string {
	dir, err := s.makeTempDir()
	if err != nil {
		s.say(fixed(method+": "+err.Error()), true)
		s.failNow()
	}
	return dir
}

// makeTempDir makes a directory in one that is removed with all others of the test, where it made
// the first of them.
//
//go:norace
func (s *testState) makeTempDir() (string, error) {
	if _, err := os.Stat(s.tempDir); s.tempDir == "" || os.IsNotExist(err) {
		all, err := os.MkdirTemp("", "surewake-")
		if err != nil {
			return "", err
		}
		s.tempDir = all
		s.undoLater(func() { os.RemoveAll(all) })
	}
	s.tempDirs++
	dir := filepath.Join(s.tempDir, fmt.Sprintf("%03d", s.tempDirs))
	return dir, os.Mkdir(dir, 0o777)
}

// ArtifactDir is testing.T.ArtifactDir, which Go 1.25 does not have: one of TempDir, the same at
// each call of an execution.
//
//go:norace
func (t Test) ArtifactDir() string {
	s := t.state()
	if s == nil {
		return t.TB.(interface{ ArtifactDir() string }).ArtifactDir()
	}
	noteTest("the order of uses of files does not matter", "testing.T.ArtifactDir")
	if s.artifactDir == "" {
		s.artifactDir = s.newTempDir("ArtifactDir")
	}
	return s.artifactDir
}

// Setenv is testing.T.Setenv: the variable is set back at the end of the test.
//
//go:norace
func (t Test) Setenv(key, value string) {
	s := t.state()
	if s == nil {
		t.TB.Setenv(key, value)
		return
	}
	s.standAlone()
	noteTest("the order of changes to the environment does not matter", "testing.T.Setenv")
	refuseAsyncTimers(key, value)
	s.setenv(key, value)
}

//go:norace
func (s *testState) setenv(key, value string) {
	old, had := os.LookupEnv(key)
	if err := os.Setenv(key, value); err != nil {
		s.say(fixed("Setenv: "+err.Error()), true)
		s.failNow()
	}
	s.undoLater(func() {
		if had {
			os.Setenv(key, old)
		} else {
			os.Unsetenv(key)
		}
	})
}

// Chdir is testing.T.Chdir: the directory is set back at the end of the test.
//
//go:norace
func (t Test) Chdir(dir string) {
	s := t.state()
	if s == nil {
		t.TB.Chdir(dir)
		return
	}
	s.standAlone()
	noteTest("the order of changes of the working directory does not matter", "testing.T.Chdir")
	old, err := os.Getwd()
	if err == nil {
		err = os.Chdir(dir)
	}
	if err != nil {
		s.say(fixed("Chdir: "+err.Error()), true)
		s.failNow()
	}
	s.undoLater(func() { _ = os.Chdir(old) })
	if now, err := os.Getwd(); err == nil && runtime.GOOS != "windows" && runtime.GOOS != "plan9" {
		s.setenv("PWD", now)
	}
}

// Attr is testing.T.Attr: an execution has no attributes, but refuses those that Go does.
//
//go:norace
func (t Test) Attr(key, value string) {
	s := t.state()
	switch {
	case s == nil:
		t.TB.Attr(key, value)
	case strings.ContainsFunc(key, unicode.IsSpace):
		s.say(text("disallowed whitespace in attribute key %q", []any{key}), true)
	case strings.ContainsAny(value, "\r\n"):
		s.say(text("disallowed newline in attribute value %q", []any{value}), true)
	}
}

// Output is testing.T.Output: what is written is logged.
//
//go:norace
func (t Test) Output() io.Writer {
	if s := t.state(); s != nil {
		return testOutput{s}
	}
	return t.TB.Output()
}

type testOutput struct{ s *testState }

// Write logs p.
//
//go:norace
func (o testOutput) Write(p []byte) (int, error) {
	o.s.say(fixed(string(p)), false)
	return len(p), nil
}
