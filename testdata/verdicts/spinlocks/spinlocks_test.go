// Package spinlocks holds locks, barriers and queues whose goroutines wait by loops, as textbooks
// have them, and such that are wrong.
package spinlocks

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

func peterson(x *model.Exec, swapOrder bool) {
	var want [2]atomic.Bool
	var turn atomic.Int32
	cs := 0
	for i := range 2 {
		x.Go("p", func() {
			me, other := i, 1-i
			if swapOrder {
				turn.Store(int32(other))
				want[me].Store(true)
			} else {
				want[me].Store(true)
				turn.Store(int32(other))
			}
			for want[other].Load() && turn.Load() == int32(other) {
			}
			cs++
			want[me].Store(false)
		})
	}
	x.Join()
	x.Assert(cs == 2, "cs %d", cs)
}

// verdict: proved
func TestPeterson(t *testing.T) { model.Check(t, func(x *model.Exec) { peterson(x, false) }) }

// verdict: FAILED race
func TestPetersonInTheWrongOrder(t *testing.T) {
	model.Check(t, func(x *model.Exec) { peterson(x, true) })
}

// verdict: proved
func TestDekker(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var want [2]atomic.Bool
		var turn atomic.Int32
		cs := 0
		for i := range 2 {
			x.Go("p", func() {
				me, other := i, 1-i
				want[me].Store(true)
				for want[other].Load() {
					if turn.Load() == int32(other) {
						want[me].Store(false)
						for turn.Load() == int32(other) {
							runtime.Gosched()
						}
						want[me].Store(true)
					}
				}
				cs++
				turn.Store(int32(other))
				want[me].Store(false)
			})
		}
		x.Join()
		x.Assert(cs == 2, "cs")
	})
}

// Both goroutines take back their wish, at the same time, for ever.
//
// verdict: FAILED livelock
func TestBothGiveWay(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var want [2]atomic.Bool
		for i := range 2 {
			x.Go("p", func() {
				me, other := i, 1-i
				want[me].Store(true)
				for want[other].Load() {
					want[me].Store(false)
					want[me].Store(true)
				}
				want[me].Store(false)
			})
		}
		x.Join()
	})
}

// verdict: proved
func TestTicketLock(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var next, serving atomic.Uint32
		n := 0
		for range 3 {
			x.Go("p", func() {
				my := next.Add(1) - 1
				for serving.Load() != my {
					runtime.Gosched()
				}
				n++
				serving.Add(1)
			})
		}
		x.Join()
		x.Assert(n == 3, "n")
	})
}

// verdict: proved
func TestSequenceLock(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var seq, a, b atomic.Uint32
		x.Go("writer", func() {
			for i := uint32(1); i <= 2; i++ {
				seq.Add(1)
				a.Store(i)
				b.Store(i)
				seq.Add(1)
			}
		})
		x.Go("reader", func() {
			for {
				s := seq.Load()
				if s&1 == 1 {
					continue
				}
				va, vb := a.Load(), b.Load()
				if seq.Load() == s {
					x.Assert(va == vb, "torn %d %d", va, vb)
					return
				}
			}
		})
		x.Join()
	})
}

// verdict: FAILED torn
func TestSequenceLockThatReadsWhileItIsOdd(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var seq, a, b atomic.Uint32
		x.Go("writer", func() {
			for i := uint32(1); i <= 2; i++ {
				seq.Add(1)
				a.Store(i)
				b.Store(i)
				seq.Add(1)
			}
		})
		x.Go("reader", func() {
			for tries := 0; ; tries++ {
				s := seq.Load()
				va, vb := a.Load(), b.Load()
				if seq.Load() == s {
					x.Assert(va == vb, "torn %d %d", va, vb)
					return
				}
			}
		})
		x.Join()
	})
}

// verdict: proved
func TestBakery(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var choosing [2]atomic.Bool
		var num [2]atomic.Int32
		cs := 0
		for i := range 2 {
			x.Go("p", func() {
				me, o := i, 1-i
				choosing[me].Store(true)
				num[me].Store(1 + max(num[0].Load(), num[1].Load()))
				choosing[me].Store(false)
				for choosing[o].Load() {
				}
				for {
					n := num[o].Load()
					m := num[me].Load()
					if n == 0 || m < n || m == n && me < o {
						break
					}
				}
				cs++
				num[me].Store(0)
			})
		}
		x.Join()
		x.Assert(cs == 2, "cs")
	})
}

// verdict: proved
func TestBarrierThatReversesItsSense(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var count atomic.Int32
		var sense atomic.Bool
		var data [2]int
		for i := range 2 {
			x.Go("p", func() {
				local := false
				for round := range 2 {
					data[i] = round
					local = !local
					if count.Add(1) == 2 {
						count.Store(0)
						sense.Store(local)
					} else {
						for sense.Load() != local {
						}
					}
					x.Assert(data[1-i] == round, "round")
					local = !local
					if count.Add(1) == 2 {
						count.Store(0)
						sense.Store(local)
					} else {
						for sense.Load() != local {
						}
					}
				}
			})
		}
		x.Join()
	})
}

