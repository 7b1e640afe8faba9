package remade

import (
	"errors"
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

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
func TestMethodValue(t *testing.T) { anew(t, 2, func() int { return incStd() + std.n }) }

// verdict: proved, 2 traces
func TestMethodValueOfItsOwn(t *testing.T) { anew(t, 1, func() int { return next() }) }

// verdict: proved, 2 traces
func TestClosureInAStruct(t *testing.T) { anew(t, 1, func() int { return inStruct.next() }) }

// verdict: proved, 2 traces
func TestClosureInAMap(t *testing.T) { anew(t, 1, func() int { return inMap["a"]() }) }

// verdict: proved, 2 traces
func TestClosureOfInit(t *testing.T) { anew(t, 1, func() int { return filled["a"]() }) }

// verdict: proved, 2 traces
func TestClosureOfALocal(t *testing.T) { anew(t, 1, func() int { return direct[0]() }) }

// verdict: proved, 2 traces
func TestClosureOfAMethod(t *testing.T) { anew(t, 1, func() int { return byMethod() }) }

// verdict: proved, 2 traces
func TestClosureOfTwoResults(t *testing.T) { anew(t, 1, func() int { return ofTwo() }) }

// verdict: proved, 2 traces
func TestClosuresThatShare(t *testing.T) {
	anew(t, 2, func() int { return ops.inc() + ops.get() })
}

// verdict: proved, 2 traces
func TestClosureThatIsRangedOver(t *testing.T) {
	anew(t, 1, func() int {
		for n := range sequence.all {
			return n
		}
		return 0
	})
}

// verdict: proved, 2 traces
func TestNested(t *testing.T) { anew(t, 1, func() int { return incNested(nested) }) }

// verdict: proved, 2 traces
func TestEmbedded(t *testing.T) { anew(t, 1, func() int { return incEmbedded(embedded) }) }

// verdict: proved, 2 traces
func TestMethodExpression(t *testing.T) {
	anew(t, 1, func() int { return incExpression(byExpression) })
}

// verdict: proved, 2 traces
func TestCopied(t *testing.T) {
	anew(t, 0, func() int { v := copied.buf[0]; copied.fill(1); return v })
}

// verdict: proved, 2 traces
func TestSliced(t *testing.T) {
	anew(t, 0, func() int { v := sliced.buf[0]; sliced.first(1); return v })
}

// verdict: proved, 2 traces
func TestDecoded(t *testing.T) {
	anew(t, 0, func() int { v := decoded.N; decode(`{"N": 1}`); return v })
}

// verdict: proved, 2 traces
func TestGeneric(t *testing.T) {
	anew(t, 0, func() int { v := generic.N; set(generic, genericOne); return v })
}

// verdict: proved, 2 traces
func TestRanged(t *testing.T) {
	anew(t, 0, func() int { v := ranged.N; ranged.last([]int{1}); return v })
}

// verdict: proved, 2 traces
func TestReturned(t *testing.T) {
	anew(t, 0, func() int { v := returned.N; setField(anything()); return v })
}

// verdict: proved, 2 traces
func TestConverted(t *testing.T) {
	anew(t, 0, func() int { v := converted.N; converted.convert(); return v })
}

// verdict: proved, 2 traces
func TestErrorsAreTheSame(t *testing.T) {
	anew(t, 1, func() int {
		_ = errState.Error()
		if !errors.Is(errOuter, errState) || !errors.Is(errAbout, errState) {
			return -1
		}
		return errState.failures
	})
}

// verdict: proved, 2 traces
func TestErrorWithAState(t *testing.T) { anew(t, 1, ask) }

// verdict: proved, 2 traces
func TestCalledByAnInterface(t *testing.T) {
	anew(t, 1, func() int { return drivers["disk"].use() })
}

// verdict: proved, 2 traces
func TestCalledAsALiteral(t *testing.T) {
	anew(t, 1, func() int { v := ready; ready = 5; return v })
}

// verdict: proved, 2 traces
func TestCalledByAVariable(t *testing.T) {
	anew(t, 1, func() int { v := assigned; assigned = 5; return v })
}

// verdict: FAILED race
func TestCalledByATable(t *testing.T) { model.Check(t, func(x *model.Exec) { loud = false }) }

// verdict: FAILED race
func TestReadByAGoroutineOfInit(t *testing.T) {
	model.Check(t, func(x *model.Exec) { verbose = false })
}

// verdict: FAILED race
func TestReadByATimerOfInit(t *testing.T) {
	model.Check(t, func(x *model.Exec) { hook = nil })
}

// verdict: FAILED assert
func TestStartedTwice(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var started [2]bool
		for i := range started {
			x.Go("starter", func() { started[i] = start() })
		}
		x.Join()
		x.Assert(!started[0] || !started[1], "started twice")
	})
}
