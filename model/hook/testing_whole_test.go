//go:build !race

// The engine is compiled without instrumentation when the race detector watches; these tests run it
// in their own binary, which is instrumented.

package hook_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

// exploreWhole explores f as an ordinary test, and calls end after each complete execution. f calls
// hooks as its rewritten text would.
func exploreWhole(t *testing.T, f func(hook.Test), end func()) explore.Result {
	t.Helper()
	cfg := explore.Config{
		Preemptions: -1, Begin: hook.ResetTests, Failed: hook.TestsFailed,
		End: func() *explore.Failure {
			end()
			return nil
		},
	}
	real := new(testing.T) // what an execution says of it must not reach t
	defer hook.ResetTests()
	return explore.Run(cfg, func() {
		hook.RunWhole(real, func(t *testing.T) { f(hook.TestT(t)) })
	})
}

func wrapped(f func(hook.Test)) func(*testing.T) {
	return func(t *testing.T) { f(hook.TestT(t)) }
}

func TestParallelSubtestsWaitForTheEndOfTheFunction(t *testing.T) {
	var order []string
	res := exploreWhole(t, func(t hook.Test) {
		order = nil
		t.Cleanup(func() { order = append(order, "cleanup") })
		for _, name := range []string{"a", "b"} {
			t.Run(name, wrapped(func(t hook.Test) {
				order = append(order, "before")
				t.Parallel()
				order = append(order, "after")
			}))
		}
		t.Run("c", wrapped(func(t hook.Test) { order = append(order, "sequential") }))
		order = append(order, "returns")
	}, func() {
		require.Equal(t, "before before sequential returns after after cleanup",
			strings.Join(order, " "))
	})
	require.Nil(t, res.Failure)
	require.NotZero(t, res.Complete)
}

// The context of a test ends with its function, whoever asks for it, and when: that is tried out.
func TestTheContextOfATestEndsWithItsFunction(t *testing.T) {
	res := exploreWhole(t, func(t hook.Test) {
		t.Cleanup(func() {
			if t.Context().Err() == nil {
				t.Error("it goes on in a cleanup")
			}
		})
	}, func() {})
	require.Nil(t, res.Failure)
	late := 0
	res = exploreWhole(t, func(t hook.Test) {
		done := make(chan bool)
		t.Cleanup(func() { hook.Recv(done) })
		hook.Go(func() {
			if t.Context().Err() != nil {
				late++
			}
			hook.Close(done)
		})
	}, func() {})
	require.Nil(t, res.Failure)
	require.Positive(t, late)
	require.Contains(t, strings.Join(res.Assumed, "\n"), "do so each time")
}

// Several goroutines register cleanups, or start subtests of one name: both orders are tried out.
func TestWhatGoroutinesTellATestIsTriedOutInBothOrders(t *testing.T) {
	last := 0
	two := func(say func(i int)) {
		var done [2]chan bool
		for i := range done {
			done[i] = make(chan bool)
			hook.Go(func() { say(i); hook.Close(done[i]) })
		}
		hook.Recv(done[0])
		hook.Recv(done[1])
	}
	for what, f := range map[string]func(t hook.Test){
		"cleanups": func(t hook.Test) {
			two(func(i int) { t.Cleanup(func() { last = i }) })
		},
		"subtests": func(t hook.Test) {
			two(func(i int) {
				t.Run("x", wrapped(func(t hook.Test) {
					if strings.HasSuffix(t.Name(), "#01") {
						last = i
					}
				}))
			})
		},
	} {
		seen := map[int]bool{}
		res := exploreWhole(t, f, func() { seen[last] = true })
		require.Nil(t, res.Failure, what)
		require.Len(t, seen, 2, what)
	}
}

// A cleanup may skip the test or end its goroutine, after which the others run and the test is
// over; a panic there is one.
func TestACleanupEndsItsGoroutine(t *testing.T) {
	for what, end := range map[string]func(t hook.Test){
		"SkipNow": func(t hook.Test) { t.SkipNow() },
		"Goexit":  func(hook.Test) { hook.Goexit() },
		"panic":   func(hook.Test) { panic("in a cleanup") },
	} {
		ran := 0
		res := exploreWhole(t, func(t hook.Test) {
			ran = 0
			t.Cleanup(func() { ran++ })
			t.Cleanup(func() { end(t) })
			t.Cleanup(func() { ran++ })
		}, func() { require.Equal(t, 2, ran, what) })
		if what != "panic" {
			require.Nil(t, res.Failure, what)
			require.NotZero(t, res.Complete, what)
			continue
		}
		require.NotNil(t, res.Failure)
		require.Equal(t, explore.KindPanic, res.Failure.Kind)
		require.Equal(t, 2, ran)
	}
}

