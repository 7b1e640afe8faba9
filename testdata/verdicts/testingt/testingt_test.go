// Package testingt has checks whose bodies use a *testing.T.
package testingt

import (
	"context"
	"os"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/testdata/verdicts/testingt/other"
)

// lose adds twice to a counter, and loses one addition in some executions.
func lose() int {
	var n atomic.Int64
	done := make(chan int)
	go func() {
		n.Store(n.Load() + 1)
		done <- 1
	}()
	n.Store(n.Load() + 1)
	<-done
	return int(n.Load())
}

// verdict: FAILED testingt_test.go:34: lost update: n is 1\n
func TestErrorf(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		if n := lose(); n != 2 {
			t.Errorf("lost update: n is %d", n)
		}
	})
}

// verdict: FAILED :42: the value is 42\n
func TestFatalf(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		t.Fatalf("the value is %d", 42)
	})
}

// verdict: FAILED :49: first\n\ttestingt_test.go:50: second 2\n
func TestErrorGoesOn(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		t.Error("first")
		t.Error("second", 2)
	})
}

// verdict: FAILED :57: before: 1\n\ttestingt_test.go:58: Fail was called\n
func TestLogsAreShown(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		t.Logf("before: %d", 1)
		t.Fail()
	})
}

// verdict: FAILED (?s)panic.*:65: before
func TestLogsOfAPanic(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		t.Log("before")
		panic("at last")
	})
}

// verdict: FAILED :76: zero\n
func TestErrorOfAGoroutine(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int32
		x.Go("look", func() {
			if n.Load() == 0 {
				t.Error("zero")
			}
		})
		x.Go("add", func() { n.Add(1) })
		x.Join()
	})
}

// verdict: FAILED :89: zero\n
func TestFatalOfAGoroutine(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		done := make(chan bool)
		go func() {
			fail := t.Fatal
			fail("zero")
			close(done)
		}()
		<-done
	})
}

// verdict: proved
func TestFailedStartsFalse(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Assert(!t.Failed(), "failed before anything")
		lose()
	})
}

// verdict: FAILED (?s)Error Trace:.*Not equal.*expected: 2.*actual *: 1
func TestAssert(t *testing.T) {
	model.Check(t, func(*model.Exec) { assert.Equal(t, 2, lose()) })
}

// verdict: FAILED (?s)Not equal.*expected: 2.*actual *: 1
func TestRequire(t *testing.T) {
	model.Check(t, func(*model.Exec) { require.Equal(t, 2, lose()) })
}

// verdict: FAILED (?s)Not equal.*expected: 2.*actual *: 1
func TestAssertionsMadeOutside(t *testing.T) {
	r := require.New(t)
	model.Check(t, func(*model.Exec) { r.Equal(2, lose()) })
}

// verdict: FAILED testingt_test.go:\d+: other: got 1, want 2\n
func TestHelperOfAnotherPackage(t *testing.T) {
	model.Check(t, func(*model.Exec) { other.Check(t, lose(), 2) })
}

// verdict: FAILED (?s)testingt_test.go:\d+: .*Not equal.*Messages: *.other
func TestInterfaceInAnotherPackage(t *testing.T) {
	model.Check(t, func(*model.Exec) { other.Require(t, lose(), 2) })
}

// verdict: FAILED other.go:\d+: reported: got 1, want 2\n
func TestInterfaceOfAnotherPackage(t *testing.T) {
	model.Check(t, func(*model.Exec) { other.Report(t, lose(), 2) })
}

// verdict: FAILED (?s)generic: got 1, want 2.*Not equal
func TestTypeParameter(t *testing.T) {
	model.Check(t, func(*model.Exec) { other.Generic(t, lose(), 2) })
}

// verdict: FAILED (?s)generic: got 1, want 2.*Not equal
func TestTypeParameterIsTB(t *testing.T) {
	var tb testing.TB = t
	model.Check(tb, func(*model.Exec) { other.Generic(tb, lose(), 2) })
}

// verdict: FAILED bound: 1\n
func TestMethodValue(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		report := t.Errorf
		if n := lose(); n != 2 {
			report("bound: %d", n)
		}
	})
}

// verdict: FAILED bound outside: 1\n
func TestMethodValueMadeOutside(t *testing.T) {
	report := t.Errorf
	model.Check(t, func(*model.Exec) {
		if n := lose(); n != 2 {
			report("bound outside: %d", n)
		}
	})
}

// verdict: FAILED expression: 1\n
func TestMethodExpression(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		report := testing.TB.Errorf
		if n := lose(); n != 2 {
			report(t, "expression: %d", n)
		}
	})
}

type fixture struct {
	t  *testing.T
	tb testing.TB
}

// verdict: FAILED (?s)field 1.*field of an interface 1.*Not equal
func TestFields(t *testing.T) {
	f := fixture{t, t}
	model.Check(t, func(*model.Exec) {
		if n := lose(); n != 2 {
			f.t.Errorf("field %d", n)
			f.tb.Errorf("field of an interface %d", n)
			assert.Equal(f.tb, 2, n)
		}
	})
}

