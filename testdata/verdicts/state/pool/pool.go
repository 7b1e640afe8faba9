// Package pool has a default pool, as libraries do: its worker is begun when the package is initialised.
package pool

import (
	"errors"
	"sync"
)

// ErrClosed is compared by identity.
var ErrClosed = errors.New("pool: closed")

// A Pool runs functions one by one.
type Pool struct {
	mu     sync.Mutex
	closed bool
	work   chan func()
}

// Default is made when the package is initialised.
var Default, size = newPool(1)

// names is filled by init functions, by Register and by nothing else.
var names = map[string]int{}

var order []string

func init() { order = append(order, "first") }

func init() {
	order = append(order, "second")
	Register("built in")
}

func newPool(n int) (*Pool, int) {
	p := &Pool{work: make(chan func())}
	for range n {
		go p.run()
	}
	return p, n
}

func (p *Pool) run() {
	for f := range p.work {
		f()
	}
}

// Do hands f to a worker.
func (p *Pool) Do(f func()) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return ErrClosed
	}
	p.work <- f
	return nil
}

// Close ends the workers.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	close(p.work)
}

// Size is the number of workers of Default.
func Size() int { return size }

// Register numbers a name.
func Register(name string) int {
	if n, ok := names[name]; ok {
		return n
	}
	names[name] = len(names) + 1
	return names[name]
}

// Order is the order in which the package was initialised.
func Order() []string { return order }

// Swap changes the order.
func Swap() { order[0], order[1] = order[1], order[0] }
