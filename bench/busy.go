package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	ours "github.com/surewake/surewake/runtime"
)

// batchTargets are the ways to take tasks from the injector: one by one, and batches with their two
// places.
func batchTargets() ([]string, []*ours.Runtime) {
	var names []string
	var all []*ours.Runtime
	for _, b := range []struct {
		most   int
		target ours.BatchTarget
		name   string
	}{
		{32, ours.LocalRing, "LocalRing"},
		{1, ours.LocalRing, "LocalRing"},
		{32, ours.PrivateBuffer, "PrivateBuffer"},
	} {
		names = append(names, fmt.Sprintf("InjectorBatch(%d, %s)", b.most, b.name))
		all = append(all, start(ours.Workers(2), ours.InjectorBatch(b.most, b.target)))
	}
	return names, all
}

// busyInjector has two tasks for each worker that take 10 µs and spawn themselves again, for ever.
// 1,000 tasks come from outside meanwhile. This is spawn_many_remote_busy2 of Tokio's benchmarks.
func busyInjector() ([]contender, func()) {
	names, runtimes := batchTargets()
	return burst(names, runtimes)
}

// batchSizes is busyInjector with the batches of a worker that has tasks from 2 to 128.
func batchSizes() ([]contender, func()) {
	var names []string
	var all []*ours.Runtime
	for _, most := range []int{32, 2, 4, 8, 16, 64, 128} {
		names = append(names, fmt.Sprintf("InjectorBatch(%d, LocalRing)", most))
		all = append(all, start(ours.Workers(2), ours.InjectorBatch(most, ours.LocalRing)))
	}
	return burst(names, all)
}

// idleBatchSizes is remoteIdle with the batches of a worker that has no tasks from 2 to 256, 128
// being the default.
func idleBatchSizes() ([]contender, func()) {
	var contenders []contender
	var all []*ours.Runtime
	for _, most := range []int{128, 2, 4, 8, 16, 32, 64, 256} {
		rt := start(ours.Workers(2), ours.IdleBatch(most))
		contenders = append(contenders, contender{name: fmt.Sprintf("IdleBatch(%d)", most), ops: 1,
			round: outside(func() { submitMany(rt) })})
		all = append(all, rt)
	}
	contenders = append(contenders,
		contender{name: "go", peer: true, ops: 1, round: outside(goMany)})
	return contenders, closing(all...)
}

func burst(names []string, runtimes []*ours.Runtime) ([]contender, func()) {
	const n = 1000
	var contenders []contender
	for i, rt := range runtimes {
		handles := make([]*ours.Handle[int], n)
		var on atomic.Bool
		var polls [2]atomic.Int64 // of each worker
		var again func(cx ours.Cx) (int, error)
		again = func(cx ours.Cx) (int, error) {
			for end := time.Now().Add(10 * time.Microsecond); time.Now().Before(end); {
			}
			polls[cx.Worker()].Add(1)
			if on.Load() {
				ours.Spawn(cx, again).Detach()
			}
			return 0, nil
		}
		contenders = append(
			contenders,
			contender{name: names[i], ops: 1, rarely: true, round: func() time.Duration {
				on.Store(true)
				first, second := polls[0].Load(), polls[1].Load()
				for range 4 {
					ours.Submit(rt, again).Detach()
				}
				// Until both are busy.
				for polls[0].Load() < first+100 || polls[1].Load() < second+100 {
					time.Sleep(time.Millisecond)
				}
				begin := time.Now()
				for i := range handles {
					handles[i] = ours.Submit(rt, empty)
				}
				for _, h := range handles {
					must(h.Wait(context.Background()))
				}
				took := time.Since(begin)
				on.Store(false)
				return took
			}},
		)
	}
	return contenders, closing(runtimes...)
}

func forkJoinByBatch() ([]contender, func()) {
	names, runtimes := batchTargets()
	var contenders []contender
	for i, rt := range runtimes {
		contenders = append(contenders, contender{name: names[i], ops: fibSpawns,
			round: inside(rt, func(cx ours.Cx) { expect(must(fibWith(cx, fibN)), fibResult) })})
	}
	return contenders, closing(runtimes...)
}
