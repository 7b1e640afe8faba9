// Package loops holds loops that wait for other goroutines: such as end under a fair scheduler, and
// such as do not.
package loops

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// ends checks that wait, which waits in some way for what set does, ends.
func ends(t *testing.T, mk func() (wait, set func())) {
	model.Check(t, func(x *model.Exec) {
		w, s := mk()
		x.Go("waiter", w)
		x.Go("setter", s)
		x.Join()
	})
}

func flag(loop func(p *atomic.Bool)) func() (func(), func()) {
	return func() (func(), func()) {
		p := new(atomic.Bool)
		return func() { loop(p) }, func() { p.Store(true) }
	}
}

// verdict: proved
func TestLoadUntilSet(t *testing.T) {
	ends(t, flag(func(p *atomic.Bool) {
		for !p.Load() {
		}
	}))
}

// verdict: proved
func TestVariableOfTheIteration(t *testing.T) {
	ends(t, flag(func(p *atomic.Bool) {
		for {
			v := p.Load()
			if v {
				break
			}
		}
	}))
}

// verdict: proved|bounded
func TestVariableReadAgain(t *testing.T) {
	ends(t, flag(func(p *atomic.Bool) {
		v := p.Load()
		for !v {
			v = p.Load()
		}
	}))
}

// verdict: proved|bounded
func TestVariableOfTheFunction(t *testing.T) {
	ends(t, flag(func(p *atomic.Bool) {
		var v bool
		for {
			v = p.Load()
			if v {
				break
			}
			runtime.Gosched()
		}
	}))
}

// verdict: proved|bounded
func TestCountedWithYields(t *testing.T) {
	ends(t, flag(func(p *atomic.Bool) {
		for i := 0; !p.Load(); i++ {
			if i%4 == 3 {
				runtime.Gosched()
			}
		}
	}))
}

// verdict: proved
func TestCompareAndSwapUntilFree(t *testing.T) {
	ends(t, func() (func(), func()) {
		var p atomic.Bool
		p.Store(true)
		return func() {
			for !p.CompareAndSwap(false, true) {
			}
		}, func() { p.Store(false) }
	})
}

// verdict: proved
func TestTryLockUntilFree(t *testing.T) {
	ends(t, func() (func(), func()) {
		var m sync.Mutex
		m.Lock()
		return func() {
			for !m.TryLock() {
				runtime.Gosched()
			}
		}, func() { m.Unlock() }
	})
}

// verdict: proved|bounded
func TestSelectWithDefault(t *testing.T) {
	ends(t, func() (func(), func()) {
		c := make(chan int)
		return func() {
			for {
				select {
				case <-c:
					return
				default:
					runtime.Gosched()
				}
			}
		}, func() { close(c) }
	})
}

// verdict: proved
func TestLookUnderALock(t *testing.T) {
	ends(t, func() (func(), func()) {
		var m sync.Mutex
		ready := false
		return func() {
			for {
				m.Lock()
				ok := ready
				m.Unlock()
				if ok {
					break
				}
				runtime.Gosched()
			}
		}, func() { m.Lock(); ready = true; m.Unlock() }
	})
}

// verdict: proved|bounded
func TestSleepBetweenLooks(t *testing.T) {
	ends(t, flag(func(p *atomic.Bool) {
		for !p.Load() {
			time.Sleep(time.Millisecond)
		}
	}))
}

// verdict: proved
func TestLengthOfAChannel(t *testing.T) {
	ends(t, func() (func(), func()) {
		c := make(chan int, 1)
		return func() {
			for len(c) == 0 {
				runtime.Gosched()
			}
		}, func() { c <- 1 }
	})
}

// verdict: proved|bounded
func TestBackOffByYields(t *testing.T) {
	ends(t, flag(func(p *atomic.Bool) {
		for n := 1; !p.Load(); n *= 2 {
			for range min(n, 8) {
				runtime.Gosched()
			}
		}
	}))
}

// verdict: proved|bounded
func TestSpinThenYield(t *testing.T) {
	ends(t, flag(func(p *atomic.Bool) {
		spins := 0
		for !p.Load() {
			if spins++; spins > 3 {
				spins = 0
				runtime.Gosched()
			}
		}
	}))
}

// verdict: proved
func TestTwoTakeTurns(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var turn atomic.Int32
		for i := range int32(2) {
			x.Go("p", func() {
				for range 2 {
					for turn.Load() != i {
						runtime.Gosched()
					}
					turn.Store(1 - i)
				}
			})
		}
		x.Join()
	})
}

// verdict: proved|bounded
func TestAdditionTakenBack(t *testing.T) {
	ends(t, func() (func(), func()) {
		var n atomic.Int32
		n.Store(1)
		return func() {
			for n.Add(1) != 1 {
				n.Add(-1)
				runtime.Gosched()
			}
		}, func() { n.Add(-1) }
	})
}

// verdict: proved|bounded
func TestTicker(t *testing.T) {
	ends(t, flag(func(p *atomic.Bool) {
		tk := time.NewTicker(time.Millisecond)
		defer tk.Stop()
		for range tk.C {
			if p.Load() {
				return
			}
		}
	}))
}
