package hook

import (
	"iter"

	"github.com/surewake/surewake/model/explore"
)

// pull is an iterator that runs as a coroutine. It is used by one goroutine at
// a time, the caller of next or stop or the coroutine itself.
type pull[V any] struct {
	coro *explore.Coro
	v    V // what yield was called with last
	ok   bool
}

func newPull[V any](name string, seq iter.Seq[V]) *pull[V] {
	p := &pull[V]{}
	p.coro = explore.NewCoro(name, func() { p.run(seq) })
	return p
}

//go:norace
func (p *pull[V]) run(seq iter.Seq[V]) {
	seq(p.yield)
	var zero V
	p.v, p.ok = zero, false
}

//go:norace
//go:noinline
func (p *pull[V]) yield(v V) bool {
	p.v, p.ok = v, true
	return p.coro.Yield()
}

//go:norace
//go:noinline
func (p *pull[V]) next() (v V, ok bool) {
	if p.coro.Next() {
		return p.v, p.ok
	}
	return
}

// Pull is the hook of iter.Pull.
//
//go:norace
//go:noinline
func Pull[V any](seq iter.Seq[V]) (next func() (V, bool), stop func()) {
	if !explore.Active() {
		next, stop := iter.Pull(seq)
		return func() (V, bool) { return pulledOutside(next)() }, func() { pulledOutside(stop)() }
	}
	p := newPull("iter.Pull", seq)
	return p.next, p.coro.Stop
}

// pulledOutside returns a function of an iter.Pull that was made outside of executions. They are
// refused there: an execution would find the iterator where those before it have left it.
func pulledOutside[F any](f F) F {
	if explore.InExecution() {
		return Refused(f, "the use of an iter.Pull that was made outside of the check")
	}
	return f
}

type pair[K, V any] struct {
	k K
	v V
}

// Pull2 is the hook of iter.Pull2.
//
//go:norace
//go:noinline
func Pull2[K, V any](seq iter.Seq2[K, V]) (next func() (K, V, bool), stop func()) {
	if !explore.Active() {
		next, stop := iter.Pull2(seq)
		return func() (K, V, bool) { return pulledOutside(next)() },
			func() { pulledOutside(stop)() }
	}
	p := newPull("iter.Pull2", func(yield func(pair[K, V]) bool) {
		seq(func(k K, v V) bool { return yield(pair[K, V]{k, v}) })
	})
	return func() (K, V, bool) {
		kv, ok := p.next()
		return kv.k, kv.v, ok
	}, p.coro.Stop
}