func TestMethodsOfANilTestPanic(t *testing.T) {
	res := exploreWhole(t, func(hook.Test) { hook.TestT(nil).Log("nobody") }, func() {})
	require.NotNil(t, res.Failure)
	require.Equal(t, explore.KindPanic, res.Failure.Kind)
}

func TestAnErrorAfterTheEndOfATestPanics(t *testing.T) {
	for kind, say := range map[explore.Kind]func(t hook.Test){
		explore.KindPanic:  func(t hook.Test) { t.Log("late") },
		explore.KindAssert: func(t hook.Test) { t.Error("late") }, // at whatever time
	} {
		res := exploreWhole(t, func(t hook.Test) {
			begun := make(chan bool)
			hook.Go(func() {
				hook.Close(begun)
				say(t)
			})
			hook.Recv(begun)
		}, func() {})
		require.NotNil(t, res.Failure)
		require.Equal(t, kind, res.Failure.Kind)
		if kind == explore.KindPanic {
			require.Contains(t, res.Failure.Message, "Log in goroutine after  has completed: late")
		}
	}
}

func TestWhatATestLeavesBehindIsNamed(t *testing.T) {
	res := exploreWhole(t, func(hook.Test) {
		hook.Go(func() { hook.Recv(make(chan int)) })
	}, func() {})
	require.Nil(t, res.Failure)
	require.Equal(t, []string{
		"goroutines may outlive the test, which is no failure: go#2 waits in channel receive",
	}, res.Assumed)

	// What waits while the test does is a deadlock.
	res = exploreWhole(t, func(hook.Test) { hook.Recv(make(chan int)) }, func() {})
	require.NotNil(t, res.Failure)
	require.Equal(t, explore.KindDeadlock, res.Failure.Kind)
}

func TestSkippedTestsAreReported(t *testing.T) {
	var skipped []hook.SkippedTest
	res := exploreWhole(t, func(t hook.Test) {
		t.Run("sub", wrapped(func(t hook.Test) { t.Skip("first") }))
		t.Skipf("then %d", 2)
	}, func() { skipped = hook.SkippedTests() })
	require.Nil(t, res.Failure)
	require.Len(t, skipped, 2)
	require.Equal(t, "/sub first", skipped[0].Name+" "+skipped[0].Why)
	require.Equal(t, "then 2", skipped[1].Why)
}

func TestSubtestsAreSelectedByThePartsOfTheirNames(t *testing.T) {
	defer func() { require.NoError(t, hook.SelectSubtests(nil)) }()
	var ran []string
	run := func() string {
		res := exploreWhole(t, func(t hook.Test) {
			ran = nil
			for _, name := range []string{"a", "b", "ab", "b/c"} {
				t.Run(name, wrapped(func(t hook.Test) {
					ran = append(ran, t.Name())
					t.Run("x", wrapped(func(t hook.Test) { ran = append(ran, t.Name()) }))
				}))
			}
		}, func() {})
		require.Nil(t, res.Failure)
		return strings.Join(ran, " ")
	}
	require.NoError(t, hook.SelectSubtests([]string{"b"}))
	require.Equal(t, "/b /b/x /ab /ab/x /b/c /b/c/x", run())
	require.Equal(t, []string{"/b", "/ab", "/b/c"}, hook.MatchedSubtests())

	hook.OnlySubtest("/ab")
	require.False(t, hook.OnlySubtestRan())
	require.Equal(t, "/ab /ab/x", run())
	require.True(t, hook.OnlySubtestRan())
	require.Len(t, hook.MatchedSubtests(), 3)

	hook.OnlySubtest("/absent")
	require.Empty(t, run())
	require.False(t, hook.OnlySubtestRan())

	require.NoError(t, hook.SelectSubtests([]string{"^b$", "y"}))
	require.Equal(t, "/b", run())
	require.Empty(t, hook.MatchedSubtests())
	require.Error(t, hook.SelectSubtests([]string{"("}))
}
