package main

import (
	"iter"
	goruntime "runtime"

	ours "github.com/surewake/surewake/runtime"
)

// pulls is the round trip of a coroutine: the least that a change of stacks costs, there and back.
func pulls(n int) (contender, func()) {
	next, stop := iter.Pull(func(yield func(int) bool) {
		for yield(1) {
		}
	})
	return contender{name: "iter.Pull, a round trip", peer: true, ops: n, round: outside(func() {
		for range n {
			next()
		}
	})}, stop
}

func yielding() ([]contender, func()) {
	const n = 1000
	one, two := start(ours.Workers(1)), start(ours.Workers(2))
	pull, stop := pulls(n)
	alone := func(name string, rt *ours.Runtime) contender {
		return contender{name: name, ops: n,
			round: inside(rt, func(cx ours.Cx) { must(yields(cx, n)) })}
	}
	pair := func(name string, rt *ours.Runtime) contender {
		return contender{name: name, ops: 2 * n, round: inside(rt, func(cx ours.Cx) {
			other := ours.SpawnWith(cx, yields, n)
			must(yields(cx, n))
			must(other.Join(cx))
		})}
	}
	return []contender{
		alone("Yield, one task, 1 worker", one),
		alone("Yield, one task, 2 workers", two),
		pair("Yield, two tasks, 1 worker", one),
		pair("Yield, two tasks, 2 workers", two),
		pull,
		{name: "Gosched, two goroutines", peer: true, ops: 2 * n, round: outside(func() {
			done := make(chan struct{})
			go func() {
				for range n {
					goruntime.Gosched()
				}
				close(done)
			}()
			for range n {
				goruntime.Gosched()
			}
			<-done
		})},
		pingPong(n),
	}, func() { closing(one, two)(); stop() }
}

// pingPong is two goroutines that wait for each other; one operation is one wait.
func pingPong(n int) contender {
	return contender{name: "goroutine ping-pong over channels", peer: true, ops: 2 * n,
		round: outside(func() {
			ping, pong := make(chan int), make(chan int)
			go func() {
				for i := range ping {
					pong <- i
				}
				close(pong)
			}()
			for i := range n {
				ping <- i
				<-pong
			}
			close(ping)
			<-pong
		})}
}

func suspending() ([]contender, func()) {
	const n = 1000
	one, two := start(ours.Workers(1)), start(ours.Workers(2))
	pull, stop := pulls(n)
	bothYield := func(name string, rt *ours.Runtime) contender {
		return contender{name: name, ops: 3 * n, round: inside(rt, func(cx ours.Cx) {
			for range n {
				h := ours.Spawn(cx, yieldOnce)
				cx.Yield() // the target begins, and yields
				must(h.Join(cx))
			}
		})}
	}
	childYields := func(name string, rt *ours.Runtime) contender {
		return contender{name: name, ops: n, round: inside(rt, func(cx ours.Cx) {
			for range n {
				must(ours.Spawn(cx, yieldOnce).Join(cx))
			}
		})}
	}
	wakesItself := func(name string, rt *ours.Runtime) contender {
		return contender{name: name, ops: n, round: inside(rt, func(cx ours.Cx) {
			for range n {
				must(ours.SpawnFuture[int](cx, &second{}).Join(cx))
			}
		})}
	}
	return []contender{
		bothYield("spawn, both yield, Join: each of 3 suspensions, 1 worker", one),
		bothYield("spawn, both yield, Join: each of 3 suspensions, 2 workers", two),
		childYields("spawn of a task that yields, Join, 1 worker", one),
		childYields("spawn of a task that yields, Join, 2 workers", two),
		{name: "spawn of a future and of another that wakes it, Join of both", ops: n,
			round: inside(one, func(cx ours.Cx) {
				for range n {
					f := &resting{}
					h := ours.SpawnFuture[int](cx, f)
					waker := ours.SpawnFuture[int](cx, waking{f})
					must(h.Join(cx)) // which waits until waker is polled
					must(waker.Join(cx))
				}
			})},
		wakesItself("spawn of a future that wakes itself once, Join, 1 worker", one),
		wakesItself("spawn of a future that wakes itself once, Join, 2 workers", two),
		pull,
		pingPong(n),
	}, func() { closing(one, two)(); stop() }
}

// second is ready when it is polled for the second time.
type second struct{ polled bool }

// Poll implements runtime.Future.
func (s *second) Poll(cx ours.Cx) (int, error, bool) {
	if s.polled {
		return 0, nil, true
	}
	s.polled = true
	cx.Waker().WakeFrom(cx)
	return 0, nil, false
}

// resting is ready when it has been woken. It and its waker have one worker.
type resting struct {
	waker ours.Waker
	woken bool
}

// Poll implements runtime.Future.
func (r *resting) Poll(cx ours.Cx) (int, error, bool) {
	if r.woken {
		return 0, nil, true
	}
	r.waker = cx.Waker()
	return 0, nil, false
}

// waking wakes another future.
type waking struct{ other *resting }

// Poll implements runtime.Future.
func (w waking) Poll(cx ours.Cx) (int, error, bool) {
	w.other.woken = true
	w.other.waker.WakeFrom(cx)
	return 0, nil, true
}
