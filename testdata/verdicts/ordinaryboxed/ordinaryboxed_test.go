// Package ordinaryboxed has ordinary tests that call closures behind interfaces.
package ordinaryboxed

import (
	"os"
	"sync"
	"testing"
)

type handler interface{ serve() int }

type handlerFunc func() int

func (f handlerFunc) serve() int { return f() }

func counts() func() int {
	n := 0
	return func() int { n++; return n }
}

var (
	boxed         any     = counts()
	served        handler = handlerFunc(counts())
	within                = []any{1, counts()}
	before        any     = counts()
	servedBefore  handler = handlerFunc(counts())
	numberOfBoxes         = 0
)

func TestMain(m *testing.M) {
	before.(func() int)()
	servedBefore.serve()
	os.Exit(m.Run())
}

func together() {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range 2 {
		wg.Go(func() { mu.Lock(); numberOfBoxes++; mu.Unlock() })
	}
	wg.Wait()
}

// verdict: proved, 2 traces
func TestBoxed(t *testing.T) {
	together()
	if n := boxed.(func() int)(); n != 1 {
		t.Fatal(n)
	}
}

// verdict: proved, 2 traces
func TestServed(t *testing.T) {
	together()
	if n := served.serve(); n != 1 {
		t.Fatal(n)
	}
}

// verdict: proved, 2 traces
func TestWithin(t *testing.T) {
	together()
	if n := within[1].(func() int)(); n != 1 {
		t.Fatal(n)
	}
}

// verdict: said \.before.*TestMain may have called a closure in it
func TestBefore(t *testing.T) {
	together()
	if n := before.(func() int)(); n == 1 {
		t.Fatal(n)
	}
}

// verdict: said \.servedBefore.*TestMain may have called a closure in it
func TestServedBefore(t *testing.T) {
	together()
	if n := servedBefore.serve(); n == 1 {
		t.Fatal(n)
	}
}
