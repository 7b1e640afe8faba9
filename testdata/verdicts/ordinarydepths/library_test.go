package ordinarydepths

import (
	"io"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

type file struct{ *os.File }
type closer struct{ n *int }

func (c closer) Close() error { *c.n++; return nil }

type besideFile struct {
	file
	closer
}

// verdict: proved
func TestFile(t *testing.T) {
	n := 0
	var c io.Closer = besideFile{closer: closer{&n}}
	if c.Close() != nil || n != 1 {
		t.Fatal()
	}
}

// verdict: undecided its method Close comes from an embedded field, and if file had one.*besideFile
func TestFileEmbedded(t *testing.T) {
	var c io.Closer = file{os.Stdin}
	c.Close()
}

// verdict: undecided its method Close comes from an embedded field, and if file had one.*besideFile
func TestFileOfTwoResults(t *testing.T) {
	open := func() (file, error) { return file{os.Stdin}, nil }
	var c io.Closer
	c, _ = open()
	c.Close()
}

// verdict: undecided its method Close comes from an embedded field, and if file had one.*besideFile
func TestFileOfALoop(t *testing.T) {
	var c io.Closer
	for _, c = range []file{{os.Stdin}} {
		c.Close()
	}
}

// verdict: undecided its method Close comes from an embedded field, and if file had one.*besideFile
func TestFileOfAMap(t *testing.T) {
	var c io.Closer
	for _, c = range map[int]file{1: {os.Stdin}} {
		c.Close()
	}
}

// verdict: undecided its method Close comes from an embedded field, and if file had one.*besideFile
func TestFileOfAChannel(t *testing.T) {
	var c io.Closer
	files := make(chan file, 1)
	files <- file{os.Stdin}
	close(files)
	for c = range files {
		c.Close()
	}
}

// verdict: undecided its method Close comes from an embedded field, and if file had one.*besideFile
func TestFileOfAnEntry(t *testing.T) {
	var c io.Closer
	c, _ = map[int]file{1: {os.Stdin}}[1]
	c.Close()
}

// verdict: undecided its method Close comes from an embedded field, and if file had one.*besideFile
func TestFileAsAKey(t *testing.T) {
	files := map[any]bool{}
	files[file{os.Stdin}] = true
	for f := range files {
		f.(io.Closer).Close()
	}
}

type timer struct{ *time.Timer }
type stopper struct{ n int }

func (s *stopper) Stop() bool { s.n++; return true }

type besideTimer struct {
	timer
	*stopper
}

// verdict: proved
func TestTimer(t *testing.T) {
	var s interface{ Stop() bool } = besideTimer{stopper: &stopper{}}
	if !s.Stop() {
		t.Fatal()
	}
}

// verdict: proved|bounded
func TestTimerEmbedded(t *testing.T) {
	b := besideTimer{timer: timer{time.NewTimer(time.Hour)}}
	var s interface{ Stop() bool } = b.timer
	if !s.Stop() {
		t.Fatal("it ran for an hour")
	}
	if s.Stop() || b.timer.Stop() {
		t.Fatal("it is stopped")
	}
}

type base struct{ *testing.T }
type logger struct{ n int }

func (l *logger) Log(...any)            { l.n++ }
func (l *logger) Errorf(string, ...any) { l.n++ }

type besideTest struct {
	base
	*logger
}

// verdict: proved
func TestSuite(t *testing.T) {
	s := besideTest{base{t}, &logger{}}
	s.Log("x")
	var l interface {
		Log(...any)
		Errorf(string, ...any)
	} = s
	l.Log("y")
	l.Errorf("z")
	var tb testing.TB = s
	tb.Log()
	if s.n != 4 {
		s.Fatal(s.n)
	}
}

// verdict: FAILED assertion|failed
func TestSuiteFails(t *testing.T) {
	s := besideTest{base{t}, &logger{}}
	n := 0
	var mu sync.Mutex
	f := func() {
		mu.Lock()
		x := n
		mu.Unlock()
		mu.Lock()
		n = x + 1
		mu.Unlock()
	}
	two(f, f)
	if n != 2 {
		s.base.Errorf("%d", n)
	}
}

// verdict: undecided its method Errorf comes from an embedded field, and if base had one.*besideTest
func TestSuiteEmbedded(t *testing.T) {
	var l interface{ Errorf(string, ...any) } = base{t}
	l.Errorf("x")
}

type stats struct{ atomic.Int64 }
type label struct{ s string }

func (l label) Load() string { return l.s }

type labelled struct {
	stats
	label
}

// verdict: proved
func TestAtomic(t *testing.T) {
	b := labelled{label: label{"x"}}
	b.Store(2)
	if b.Load() != "x" || b.stats.Load() != 2 {
		t.Fatal(b.Load())
	}
}

// verdict: FAILED assertion|failed
func TestAtomicEmbedded(t *testing.T) {
	var s stats
	var v interface {
		Load() int64
		Store(int64)
	} = &s
	f := func() { v.Store(v.Load() + 1) }
	two(f, f)
	if s.Load() != 2 {
		t.Fatal(s.Load())
	}
}

type mapped struct{ sync.Map }
type other[T any] struct{ v T }

func (o other[T]) Store(T)  {}
func (o other[T]) Load(T) T { return o.v }

type besideMap[T any] struct {
	mapped
	other[T]
}

// verdict: proved
func TestMap(t *testing.T) {
	m := &besideMap[int]{}
	m.Store(1)
	var l interface{ Load(int) int } = m
	if m.Load(1) != 0 || l.Load(1) != 0 {
		t.Fatal()
	}
}

// verdict: FAILED assertion|failed
func TestMapEmbedded(t *testing.T) {
	m := &besideMap[int]{}
	var v interface {
		Load(any) (any, bool)
		Store(any, any)
	} = &m.mapped
	n := 0
	var mu sync.Mutex
	f := func() {
		if _, ok := v.Load("x"); !ok {
			v.Store("x", 1)
			mu.Lock()
			n++
			mu.Unlock()
		}
	}
	two(f, f)
	if n != 1 {
		t.Fatal(n)
	}
}
