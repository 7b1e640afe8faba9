package main

import (
	"reflect"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	ours "github.com/surewake/surewake/runtime"
)

// groupRows are those of a task that waits for many others.
func groupRows() []row {
	const ns = time.Nanosecond
	return []row{
		{"group", "1,000 empty functions in a group, each", ns,
			func() ([]contender, func()) { return groups(0) }},
		{"group-limit", "1,000 empty functions in a group, at most 2 at a time, each", ns,
			func() ([]contender, func()) { return groups(2) }},
		{"waitgroup", "1,000 empty functions counted down, each", ns, waitGroups},
		{"next", "the next of 100 that end, until all have ended, each", ns, nextOfMany},
	}
}

// groups are functions that may fail, with a context that ends when one of them has. At most limit
// of them are there at a time, or any number if limit is 0.
func groups(limit int) ([]contender, func()) {
	const n = 1000
	rt := start()
	newGroup := func() *ours.Group {
		g := ours.NewGroup(background, rt)
		if limit > 0 {
			g.SetLimit(limit)
		}
		return g
	}
	nothing := func(ours.Cx) error { return nil }
	return []contender{
		{name: "Group, Spawn, Join (from inside)", ops: n, round: inside(rt, func(cx ours.Cx) {
			g := newGroup()
			for range n {
				expectNo(g.Spawn(cx, nothing))
			}
			expectNo(g.Join(cx))
		})},
		{name: "Group, Go, Wait (from outside)", ops: n, round: outside(func() {
			g := newGroup()
			for range n {
				g.Go(nothing)
			}
			expectNo(g.Wait())
		})},
		{name: "errgroup", peer: true, ops: n, round: outside(func() {
			g, _ := errgroup.WithContext(background)
			if limit > 0 {
				g.SetLimit(limit)
			}
			for range n {
				g.Go(func() error { return nil })
			}
			expectNo(g.Wait())
		})},
	}, closing(rt)
}

// waitGroups are functions without results, which one task or goroutine waits for.
func waitGroups() ([]contender, func()) {
	const n = 1000
	rt := start()
	return []contender{
		{name: "Cx.Go, WaitGroup", ops: n, round: inside(rt, func(cx ours.Cx) {
			var all ours.WaitGroup
			all.Add(n)
			for range n {
				cx.Go(func(cx ours.Cx) { all.DoneFrom(cx) }).Detach()
			}
			expectNo(all.Wait(cx))
		})},
		{name: "go, sync.WaitGroup", peer: true, ops: n, round: outside(func() {
			var all sync.WaitGroup
			all.Add(n)
			for range n {
				go all.Done()
			}
			all.Wait()
		})},
	}, closing(rt)
}

// nextOfMany is the numbers of tasks as they end.
func nextOfMany() ([]contender, func()) {
	const n = 100
	rt := start()
	handles := make([]*ours.Handle[int], n)
	spawnAll := func(cx ours.Cx) {
		for i := range handles {
			handles[i] = ours.SpawnWith(cx, echo, i)
		}
	}
	cases := make([]reflect.SelectCase, n)
	return []contender{
		{name: "Spawn, AsEnded", ops: n, round: inside(rt, func(cx ours.Cx) {
			spawnAll(cx)
			sum := 0
			for i, err := range ours.AsEnded(cx, handles...) {
				expectNo(err)
				sum += i
			}
			expect(sum, n*(n-1)/2)
		})},
		{name: "Spawn, Next of those that are left", ops: n, round: inside(rt, func(cx ours.Cx) {
			spawnAll(cx)
			sum := 0
			for range handles {
				i := must(ours.Next(cx, handles...))
				handles[i] = nil
				sum += i
			}
			expect(sum, n*(n-1)/2)
		})},
		{name: "goroutines that send to one channel", peer: true, ops: n, round: outside(func() {
			ended := make(chan int, n)
			for i := range n {
				go func() { ended <- i }()
			}
			sum := 0
			for range n {
				sum += <-ended
			}
			expect(sum, n*(n-1)/2)
		})},
		{name: "goroutines with a channel each, reflect.Select of those that are left", peer: true,
			ops: n, round: outside(func() {
				for i := range cases {
					ended := make(chan int, 1)
					cases[i] = reflect.SelectCase{Dir: reflect.SelectRecv,
						Chan: reflect.ValueOf(ended)}
					go func() { ended <- i }()
				}
				sum := 0
				for range cases {
					i, _, _ := reflect.Select(cases)
					cases[i].Chan = reflect.Value{} // is never taken
					sum += i
				}
				expect(sum, n*(n-1)/2)
			})},
	}, closing(rt)
}

// insideTogether is a round of n tasks that do the same at the same time, and are awaited.
func insideTogether(rt *ours.Runtime, n int, work func(cx ours.Cx)) func() time.Duration {
	return inside(rt, func(cx ours.Cx) {
		var all ours.WaitGroup
		all.Add(n)
		for range n {
			cx.Go(func(cx ours.Cx) { work(cx); all.DoneFrom(cx) }).Detach()
		}
		expectNo(all.Wait(cx))
	})
}

// outsideTogether is insideTogether of goroutines.
func outsideTogether(n int, work func()) func() time.Duration {
	return outside(func() {
		var all sync.WaitGroup
		for range n {
			all.Go(work)
		}
		all.Wait()
	})
}
