package fork_test

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/surewake/surewake/fork"
)

// A worker runs calls, one at a time, on one goroutine.
type worker struct {
	fork.Stack[*worker]
	pool  *pool
	ended chan struct{} // a claim that the worker waits for has ended
	wake  chan struct{} // the worker is to wake: a token of its own, or another would take it
}

// A pool is the goroutine that calls Do, and others that steal from it and from one another.
type pool struct {
	workers  []*worker
	lock     sync.Mutex
	sleepers []*worker // that nobody has woken; under the lock
	closed   atomic.Bool
	all      sync.WaitGroup
}

func newPool(workers int) *pool {
	p := &pool{}
	for range workers {
		w := &worker{pool: p, ended: make(chan struct{}, 1), wake: make(chan struct{}, 1)}
		w.Init(w)
		p.workers = append(p.workers, w)
	}
	for _, w := range p.workers[1:] {
		p.all.Go(w.work)
	}
	return p
}

func (p *pool) Do(fn func(w *worker)) {
	w := p.workers[0]
	defer w.Abandon(0) // after a panic there may be forks left
	fn(w)
}

func (p *pool) Close() {
	p.closed.Store(true)
	for range p.workers[1:] {
		p.unpark()
	}
	p.all.Wait()
}

func (w *worker) work() {
	returned := false
	defer func() {
		if !returned { // a claimed call has called runtime.Goexit
			w.pool.all.Go(w.work)
		}
	}()
	for !w.pool.closed.Load() {
		c := w.steal()
		if c == nil {
			c = w.sleep()
		}
		if c != nil {
			c.Run(w, &w.Stack)
		}
	}
	returned = true
}

func (w *worker) steal() *fork.Claim[*worker] {
	for _, victim := range w.pool.workers {
		if victim != w {
			if c := victim.Claim(true); c != nil {
				return c
			}
		}
	}
	return nil
}

func (w *worker) sleep() *fork.Claim[*worker] {
	p := w.pool
	p.lock.Lock()
	p.sleepers = append(p.sleepers, w)
	p.lock.Unlock()
	c := w.steal() // after it has said so: it has asked everyone, or somebody sees it sleep
	if c == nil && !p.closed.Load() {
		w.Trim()
		<-w.wake
		return nil
	}
	p.lock.Lock()
	i := slices.Index(p.sleepers, w)
	if i >= 0 {
		p.sleepers = slices.Delete(p.sleepers, i, i+1)
	}
	p.lock.Unlock()
	if i < 0 {
		<-w.wake // somebody has woken it
	}
	return c
}

// unpark wakes a worker that sleeps, if there is one.
func (p *pool) unpark() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if last := len(p.sleepers) - 1; last >= 0 {
		p.sleepers[last].wake <- struct{}{}
		p.sleepers = p.sleepers[:last]
	}
}

func (w *worker) Exposed() { w.pool.unpark() }

func (w *worker) Await(c *fork.Claim[*worker]) {
	if thief := c.By(); thief != nil {
		for loot := thief.Claim(true); loot != nil; loot = thief.Claim(true) {
			loot.Run(w, &w.Stack)
		}
	}
	if c.Wait() {
		<-w.ended
	}
}

func (w *worker) Ended(_ *fork.Claim[*worker], _ *worker) { w.ended <- struct{}{} }

func fib(w *worker, n int) int {
	if n < 2 {
		return n
	}
	f := fork.Fork(&w.Stack, fib, n-1)
	b := fib(w, n-2)
	return f.Join(w) + b
}

// The pool of the page, and a function that forks.
func Example() {
	p := newPool(4)
	defer p.Close()
	p.Do(func(w *worker) { fmt.Println(fib(w, 20)) })
	// Output: 6765
}

// Mine saves what Join adds to the call if nobody has stolen it.
func ExampleFrame_Mine() {
	p := newPool(2)
	defer p.Close()
	square := func(_ *worker, n int) int { return n * n }
	p.Do(func(w *worker) {
		f := fork.Fork(&w.Stack, square, 3)
		four := square(w, 2)
		if f.Mine() {
			fmt.Println(four + square(w, 3))
		} else {
			fmt.Println(four + f.Result())
		}
	})
	// Output: 13
}

// Both takes closures, and functions with other results.
func ExampleBoth() {
	p := newPool(2)
	defer p.Close()
	values := []int{3, 1, 4, 1, 5, 9, 2, 6}
	p.Do(func(w *worker) {
		sum, greatest := fork.Both(&w.Stack, w,
			func(*worker) (sum int) {
				for _, v := range values {
					sum += v
				}
				return sum
			},
			func(*worker) string {
				m := 0
				for _, v := range values {
					m = max(m, v)
				}
				return fmt.Sprint("at most ", m)
			})
		fmt.Println(sum, greatest)
	})
	// Output: 31 at most 9
}

// A long leaf that neither forks nor joins makes what it leaves available first.
func ExampleStack_Share() {
	p := newPool(2)
	defer p.Close()
	p.Do(func(w *worker) {
		f := fork.Fork(&w.Stack, fib, 15)
		w.Share()
		steps := 0
		for range 1_000_000 { // no worker has to wait for its end
			steps++
		}
		fmt.Println(steps, f.Join(w))
	})
	// Output: 1000000 610
}

