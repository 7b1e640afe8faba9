// Package counts holds programs whose traces are counted by hand or in the
// literature. The tests at the root hold the explorer to these counts.
package counts

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// parallel runs the functions as goroutines, joined by a WaitGroup: start and
// join add no traces.
func parallel(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Go(f)
	}
	wg.Wait()
}

func repeat(n int, f func(i int) func()) []func() {
	var fs []func()
	for i := range n {
		fs = append(fs, f(i))
	}
	return fs
}

func check(t *testing.T, body func(), opts ...model.Option) {
	t.Helper()
	model.Check(t, func(*model.Exec) { body() }, opts...)
}

func TestStoreBuffering(t *testing.T) {
	check(t, func() {
		var x, y atomic.Int32
		parallel(func() { x.Store(1); y.Load() }, func() { y.Store(1); x.Load() })
	})
}

func TestMessagePassing(t *testing.T) {
	check(t, func() {
		var data, ready atomic.Int32
		parallel(func() { data.Store(1); ready.Store(1) }, func() { ready.Load(); data.Load() })
	})
}

func TestLoadBuffering(t *testing.T) {
	check(t, func() {
		var x, y atomic.Int32
		parallel(func() { x.Load(); y.Store(1) }, func() { y.Load(); x.Store(1) })
	})
}

func Test2Plus2W(t *testing.T) {
	check(t, func() {
		var x, y atomic.Int32
		parallel(func() { x.Store(1); y.Store(2) }, func() { y.Store(1); x.Store(2) })
	})
}

func TestIRIW(t *testing.T) {
	check(t, func() {
		var x, y atomic.Int32
		parallel(func() { x.Store(1) }, func() { y.Store(1) },
			func() { x.Load(); y.Load() }, func() { y.Load(); x.Load() })
	})
}

// n writers of one variable: n! traces.
func TestWriters(t *testing.T) {
	for n := 1; n <= 6; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			check(t, func() {
				var x atomic.Int64
				parallel(repeat(n, func(i int) func() { return func() { x.Store(int64(i)) } })...)
			})
		})
	}
}

// One writer of n variables, a reader for each: 2^n traces.
func TestReaders(t *testing.T) {
	for n := 1; n <= 8; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			check(t, func() {
				x := make([]atomic.Bool, n)
				fs := repeat(n, func(i int) func() { return func() { x[i].Load() } })
				parallel(append(fs, func() {
					for i := range x {
						x[i].Store(true)
					}
				})...)
			})
		})
	}
}

// One writer of one variable that n readers read once: 2^n traces.
func TestReadersOfOne(t *testing.T) {
	for n := 1; n <= 8; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			check(t, func() {
				var x atomic.Uint32
				fs := repeat(n, func(int) func() { return func() { x.Load() } })
				parallel(append(fs, func() { x.Store(1) })...)
			})
		})
	}
}

// n compare-and-swaps of which one succeeds: n traces.
func TestCAS(t *testing.T) {
	for n := 1; n <= 7; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			check(t, func() {
				var x atomic.Uint64
				parallel(repeat(n, func(i int) func() { return func() { x.CompareAndSwap(0, uint64(i)+1) } })...)
			})
		})
	}
}

func TestIncrement(t *testing.T) {
	for n := 2; n <= 3; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			check(t, func() {
				var x atomic.Int64
				parallel(repeat(n, func(int) func() {
					return func() {
						for {
							v := x.Load()
							if x.CompareAndSwap(v, v+1) {
								return
							}
						}
					}
				})...)
			})
		})
	}
}

// n goroutines with k critical sections of one mutex: (nk)!/(k!)^n traces.
func TestMutex(t *testing.T) {
	for _, c := range []struct{ n, k int }{{2, 1}, {2, 2}, {2, 3}, {2, 5}, {3, 1}, {3, 2}, {4, 1}, {4, 2}} {
		t.Run(fmt.Sprintf("%dx%d", c.n, c.k), func(t *testing.T) {
			check(t, func() {
				var mu sync.Mutex
				shared := 0
				parallel(repeat(c.n, func(int) func() {
					return func() {
						for range c.k {
							mu.Lock()
							shared++
							mu.Unlock()
						}
					}
				})...)
				if shared != c.n*c.k {
					panic(shared)
				}
			})
		})
	}
}

