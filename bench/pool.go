package main

import (
	"runtime"
	"sync"
	"time"

	pond "github.com/alitto/pond/v2"
	"github.com/panjf2000/ants/v2"

	"github.com/surewake/surewake/examples/pool"
)

// A job is what goes through the channel that is what pools are compared with.
type job struct {
	fn   func()
	done *sync.WaitGroup
}

// startFixed starts a goroutine for each processor, all of which run the jobs of a channel.
func startFixed(capacity int) chan job {
	jobs := make(chan job, capacity)
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for j := range jobs {
				j.fn()
				j.done.Done()
			}
		}()
	}
	return jobs
}

const poolTasks = 10_000

func poolFromOutside() ([]contender, func()) {
	const n = poolTasks
	workers := runtime.GOMAXPROCS(0)
	jobs := startFixed(1024)
	ours := pool.New(workers, 256, nil)
	inPond, inAnts := pond.NewPool(workers), must(ants.NewPool(workers))
	nothing := func() {}
	// submits is a round of n tasks that count themselves down.
	submits := func(submit func(done *sync.WaitGroup)) func() time.Duration {
		return outside(func() {
			var done sync.WaitGroup
			done.Add(n)
			submit(&done)
			done.Wait()
		})
	}
	return []contender{
			{name: "buffered channel, fixed workers", peer: true, ops: n,
				round: submits(func(done *sync.WaitGroup) {
					for range n {
						jobs <- job{nothing, done}
					}
				})},
			{name: "examples/pool, Submit", ops: n, round: submits(func(done *sync.WaitGroup) {
				task := func(*pool.Worker) { done.Done() }
				for range n {
					accepted(ours.Submit(task))
				}
			})},
			{name: "examples/pool, Submit of 100", ops: n,
				round: submits(func(done *sync.WaitGroup) {
					batch := make([]pool.Task, 100)
					for i := range batch {
						batch[i] = func(*pool.Worker) { done.Done() }
					}
					for range n / len(batch) {
						accepted(ours.Submit(batch...))
					}
				})},
			{name: "pond", peer: true, ops: n, round: submits(func(done *sync.WaitGroup) {
				for range n {
					accepted(inPond.Go(done.Done))
				}
			})},
			{name: "ants", peer: true, ops: n, round: submits(func(done *sync.WaitGroup) {
				for range n {
					accepted(inAnts.Submit(done.Done))
				}
			})},
		}, func() {
			close(jobs)
			ours.Close()
			inPond.StopAndWait()
			inAnts.Release()
		}
}

func poolFromInside() ([]contender, func()) {
	const n = poolTasks
	workers := runtime.GOMAXPROCS(0)
	jobs := startFixed(n) // room for all: a worker that waits for room could wait for itself
	ours := pool.New(workers, 256, nil)
	inPond := pond.NewPool(workers)
	nothing := func() {}
	// spawns is a round of a first task, which spawns n that count themselves down. It is timed
	// from when that task begins.
	spawns := func(start func(begin func(), done *sync.WaitGroup)) func() time.Duration {
		return func() time.Duration {
			var done sync.WaitGroup
			done.Add(n)
			var begin time.Time
			start(func() { begin = time.Now() }, &done) // before the last Done
			done.Wait()
			return time.Since(begin)
		}
	}
	inOurs := func(spawn func(w *pool.Worker, done *sync.WaitGroup)) func() time.Duration {
		return spawns(func(begin func(), done *sync.WaitGroup) {
			accepted(ours.Submit(func(w *pool.Worker) {
				begin()
				spawn(w, done)
			}))
		})
	}
	return []contender{
			{name: "buffered channel, fixed workers", peer: true, ops: n,
				round: spawns(func(begin func(), done *sync.WaitGroup) {
					var first sync.WaitGroup
					first.Add(1)
					jobs <- job{func() {
						begin()
						for range n {
							jobs <- job{nothing, done}
						}
					}, &first}
				})},
			{name: "examples/pool, Spawn", ops: n,
				round: inOurs(func(w *pool.Worker, done *sync.WaitGroup) {
					task := func(*pool.Worker) { done.Done() }
					for range n {
						w.Spawn(task)
					}
				})},
			{name: "examples/pool, Spawn of 100", ops: n,
				round: inOurs(func(w *pool.Worker, done *sync.WaitGroup) {
					batch := make([]pool.Task, 100)
					for i := range batch {
						batch[i] = func(*pool.Worker) { done.Done() }
					}
					for range n / len(batch) {
						w.Spawn(batch...)
					}
				})},
			{name: "examples/pool, a tree of Spawns", ops: n,
				round: inOurs(func(w *pool.Worker, done *sync.WaitGroup) { treeOf(n, done)(w) })},
			{name: "pond", peer: true, ops: n,
				round: spawns(func(begin func(), done *sync.WaitGroup) {
					accepted(inPond.Go(func() {
						begin()
						for range n {
							accepted(inPond.Go(done.Done))
						}
					}))
				})},
		}, func() {
			close(jobs)
			ours.Close()
			inPond.StopAndWait()
		}
}

// treeOf is a task that is the first of n: it spawns two, which are those of the rest.
func treeOf(n int, done *sync.WaitGroup) pool.Task {
	return func(w *pool.Worker) {
		left := (n - 1) / 2
		if left > 0 {
			w.Spawn(treeOf(left, done))
		}
		if right := n - 1 - left; right > 0 {
			w.Spawn(treeOf(right, done))
		}
		done.Done()
	}
}

// accepted panics if a pool that is open refused a task.
func accepted(err error) {
	if err != nil {
		panic(err)
	}
}