// One that leaves the barrier late waits for the next round.
//
// verdict: FAILED livelock
func TestBarrierThatIsLeftTooLate(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var count atomic.Int32
		for range 2 {
			x.Go("p", func() {
				for range 2 {
					if count.Add(1) == 2 {
						count.Store(0)
					} else {
						for count.Load() != 0 {
						}
					}
				}
			})
		}
		x.Join()
	})
}

type mcs struct {
	next   atomic.Pointer[mcs]
	locked atomic.Bool
}

// Each waiter spins on a word of its own (Mellor-Crummey, Scott 1991).
//
// verdict: proved
func TestQueueOfWaiters(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var tail atomic.Pointer[mcs]
		n := 0
		for range 3 {
			x.Go("p", func() {
				me := new(mcs)
				if p := tail.Swap(me); p != nil {
					me.locked.Store(true)
					p.next.Store(me)
					for me.locked.Load() {
					}
				}
				n++
				nx := me.next.Load()
				if nx == nil {
					if tail.CompareAndSwap(me, nil) {
						return
					}
					for {
						if nx = me.next.Load(); nx != nil {
							break
						}
					}
				}
				nx.locked.Store(false)
			})
		}
		x.Join()
		x.Assert(n == 3, "n")
	})
}

type node struct {
	v    int
	next *node
}

// verdict: proved
func TestStackWhosePopWaits(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var head atomic.Pointer[node]
		push := func(v int) {
			n := &node{v: v}
			for {
				n.next = head.Load()
				if head.CompareAndSwap(n.next, n) {
					return
				}
			}
		}
		pop := func() int {
			for {
				h := head.Load()
				if h == nil {
					runtime.Gosched()
					continue
				}
				if head.CompareAndSwap(h, h.next) {
					return h.v
				}
			}
		}
		x.Go("push", func() { push(1); push(2) })
		x.Go("pop", func() { s := pop(); s += pop(); x.Assert(s == 3, "s") })
		x.Join()
	})
}

// verdict: proved
func TestRing(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var buf [1]int
		var head, tail atomic.Uint32
		x.Go("prod", func() {
			for i := 1; i <= 3; i++ {
				for tail.Load()-head.Load() == 1 {
					runtime.Gosched()
				}
				buf[0] = i
				tail.Add(1)
			}
		})
		x.Go("cons", func() {
			for i := 1; i <= 3; i++ {
				for tail.Load() == head.Load() {
					runtime.Gosched()
				}
				x.Assert(buf[0] == i, "lost")
				head.Add(1)
			}
		})
		x.Join()
	})
}

// verdict: proved|bounded
func TestSpinsThenSleeps(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var state atomic.Int32 // 0 none, 1 token, 2 parked
		wake := make(chan struct{}, 1)
		x.Go("parker", func() {
			for i := 0; i < 4; i++ {
				if state.CompareAndSwap(1, 0) {
					return
				}
				runtime.Gosched()
			}
			if state.CompareAndSwap(0, 2) {
				<-wake
			}
			state.Store(0)
		})
		x.Go("waker", func() {
			if state.Swap(1) == 2 {
				wake <- struct{}{}
			}
		})
		x.Join()
	})
}

// verdict: proved
func TestSecondLookUnderALock(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var p atomic.Pointer[int]
		var mu sync.Mutex
		made := 0
		get := func() *int {
			if v := p.Load(); v != nil {
				return v
			}
			for !mu.TryLock() {
				if v := p.Load(); v != nil {
					return v
				}
			}
			defer mu.Unlock()
			if v := p.Load(); v != nil {
				return v
			}
			made++
			v := new(int)
			p.Store(v)
			return v
		}
		for range 2 {
			x.Go("p", func() { get() })
		}
		x.Join()
		x.Assert(made == 1, "made")
	})
}

// verdict: proved|bounded
func TestTryLockOfTheSecondLock(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var a, b sync.Mutex
		// each: take own, try other, give back
		for i := range 2 {
			x.Go("p", func() {
				first, second := &a, &b
				if i == 1 {
					first, second = &b, &a
				}
				for {
					first.Lock()
					if second.TryLock() {
						second.Unlock()
						first.Unlock()
						return
					}
					first.Unlock()
					runtime.Gosched()
				}
			})
		}
		x.Join()
	})
}

// verdict: proved|bounded
func TestWorkersThatSteal(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var left atomic.Int32
		left.Store(2)
		q := [2]chan int{make(chan int, 2), make(chan int, 2)}
		q[0] <- 1
		q[0] <- 2
		for i := range 2 {
			x.Go("w", func() {
				for left.Load() > 0 {
					select {
					case <-q[i]:
						left.Add(-1)
						continue
					default:
					}
					select {
					case <-q[1-i]:
						left.Add(-1)
					default:
						runtime.Gosched()
					}
				}
			})
		}
		x.Join()
	})
}

// verdict: FAILED livelock
func TestSpinsUnderTheLockOfTheSetter(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		var done atomic.Bool
		x.Go("poller", func() {
			mu.Lock()
			for !done.Load() {
				runtime.Gosched()
			}
			mu.Unlock()
		})
		x.Go("setter", func() {
			mu.Lock()
			done.Store(true)
			mu.Unlock()
		})
		x.Join()
	})
}
