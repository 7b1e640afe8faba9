package loops

import (
	"iter"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// The loop ends by itself, after more steps than an execution may have that repeats nothing.
//
// verdict: proved|bounded
func TestCountsFurtherThanTheBoundOnSteps(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		x.Go("poller", func() {
			for n := 0; n < 30000 && !done.Load(); n++ {
				runtime.Gosched()
			}
		})
		x.Join()
	})
}

// verdict: FAILED|bounded count_test.go:
func TestPanicAfterManyLooks(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		x.Go("poller", func() {
			n := 0
			for !done.Load() {
				if n++; n == 15000 {
					panic("gave up")
				}
				runtime.Gosched()
			}
		})
		x.Go("setter", func() { done.Store(true) })
		x.Join()
	})
}

// Nobody sets what the loop waits for, but it counts, and what it counts ends it.
//
// verdict: FAILED (panic|gave up)
func TestGivesUpByPanic(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		x.Go("poller", func() {
			n := 0
			for !done.Load() {
				if n++; n == 25_000 {
					panic("gave up")
				}
			}
		})
		x.Join()
	})
}

// The timer comes although ten thousands of ticks are due before it.
//
// verdict: bounded count_test.go:
func TestTicksBeforeATimer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		time.AfterFunc(time.Minute, func() { done.Store(true) })
		for range tick.C {
			if done.Load() {
				return
			}
		}
	})
}

// verdict: bounded count_test.go:.*may have effects
func TestCountsInSharedMemory(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		var spins struct{ n int }
		x.Go("poller", func() {
			for !done.Load() {
				spins.n++
			}
		})
		x.Go("setter", func() { done.Store(true) })
		x.Join()
		x.Assert(spins.n >= 0, "n")
	})
}

// verdict: bounded count_test.go:.*may have effects
func TestCountsInAnAtomic(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		var spins atomic.Int64
		x.Go("poller", func() {
			for !done.Load() {
				spins.Add(1)
			}
		})
		x.Go("setter", func() { done.Store(true) })
		x.Join()
	})
}

func waitFor(p *atomic.Bool) {
	if !p.Load() {
		runtime.Gosched()
		waitFor(p)
	}
}

// verdict: bounded|undecided
func TestCallsItself(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		x.Go("poller", func() { waitFor(&done) })
		x.Go("setter", func() { done.Store(true) })
		x.Join()
	})
}

// verdict: bounded count_test.go:.*may have effects
func TestGoesBack(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		x.Go("poller", func() {
		again:
			if !done.Load() {
				runtime.Gosched()
				goto again
			}
		})
		x.Go("setter", func() { done.Store(true) })
		x.Join()
	})
}

func numbers() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; ; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

// verdict: bounded count_test.go:.*may have effects
func TestRangesOverAFunction(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		x.Go("poller", func() {
			for range numbers() {
				if done.Load() {
					return
				}
				runtime.Gosched()
			}
		})
		x.Go("setter", func() { done.Store(true) })
		x.Join()
	})
}

var called = func() {}

// verdict: bounded count_test.go:.*may have effects
func TestCallsWhatIsInAVariable(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		x.Go("poller", func() {
			for !done.Load() {
				called()
			}
		})
		x.Go("setter", func() { done.Store(true) })
		x.Join()
	})
}

// verdict: proved
func TestCallsALiteral(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		ready := func() bool { return done.Load() }
		x.Go("poller", func() {
			for !ready() {
				runtime.Gosched()
			}
		})
		x.Go("setter", func() { done.Store(true) })
		x.Join()
	})
}

type backoff struct{ n uint }

func (b *backoff) wait() {
	for range 1 << min(b.n, 3) {
		runtime.Gosched()
	}
	b.n++
}

// verdict: bounded count_test.go:.*may have effects
func TestBackOffInAnObject(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var lock atomic.Int32
		for range 2 {
			x.Go("w", func() {
				var b backoff
				for !lock.CompareAndSwap(0, 1) {
					b.wait()
				}
				lock.Store(0)
			})
		}
		x.Join()
	})
}

// verdict: bounded count_test.go:.*may have effects
func TestRandomBackOff(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var lock atomic.Int32
		for range 2 {
			x.Go("w", func() {
				for !lock.CompareAndSwap(0, 1) {
					for range rand.IntN(3) {
						runtime.Gosched()
					}
				}
				lock.Store(0)
			})
		}
		x.Join()
	})
}

// verdict: bounded count_test.go:
func TestLoopInALoop(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var a, b atomic.Bool
		x.Go("poller", func() {
			for n := 0; !a.Load(); n++ {
				for i := 0; i < 3 && !b.Load(); i++ {
					runtime.Gosched()
				}
			}
		})
		x.Go("setter", func() { b.Store(true); a.Store(true) })
		x.Join()
	})
}

// verdict: proved|bounded
func TestTimeoutOfEachLook(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int)
		x.Go("rx", func() {
			for {
				select {
				case <-c:
					return
				case <-time.After(time.Second):
				}
			}
		})
		x.Go("tx", func() { c <- 1 })
		x.Join()
	})
}

// verdict: FAILED livelock|leak
func TestNobodyAnswersBetweenTimeouts(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int)
		x.Go("rx", func() {
			for {
				select {
				case <-c:
					return
				case <-time.After(time.Second):
				}
			}
		})
		x.Join()
	})
}

// verdict: FAILED livelock.*stuck at count_test.go:
func TestTickerBesideALoop(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		tick := time.NewTicker(time.Millisecond)
		go func() {
			for range tick.C {
			}
		}()
		var done atomic.Bool
		x.Go("stuck", func() {
			for n := 0; !done.Load(); n++ {
				runtime.Gosched()
			}
		})
		x.Join()
	})
}

// verdict: proved|bounded
func TestTickerEndsALoop(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		tick := time.NewTicker(time.Millisecond)
		var done atomic.Bool
		go func() {
			n := 0
			for range tick.C {
				if n++; n == 3 {
					done.Store(true)
				}
			}
		}()
		x.Go("waits", func() {
			for n := 0; !done.Load(); n++ {
				runtime.Gosched()
			}
		})
		x.Join()
	})
}

// verdict: FAILED livelock.*a at count_test.go:.*b at count_test.go:
func TestTwoWaitForEachOther(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var a, b atomic.Bool
		x.Go("a", func() {
			for n := 0; !b.Load(); n++ {
				runtime.Gosched()
			}
			a.Store(true)
		})
		x.Go("b", func() {
			for n := 0; !a.Load(); n++ {
				runtime.Gosched()
			}
			b.Store(true)
		})
		x.Join()
	})
}

type announced[T any] struct{ v atomic.Bool }

func (f *announced[T]) wait() {
	for i := 0; !f.v.Load(); i++ {
		if i > 2 {
			runtime.Gosched()
		}
	}
}

// verdict: proved|bounded
func TestMethodOfAGenericType(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var f announced[int]
		x.Go("w", f.wait)
		x.Go("s", func() { f.v.Store(true) })
		x.Join()
	})
}

// verdict: proved|bounded
func TestBodyPolls(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int32
		for range 2 {
			go func() { n.Add(1) }()
		}
		for n.Load() != 2 {
			time.Sleep(time.Millisecond)
		}
	})
}

// verdict: FAILED seven looks
func TestBugInTheSeventhLook(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		x.Go("poller", func() {
			for n := 0; !done.Load(); n++ {
				x.Assert(n < 7, "seven looks")
			}
		})
		x.Go("setter", func() { done.Store(true) })
		x.Join()
	})
}
