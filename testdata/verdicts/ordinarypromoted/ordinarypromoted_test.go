// Package ordinarypromoted has ordinary tests that ask values for promoted methods.
package ordinarypromoted

import (
	"sync"
	"testing"
)

type both struct {
	*sync.Mutex
	n int
}
type guarded struct {
	sync.Locker
	n int
}

func mkBoth() (both, error)      { return both{new(sync.Mutex), 1}, nil }
func anyBoth() (any, error)      { return mkBoth() }
func mkG() (guarded, error)      { return guarded{new(sync.Mutex), 1}, nil }
func takes(v any, err error) any { return v }

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

// verdict: FAILED deadlock
func TestDeadlock(t *testing.T) {
	a, _ := anyBoth()
	b, _ := anyBoth()
	two(func() { guard(a, func() { guard(b, func() {}) }) }, func() { guard(b, func() { guard(a, func() {}) }) })
}

func count(t *testing.T, v any) {
	n := 0
	two(func() { guard(v, func() { n++ }) }, func() { guard(v, func() { n++ }) })
	if n != 2 {
		t.Fatal(n)
	}
}

// verdict: proved, 2 traces
func TestCall(t *testing.T) { count(t, takes(mkG())) }

type inMap struct {
	*sync.Mutex
	n int
}

// verdict: proved, 2 traces
func TestMapOk(t *testing.T) {
	m := map[int]inMap{1: {new(sync.Mutex), 1}}
	var v any
	var ok bool
	v, ok = m[1]
	_ = ok
	count(t, v)
}

type inRange struct {
	*sync.Mutex
	n int
}

// verdict: proved, 2 traces
func TestRange(t *testing.T) {
	var v any
	for _, v = range []inRange{{new(sync.Mutex), 1}} {
	}
	count(t, v)
}

type inFunc struct {
	*sync.Mutex
	n int
}

// verdict: proved, 2 traces
func TestFunc(t *testing.T) {
	var v any
	for v = range func(yield func(inFunc) bool) { yield(inFunc{new(sync.Mutex), 1}) } {
	}
	count(t, v)
}
