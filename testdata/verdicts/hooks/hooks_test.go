// Package hooks has state that is changed by what TestMain puts into variables.
package hooks

import (
	"os"
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

var (
	hook            func() int
	object          interface{ do() int }
	called, invoked int
)

type doer struct{}

func (doer) do() int { invoked++; return invoked }

func TestMain(m *testing.M) {
	hook = func() int { called++; return called }
	object = doer{}
	os.Exit(m.Run())
}

// anew checks that what call returns is the same in each of two executions.
func anew(t *testing.T, want int, call func() int) {
	t.Helper()
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		for range 2 {
			x.Go("either", func() { mu.Lock(); defer mu.Unlock() })
		}
		x.Join()
		got := call()
		x.Assert(got == want, "%d", got)
	})
}

// verdict: proved, 2 traces
func TestFunctionOfTestMain(t *testing.T) { anew(t, 1, func() int { return hook() }) }

// verdict: proved, 2 traces
func TestObjectOfTestMain(t *testing.T) { anew(t, 1, func() int { return object.do() }) }