type suite struct{ *testing.T }

type suiteTB struct{ testing.TB }

// verdict: FAILED (?s)embedded 1.*embedded interface 1.*Not equal.*Not equal
func TestEmbedded(t *testing.T) {
	s, b := &suite{t}, suiteTB{t}
	model.Check(t, func(*model.Exec) {
		if n := lose(); n != 2 {
			s.Errorf("embedded %d", n)
			b.Errorf("embedded interface %d", n)
			assert.Equal(s, 2, n)
			assert.Equal(b, 2, n)
		}
	})
}

// verdict: proved
func TestIdentity(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var tb testing.TB = t
		got, ok := tb.(*testing.T)
		x.Assert(ok && got == t && tb == t, "the same test")
		switch v := any(tb).(type) {
		case *testing.T:
			x.Assert(v == t, "the same test")
		default:
			x.Assert(false, "%T", v)
		}
	})
}

// verdict: proved
func TestCleanup(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var order []int
		t.Cleanup(func() { x.Assert(len(order) == 2 && order[0] == 2 && order[1] == 1, "%v", order) })
		t.Cleanup(func() { order = append(order, 1) })
		t.Cleanup(func() { order = append(order, 2) })
		lose()
	})
}

// verdict: proved
func TestCleanupStopsGoroutines(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		stop := make(chan bool)
		t.Cleanup(func() { close(stop) })
		go func() { <-stop }()
	})
}

// verdict: FAILED late: true\n
func TestErrorInACleanup(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		t.Cleanup(func() { t.Errorf("late: %v", t.Context().Err() != nil) })
		t.Context()
	})
}

// verdict: FAILED leak
func TestLeakAfterCleanup(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		t.Cleanup(func() {})
		go func() { select {} }()
	})
}

// verdict: proved
func TestContext(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		x.Assert(ctx.Err() == nil, "cancelled at the start")
		go func() { <-t.Context().Done() }()
	})
}

// verdict: undecided (?s)skip before Check: not here
func TestSkipInside(t *testing.T) {
	model.Check(t, func(*model.Exec) { t.Skip("not here") })
}

// verdict: proved
func TestSubtest(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var order []string
		ok := t.Run("a b", func(sub *testing.T) {
			sub.Cleanup(func() { order = append(order, "cleanup") })
			order = append(order, sub.Name())
			x.Assert(!sub.Failed() && sub.Context().Err() == nil, "a fresh test")
		})
		x.Assert(ok && !t.Failed(), "passed")
		assert.Equal(t, []string{"TestSubtest/a_b", "cleanup"}, order)
	})
}

// verdict: proved
func TestSubtestSkipped(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		skipped := false
		t.Run("a", func(sub *testing.T) {
			defer func() { skipped = sub.Skipped() }()
			sub.SkipNow()
			x.Assert(false, "after Skip")
		})
		x.Assert(skipped && !t.Skipped(), "only the subtest")
	})
}

// verdict: FAILED wrong in a: 1\n
func TestSubtestFails(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ok := t.Run("a", func(sub *testing.T) {
			if n := lose(); n != 2 {
				sub.Errorf("wrong in a: %d", n)
			}
		})
		x.Assert(ok != t.Failed(), "the parent fails with it")
	})
}

// verdict: proved
func TestSubtestParallel(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		returned := false
		for range 2 {
			t.Run("a", func(sub *testing.T) {
				sub.Parallel()
				x.Assert(returned, "the body goes on")
			})
		}
		returned = true
	})
}

// verdict: undecided t.Parallel in the body of a check
func TestParallelInABody(t *testing.T) {
	model.Check(t, func(*model.Exec) { t.Parallel() })
}

// verdict: proved
func TestTempDirAndSetenv(t *testing.T) {
	was := os.Getenv("SUREWAKE_TESTINGT")
	model.Check(t, func(x *model.Exec) {
		x.Assert(os.Getenv("SUREWAKE_TESTINGT") == was, "set by the execution before")
		t.Setenv("SUREWAKE_TESTINGT", "1")
		x.Assert(os.Getenv("SUREWAKE_TESTINGT") == "1", "not set")
		_, err := os.Stat(t.TempDir())
		require.NoError(t, err)
		lose()
	})
}

// verdict: FAILED race
func TestLogsMakeNoEdges(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		n := 0
		x.Go("a", func() {
			n++
			t.Log("a")
			assert.Equal(t, 1, 1)
		})
		x.Go("b", func() {
			t.Helper()
			t.Logf("b %d", 1)
			assert.True(t, !t.Failed())
			n++
		})
		x.Join()
	})
}

// verdict: proved
func TestLogsAreNoRace(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for range 2 {
			x.Go("log", func() {
				t.Cleanup(func() {})
				t.Logf("one %d", 1)
				t.Log(t.Name())
			})
		}
		x.Join()
	})
}

// verdict: proved
func TestContextFirstAskedForInACleanup(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		t.Cleanup(func() {
			if t.Context().Err() == nil {
				t.Error("it has not ended")
			}
		})
	})
}
