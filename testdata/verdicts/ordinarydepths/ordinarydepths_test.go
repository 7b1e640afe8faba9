// Package ordinarydepths has structs that embed a lock at one depth, and something of the same name
// as one of its methods at another or the same: what a struct has from what it embeds is what
// stands least deep, and nothing if that is more than one.
package ordinarydepths

import (
	"sync"
	"testing"
)

type nothing struct{}

func (*nothing) Lock()   {}
func (*nothing) Unlock() {}

func guard(v any, f func()) {
	if l, ok := v.(sync.Locker); ok {
		l.Lock()
		defer l.Unlock()
	}
	f()
}

func two(f, g func()) {
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Go(g)
	wg.Wait()
}

func count(t *testing.T, v any) {
	n := 0
	two(func() { guard(v, func() { n++ }) }, func() { guard(v, func() { n++ }) })
	if n != 2 {
		t.Fatal(n)
	}
}

func abba(a, b sync.Locker) {
	two(func() { guard(a, func() { guard(b, func() {}) }) },
		func() { guard(b, func() { guard(a, func() {}) }) })
}

type embed struct{ sync.Mutex }
type outer struct{ nothing }
type ambiguous struct {
	embed
	outer
}

// verdict: FAILED race
func TestAmbiguous(t *testing.T) { count(t, &ambiguous{}) }

// verdict: FAILED race
func TestAmbiguousInAFunction(t *testing.T) {
	type ambiguous struct {
		embed
		outer
	}
	count(t, &ambiguous{})
}

// verdict: FAILED race
func TestAmbiguousWithoutAName(t *testing.T) {
	count(t, &struct {
		embed
		*outer
	}{outer: &outer{}})
}

// verdict: proved
func TestAmbiguousIsNone(t *testing.T) {
	type ambiguous2 struct {
		embed
		outer
	}
	for _, v := range []any{&ambiguous{}, &ambiguous2{}} {
		if _, ok := v.(sync.Locker); ok {
			t.Fatal("it is ambiguous")
		}
	}
}

// verdict: proved, 2 traces
func TestEmbedded(t *testing.T) { count(t, &(&ambiguous{}).embed) }

// verdict: proved, 2 traces
func TestEmbeddedSelected(t *testing.T) {
	a, n := &ambiguous{}, 0
	f := func() { a.embed.Lock(); n++; a.embed.Unlock() }
	two(f, f)
	if n != 2 {
		t.Fatal(n)
	}
}

// verdict: proved, 2 traces
func TestEmbeddedMethodValue(t *testing.T) {
	a, n := &ambiguous{}, 0
	lock, unlock := a.embed.Lock, a.embed.Unlock
	f := func() { lock(); n++; unlock() }
	two(f, f)
	if n != 2 {
		t.Fatal(n)
	}
}

// verdict: FAILED deadlock
func TestEmbeddedInTwoOrders(t *testing.T) { abba(&embed{}, &embed{}) }

type inner struct{ sync.Mutex }
type deeper struct{ inner }
type shallow struct{ nothing }
type loses struct {
	deeper
	shallow
}

// verdict: FAILED race
func TestDeeperLoses(t *testing.T) { count(t, &loses{}) }

// verdict: FAILED race
func TestDeeperLosesInAFunction(t *testing.T) {
	type loses struct {
		deeper
		shallow
	}
	count(t, &loses{})
}

// verdict: proved, 2 traces
func TestDeeper(t *testing.T) { count(t, &(&loses{}).deeper) }

type deeper2 struct{ inner2 }
type inner2 struct{ sync.RWMutex }

// verdict: proved, 2 traces
func TestLessDeep(t *testing.T) {
	type less struct{ sync.RWMutex }
	type both struct {
		deeper2
		less
	}
	b := &both{}
	b.deeper2.Lock()
	count(t, b)
}

// verdict: FAILED deadlock
func TestLessDeepIsLocked(t *testing.T) {
	type less struct{ sync.RWMutex }
	type both struct {
		deeper2
		less
	}
	b := &both{}
	b.less.Lock()
	count(t, b)
}

type embed3 struct{ sync.Mutex }
type counted struct{ n int }

func (c *counted) Lock()   { c.n++ }
func (c *counted) Unlock() { c.n-- }

type beside struct {
	embed3
	counted
}

// verdict: proved
func TestBeside(t *testing.T) {
	b := &beside{}
	var l sync.Locker = b
	l.Lock()
	b.Lock()
	b.embed3.Lock()
	if b.n != 2 {
		t.Fatal(b.n)
	}
}

// verdict: FAILED race
func TestBesideIsNoLock(t *testing.T) { count(t, &beside{}) }

type embed4 struct{ sync.Mutex }
type field struct{ Lock int }
type besideField struct {
	embed4
	field
}

// verdict: proved
func TestField(t *testing.T) {
	f := &besideField{}
	f.Lock = 3
	f.embed4.Lock()
	if _, ok := any(f).(sync.Locker); ok || f.Lock != 3 {
		t.Fatal(f.Lock)
	}
}

type generic[T any] struct{ sync.RWMutex }
type reader[T any] struct{ n T }

func (*reader[T]) RLock()   {}
func (*reader[T]) RUnlock() {}

type ofGeneric[T any] struct {
	generic[T]
	reader[T]
}

func countReads(t *testing.T, l interface{ RLock() }, write func()) {
	n := 0
	two(func() { l.RLock(); _ = n }, func() { write(); n++ })
}

// verdict: FAILED race
func TestGeneric(t *testing.T) {
	g := &ofGeneric[int]{}
	countReads(t, g, g.Lock)
}

// verdict: FAILED deadlock
func TestGenericEmbedded(t *testing.T) {
	g := &ofGeneric[int]{}
	countReads(t, &g.generic, g.Lock)
}

type locker struct{ sync.Locker }
type besideLocker struct {
	locker
	*counted
}

// verdict: proved
func TestLocker(t *testing.T) {
	b := besideLocker{locker{&sync.Mutex{}}, &counted{}}
	b.Lock()
	var l sync.Locker = b
	l.Lock()
	if b.n != 2 {
		t.Fatal(b.n)
	}
}

// verdict: FAILED deadlock
func TestLockerEmbedded(t *testing.T) {
	abba(locker{&sync.Mutex{}}, locker{&sync.Mutex{}})
}

type twoWays struct {
	left
	right
}
type left struct{ inner5 }
type right struct{ inner5 }
type inner5 struct{ sync.Mutex }

// verdict: FAILED race
func TestTwoWays(t *testing.T) { count(t, &twoWays{}) }

type undone struct{ ofCounted }
type ofCounted struct{ beside2 }
type beside2 struct {
	embed6
	own6
}
type embed6 struct{ sync.Mutex }
type own6 struct{ counted }

// verdict: proved
func TestInTheMiddle(t *testing.T) {
	if _, ok := any(&undone{}).(sync.Locker); ok {
		t.Fatal("it is ambiguous")
	}
	if _, ok := any(&beside2{}).(sync.Locker); ok {
		t.Fatal("it is ambiguous")
	}
}

type named beside3
type beside3 struct {
	embed7
	outer
}
type embed7 struct{ sync.Mutex }

func (*beside3) Lock()   {}
func (*beside3) Unlock() {}

// verdict: FAILED race
func TestOwnMethods(t *testing.T) { count(t, &beside3{}) }

// verdict: FAILED race
func TestOwnMethodsAreNotThoseOfTheOther(t *testing.T) { count(t, &named{}) }
