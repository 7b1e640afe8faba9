package main

import (
	"context"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"time"

	ours "github.com/surewake/surewake/runtime"
)

// The rows of this file are those of Tokio's own benchmark rt_multi_threaded, with its numbers.

func tokioRows() []row {
	return []row{
		{"local-10000", "10,000 tasks from inside (spawn_many_local)", time.Millisecond, localMany},
		{"idle-10000", "10,000 tasks from outside, all workers asleep (spawn_many_remote_idle)",
			time.Millisecond, remoteIdle},
		{"yielding-10000",
			"10,000 tasks from outside, all workers in tasks that yield (spawn_many_remote_busy1)",
			time.Millisecond, remoteBusy},
		{"ping-pong", "1,000 tasks of a task, each with a partner and two oneshots (ping_pong)",
			time.Millisecond, pingPongs},
		{"chain", "a task that spawns its successor, 1,000 times (chained_spawn)",
			time.Millisecond, chainedSpawn},
		{"yield-many", "200 tasks that yield 1,000 times each (yield_many)", time.Millisecond, yieldMany},
	}
}

func submitMany(rt *ours.Runtime) {
	const n = 10_000
	var all ours.WaitGroup
	all.Add(n)
	for range n {
		rt.Go(func(cx ours.Cx) { all.DoneFrom(cx) })
	}
	expectNo(all.WaitContext(context.Background()))
}

func goMany() {
	const n = 10_000
	var all sync.WaitGroup
	all.Add(n)
	for range n {
		go all.Done()
	}
	all.Wait()
}

func localMany() ([]contender, func()) {
	const n = 10_000
	rt := start()
	return []contender{
		{name: "Cx.Go", ops: 1, round: outside(func() {
			var all ours.WaitGroup
			all.Add(n)
			rt.Go(func(cx ours.Cx) {
				for range n {
					cx.Go(func(cx ours.Cx) { all.DoneFrom(cx) }).Detach()
				}
			})
			expectNo(all.WaitContext(context.Background()))
		})},
		{name: "go", peer: true, ops: 1, round: outside(goMany)},
	}, closing(rt)
}

func remoteIdle() ([]contender, func()) {
	rt := start()
	return []contender{
		{name: "Runtime.Go", ops: 1, round: outside(func() { submitMany(rt) })},
		{name: "go", peer: true, ops: 1, round: outside(goMany)},
	}, closing(rt)
}

func stall() {
	for begin := time.Now(); time.Since(begin) < 10*time.Microsecond; {
	}
}

// whileBusy returns work as a round during which twice as many tasks as there are workers stall and
// yield.
func whileBusy(fill func(on *atomic.Bool, busy *sync.WaitGroup), work func()) func() time.Duration {
	return func() time.Duration {
		var on atomic.Bool
		var busy sync.WaitGroup
		on.Store(true)
		fill(&on, &busy)
		time.Sleep(time.Millisecond)
		took := outside(work)()
		on.Store(false)
		busy.Wait()
		return took
	}
}

func remoteBusy() ([]contender, func()) {
	rt := start()
	n := 2 * goruntime.GOMAXPROCS(0)
	return []contender{
		{name: "Runtime.Go, Cx.Yield", ops: 1, rarely: true,
			round: whileBusy(func(on *atomic.Bool, busy *sync.WaitGroup) {
				for range n {
					busy.Add(1)
					rt.Go(func(cx ours.Cx) {
						defer busy.Done()
						for on.Load() {
							cx.Yield()
							stall()
						}
					})
				}
			}, func() { submitMany(rt) })},
		{name: "go, Gosched", peer: true, ops: 1, rarely: true,
			round: whileBusy(func(on *atomic.Bool, busy *sync.WaitGroup) {
				for range n {
					busy.Go(func() {
						for on.Load() {
							goruntime.Gosched()
							stall()
						}
					})
				}
			}, goMany)},
	}, closing(rt)
}

func pingPongs() ([]contender, func()) {
	const n = 1000
	rt := start()
	one := func(cx ours.Cx, all *ours.WaitGroup) {
		var there, back ours.Oneshot[int]
		cx.Go(func(cx ours.Cx) {
			must(there.Receive(cx))
			expectNo(back.SendFrom(cx, 1))
		})
		expectNo(there.SendFrom(cx, 1))
		must(back.Receive(cx))
		all.DoneFrom(cx)
	}
	return []contender{
		{name: "Cx.Go, Oneshot", ops: 1, round: outside(func() {
			var all ours.WaitGroup
			all.Add(n)
			rt.Go(func(cx ours.Cx) {
				for range n {
					cx.Go(func(cx ours.Cx) { one(cx, &all) })
				}
			})
			expectNo(all.WaitContext(context.Background()))
		})},
		{name: "go, channels of capacity 1", peer: true, ops: 1, round: outside(func() {
			var all sync.WaitGroup
			for range n {
				all.Go(func() {
					there, back := make(chan int, 1), make(chan int, 1)
					go func() {
						<-there
						back <- 1
					}()
					there <- 1
					<-back
				})
			}
			all.Wait()
		})},
	}, closing(rt)
}

func chainedSpawn() ([]contender, func()) {
	const n = 1000
	rt := start()
	var next func(cx ours.Cx, n int, end *ours.Oneshot[int])
	next = func(cx ours.Cx, n int, end *ours.Oneshot[int]) {
		if n == 0 {
			expectNo(end.SendFrom(cx, 1))
			return
		}
		cx.Go(func(cx ours.Cx) { next(cx, n-1, end) })
	}
	var nextGo func(n int, end chan struct{})
	nextGo = func(n int, end chan struct{}) {
		if n == 0 {
			close(end)
			return
		}
		go nextGo(n-1, end)
	}
	return []contender{
		{name: "Cx.Go", ops: 1, round: outside(func() {
			end := new(ours.Oneshot[int])
			rt.Go(func(cx ours.Cx) { next(cx, n, end) })
			must(end.ReceiveContext(context.Background()))
		})},
		{name: "go", peer: true, ops: 1, round: outside(func() {
			end := make(chan struct{})
			go nextGo(n, end)
			<-end
		})},
	}, closing(rt)
}

func yieldMany() ([]contender, func()) {
	const tasks, each = 200, 1000
	rt := start()
	return []contender{
		{name: "Cx.Yield", ops: 1, rarely: true, round: outside(func() {
			var all ours.WaitGroup
			all.Add(tasks)
			for range tasks {
				rt.Go(func(cx ours.Cx) {
					must(yields(cx, each))
					all.DoneFrom(cx)
				})
			}
			expectNo(all.WaitContext(context.Background()))
		})},
		{name: "Gosched", peer: true, ops: 1, rarely: true, round: outside(func() {
			var all sync.WaitGroup
			for range tasks {
				all.Go(func() {
					for range each {
						goruntime.Gosched()
					}
				})
			}
			all.Wait()
		})},
	}, closing(rt)
}
