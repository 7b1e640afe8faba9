package main

import (
	"context"
	goruntime "runtime"
	"time"

	ours "github.com/surewake/surewake/runtime"
)

func rows() []row {
	return append([]row{
		{"spawn + join inside a worker", time.Nanosecond, spawnJoin},
		{"10,000 empty tasks, all awaited, each", time.Nanosecond, manyTasks},
		{"10,000 empty tasks into a pool from outside, each", time.Nanosecond, poolFromOutside},
		{"10,000 empty tasks into a pool from inside, each", time.Nanosecond, poolFromInside},
		{"fork-join fib(25), a spawn", time.Nanosecond, forkJoin},
		{"yield", time.Nanosecond, yielding},
		{"a join that suspends", time.Nanosecond, suspending},
		{"wake to run, while the waker keeps running", time.Microsecond, wakeToRun},
		{"spawn + wait from outside, one after the other", time.Microsecond, roundTrip},
		{"spawn + wait from outside, after 2 ms of nothing", time.Microsecond, roundTripIdle},
		{
			"1,000 tasks from outside while all workers are busy, all awaited",
			time.Millisecond,
			busyInjector,
		},
		{
			"fork-join fib(25), a spawn, by batch from the injector",
			time.Nanosecond,
			forkJoinByBatch,
		},
		{
			"the same burst while all workers are busy, by the size of a batch",
			time.Millisecond,
			batchSizes,
		},
		{
			"10,000 tasks from outside, all workers asleep, by the size of an idle worker's batch",
			time.Millisecond,
			idleBatchSizes,
		},
	}, append(tokioRows(), echoRows()...)...)
}

func spawnJoin() ([]contender, func()) {
	const n = 1000
	rt := start()
	return []contender{
		{name: "Spawn, Join", ops: n, round: inside(rt, func(cx ours.Cx) {
			for range n {
				must(ours.Spawn(cx, empty).Join(cx))
			}
		})},
		{name: "the same, with a closure", ops: n, round: inside(rt, func(cx ours.Cx) {
			for i := range n {
				expect(must(ours.Spawn(cx, func(ours.Cx) (int, error) { return i, nil }).Join(cx)),
					i)
			}
		})},
		{name: "SpawnWith, Join", ops: n, round: inside(rt, func(cx ours.Cx) {
			for i := range n {
				expect(must(ours.SpawnWith(cx, echo, i).Join(cx)), i)
			}
		})},
		{name: "go + channel", ops: n, round: outside(func() {
			for i := range n {
				result := make(chan int, 1)
				go func() { result <- i }()
				expect(<-result, i)
			}
		})},
	}, closing(rt)
}

func manyTasks() ([]contender, func()) {
	const n = 10_000
	rt := start()
	handles := make([]*ours.Handle[int], n)
	all, done := peers(n)
	return append([]contender{
			{name: "Spawn, Join", ops: n, round: inside(rt, func(cx ours.Cx) {
				for i := range handles {
					handles[i] = ours.Spawn(cx, empty)
				}
				for _, h := range handles {
					must(h.Join(cx))
				}
			})},
			{name: "SpawnBatch, Join", ops: n, round: inside(rt, func(cx ours.Cx) {
				must(
					ours.SpawnBatch(cx, n, func(ours.Cx, int) (int, error) { return 0, nil }).
						Join(cx),
				)
			})},
			{name: "Submit, Wait (from outside)", ops: n, round: outside(func() {
				for i := range handles {
					handles[i] = ours.Submit(rt, empty)
				}
				for _, h := range handles {
					must(h.Wait(context.Background()))
				}
			})},
			{name: "SubmitBatch, Wait (from outside)", ops: n, round: outside(func() {
				must(
					ours.SubmitBatch(rt, n, func(ours.Cx, int) (int, error) { return 0, nil }).
						Wait(context.Background()),
				)
			})},
		}, all...), func() {
			rt.Close()
			done()
		}
}

func fib(cx ours.Cx, n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	h := ours.Spawn(cx, func(cx ours.Cx) (int, error) { return fib(cx, n-1) })
	y, err := fib(cx, n-2)
	if err != nil {
		return 0, err
	}
	x, err := h.Join(cx)
	return x + y, err
}

