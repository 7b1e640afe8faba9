// Package atomicvalue holds programs that compare and swap an atomic.Value. Go does it in two
// steps: it compares the value it loads with the old one by ==, then it swaps if the word that
// refers to the value is still the same. A value that is equal but lies elsewhere makes it fail.
package atomicvalue

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// boxed gives n as an interface value that refers to memory of its own.
//
//go:noinline
func boxed(n int) any { return n }

// verdict: FAILED not swapped
func TestEqualValueElsewhere(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var v atomic.Value
		v.Store(boxed(1000))
		swapped := false
		x.Go("swap", func() { swapped = v.CompareAndSwap(boxed(1000), boxed(1001)) })
		x.Go("store", func() { v.Store(boxed(1000)) })
		x.Join()
		x.Assert(swapped || v.Load() == 1001, "the value was always 1000, and is not swapped")
	})
}

// verdict: FAILED not swapped
func TestEqualValueSwappedIn(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var v atomic.Value
		v.Store("key" + fmt.Sprint(1))
		swapped := false
		x.Go("compare", func() { swapped = v.CompareAndSwap("key1", "key2") })
		x.Go("swap", func() { v.Swap("key" + fmt.Sprint(1)) })
		x.Join()
		x.Assert(swapped || v.Load() == "key2", "the value was always key1, and is not swapped")
	})
}

// The same value in the same place does not make it fail, however often it is stored.
//
// verdict: proved
func TestSameValue(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var v atomic.Value
		one := boxed(1000)
		v.Store(one)
		swapped := false
		x.Go("swap", func() { swapped = v.CompareAndSwap(boxed(1000), boxed(1001)) })
		x.Go("store", func() { v.Store(one) })
		x.Join()
		x.Assert(swapped, "not swapped")
	})
}

// A pointer is the word itself: what is equal is the same.
//
// verdict: proved, 2 traces
func TestPointer(t *testing.T) {
	type node struct{ n int }
	model.Check(t, func(x *model.Exec) {
		var v atomic.Value
		a, b := &node{1}, &node{2}
		v.Store(a)
		swapped := false
		x.Go("swap", func() { swapped = v.CompareAndSwap(a, b) })
		x.Go("store", func() { v.Store(a) })
		x.Join()
		x.Assert(swapped, "not swapped")
	})
}

// verdict: proved
func TestIncrement(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var v atomic.Value
		v.Store(1000)
		for range 2 {
			x.Go("add", func() {
				for {
					n := v.Load().(int)
					if v.CompareAndSwap(n, n+1) {
						return
					}
				}
			})
		}
		x.Join()
		x.Assert(v.Load() == 1002, "lost")
	})
}

// Of two that set an empty value one does.
//
// verdict: proved, 2 traces
func TestFirst(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var v atomic.Value
		var n atomic.Int32
		for i := range 2 {
			x.Go("first", func() {
				if v.CompareAndSwap(nil, i) {
					n.Add(1)
				}
			})
		}
		x.Join()
		x.Assert(n.Load() == 1, "%d have set it", n.Load())
	})
}

// said gives the text of f's panic.
func said(f func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprint(p)
		}
	}()
	f()
	return ""
}

// Each panics as in Go, and changes nothing.
//
// verdict: proved
func TestMisuse(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var v, list atomic.Value
		v.Store(1)
		list.Store([]int{1})
		check := func(what, want string, f func()) {
			got := said(f)
			x.Assert(got == want, "%s: %q", what, got)
		}
		x.Go("misuse", func() {
			const atomics = "sync/atomic: "
			check("store nil", atomics+"store of nil value into Value", func() { v.Store(nil) })
			check("swap nil", atomics+"swap of nil value into Value", func() { v.Swap(nil) })
			check("new nil", atomics+"compare and swap of nil value into Value",
				func() { v.CompareAndSwap(1, nil) })
			check("store", atomics+"store of inconsistently typed value into Value",
				func() { v.Store("") })
			check("swap", atomics+"swap of inconsistently typed value into Value",
				func() { v.Swap("") })
			check("two types", atomics+"compare and swap of inconsistently typed values",
				func() { v.CompareAndSwap(1, "") })
			check("other type", atomics+"compare and swap of inconsistently typed value into Value",
				func() { v.CompareAndSwap("", "") })
			check("other type, from nil",
				atomics+"compare and swap of inconsistently typed value into Value",
				func() { v.CompareAndSwap(nil, "") })
			check("incomparable", "runtime error: comparing uncomparable type []int",
				func() { list.CompareAndSwap([]int{1}, []int{2}) })
			x.Assert(!list.CompareAndSwap(nil, []int{2}), "swapped")
			var empty atomic.Value
			x.Assert(!empty.CompareAndSwap([]int{1}, []int{2}), "swapped")
		})
		x.Go("look", func() { x.Assert(v.Load() == 1, "changed") })
		x.Join()
	})
}

// verdict: FAILED comparing uncomparable type func\(\)
func TestFunctions(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var v atomic.Value
		f := func() {}
		v.Store(f)
		x.Go("swap", func() { v.CompareAndSwap(f, f) })
		x.Go("load", func() { v.Load() })
		x.Join()
	})
}

// Pictures show values without their String methods, which are code of the program.
//
// verdict: FAILED seen
func TestStringMethod(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var v atomic.Value
		v.Store(&counted{})
		x.Go("store", func() { v.Store(&counted{}) })
		x.Go("load", func() { v.Load() })
		x.Join()
		x.Assert(calls.Load() == 0, "String was called")
		x.Assert(false, "seen")
	})
}

// verdict: FAILED seen
func TestStringMethodOfANumber(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan number)
		x.Go("send", func() { c <- 1 })
		<-c
		x.Join()
		x.Assert(calls.Load() == 0, "String was called")
		x.Assert(false, "seen")
	})
}

// calls counts those of String.
var calls atomic.Int32

type counted struct{ _ int }

func (c *counted) String() string {
	calls.Add(1)
	return "counted"
}

type number int

func (number) String() string {
	calls.Add(1)
	return "number"
}
