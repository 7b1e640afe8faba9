// Package assigned has programs that assign to objects of package sync, and so begin with new ones.
package assigned

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// verdict: proved, 2 traces
func TestOnceBeginsAnew(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var once sync.Once
		n := 0
		once.Do(func() { n++ })
		once = sync.Once{}
		var ran atomic.Int32
		for range 2 {
			x.Go("caller", func() {
				once.Do(func() { ran.Add(1); n++ })
				x.Assert(ran.Load() == 1, "ran %d times", ran.Load())
			})
		}
		x.Join()
		x.Assert(n == 2, "n is %d", n)
	})
}

// The function replaces the Once that runs it, whose lock is then not held.
//
// verdict: FAILED unlock of unlocked mutex
func TestOnceIsReplacedInItself(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var once sync.Once
		once.Do(func() { once = sync.Once{} })
	})
}

// verdict: proved
func TestOnceThatPanickedIsDone(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var once sync.Once
		try := func() (p any) {
			defer func() { p = recover() }()
			once.Do(func() { panic("first") })
			return nil
		}
		x.Assert(try() == "first" && try() == nil, "not done")
		once = sync.Once{}
		x.Assert(try() == "first", "done")
	})
}

// verdict: proved, 2 traces
func TestOnceWhoseFunctionExits(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var once sync.Once
		x.Go("exits", func() { once.Do(runtime.Goexit) })
		x.Go("returns", func() { once.Do(func() {}) })
		x.Join()
	})
}

type table struct {
	mu sync.RWMutex
	n  int
}

func (c *table) use(x *model.Exec) {
	x.Go("writer", func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.n++
	})
	x.Go("reader", func() {
		c.mu.RLock()
		defer c.mu.RUnlock()
		x.Assert(c.n < 2, "n is %d", c.n)
	})
	x.Join()
}

// verdict: proved, 2 traces
func TestRWMutexThatWasHeldByAWriter(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := &table{}
		c.mu.Lock()
		*c = table{}
		c.use(x)
	})
}

// verdict: proved, 2 traces
func TestRWMutexThatWasHeldByAReader(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := &table{}
		c.mu.RLock()
		*c = table{}
		c.use(x)
	})
}

// verdict: FAILED deadlock
func TestCopyOfARWMutexThatIsHeld(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := &table{}
		c.mu.RLock()
		d := &table{}
		*d = *c
		c.mu.RUnlock()
		d.use(x)
	})
}

// verdict: proved, 1 trace
func TestWaitGroupBeginsAnew(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var wg sync.WaitGroup
		wg.Add(3)
		wg = sync.WaitGroup{}
		n := 0
		wg.Go(func() { n++ })
		wg.Wait()
		x.Assert(n == 1, "n is %d", n)
	})
}

// What was added before the assignment does not count: Done must not come first.
//
// verdict: FAILED negative WaitGroup counter
func TestWaitGroupForgetsWhatWasAdded(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var wg sync.WaitGroup
		begin := make(chan bool)
		x.Go("done", func() {
			<-begin
			wg.Done()
		})
		wg.Add(1)
		wg = sync.WaitGroup{}
		close(begin)
		wg.Add(1)
		x.Join()
	})
}

// verdict: FAILED deadlock
func TestCopyOfAWaitGroup(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var groups [2]sync.WaitGroup
		groups[0].Add(1)
		copy(groups[1:], groups[:1])
		groups[0].Done()
		groups[1].Wait()
	})
}

type waits struct {
	mu   sync.Mutex
	cond sync.Cond
}

// verdict: FAILED sync.Cond is copied
func TestCopyOfACond(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b := &waits{}, &waits{}
		a.cond.L = &a.mu
		a.cond.Signal()
		*b = *a
		b.cond.Signal()
	})
}

// A Cond that was not used may be copied.
//
// verdict: proved
func TestCopyOfACondInTime(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b := &waits{}, &waits{}
		*b = *a
		b.cond.L = &b.mu
		ready := false
		x.Go("waiter", func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			for !ready {
				b.cond.Wait()
			}
		})
		b.mu.Lock()
		ready = true
		b.mu.Unlock()
		b.cond.Broadcast()
		x.Join()
	})
}

// verdict: FAILED deadlock
func TestCondForgetsItsWaiters(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := &waits{}
		w.cond.L = &w.mu
		ready, begun := false, make(chan bool)
		x.Go("waiter", func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			close(begun)
			for !ready {
				w.cond.Wait()
			}
		})
		<-begun
		w.mu.Lock()
		ready = true
		w.cond = sync.Cond{L: &w.mu}
		w.mu.Unlock()
		w.cond.Broadcast()
		x.Join()
	})
}

