package main

import (
	"sync"

	pond "github.com/alitto/pond/v2"
	"github.com/panjf2000/ants/v2"
	"github.com/sourcegraph/conc/pool"
	"golang.org/x/sync/errgroup"

	"runtime"
)

// peers are other ways to run n functions and to wait for all of them.
func peers(n int) ([]contender, func()) {
	nothing := func() {}
	workers := runtime.GOMAXPROCS(0)
	jobs := startFixed(1024)
	inAnts := must(ants.NewPool(workers))
	inPond := pond.NewPool(workers)
	return []contender{
			{name: "buffered channel, fixed workers, WaitGroup", peer: true, ops: n, round: outside(func() {
				var wg sync.WaitGroup
				wg.Add(n)
				for range n {
					jobs <- job{nothing, &wg}
				}
				wg.Wait()
			})},
			{name: "go + WaitGroup", peer: true, ops: n, round: outside(func() {
				var wg sync.WaitGroup
				for range n {
					wg.Go(nothing)
				}
				wg.Wait()
			})},
			{name: "errgroup", peer: true, ops: n, round: outside(func() {
				var g errgroup.Group
				for range n {
					g.Go(func() error { return nil })
				}
				if err := g.Wait(); err != nil {
					panic(err)
				}
			})},
			{name: "conc pool", peer: true, ops: n, round: outside(func() {
				p := pool.New().WithMaxGoroutines(workers)
				for range n {
					p.Go(nothing)
				}
				p.Wait()
			})},
			{name: "ants pool, WaitGroup", peer: true, ops: n, round: outside(func() {
				var wg sync.WaitGroup
				wg.Add(n)
				for range n {
					if err := inAnts.Submit(wg.Done); err != nil {
						panic(err)
					}
				}
				wg.Wait()
			})},
			{name: "pond pool, group", peer: true, ops: n, round: outside(func() {
				g := inPond.NewGroup()
				for range n {
					g.Submit(nothing)
				}
				if err := g.Wait(); err != nil {
					panic(err)
				}
			})},
		}, func() {
			close(jobs)
			inAnts.Release()
			inPond.StopAndWait()
		}
}
