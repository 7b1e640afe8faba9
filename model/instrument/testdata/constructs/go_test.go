package t

import (
	"fmt"
	"runtime"
	"sort"
	"strings"
	"sync"
	"testing"
)

type log struct {
	mu  sync.Mutex
	wg  sync.WaitGroup
	got []string
}

func (l *log) add(v ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.got = append(l.got, fmt.Sprint(v...))
	l.wg.Done()
}

func (l *log) wait() string {
	l.wg.Wait()
	sort.Strings(l.got)
	s := strings.Join(l.got, ";")
	l.got = nil
	return s
}

type myBool bool

var lg log

func two() (int, string)                        { return 1, "two" }
func takeTwo(n int, s string)                   { lg.add("takeTwo", n, s) }
func takeFloat(f float64, n *int, e error)      { lg.add(f, n == nil, e == nil) }
func takeBool(b myBool, n uint8, d float64)     { lg.add(b, n, d) }
func takeAny(v any, f func())                   { lg.add(fmt.Sprintf("%T", v), f == nil) }
func result(n int) (int, error)                 { lg.add("result", n); return n, nil }
func gen[T any](v T, rest ...T)                 { lg.add("gen", v, len(rest)) }
func gen2[T, U any](v T)                        { var u U; lg.add(fmt.Sprintf("%T%T", v, u)) }
func fnArg(f func(int) int, g func(string) int) { lg.add(f(1), g("abc")) }
func ident[T any](v T) T                        { return v }
func length(s string) int                       { return len(s) }
func order(s *[]string, n string) string        { *s = append(*s, n); return n }

type recvr struct{ n int }

func (r recvr) val(m int)  { lg.add("val", r.n, m) }
func (r *recvr) ptr(m int) { lg.add("ptr", r.n, m) }

type caller interface{ val(int) }

func TestGo(t *testing.T) {
	lg.wg.Add(2)
	x := 1
	go lg.add("a", x)
	go func() { lg.add("b") }()
	eq(t, lg.wait(), "a1;b")

	// Evaluated here, not later.
	lg.wg.Add(4)
	r := recvr{1}
	p := &r
	f := func(n int) { lg.add("f", n) }
	go r.val(x)
	go p.ptr(x)
	go f(x)
	go func(n int) { lg.add("lit", n) }(x)
	x, f = 2, nil
	r2 := recvr{7}
	p = &r2
	eq(t, strings.ReplaceAll(lg.wait(), " ", ""), "f1;lit1;ptr11;val11")

	lg.wg.Add(1)
	go takeTwo(two())
	eq(t, lg.wait(), "takeTwo1two")

	lg.wg.Add(3)
	go takeFloat(1, nil, nil)
	n, m := 3, 4
	go takeBool(n == m, 1<<n, 5)
	go takeBool(!(n == m) && myBool(n > 1), uint8(n)+1, float64(m))
	eq(t, lg.wait(), "1 true true;false 8 5;true 4 4")

	lg.wg.Add(4)
	go takeAny(nil, nil)
	go takeAny(1<<n, nil)
	go takeAny("c"+"d", func() {
		x++
	})
	go takeAny(n == m, nil)
	eq(t, lg.wait(), "<nil>true;booltrue;inttrue;stringfalse")

	lg.wg.Add(1)
	go result(4)
	eq(t, lg.wait(), "result4")

	lg.wg.Add(5)
	xs := []int{1, 2}
	go gen("s")
	go gen(1, xs...)
	go gen[any](n, m)
	go gen2[int8, string](1)
	go (gen2[int8, string])(1)
	eq(t, lg.wait(), "gen1 2;gen3 1;gens0;int8string;int8string")

	lg.wg.Add(1)
	go fnArg(ident, length)
	eq(t, lg.wait(), "1 3")

	lg.wg.Add(3)
	var c caller = r
	go c.val(9)
	go caller.val(c, 9)
	go (*recvr).ptr(&r, 9)
	eq(t, lg.wait(), "ptr1 9;val1 9;val1 9")

	lg.wg.Add(2)
	go lg.add(
		"x", // a comment
		/* another */ "y",
		x,
	)
	go lg.
		add("z" /* , */, n, `raw
string`)
	eq(t, here(), 131)
	eq(t, lg.wait(), "xy2;z3raw\nstring")

	// Builtins.
	mm := map[int]int{1: 1}
	done := make(chan bool)
	go print()
	go close(done)
	<-done
	_ = mm
	ms := []func(int){f, r.val, p.ptr}
	lg.wg.Add(1)
	go ms[1](5)
	eq(t, lg.wait(), "val1 5")

	// Order of evaluation.
	var s []string
	lg.wg.Add(1)
	go lg.add(order(&s, "1"), order(&s, "2"), "-", order(&s, "3"))
	eq(t, strings.Join(s, ""), "123")
	eq(t, lg.wait(), "12-3")

	// Locks and atomics as goroutines.
	var mu sync.Mutex
	go mu.Lock()
	for mu.TryLock() {
		mu.Unlock()
		runtime.Gosched()
	}
	mu.Unlock()

	lg.wg.Add(4)
label:
	go lg.add("l")
	if n == 3 {
		go lg.add("if")
		n++
		goto label
	}
	switch {
	case n > 3:
		go func() {
			defer func() { _ = recover() }()
			func() { go lg.add("deep"); runtime.Goexit() }()
		}()
	}
	eq(t, lg.wait(), "deep;if;l;l")
}

var started = func() chan int {
	c := make(chan int, 1)
	go func(n int) { c <- n }(4)
	return c
}()

func TestGoAtInit(t *testing.T) { eq(t, <-started, 4) }

func TestRecover(t *testing.T) {
	catch := func(f func()) (v any) {
		defer func() { v = recover() }()
		f()
		return nil
	}
	eq(t, catch(func() { panic("x") }), any("x"))
	eq(t, catch(func() {}), nil)
	eq(t, catch(func() {
		defer func() {
			if r := recover(); r != nil {
				panic(fmt.Sprint(r, "!"))
			}
		}()
		panic("y")
	}), any("y!"))
	func() {
		defer func() { recover() }()
		defer recover()
		panic(1)
	}()
	{
		recover := func() int { return 3 }
		eq(t, recover(), 3)
	}
}
