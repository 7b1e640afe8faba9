// Package ordinarypromotedvalues has ordinary tests that ask values for promoted methods by
// reflection.
package ordinarypromotedvalues

import (
	"reflect"
	"sync"
	"testing"
)

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

type inField struct {
	*sync.Mutex
	n int
}
type holder struct{ F inField }

// verdict: proved, 2 traces
func TestReflectField(t *testing.T) {
	h := holder{inField{new(sync.Mutex), 1}}
	count(t, reflect.ValueOf(h).Field(0).Interface())
}

type elem struct {
	*sync.Mutex
	n int
}

// verdict: proved, 2 traces
func TestElem(t *testing.T) {
	s := elem{new(sync.Mutex), 1}
	count(t, reflect.ValueOf(&s).Elem().Interface())
	if n := reflect.TypeFor[elem]().NumMethod(); n != 3 {
		t.Fatal(n)
	}
}