// verdict: proved
func TestMapBeginsAnew(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var c struct{ m sync.Map }
		c.m.Store(1, 1)
		c.m = sync.Map{}
		_, ok := c.m.Load(1)
		x.Assert(!ok, "still there")
		x.Go("other", func() { c.m.Store(1, 2) })
		x.Join()
		v, _ := c.m.Load(1)
		x.Assert(v == 2, "%v", v)
	})
}

// verdict: proved
func TestPoolBeginsAnew(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		var c struct{ pool sync.Pool }
		x.Go("puts", func() {
			mu.Lock()
			defer mu.Unlock()
			c.pool.Put(1)
		})
		mu.Lock()
		defer x.Join()
		defer mu.Unlock()
		c.pool = sync.Pool{}
		x.Assert(c.pool.Get() == nil, "still there")
		c.pool.Put(2)
		v := c.pool.Get()
		x.Assert(v == nil || v == 2, "%v", v)
	})
}

// beside runs use beside an assignment that is not ordered with it.
func beside[T any](t *testing.T, object *T, use func()) {
	model.Check(t, func(x *model.Exec) {
		x.Go("uses", use)
		x.Go("assigns", func() { *object = *new(T) })
		x.Join()
	})
}

// verdict: FAILED data race
func TestPoolIsAssignedBesideGet(t *testing.T) {
	var p sync.Pool
	beside(t, &p, func() { p.Get() })
}

// verdict: FAILED data race
func TestPoolIsAssignedBesidePut(t *testing.T) {
	var p sync.Pool
	beside(t, &p, func() { p.Put(1) })
}

// verdict: FAILED data race
func TestNewOfAPoolIsAssignedBesideGet(t *testing.T) {
	var p sync.Pool
	beside(t, &p.New, func() { p.Get() })
}

// verdict: FAILED data race
func TestMapIsAssignedBesideLoad(t *testing.T) {
	var m sync.Map
	beside(t, &m, func() { m.Load(1) })
}

// verdict: FAILED data race
func TestCondIsAssignedBesideSignal(t *testing.T) {
	var c sync.Cond
	beside(t, &c, func() { c.Signal() })
}

// verdict: FAILED data race
func TestLockOfACondIsAssignedBesideWait(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		c, woken := sync.NewCond(&mu), false
		x.Go("waits", func() {
			mu.Lock()
			defer mu.Unlock()
			for !woken {
				c.Wait()
			}
		})
		x.Go("assigns and wakes", func() {
			c.L = &mu
			mu.Lock()
			defer mu.Unlock()
			woken = true
			c.Signal()
		})
		x.Join()
	})
}

// The waiter looks at L once more when it was woken.
//
// verdict: FAILED data race
func TestLockOfACondIsAssignedAfterSignal(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		c, waits := sync.NewCond(&mu), make(chan bool)
		x.Go("waits", func() {
			mu.Lock()
			defer mu.Unlock()
			close(waits)
			c.Wait()
		})
		<-waits
		mu.Lock()
		c.Signal()
		c.L = &mu
		mu.Unlock()
		x.Join()
	})
}

// verdict: FAILED data race
func TestWaitGroupIsAssignedBesideWait(t *testing.T) {
	var wg sync.WaitGroup
	beside(t, &wg, func() { wg.Wait() })
}

// verdict: FAILED data race
func TestWaitGroupIsAssignedBesideDone(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var groups [2]sync.WaitGroup
		groups[0].Add(1)
		groups[1].Add(1)
		x.Go("done", func() { groups[0].Done() })
		x.Go("assigns", func() { copy(groups[:1], groups[1:]) })
		x.Join()
	})
}

// Each assignment is ordered with the uses.
//
// verdict: proved
func TestAssignedBetweenUses(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var c struct {
			mu   sync.Mutex
			pool sync.Pool
			m    sync.Map
			wg   sync.WaitGroup
		}
		for i := range 2 {
			x.Go("uses and assigns", func() {
				c.mu.Lock()
				defer c.mu.Unlock()
				c.pool.Put(i)
				c.pool.Get()
				c.m.Store(i, i)
				c.wg.Go(func() {})
				c.wg.Wait()
				c.pool, c.m, c.wg = sync.Pool{}, sync.Map{}, sync.WaitGroup{}
			})
		}
		x.Join()
	})
}
