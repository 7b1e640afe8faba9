package pointed

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

// anew checks a body in two executions, each of which begins with the variables as they were.
func anew(t *testing.T, body func(x *model.Exec)) {
	t.Helper()
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		for range 2 {
			x.Go("either", func() { mu.Lock(); defer mu.Unlock() })
		}
		x.Join()
		body(x)
	})
}

// verdict: proved, 2 traces
func TestTime(t *testing.T) {
	anew(t, func(x *model.Exec) { x.Assert(limit.wait(5e9) == 105, "it was another time") })
}

// verdict: proved, 2 traces
func TestError(t *testing.T) {
	anew(t, func(x *model.Exec) {
		err := errors.New("of this execution")
		x.Assert(all.fail(err) == err, "it was another error")
	})
}

// verdict: proved, 2 traces
func TestFlags(t *testing.T) {
	anew(t, func(x *model.Exec) { x.Assert(!parse("-v"), "it was set") })
}

// verdict: proved, 2 traces
func TestTarget(t *testing.T) {
	anew(t, func(x *model.Exec) {
		before := note(fmt.Errorf("outer: %w", codeError{3}))
		x.Assert(before == 0, "it was %d", before)
	})
}

// verdict: proved, 2 traces
func TestTypesThatPointAtEachOther(t *testing.T) {
	anew(t, func(x *model.Exec) {
		x.Assert(idle.name() == "server", "another name")
		n := peer.call()
		x.Assert(n == 1, "it is call %d", n)
	})
}
