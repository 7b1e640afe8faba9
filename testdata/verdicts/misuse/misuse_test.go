// Package misuse holds programs that use objects of the standard library as nobody should, for
// which Go has an answer.
package misuse

import (
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// A copy of a Cond that was used panics.
// verdict: proved
func TestCopiedCondPanics(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for _, use := range []func(*sync.Cond){
			(*sync.Cond).Signal, (*sync.Cond).Broadcast,
			func(c *sync.Cond) { c.Wait() },
		} {
			c := sync.Cond{L: &sync.Mutex{}}
			c.Signal()
			var other sync.Cond
			reflect.ValueOf(&other).Elem().Set(reflect.ValueOf(&c).Elem())
			x.Assert(panics(func() { use(&other) }) == "sync.Cond is copied", "no panic")
		}
	})
}

// A Cond that was copied before its first use is as good as any.
// verdict: proved
func TestCondCopiedBeforeUseWorks(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		var c, other sync.Cond
		reflect.ValueOf(&other).Elem().Set(reflect.ValueOf(&c).Elem())
		c.L, other.L = &sync.Mutex{}, &sync.Mutex{}
		c.Signal()
		other.Signal()
		c.Broadcast()
		other.Broadcast()
	})
}

// verdict: FAILED nil Pool
func TestPutIntoNilPool(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		var p *sync.Pool
		p.Put(1)
	})
}

// Every method here of a nil pointer panics in Go, except Put of nothing.
// verdict: proved
func TestNilReceiversPanic(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var (
			m    *sync.Mutex
			rw   *sync.RWMutex
			wg   *sync.WaitGroup
			once *sync.Once
			c    *sync.Cond
			pool *sync.Pool
			kv   *sync.Map
			n    *atomic.Int64
			v    *atomic.Value
			ptr  *atomic.Pointer[int]
			word *uint32
			tm   *time.Timer
		)
		for i, f := range []func(){
			func() { m.Lock() }, func() { m.TryLock() },
			func() { rw.Lock() }, func() { rw.RLock() },
			func() { rw.TryLock() }, func() { rw.TryRLock() },
			func() { wg.Add(1) }, func() { wg.Done() }, func() { wg.Wait() },
			func() { once.Do(func() {}) },
			func() { c.Wait() }, func() { c.Signal() }, func() { c.Broadcast() },
			func() { pool.Get() }, func() { pool.Put(1) },
			func() { kv.Load(1) }, func() { kv.Store(1, 1) }, func() { kv.Delete(1) },
			func() { kv.Range(func(_, _ any) bool { return true }) }, func() { kv.Clear() },
			func() { n.Load() }, func() { n.Store(1) }, func() { n.Add(1) }, func() { n.Swap(1) },
			func() { n.CompareAndSwap(0, 1) }, func() { n.Or(1) },
			func() { v.Load() }, func() { v.Store(1) },
			func() { ptr.Load() }, func() { ptr.Store(nil) },
			func() { atomic.LoadUint32(word) }, func() { atomic.AddUint32(word, 1) },
			func() { tm.Stop() }, func() { tm.Reset(1) },
		} {
			x.Assert(panics(f) != nil, "no panic in function %d", i)
		}
		pool.Put(nil)
	})
}

func panics(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// Who has recovered from a panic of a nil object synchronizes as before.
//
// verdict: proved
func TestAfterThePanicOfANilReceiver(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var (
			m     *sync.Mutex
			wg    *sync.WaitGroup
			rw    *sync.RWMutex
			c     *sync.Cond
			once  *sync.Once
			kv    *sync.Map
			pool  *sync.Pool
			n     *atomic.Int64
			v     *atomic.Value
			tm    *time.Timer
			done  sync.WaitGroup
			plain int
		)
		for _, f := range []func(){
			func() { m.Lock() }, func() { wg.Done() }, func() { once.Do(func() {}) },
			func() { kv.Load(1) }, func() { pool.Get() }, func() { pool.Put(1) }, func() { n.Load() },
			func() { m.TryLock() }, func() { m.Unlock() }, func() { rw.Lock() }, func() { rw.RLock() },
			func() { rw.Unlock() }, func() { rw.RUnlock() }, func() { c.Wait() }, func() { c.Signal() },
			func() { wg.Wait() }, func() { n.CompareAndSwap(0, 1) }, func() { kv.Store(1, 1) },
			func() { v.Load() }, func() { v.Store(1) }, func() { tm.Stop() }, func() { tm.Reset(1) },
			func() { kv.Range(func(_, _ any) bool { return true }) }, func() { kv.Clear() },
		} {
			done.Go(func() {
				panics(f)
				plain++
			})
			done.Wait()
			plain++
		}
	})
}
