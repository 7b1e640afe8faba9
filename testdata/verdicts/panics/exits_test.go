package panics

import (
	"runtime"
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

// Package testing fails a test whose function ends so: what comes after it was not tested.
//
// verdict: FAILED the body called runtime.Goexit
func TestBodyExits(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("other", func() {})
		runtime.Goexit()
	})
}

// verdict: FAILED TestSubtestExits/sub called runtime.Goexit
func TestSubtestExits(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		t.Run("sub", func(*testing.T) { runtime.Goexit() })
	})
}

// verdict: proved, 2 traces
func TestExitRunsDeferredFunctions(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		for range 2 {
			x.Go("exits", func() {
				mu.Lock()
				defer mu.Unlock()
				runtime.Goexit()
			})
		}
		x.Join()
	})
}

// verdict: proved
func TestExitEndsAPanic(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		n := 0
		x.Go("exits", func() {
			defer func() { n++ }()
			defer runtime.Goexit()
			panic("lost")
		})
		x.Join()
		x.Assert(n == 1, "n is %d", n)
	})
}

// verdict: proved
func TestRecoveryDoesNotEndAnExit(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		wentOn := false
		x.Go("exits", func() {
			func() {
				defer func() { _ = recover() }()
				defer func() { panic("while exiting") }()
				runtime.Goexit()
			}()
			wentOn = true
		})
		x.Join()
		x.Assert(!wentOn, "went on")
	})
}

// verdict: FAILED panicked: while exiting
func TestPanicWhileExiting(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("exits", func() {
			defer func() { panic("while exiting") }()
			runtime.Goexit()
		})
		x.Join()
	})
}

func tooDeep() any { return recover() }

// verdict: FAILED panicked: not recovered
func TestRecoverIsDeferredItself(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		defer recover()
		panic("not recovered")
	})
}

// verdict: FAILED panicked: not recovered
func TestRecoverOfACalledFunction(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		defer func() { tooDeep() }()
		panic("not recovered")
	})
}

// verdict: proved
func TestRecoverIsDeferredByADeferredFunction(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		defer func() { defer recover() }()
		panic("recovered")
	})
}

type catcher struct{ n int }

func (c *catcher) catch() {
	if recover() != nil {
		c.n++
	}
}

// verdict: proved
func TestRecoverOfAMethod(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := &catcher{}
		func() {
			defer c.catch()
			f := c.catch
			defer f()
			panic(1)
		}()
		x.Assert(c.n == 1, "n is %d", c.n)
	})
}

// verdict: FAILED deadlock
func TestRecoveredWithTheLockHeld(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		for range 2 {
			x.Go("panics", func() {
				defer func() { _ = recover() }()
				mu.Lock()
				panic("held")
			})
		}
		x.Join()
	})
}

type locks struct{ mu sync.Mutex }

func (l *locks) Error() string {
	l.mu.Lock()
	return "locked"
}

// The text of the panic would wait for a lock that nobody releases.
//
// verdict: FAILED panic
func TestPanicValueThatLocks(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		l := &locks{}
		l.mu.Lock()
		panic(l)
	})
}
