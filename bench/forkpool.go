package main

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/fork"
)

// A forker is a worker of the pool on the page of package fork, which runs calls and nothing else.
type forker struct {
	fork.Stack[*forker]
	pool  *forkPool
	ended chan struct{} // a claim that the worker waits for has ended
	wake  chan struct{} // the worker is to wake
}

// A forkPool is the goroutine that calls do, and others that steal from it and from one another.
type forkPool struct {
	workers  []*forker
	lock     sync.Mutex
	sleepers []*forker // that nobody has woken; under the lock
	closed   atomic.Bool
	all      sync.WaitGroup
}

func newForkPool(workers int) *forkPool {
	p := &forkPool{}
	for range workers {
		w := &forker{pool: p, ended: make(chan struct{}, 1), wake: make(chan struct{}, 1)}
		w.Init(w)
		p.workers = append(p.workers, w)
	}
	for _, w := range p.workers[1:] {
		p.all.Go(w.work)
	}
	return p
}

// do returns a round.
func (p *forkPool) do(fn func(w *forker)) func() time.Duration {
	return outside(func() { fn(p.workers[0]) })
}

func (p *forkPool) close() {
	p.closed.Store(true)
	for range p.workers[1:] {
		p.unpark()
	}
	p.all.Wait()
}

func (w *forker) work() {
	for !w.pool.closed.Load() {
		c := w.steal()
		if c == nil {
			c = w.sleep()
		}
		if c != nil {
			c.Run(w, &w.Stack)
		}
	}
}

func (w *forker) steal() *fork.Claim[*forker] {
	for _, victim := range w.pool.workers {
		if victim != w {
			if c := victim.Claim(true); c != nil {
				return c
			}
		}
	}
	return nil
}

func (w *forker) sleep() *fork.Claim[*forker] {
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
func (p *forkPool) unpark() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if last := len(p.sleepers) - 1; last >= 0 {
		p.sleepers[last].wake <- struct{}{}
		p.sleepers = p.sleepers[:last]
	}
}

// Exposed implements fork.Host.
func (w *forker) Exposed() { w.pool.unpark() }

// Await implements fork.Host.
func (w *forker) Await(c *fork.Claim[*forker]) {
	if thief := c.By(); thief != nil {
		for loot := thief.Claim(true); loot != nil; loot = thief.Claim(true) {
			loot.Run(w, &w.Stack)
		}
	}
	if c.Wait() {
		<-w.ended
	}
}

// Ended implements fork.Host.
func (w *forker) Ended(_ *fork.Claim[*forker], _ *forker) { w.ended <- struct{}{} }