// A panic in a fork is raised by its join, whoever has made the call.
func ExampleFrame_Join() {
	p := newPool(2)
	defer p.Close()
	defer func() { fmt.Println("recovered:", recover()) }()
	p.Do(func(w *worker) {
		f := fork.Fork(&w.Stack, func(*worker, int) int { panic("no") }, 1)
		fmt.Println(f.Join(w))
	})
	// Output: recovered: no
}

// A pool that is being tested lets each join ask who calls it.
func ExampleStack_CheckJoins() {
	var w worker
	w.Init(&w)
	owns := true
	w.CheckJoins(func(depth int) {
		if !owns {
			panic(fmt.Sprintf("the join of a fork with %d older ones by a stranger", depth))
		}
	})
	f := fork.Fork(&w.Stack, fib, 10)
	func() {
		owns = false
		defer func() { fmt.Println("recovered:", recover()) }()
		f.Join(&w)
	}()
	owns = true
	fmt.Println(f.Join(&w))
	// Output:
	// recovered: the join of a fork with 0 older ones by a stranger
	// 55
}

// Each element is squared once, by whichever worker gets it.
func ExampleFor() {
	p := newPool(2)
	defer p.Close()
	squares := make([]int, 5)
	p.Do(func(w *worker) {
		fork.For(w, 0, len(squares), func(_ *worker, i int) { squares[i] = i * i })
	})
	fmt.Println(squares)
	// Output: [0 1 4 9 16]
}

// Map returns the results in the order of the arguments.
func ExampleMap() {
	p := newPool(2)
	defer p.Close()
	p.Do(func(w *worker) {
		fmt.Println(fork.Map(w, []int{3, 1, 2}, func(_ *worker, n int) string {
			return strings.Repeat("*", n)
		}))
	})
	// Output: [*** * **]
}

// ForEach draws values as it comes to them, for instance those of a map.
func ExampleForEach() {
	p := newPool(2)
	defer p.Close()
	var sum atomic.Int64
	p.Do(func(w *worker) {
		prices := map[string]int64{"apple": 3, "pear": 4, "plum": 2}
		fork.ForEach(w, maps.Values(prices), func(_ *worker, n int64) { sum.Add(n) })
	})
	fmt.Println(sum.Load())
	// Output: 9
}

// A search in a tree divides its work only when a worker is idle.
func ExampleStack_Asked() {
	p := newPool(2)
	defer p.Close()
	type node struct {
		value       int
		left, right *node
	}
	var sum func(w *worker, n *node) int
	sum = func(w *worker, n *node) int {
		switch {
		case n == nil:
			return 0
		case !w.Asked():
			return sum(w, n.left) + n.value + sum(w, n.right)
		}
		left := fork.Fork(&w.Stack, sum, n.left)
		right := sum(w, n.right)
		return left.Join(w) + n.value + right
	}
	tree := &node{4, &node{2, &node{value: 1}, &node{value: 3}}, &node{value: 5}}
	p.Do(func(w *worker) { fmt.Println(sum(w, tree)) })
	// Output: 15
}

// Range hands out blocks, for bodies that are shorter than a call.
func ExampleRange() {
	p := newPool(2)
	defer p.Close()
	roots := make([]float64, 1000)
	p.Do(func(w *worker) {
		fork.Range(w, 0, len(roots), func(_ *worker, lo, hi int) {
			for i := lo; i < hi; i++ {
				roots[i] = math.Sqrt(float64(i))
			}
		})
	})
	fmt.Println(roots[9], roots[900])
	// Output: 3 30
}

// The range may be longer than anybody will go through.
func ExampleRangeUntil() {
	p := newPool(2)
	defer p.Close()
	var found atomic.Int64
	p.Do(func(w *worker) {
		over := func(*worker) bool { return found.Load() != 0 }
		fork.RangeUntil(w, 1, math.MaxInt, over, func(_ *worker, lo, hi int) {
			for n := lo; n < hi; n++ {
				if n*n%1000 == 889 { // any of them
					found.Store(int64(n))
					return
				}
			}
		})
	})
	n := found.Load()
	fmt.Println(n * n % 1000)
	// Output: 889
}

// Reduce adds the results of blocks in their order.
func ExampleReduce() {
	p := newPool(2)
	defer p.Close()
	p.Do(func(w *worker) {
		primes := fork.Reduce(w, 2, 100, func(_ *worker, lo, hi int) (primes []int) {
			for n := lo; n < hi; n++ {
				if big.NewInt(int64(n)).ProbablyPrime(0) {
					primes = append(primes, n)
				}
			}
			return primes
		}, func(a, b []int) []int { return append(a, b...) })
		fmt.Println(len(primes), primes[:5])
	})
	// Output: 25 [2 3 5 7 11]
}

// SortFunc keeps the order of what is equal.
func ExampleSortFunc() {
	p := newPool(2)
	defer p.Close()
	words := []string{"park", "idle", "deque", "fork"}
	p.Do(func(w *worker) {
		fork.SortFunc(w, words, func(a, b string) int { return len(a) - len(b) })
	})
	fmt.Println(words)
	// Output: [park idle fork deque]
}
