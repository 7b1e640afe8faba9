// Package ordinarywatched has ordinary tests that change what no statement of theirs seems to.
package ordinarywatched

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"hash/crc32"
	"io"
	"log/slog"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

func lose() int {
	var n atomic.Int64
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() { defer wg.Done(); n.Store(n.Load() + 1) }()
	}
	wg.Wait()
	return int(n.Load())
}

func want(t *testing.T, first bool) {
	if n := lose(); first && n != 2 {
		t.Fatal("lost update")
	}
}

var table = crc32.MakeTable(crc32.IEEE)

// verdict: FAILED lost update
func TestTable(t *testing.T) {
	first := table[1] != 7
	p := table
	(*p)[1] = 7
	want(t, first)
}

type rec struct{ at time.Time }

func (r *rec) parse(s string) error { return r.at.UnmarshalText([]byte(s)) }

var r1 = &rec{}

// verdict: FAILED lost update
func TestUnmarshalText(t *testing.T) {
	first := r1.at.IsZero()
	if err := r1.parse("2020-01-01T00:00:00Z"); err != nil {
		t.Fatal(err)
	}
	want(t, first)
}

type hidden struct{ n int }

var h = &hidden{}

func set(v any, i, n int) {
	f := reflect.ValueOf(v).Elem().Field(i)
	reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem().SetInt(int64(n))
}

// verdict: FAILED lost update
func TestHidden(t *testing.T) {
	first := h.n == 0
	set(h, 0, 5)
	want(t, first)
}

var joined = errors.Join(errors.New("a"), errors.New("b"))

// verdict: FAILED lost update
func TestJoined(t *testing.T) {
	l := joined.(interface{ Unwrap() []error }).Unwrap()
	first := l[0] != io.EOF
	l[0] = io.EOF
	want(t, first)
}

var list error = &scanner.ErrorList{}

// verdict: FAILED lost update
func TestScanner(t *testing.T) {
	l := list.(*scanner.ErrorList)
	first := len(*l) == 0
	l.Add(token.Position{}, "a")
	want(t, first)
}

type pt struct{ X int }

var p = &pt{}

// verdict: FAILED lost update
func TestSlog(t *testing.T) {
	first := p.X == 0
	if err := json.Unmarshal([]byte(`{"X":3}`), slog.AnyValue(p).Any()); err != nil {
		t.Fatal(err)
	}
	want(t, first)
}

type whole struct{ n int }

var w = &whole{}

// verdict: FAILED lost update
func TestWhole(t *testing.T) {
	first := w.n == 0
	var v any = w
	reflect.ValueOf(v).Elem().Set(reflect.ValueOf(whole{3}))
	want(t, first)
}

var errFine = fmt.Errorf("fine %w", io.EOF)

// verdict: proved, 2 traces
func TestKept(t *testing.T) {
	if n := 2; h.n != 0 || p.X != 0 || errFine == nil {
		t.Fatal(n)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range 2 {
		wg.Go(func() { mu.Lock(); mu.Unlock() })
	}
	wg.Wait()
	set(h, 0, 5)
}
