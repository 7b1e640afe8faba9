package main

import (
	"context"
	"time"

	ours "github.com/surewake/surewake/runtime"
)

func rows() []row {
	ns, us, ms := time.Nanosecond, time.Microsecond, time.Millisecond
	all := []row{
		{"spawn-join", "spawn + join inside a worker", ns, spawnJoin},
		{"many", "10,000 empty tasks, all awaited, each", ns, manyTasks},
		{"pool-outside", "10,000 empty tasks into a pool from outside, each", ns, poolFromOutside},
		{"pool-inside", "10,000 empty tasks into a pool from inside, each", ns, poolFromInside},
		{"spawn-fib", "fork-join fib(25), a spawn", ns, forkJoin},
		{"yield", "yield", ns, yielding},
		{"suspend", "a join that suspends", ns, suspending},
		{"wake", "wake to run, while the waker keeps running", us, wakeToRun},
		{"outside", "spawn + wait from outside, one after the other", us, roundTrip},
		{"outside-idle", "spawn + wait from outside, after 2 ms of nothing", us, roundTripIdle},
		{"outside-busy", "1,000 tasks from outside while all workers are busy, all awaited", ms,
			busyInjector},
		{"", "fork-join fib(25), a spawn, by batch from the injector", ns, forkJoinByBatch},
		{"", "the same burst while all workers are busy, by the size of a batch", ms, batchSizes},
		{"idle-batch",
			"10,000 tasks from outside, all workers asleep, by the size of an idle worker's batch",
			ms, idleBatchSizes},
	}
	all = append(all, groupRows()...)
	all = append(all, selectRows()...)
	all = append(all, endSelectRows()...)
	all = append(all, lockRows()...)
	all = append(all, limitRows()...)
	all = append(all, callRows()...)
	all = append(all, sliceRows()...)
	all = append(all, tokioRows()...)
	all = append(all, echoRows()...)
	return append(all, forkRows()...)
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
		{name: "Task: Spawn, Join", ops: n, round: inside(rt, func(cx ours.Cx) {
			var again ours.Task[int]
			for range n {
				again.Spawn(cx, empty)
				must(again.Join(cx))
			}
		})},
		{name: "go + channel", peer: true, ops: n, round: outside(func() {
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
	bare, stop := futexRoundTrip(n, gap)
	return append([]contender{
			{name: "Submit, Wait", ops: n, gap: gap, round: outside(func() {
				for range n {
					must(ours.Submit(rt, empty).Wait(context.Background()))
				}
			})},
			{name: "go + channel", peer: true, ops: n, gap: gap, round: outside(func() {
				for range n {
					answer := make(chan int, 1)
					go func() { answer <- 1 }()
					<-answer
				}
			})},
			{
				name: "channel to fixed workers, channel back",
				peer: true,
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
		}, bare...), func() {
			rt.Close()
			close(requests)
			stop()
		}
}
