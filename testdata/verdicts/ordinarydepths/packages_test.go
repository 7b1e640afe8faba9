package ordinarydepths

import (
	"sync"
	"testing"

	"github.com/surewake/surewake/testdata/verdicts/ordinarydepths/shared"
)

type besideBase struct {
	shared.Base
	outer
}

// verdict: FAILED race
func TestBase(t *testing.T) { count(t, &besideBase{}) }

// verdict: proved, 2 traces
func TestBaseEmbedded(t *testing.T) { count(t, &(&besideBase{}).Base) }

// verdict: proved, 2 traces
func TestBaseSelected(t *testing.T) {
	b, n := &besideBase{}, 0
	f := func() { b.Base.Lock(); defer b.Base.Unlock(); n++ }
	two(f, f)
	if n != 2 {
		t.Fatal(n)
	}
}

// verdict: FAILED deadlock
func TestBaseMethodValue(t *testing.T) {
	var a, b shared.Base
	lockA, lockB, pa := a.Lock, b.Lock, &b
	two(func() { lockA(); lockB(); pa.Unlock(); a.Unlock() },
		func() { lockB(); lockA(); a.Unlock(); pa.Unlock() })
}

// verdict: proved
func TestBaseGo(t *testing.T) {
	var b shared.Base
	b.Lock()
	n := 0
	go b.Unlock()
	b.Lock()
	n++
}

type others struct{}

func (*others) Lock()                     {}
func (*others) Unlock()                   {}
func (*others) Load() int64               { return 0 }
func (*others) Range(func(k, v any) bool) {}
func (*others) Cleanup(func())            {}

type ofOthers struct{ others }

type besideAll struct {
	*shared.Locker
	ofOthers
}

type besideWord struct {
	shared.Word
	ofOthers
}

type besideTest2 struct {
	*shared.Test
	ofOthers
}

type besideValues struct {
	*shared.Values
	ofOthers
}

// verdict: FAILED race
func TestLockerElsewhere(t *testing.T) { count(t, &besideAll{Locker: shared.NewLocker()}) }

// verdict: proved, 2 traces
func TestLockerElsewhereSelected(t *testing.T) {
	b, n := &besideAll{Locker: shared.NewLocker()}, 0
	unlock := b.Locker.Unlock
	f := func() { b.Locker.Lock(); n++; unlock() }
	two(f, f)
	if n != 2 {
		t.Fatal(n)
	}
}

// verdict: FAILED failed
func TestWordElsewhere(t *testing.T) {
	var b besideWord
	f := func() { b.Word.Store(b.Word.Load() + 1) }
	two(f, f)
	if b.Word.Load() != 2 || b.Load() != 0 {
		t.Fatal(b.Word.Load())
	}
}

// verdict: proved
func TestTestElsewhere(t *testing.T) {
	shared.NewTest(t).Log("x")
	b := besideTest2{Test: shared.NewTest(t)}
	b.Cleanup(func() { t.Fatal("it is that of others") })
	b.Log("x")
}

// verdict: undecided Cleanup comes from a field that has no name here, and if Test.*besideTest2
func TestCleanupElsewhere(t *testing.T) {
	b := besideTest2{Test: shared.NewTest(t)}
	b.Test.Cleanup(func() { t.Fatal("it is run") })
}

// verdict: undecided Range comes from a field that has no name here, and if Values.*besideValues
func TestRangeElsewhere(t *testing.T) {
	b := besideValues{Values: &shared.Values{}}
	b.Values.Range(func(k, v any) bool { return true })
}

// verdict: proved|bounded
func TestRunElsewhere(t *testing.T) {
	shared.NewTest(t).Run("a", func(t *testing.T) {})
}

type onlyBase struct{ shared.Base }

// verdict: proved, 2 traces
func TestOnlyBase(t *testing.T) { count(t, &onlyBase{}) }

// verdict: proved, 2 traces
func TestOnlyBaseSelected(t *testing.T) {
	b, n := &onlyBase{}, 0
	f := func() { b.Lock(); n++; b.Unlock() }
	two(f, f)
	if n != 2 {
		t.Fatal(n)
	}
}

// verdict: FAILED race
func TestAlias(t *testing.T) {
	type beside struct {
		shared.Alias
		shallow
	}
	type deep struct {
		shared.Alias
		*beside
	}
	count(t, &deep{})
	count(t, &beside{})
}

// verdict: undecided not modelled
func TestMethodExpression(t *testing.T) {
	f := (*shared.Base).Lock
	f(&shared.Base{})
}

type fine struct {
	shared.Embed
	n int
}

// verdict: proved, 2 traces
func TestFine(t *testing.T) { count(t, &fine{}) }

var _ sync.Locker = &fine{}
