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
