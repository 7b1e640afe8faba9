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
