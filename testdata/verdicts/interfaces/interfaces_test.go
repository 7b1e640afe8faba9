// Package interfaces has programs that use types of the standard library behind interfaces.
package interfaces

import (
	"bytes"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

type table interface {
	Load(key any) (value any, ok bool)
	Store(key, value any)
	LoadOrStore(key, value any) (actual any, loaded bool)
	LoadAndDelete(key any) (value any, loaded bool)
	Delete(key any)
	Swap(key, value any) (previous any, loaded bool)
	CompareAndSwap(key, old, new any) bool
	CompareAndDelete(key, old any) bool
	Range(f func(key, value any) bool)
	Clear()
}

// verdict: proved, 3 traces
func TestOneStoresForAll(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m table = new(sync.Map)
		var stored atomic.Int32
		for i := range 3 {
			x.Go("store", func() {
				if _, loaded := m.LoadOrStore("k", i); !loaded {
					stored.Store(1)
				}
			})
		}
		x.Join()
		x.Assert(stored.Load() == 1, "nobody stored")
	})
}

// verdict: FAILED an update is lost
func TestLoadThenStore(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m table = new(sync.Map)
		m.Store("n", 0)
		for range 2 {
			x.Go("add", func() {
				v, _ := m.Load("n")
				m.Store("n", v.(int)+1)
			})
		}
		x.Join()
		v, _ := m.Load("n")
		x.Assert(v == 2, "an update is lost")
	})
}

// verdict: FAILED it is gone
func TestDeletedInBetween(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m := new(sync.Map)
		m.Store(1, 1)
		var some interface{ Delete(key any) } = m
		x.Go("delete", func() { some.Delete(1) })
		_, ok := m.Load(1)
		x.Assert(ok, "it is gone")
		x.Join()
	})
}

// verdict: proved
func TestMethodsOfAMap(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m := new(sync.Map)
		var some table = m
		some.Store(1, 1)
		some.Swap(1, 2)
		v, ok := m.Load(1)
		x.Assert(ok && v == 2, "%v", v)
		x.Assert(some.CompareAndSwap(1, 2, 3) && !some.CompareAndDelete(1, 2), "compare")
		n := 0
		some.Range(func(_, v any) bool { n += v.(int); return true })
		x.Assert(n == 3, "%d", n)
		v, ok = some.LoadAndDelete(1)
		x.Assert(ok && v == 3, "%v", v)
		m.Store(2, 2)
		visit := some.Range
		visit(func(_, v any) bool { n += v.(int); return true })
		x.Assert(n == 5, "%d", n)
		some.Clear()
		_, ok = m.Load(2)
		x.Assert(!ok, "not cleared")
	})
}

type counter interface {
	Load() int64
	Store(n int64)
	Add(n int64) int64
}

// verdict: FAILED an update is lost
func TestLoadThenStoreOfACounter(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n counter = new(atomic.Int64)
		for range 2 {
			x.Go("add", func() { n.Store(n.Load() + 1) })
		}
		x.Join()
		x.Assert(n.Load() == 2, "an update is lost")
	})
}

// verdict: proved without assumptions
func TestAtomicsBehindInterfaces(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n counter = new(atomic.Int64)
		var b interface{ CompareAndSwap(old, new bool) bool } = new(atomic.Bool)
		var u interface{ Or(mask uint32) uint32 } = new(atomic.Uint32)
		var v interface {
			Swap(new any) any
			Load() any
		} = new(atomic.Value)
		var p interface{ And(mask uintptr) uintptr } = new(atomic.Uintptr)
		var won atomic.Int32
		for range 2 {
			x.Go("add", func() {
				n.Add(1)
				u.Or(2)
				if b.CompareAndSwap(false, true) {
					won.Add(1)
				}
			})
		}
		x.Join()
		x.Assert(n.Load() == 2 && won.Load() == 1 && u.Or(0) == 2 && p.And(1) == 0, "wrong")
		x.Assert(v.Swap(1) == nil && v.Load() == 1, "value")
	})
}

// verdict: FAILED it is empty
func TestPoolBehindAnInterface(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var p interface {
			Get() any
			Put(any)
		} = &sync.Pool{New: func() any { return new(bytes.Buffer) }}
		b := p.Get().(*bytes.Buffer)
		b.WriteString("a")
		p.Put(b)
		x.Assert(p.Get().(*bytes.Buffer).Len() > 0, "it is empty")
	})
}

// verdict: proved
func TestTimersBehindInterfaces(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		timer := time.NewTimer(time.Hour)
		var some interface {
			Stop() bool
			Reset(d time.Duration) bool
		} = timer
		x.Assert(some.Stop() && !some.Reset(time.Second), "not active")
		<-timer.C
		ticker := time.NewTicker(time.Hour)
		var stops interface{ Stop() } = ticker
		stops.Stop()
		select {
		case <-ticker.C:
			x.Assert(false, "it ticks")
		default:
		}
	})
}

type cell[T any] interface{ Load() *T }

// Nothing is known of the type that an atomic.Pointer points to.
//
// verdict: undecided Load is called through an interface
func TestPointerBehindAnInterface(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		var p cell[int] = new(atomic.Pointer[int])
		p.Load()
	})
}

type clears interface {
	Clear()
	Close() error
}

// verdict: proved without assumptions
func TestOtherTypesBehindInterfaces(t *testing.T) {
	type embedded struct{ clears }
	model.Check(t, func(x *model.Exec) {
		o := new(own)
		var c any = embedded{o}
		c.(interface{ Clear() }).Clear()
		var s interface{ Delete(key string) } = o
		s.Delete("a")
		x.Assert(o.n == 2, "%d", o.n)
	})
}

type own struct{ n int }

func (o *own) Clear()        { o.n++ }
func (o *own) Delete(string) { o.n++ }
func (o *own) Close() error  { return nil }

// A value has what it embeds by a pointer, also where nobody names an interface.
type byPointer struct{ *sync.Mutex }

func locks(a any) bool {
	l, ok := a.(sync.Locker)
	if ok {
		l.Lock()
		defer l.Unlock()
	}
	return ok
}

// verdict: FAILED deadlock
func TestALockOfAValue(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		v := byPointer{new(sync.Mutex)}
		v.Lock()
		locks(v)
	})
}

type byValue struct{ sync.Mutex }

// verdict: proved, 1 traces
func TestALockOfAPointer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		v := new(byValue)
		var a any = *v
		x.Assert(!locks(a) && locks(v), "a value has no Lock, a pointer has one")
		x.Assert(reflect.ValueOf(byPointer{}).NumMethod() == 3, "another number of methods")
	})
}
