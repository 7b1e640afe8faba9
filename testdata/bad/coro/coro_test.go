// Package coro misuses coroutines.
package coro

import (
	"iter"
	"runtime/trace"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

func TestNextInside(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var next func() (int, bool)
		next, _ = iter.Pull(func(yield func(int) bool) { next() })
		next()
	})
}

// The first is inside until the second has tried: no race, and always wrong.
func TestNextOfTwo(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var inside, tried atomic.Bool
		next, _ := iter.Pull2(func(yield func(int, int) bool) {
			inside.Store(true)
			for !tried.Load() {
			}
		})
		x.Go("first", func() { next() })
		x.Go("second", func() {
			for !inside.Load() {
			}
			next()
			tried.Store(true)
		})
		x.Join()
	})
}

func TestYieldOutside(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var leaked func(int) bool
		next, stop := iter.Pull(func(yield func(int) bool) {
			leaked = yield
			yield(1)
		})
		defer stop()
		next()
		leaked(2)
	})
}

func TestYieldOfAnother(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var leaked atomic.Pointer[func(int) bool]
		next, _ := iter.Pull(func(yield func(int) bool) {
			leaked.Store(&yield)
			for leaked.Load() != nil {
			}
		})
		x.Go("runs", func() { next() })
		x.Go("yields", func() {
			for leaked.Load() == nil {
			}
			yield := leaked.Load()
			(*yield)(1)
			leaked.Store(nil)
		})
		x.Join()
	})
}

func TestStopInside(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var next func() (int, bool)
		var stop func()
		next, stop = iter.Pull(func(yield func(int) bool) { stop() })
		next()
	})
}

// made is left over from the execution before.
func TestKept(t *testing.T) {
	var made func() (int, bool)
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int32
		if made == nil {
			made, _ = iter.Pull(func(yield func(int) bool) {
				for yield(1) {
				}
			})
		}
		v, _ := made()
		for range v {
			x.Go("adds", func() { n.Add(1) })
		}
		x.Go("adds", func() { n.Add(1) })
		x.Join()
	})
}

// A coroutine from before the check is none of the checker's.
func TestMadeBefore(t *testing.T) {
	var n atomic.Int32
	next, stop := iter.Pull(func(yield func(int32) bool) {
		for yield(n.Add(1)) {
		}
	})
	defer stop()
	model.Check(t, func(x *model.Exec) { next() })
}

func TestPanicInside(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		next, _ := iter.Pull(func(yield func(int) bool) { explode() })
		x.Go("drives", func() { next() })
		x.Join()
	})
}

func explode() { panic("out of cheese") }

func TestFailNowInside(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		next, _ := iter.Pull(func(yield func(int) bool) { t.FailNow() })
		x.Go("drives", func() { next() })
		x.Join()
	})
}

func TestEndlessInside(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		next, _ := iter.Pull(func(yield func(int) bool) { count() })
		next()
	})
}

func count() {
	for n := 0; ; n++ {
		if n < 0 {
			return
		}
	}
}

func TestTrace(t *testing.T) {
	model.Check(t, func(x *model.Exec) { _ = trace.Start(nil) })
}