func fibWith(cx ours.Cx, n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	h := ours.SpawnWith(cx, fibWith, n-1)
	y, err := fibWith(cx, n-2)
	if err != nil {
		return 0, err
	}
	x, err := h.Join(cx)
	return x + y, err
}

func fibGo(n int) int {
	if n < 2 {
		return n
	}
	x := make(chan int, 1)
	go func() { x <- fibGo(n - 1) }()
	y := fibGo(n - 2)
	return <-x + y
}

const (
	fibN      = 25
	fibResult = 75025
	fibSpawns = 121_392 // fib(n+1) - 1
)

func forkJoin() ([]contender, func()) {
	two, one := start(ours.Workers(2)), start(ours.Workers(1))
	with := func(name string, rt *ours.Runtime, f func(ours.Cx, int) (int, error)) contender {
		return contender{
			name:  name,
			ops:   fibSpawns,
			round: inside(rt, func(cx ours.Cx) { expect(must(f(cx, fibN)), fibResult) }),
		}
	}
	return []contender{
		with("Spawn of a closure, 2 workers", two, fib),
		with("SpawnWith, 2 workers", two, fibWith),
		with("Spawn of a closure, 1 worker", one, fib),
		with("SpawnWith, 1 worker", one, fibWith),
		{
			name:  "go + channel",
			ops:   fibSpawns,
			round: outside(func() { expect(fibGo(fibN), fibResult) }),
		},
	}, closing(two, one)
}

func yielding() ([]contender, func()) {
	const n = 1000
	rt := start()
	return []contender{
		{
			name:  "Yield, one task",
			ops:   n,
			round: inside(rt, func(cx ours.Cx) { must(yields(cx, n)) }),
		},
		{name: "Yield, two tasks on one worker", ops: 2 * n, round: inside(rt, func(cx ours.Cx) {
			other := ours.SpawnWith(cx, yields, n)
			must(yields(cx, n))
			must(other.Join(cx))
		})},
		{name: "Gosched, two goroutines", ops: 2 * n, round: outside(func() {
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
	}, closing(rt)
}

// pingPong is two goroutines that wait for each other; one operation is one wait.
func pingPong(n int) contender {
	return contender{name: "goroutine ping-pong over channels", ops: 2 * n, round: outside(func() {
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
	rt := start()
	return []contender{
		{
			name: "spawn, both yield, Join: each of 3 suspensions",
			ops:  3 * n,
			round: inside(rt, func(cx ours.Cx) {
				for range n {
					h := ours.Spawn(cx, yieldOnce)
					cx.Yield() // the target begins, and yields
					must(h.Join(cx))
				}
			}),
		},
		{
			name: "spawn of a future that is not ready, Join",
			ops:  n,
			round: inside(rt, func(cx ours.Cx) {
				for range n {
					must(ours.SpawnFuture[int](cx, &second{}).Join(cx))
				}
			}),
		},
		pingPong(n),
	}, closing(rt)
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

func roundTrip() ([]contender, func()) { return roundTrips(nil) }
func roundTripIdle() ([]contender, func()) {
	return roundTrips(func() { time.Sleep(2 * time.Millisecond) })
}

func roundTrips(gap func()) ([]contender, func()) {
	rt := start()
	requests := make(chan chan int)
	for range 2 {
		go func() {
			for answer := range requests {
				answer <- 1
			}
		}()
	}
	n := 20
	if gap != nil {
		n = 1
	}
	return []contender{
			{name: "Submit, Wait", ops: n, gap: gap, round: outside(func() {
				for range n {
					must(ours.Submit(rt, empty).Wait(context.Background()))
				}
			})},
			{name: "go + channel", ops: n, gap: gap, round: outside(func() {
				for range n {
					answer := make(chan int, 1)
					go func() { answer <- 1 }()
					<-answer
				}
			})},
			{
				name: "channel to fixed workers, channel back",
				ops:  n,
				gap:  gap,
				round: outside(func() {
					for range n {
						answer := make(chan int, 1)
						requests <- answer
						<-answer
					}
				}),
			},
		}, func() {
			rt.Close()
			close(requests)
		}
}
