package sentinels

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

var all = func() []error {
	return []error{
		errClosed, errMissing, errOpen, errLimit, errLeft, errRight, errByName["closed"],
		errByName["own"], errList[0], settings.err,
	}
}

// What stands outside of the body is the same error, in each of two executions.
//
// verdict: proved, 2 traces
func TestTableOfErrors(t *testing.T) { same(t, func() int { return 1 }) }

// verdict: proved, 2 traces
func TestTableOfErrorsBesideOneWithAState(t *testing.T) {
	same(t, func() int { return errCrowded.(*crowded).count() })
}

func same(t *testing.T, count func() int) {
	want := all()
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		for range 2 {
			x.Go("either", func() { mu.Lock(); defer mu.Unlock() })
		}
		x.Join()
		limit++
		for i, err := range all() {
			wrapped := fmt.Errorf("%d of %s: %w", i, missing(err), err)
			x.Assert(errors.Is(wrapped, want[i]), "%v is another one", wrapped)
		}
		x.Assert(limit == 4 && count() == 1, "executions before have left something")
	})
}
