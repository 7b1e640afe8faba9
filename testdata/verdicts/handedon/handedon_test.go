package handedon

import (
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
func TestErrorMade(t *testing.T) { anew(t, 1, func() int { return ask(errMade) }) }

// verdict: proved, 2 traces
func TestErrorOfTwo(t *testing.T) { anew(t, 1, func() int { return ask(errFirst) }) }

// verdict: proved, 2 traces
func TestErrorWrapped(t *testing.T) { anew(t, 1, func() int { return ask(errWrapped) }) }

// verdict: proved, 2 traces
func TestErrorJoined(t *testing.T) { anew(t, 1, func() int { return ask(errJoined) }) }

// verdict: proved, 2 traces
func TestErrorInAMap(t *testing.T) { anew(t, 1, func() int { return ask(errByNumber[1]) }) }

// verdict: proved, 2 traces
func TestErrorInASlice(t *testing.T) { anew(t, 1, func() int { return ask(errListed[0]) }) }

// verdict: proved, 2 traces
func TestErrorInAStruct(t *testing.T) { anew(t, 1, func() int { return ask(errHeld.err) }) }

// verdict: proved, 2 traces
func TestErrorOfInit(t *testing.T) { anew(t, 1, func() int { return ask(errOfInit) }) }

// verdict: proved, 2 traces
func TestErrorThatIsAFunction(t *testing.T) { anew(t, 1, func() int { return errCalled.(function)() }) }

// verdict: proved, 2 traces
func TestErrorInAnError(t *testing.T) { anew(t, 1, func() int { return ask(errPair.second) }) }

// verdict: proved, 2 traces
func TestErrorConverted(t *testing.T) { anew(t, 1, func() int { return ask(errConverted) }) }

// verdict: proved, 2 traces
func TestErrorThatIsSet(t *testing.T) { anew(t, 1, func() int { return ask(errSet) }) }

// verdict: proved, 2 traces
func TestErrorThatIsGiven(t *testing.T) { anew(t, 1, func() int { return ask(errGiven) }) }

// What stands outside of the body is the same error.
//
// verdict: proved, 1 traces
func TestErrorsThatNobodyChanges(t *testing.T) {
	want := []error{
		errPlain, errEOF, errOwn, errBuilt, errSame, errNil,
	}
	model.Check(t, func(x *model.Exec) {
		got := []error{
			errPlain, errEOF, errOwn, errBuilt, errSame, errNil,
		}
		for i := range want {
			x.Assert(got[i] == want[i], "%d: %v is another one", i, got[i])
			_ = ask(got[i])
		}
	})
}

// verdict: proved, 2 traces
func TestErrorWithAnEmbeddedState(t *testing.T) {
	anew(t, 1, func() int { return incremented(errCounted) })
}

// verdict: proved, 2 traces
func TestErrorWithAStateOfTheLibrary(t *testing.T) {
	anew(t, first(), func() int { return draws(errSeeded) })
}

func first() int {
	s := seeded{}
	return draws(&s)
}

// verdict: proved, 2 traces
func TestErrorWithAnEmbeddedArray(t *testing.T) {
	anew(t, 1, func() int { return incremented(errTallied) })
}

// verdict: proved, 2 traces
func TestErrorOfTheLibrary(t *testing.T) {
	anew(t, 5, func() int { return len(nameAgain(errOfLibrary)) })
}

// verdict: proved, 2 traces
func TestErrorThatIsDecoded(t *testing.T) {
	anew(t, 5, func() int { n := len(errTexted.Text); decodeError(errTexted); return n })
}

// verdict: proved, 2 traces
func TestErrorWithoutAName(t *testing.T) {
	anew(t, 1, func() int {
		e := errAnonymous.(*struct {
			error
			n int
		})
		e.n++
		return e.n
	})
}

// verdict: proved, 2 traces
func TestErrorOfACall(t *testing.T) { anew(t, 1, func() int { return ask(errOfCall) }) }

// verdict: proved, 2 traces
func TestErrorsInAnotherOrder(t *testing.T) { anew(t, 0, firstOfBoth) }

// verdict: proved, 2 traces
func TestErrorThatIsSliced(t *testing.T) { anew(t, 1, slice) }

// verdict: proved, 2 traces
func TestErrorsKeptByInit(t *testing.T) { anew(t, 1, kept) }

// verdict: proved, 2 traces
func TestFunctionCopied(t *testing.T) { anew(t, 1, func() int { return copied() }) }

// verdict: proved, 2 traces
func TestFunctionInAStruct(t *testing.T) { anew(t, 1, func() int { return held.f() }) }

// verdict: proved, 2 traces
func TestFunctionInAnArray(t *testing.T) { anew(t, 1, func() int { return listed[0]() }) }

// verdict: proved, 2 traces
func TestFunctionRenamed(t *testing.T) { anew(t, 1, func() int { return renamed() }) }

// verdict: proved, 2 traces
func TestFunctionOfInit(t *testing.T) { anew(t, 1, func() int { return ofInit() }) }

// verdict: proved, 2 traces
func TestDecodedAsAnInterface(t *testing.T) {
	anew(t, 0, func() int { n := namer.N; decodeNamer(namer); return n })
}

// verdict: proved, 2 traces
func TestDecodedAsATypeParameter(t *testing.T) {
	anew(t, 0, func() int { n := parameter.N; decodeAny(parameter); return n })
}

// verdict: proved, 2 traces
func TestDecodedAsOneOfTwoResults(t *testing.T) {
	anew(t, 0, func() int { n := result.N; v, _ := anyAndError(); decode(v); return n })
}

// verdict: proved, 2 traces
func TestDecodedAsOneOfTwoArguments(t *testing.T) {
	anew(t, 0, func() int { n := argument.N; decodeFirst(twoArguments()); return n })
}

// verdict: proved, 2 traces
func TestDecodedAsOneOfTwoValues(t *testing.T) {
	anew(t, 0, func() int { n := oneOfTwo.N; decodeAssigned(); return n })
}

// verdict: proved, 2 traces
func TestDecodedAsAMessage(t *testing.T) {
	anew(t, 0, func() int { n := message.N; decodeSent(); return n })
}

// verdict: proved, 2 traces
func TestDecodedAsAnElement(t *testing.T) {
	anew(t, 0, func() int { n := element.N; decodeRanged(); return n })
}

// verdict: proved, 2 traces
func TestDecodedAsAKey(t *testing.T) {
	anew(t, 0, func() int { n := key.N; decodeKeys(); return n })
}

// verdict: proved, 2 traces
func TestDecodedAsADrawnValue(t *testing.T) {
	anew(t, 0, func() int { n := drawn.N; decodeDrawn(); return n })
}

// verdict: proved, 2 traces
func TestDecodedAsAFieldOfAGenericType(t *testing.T) {
	anew(t, 0, func() int { n := field.N; box[*asField]{field}.decode(); return n })
}
