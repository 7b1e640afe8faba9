package loops

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// The variable is there before, and is given another function by the second definition.
//
// verdict: proved
func TestFunctionDefinedAgainCounts(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		var p atomic.Int32
		n := 0
		f := func() bool { return p.Load() == 5 }
		f, g := func() bool { n++; return n > 30+int(p.Load()) }, 1
		for !f() {
			_ = g
		}
	})
}

// verdict: proved
func TestFunctionOfARangeCounts(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		var p atomic.Int32
		n := 0
		f := func() bool { return p.Load() == 5 }
		for _, f = range []func() bool{func() bool { n++; return n > 30+int(p.Load()) }} {
		}
		for !f() {
		}
	})
}

func redefined(f func() bool) bool {
	ok := f()
	f, n := func() bool { return false }, 1
	_, _ = f, n
	return ok
}

// verdict: proved
func TestParameterDefinedAgainCounts(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		var p atomic.Int32
		n := 0
		for !redefined(func() bool { n++; return n > 30+int(p.Load()) }) {
		}
	})
}

// verdict: FAILED asked 5 times
func TestFunctionDefinedAgainFindsFive(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var p atomic.Bool
		go func() { p.Store(true) }()
		n := 0
		f := func() bool { return p.Load() }
		f, g := func() bool { n++; return p.Load() }, 1
		_ = g
		for !f() {
		}
		x.Assert(n != 5, "asked %d times", n)
	})
}

// verdict: FAILED asked 5 times
func TestParameterDefinedAgainFindsFive(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var p atomic.Bool
		go func() { p.Store(true) }()
		n := 0
		for !redefined(func() bool { n++; return p.Load() }) {
		}
		x.Assert(n != 5, "asked %d times", n)
	})
}

// verdict: FAILED asked 5 times
func TestFunctionOfARangeFindsFive(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var p atomic.Bool
		go func() { p.Store(true) }()
		n := 0
		f := func() bool { return p.Load() }
		for _, f = range []func() bool{func() bool { n++; return p.Load() }} {
		}
		for !f() {
		}
		x.Assert(n != 5, "asked %d times", n)
	})
}

var day = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// verdict: proved
func TestTimeThatIsReadAnewEndsALoop(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		var p atomic.Int32
		d := day
		for d.Day() != 20 {
			b, _ := d.AddDate(0, 0, 1).MarshalText()
			d.UnmarshalText(b)
			p.Load()
		}
	})
}

// verdict: proved
func TestTimeThatIsAppendedEndsALoop(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		var p atomic.Int32
		b := []byte("a")
		for b[0] < 'f' {
			_ = day.AppendFormat(b[:0], string(rune(b[0]+1)))
			p.Load()
		}
	})
}

// verdict: FAILED it is the fourth
func TestTimeThatIsReadAnew(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var p atomic.Bool
		go func() { p.Store(true) }()
		d := day
		for !p.Load() {
			b, _ := d.AddDate(0, 0, 1).MarshalText()
			d.UnmarshalText(b)
		}
		x.Assert(d.Day() != 4, "it is the fourth")
	})
}

// verdict: FAILED appended d
func TestTimeThatIsAppended(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var p atomic.Bool
		go func() { p.Store(true) }()
		b := []byte("a")
		for !p.Load() {
			_ = day.AppendFormat(b[:0], string(rune(b[0]+1)))
		}
		x.Assert(b[0] != 'd', "appended %s", b)
	})
}

type count int

func (c *count) pointer() *count { return c }

// What the loop counts can be read by the pointer that a method has given.
//
// verdict: proved
func TestCountIsReadByAPointer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var p atomic.Int32
		x.Go("counter", func() {
			var c count
			at := c.pointer()
			for *at < 30_000 {
				c++
				p.Load()
			}
		})
		x.Join()
	})
}
