package t

import (
	"io"
	"os"
	"testing"
)

type reporter interface{ Logf(string, ...any) }

func report[R reporter](r R) {
	r.Logf("a")
	logf := r.Logf
	logf("b")
}

func TestReporters(t *testing.T) {
	report(t)
	(*testing.T).Logf(t, "%d", 1)
	run := (*testing.T).Run
	run(t, "sub", func(*testing.T) {})
}

func TestComparedTests(t *testing.T) {
	var tb testing.TB = t
	var a any = t
	ofAny := map[any]int{t: 1}
	byTest := map[testing.TB]int{t: 1}
	eq(t, ofAny[t]+byTest[(t)]+byTest[tb], 3)
	delete(ofAny, t)
	eq(t, len(ofAny), 0)
	switch a {
	case t:
	default:
		t.Error("another test")
	}
	switch t {
	case nil, tb:
	default:
		t.Error("another test")
	}
}

func TestSelectedInterfaces(t *testing.T) {
	var tb testing.TB
	c := make(chan *testing.T, 1)
	c <- t
	select {
	case tb = <-c:
	}
	tb.Log("a")
	var w io.Writer
	files := make(chan *os.File, 1)
	files <- os.Stdout
	select {
	case w = <-files:
	}
	eq(t, w, io.Writer(os.Stdout))
}

func opened[T any](T) (*os.File, error) { return os.Stdout, nil }

func TestSeveralResults(t *testing.T) {
	byName := map[string]*os.File{"a": os.Stdout}
	files := make(chan *os.File, 1)
	files <- os.Stdout
	var a any = os.Stdout
	var w io.Writer
	w, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	w.(*os.File).Close()
	w, ok := byName["a"]
	w, ok = <-files
	w, ok = a.(*os.File)
	w, err = (opened(1))
	w, err = opened[int](1)
	func(io.Writer, error) {}(os.OpenFile(os.DevNull, os.O_WRONLY, 0))
	eq(t, ok && err == nil && w == io.Writer(os.Stdout), true)
	w, n := os.Stdin, 1
	eq(t, w == io.Writer(os.Stdin), n == 1)
}