func TestABBA(t *testing.T) {
	check(t, func() {
		var a, b sync.Mutex
		both := func(first, second *sync.Mutex) func() {
			return func() {
				first.Lock()
				defer first.Unlock()
				second.Lock()
				defer second.Unlock()
			}
		}
		parallel(both(&a, &b), both(&b, &a))
	})
}

// parking is a flag, a word that says whether someone sleeps, and the place to
// sleep: a mutex that is locked from the start.
type parking struct {
	flag, asleep atomic.Bool
	bed          sync.Mutex
}

func (p *parking) wake() {
	p.flag.Store(true)
	if p.asleep.Load() {
		p.bed.Unlock()
	}
}

// The sleep is announced after the check: a wakeup can be lost.
func TestCheckThenPark(t *testing.T) {
	check(t, func() {
		var p parking
		p.bed.Lock()
		parallel(func() {
			if !p.flag.Load() {
				p.asleep.Store(true)
				p.bed.Lock()
			}
		}, p.wake)
	})
}

func TestAnnounceThenCheck(t *testing.T) {
	check(t, func() {
		var p parking
		p.bed.Lock()
		parallel(func() {
			p.asleep.Store(true)
			if !p.flag.Load() {
				p.bed.Lock()
			}
		}, p.wake)
	})
}

// The same with a condition variable that forgets its signal.
func TestCondLosesItsSignal(t *testing.T) {
	check(t, func() {
		var flag atomic.Bool
		var mu sync.Mutex
		c := sync.NewCond(&mu)
		parallel(func() {
			if !flag.Load() {
				mu.Lock()
				c.Wait()
				mu.Unlock()
			}
		}, func() {
			flag.Store(true)
			c.Signal()
		})
	})
}

type node struct{ next *node }

func TestTreiber(t *testing.T) {
	check(t, func() {
		var head atomic.Pointer[node]
		push := func() {
			n := &node{}
			for {
				old := head.Load()
				n.next = old
				if head.CompareAndSwap(old, n) {
					return
				}
			}
		}
		parallel(push, push)
	})
}

// Chase and Lev's deque, slots as atomic accesses too.
type chaseLev struct {
	top, bottom atomic.Int64
	slots       [16]atomic.Int64
}

func (d *chaseLev) push(v int64) {
	b := d.bottom.Load()
	d.top.Load()
	d.slots[b].Store(v)
	d.bottom.Store(b + 1)
}

func (d *chaseLev) pop() {
	b := d.bottom.Load() - 1
	d.bottom.Store(b)
	t := d.top.Load()
	if t > b {
		d.bottom.Store(t)
		return
	}
	d.slots[b].Load()
	if t == b {
		d.top.CompareAndSwap(t, t+1)
		d.bottom.Store(t + 1)
	}
}

func (d *chaseLev) steal() {
	t := d.top.Load()
	b := d.bottom.Load()
	if t < b {
		d.slots[t].Load()
		d.top.CompareAndSwap(t, t+1)
	}
}

func TestChaseLev(t *testing.T) {
	for _, c := range []struct{ push1, pop, push2, thieves int }{
		{1, 1, 0, 1}, {2, 2, 0, 1}, {5, 3, 2, 1}, {5, 3, 2, 2},
	} {
		t.Run(fmt.Sprintf("%d-%d-%dx%d", c.push1, c.pop, c.push2, c.thieves), func(t *testing.T) {
			check(t, func() {
				var d chaseLev
				parallel(append(repeat(c.thieves, func(int) func() { return d.steal }), func() {
					for i := range c.push1 {
						d.push(int64(i))
					}
					for range c.pop {
						d.pop()
					}
					for i := range c.push2 {
						d.push(int64(i))
					}
				})...)
			})
		})
	}
}

// Two goroutines with eight additions each, whose results are used: 16!/(8!)^2
// traces, and the explorer's benchmark.
func TestAdds(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int64
		sums := new([2]int64)
		for i := range 2 {
			x.Go("adder", func() {
				for range 8 {
					sums[i] += n.Add(1)
				}
			})
		}
		x.Join()
		x.Assert(sums[0]+sums[1] == 16*17/2, "%v", *sums)
	})
}
