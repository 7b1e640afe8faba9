// Package skipped has tests that are skipped, which is no verdict about a check.
package skipped

import (
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

func check(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int32
		x.Go("add", func() { n.Add(1) })
		n.Add(1)
		x.Join()
		x.Assert(n.Load() == 2, "lost")
	})
}

// verdict: skipped needs a file
func TestSkip(t *testing.T) {
	t.Skip("needs a file")
	check(t)
}

// verdict: skipped needs 2 files
func TestSkipByAHelper(t *testing.T) {
	need(t, 2)
	check(t)
}

func need(t testing.TB, files int) {
	t.Helper()
	t.Skipf("needs %d files", files)
}

// verdict: skipped SkipNow was called
func TestSkipNow(t *testing.T) {
	if skip := t.SkipNow; !testing.Short() {
		skip()
	}
	check(t)
}

// verdict: proved
func TestSkipAfterwards(t *testing.T) {
	check(t)
	t.Skip("nothing else to do")
}

// verdict: FAILED before
func TestErrorBeforeSkip(t *testing.T) {
	t.Error("before")
	t.Skip("after")
	check(t)
}

// verdict: bounded the race run skips it: too slow
func TestSkippedUnderRace(t *testing.T) {
	if underRace {
		t.Skip("too slow")
	}
	check(t)
}

// verdict: proved
func TestSkippedPlainly(t *testing.T) {
	if !underRace {
		t.Skip("is about races")
	}
	check(t)
}

// verdict: undecided ended without running a check
func TestNothing(t *testing.T) {
	if testing.Short() {
		check(t)
	}
}
