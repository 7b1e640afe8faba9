// Package pairs has checks of package variables that one initialiser or one init function sets
// together, where TestMain sets a closure that may lead to some of them.
package pairs

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

type counter struct{ n int }

func counting() (*counter, func()) {
	c := new(counter)
	return c, func() { c.n++ }
}

var (
	c, inc      = counting()
	ctx, cancel = context.WithCancel(context.Background())
	hook        func()

	byInit   *counter
	incAgain func()

	parts  = [1]*counter{}
	incTwo = func() func() { parts[0] = new(counter); p := parts[0]; return func() { p.n++ } }()
)

func init() { byInit, incAgain = counting() }

func TestMain(m *testing.M) {
	calls := 0
	hook = func() { calls++ }
	os.Exit(m.Run())
}

// counts checks that two goroutines which call inc add two to what get returns.
func counts(t *testing.T, get func() int, inc func()) {
	t.Helper()
	model.Check(t, func(x *model.Exec) {
		hook()
		before := get()
		var mu sync.Mutex
		for range 2 {
			x.Go("adder", func() { mu.Lock(); defer mu.Unlock(); inc() })
		}
		x.Join()
		x.Assert(get() == before+2, "%d", get())
	})
}

// verdict: said hook .not made anew
func TestPairOfOneInitialiser(t *testing.T) {
	counts(t, func() int { return c.n }, func() { inc() })
}

// verdict: said incAgain.* .not made anew: it is set together
func TestPairOfAnInitFunction(t *testing.T) {
	counts(t, func() int { return byInit.n }, func() { incAgain() })
}

// verdict: said hook .not made anew
func TestPairOfWhichOneIsChanged(t *testing.T) {
	counts(t, func() int { return parts[0].n }, func() { incTwo() })
}

// verdict: undecided the end of a context that was made outside of the check
func TestContextAndItsCancel(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		hook()
		x.Go("canceller", func() { cancel() })
		x.Go("waiter", func() { <-ctx.Done() })
		x.Join()
	})
}
