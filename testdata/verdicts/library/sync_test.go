package library

import (
	"bytes"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// verdict: proved, 2 traces
func TestMapIsStoredAndLoaded(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m sync.Map
		x.Go("store", func() { m.Store(1, "one") })
		v, ok := m.Load(1)
		x.Assert(ok == (v == "one"), "a value without its key")
		x.Join()
		v, ok = m.Load(1)
		x.Assert(ok && v == "one", "lost")
	})
}

// One of n goroutines stores, the others load what it stored.
//
// verdict: proved, 3 traces
func TestOneStoresForAll(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m sync.Map
		var stored atomic.Int32
		for i := range 3 {
			x.Go("cache", func() {
				if v, loaded := m.LoadOrStore("k", i); !loaded {
					x.Assert(v == i, "not its own")
				}
			})
		}
		x.Join()
		stored.Store(1)
		_, ok := m.Load("k")
		x.Assert(ok, "nobody stored")
	})
}

// Load and Store are not one step.
//
// verdict: FAILED an update is lost
func TestLoadThenStore(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m sync.Map
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

// verdict: proved, 4 traces
func TestCompareAndSwapUntilItSucceeds(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m sync.Map
		m.Store("n", 0)
		for range 2 {
			x.Go("add", func() {
				for {
					v, _ := m.Load("n")
					if m.CompareAndSwap("n", v, v.(int)+1) {
						return
					}
				}
			})
		}
		x.Join()
		v, _ := m.Load("n")
		x.Assert(v == 2, "an update is lost")
	})
}

// A write comes before the read that sees it, so that what it leads to may be read.
//
// verdict: proved
func TestMapPublishes(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m sync.Map
		x.Go("store", func() { p := new(int); *p = 1; m.Store(1, p) })
		x.Go("load", func() {
			if v, ok := m.Load(1); ok {
				*v.(*int)++
			}
		})
		x.Join()
	})
}

// A read that sees nothing of a write comes neither before nor after it.
//
// verdict: FAILED data race
func TestAnotherKeyDoesNotPublish(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m sync.Map
		n := 0
		x.Go("store", func() { n = 1; m.Store(1, 1) })
		x.Go("load", func() { m.Load(2); n++ })
		x.Join()
	})
}

// verdict: FAILED data race
func TestReadsDoNotPublish(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m sync.Map
		m.Store(1, 1)
		n := 0
		for range 2 {
			x.Go("load", func() { n++; m.Load(1) })
		}
		x.Join()
	})
}

// Range may meet some of the keys that are stored meanwhile.
//
// verdict: FAILED one of two
func TestRangeIsNoSnapshot(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m sync.Map
		x.Go("store", func() { m.Store(1, 1); m.Store(2, 2) })
		n := 0
		m.Range(func(k, v any) bool { n++; return true })
		x.Assert(n != 1, "one of two")
		x.Join()
	})
}

// The map keeps what it is used for inside the execution: the next one begins anew.
//
// verdict: proved
func TestMapOfThePackage(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		_, loaded := shared.LoadOrStore("k", 1)
		x.Assert(!loaded, "left from another execution")
		v, ok := shared.Load("init")
		x.Assert(ok && v == true, "made before")
		x.Go("other", func() { shared.Delete("init") })
		shared.Range(func(k, v any) bool { return true })
		x.Join()
	})
}

var shared = func() *sync.Map {
	var m sync.Map
	m.Store("init", true)
	return &m
}()

type registry struct{ sync.Map }

// verdict: proved
func TestMapMethods(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var r registry
		store, load := r.Store, r.Load
		swap, cas, del := r.Swap, r.CompareAndSwap, (*sync.Map).Delete
		x.Go("other", func() { r.Load("z") })
		store("a", 1)
		old, loaded := swap("a", 2)
		x.Assert(loaded && old == 1, "swap")
		x.Assert(cas("a", 2, 3) && !cas("a", 2, 4) && !cas("b", nil, 1), "compare and swap")
		v, ok := load("a")
		x.Assert(ok && v == 3, "load")
		x.Assert(!r.CompareAndDelete("a", 1) && r.CompareAndDelete("a", 3), "compare and delete")
		r.Store("c", 1)
		v, ok = r.LoadAndDelete("c")
		x.Assert(ok && v == 1, "load and delete")
		r.Store("d", 1)
		r.Clear()
		_, ok = r.Load("d")
		x.Assert(!ok, "clear")
		del(&r.Map, "d")
		x.Join()
	})
}

// verdict: FAILED hash of unhashable type
func TestMapKeyWithoutHash(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m sync.Map
		x.Go("store", func() { m.Store([]int{1}, 1) })
		x.Join()
	})
}

// verdict: proved
func TestPoolOfBuffers(t *testing.T) {
	pool := sync.Pool{New: func() any { return new(bytes.Buffer) }}
	model.Check(t, func(x *model.Exec) {
		b := pool.Get().(*bytes.Buffer)
		b.Reset()
		pool.Put(b)
	})
}

// A buffer from the pool is not always as New makes it.
//
// verdict: FAILED not empty
func TestPoolGivesBackWhatWasPut(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		pool := sync.Pool{New: func() any { return new(bytes.Buffer) }}
		for range 2 {
			x.Go("user", func() {
				b := pool.Get().(*bytes.Buffer)
				x.Assert(b.Len() == 0, "not empty")
				b.WriteByte('a')
				pool.Put(b)
			})
		}
		x.Join()
	})
}

// What was put may be gone.
//
// verdict: FAILED gone
func TestPoolLosesWhatWasPut(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var pool sync.Pool
		x.Go("user", func() {
			pool.Put(1)
			x.Assert(pool.Get() != nil, "gone")
		})
		x.Go("other", func() {})
		x.Join()
	})
}

// verdict: FAILED the other one
func TestPoolHasNoOrder(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var pool sync.Pool
		pool.Put(1)
		pool.Put(2)
		v := pool.Get()
		x.Assert(v != 1, "the other one")
	})
}

// verdict: proved
func TestPoolPublishes(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		pool := sync.Pool{New: func() any { return new(int) }}
		for range 2 {
			x.Go("user", func() {
				p := pool.Get().(*int)
				*p++
				pool.Put(p)
			})
		}
		x.Join()
	})
}

// A value is used after it was put back.
//
// verdict: FAILED data race
func TestPoolUseAfterPut(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		pool := sync.Pool{New: func() any { return new(int) }}
		for range 2 {
			x.Go("user", func() {
				p := pool.Get().(*int)
				pool.Put(p)
				*p++
			})
		}
		x.Join()
	})
}

// verdict: said sync.Pool.Get misses a value at most 2 times
func TestPoolInALoop(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var pool sync.Pool
		for range 4 {
			pool.Put(1)
			pool.Get()
		}
	})
}

// Range that stops at once has chosen a key, if there are several.
//
// verdict: said sync.Map.Range visits keys in the order
func TestRangeStopsAtTheFirstOfTwo(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m sync.Map
		m.Store("old", 1)
		m.Store("new", 2)
		m.Range(func(k, _ any) bool { m.Delete(k); return false })
		_, ok := m.Load("new")
		x.Assert(ok, "the new one has gone")
	})
}

// verdict: proved without assumptions
func TestRangeStopsAtTheOnlyOne(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m sync.Map
		m.Store("old", 1)
		m.Store("new", 2)
		m.Delete("old")
		m.Range(func(k, _ any) bool { m.Store("next", 3); return false })
		_, ok := m.Load("new")
		x.Assert(ok, "lost")
	})
}
