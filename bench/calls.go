package main

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	ours "github.com/surewake/surewake/runtime"
)

// callRows are those of calls that wait for a function, a value, a signal or a time.
func callRows() []row {
	const ns = time.Nanosecond
	return []row{
		{"timeout", "a call with a timeout that does not pass", ns, timeouts},
		{"scope", "a scope or group of two functions", ns, scopes},
		{"results", "1,000 functions with results in a group, each", ns, results},
		{"blocking", "a function that may block its thread, and its result", ns, blockingCalls},
		{"oneshot", "a value that is sent once", ns, oneshots},
		{"notify", "two that take turns by signals, a wait", ns, notifies},
		{"ticker", "a tick that is due", ns, dueTicks},
	}
}

func timeouts() ([]contender, func()) {
	const n = 500
	rt := start()
	return []contender{
		{name: "Timeout", ops: n, round: inside(rt, func(cx ours.Cx) {
			for range n {
				must(ours.Timeout(cx, time.Hour, empty))
			}
		})},
		{name: "context.WithTimeout, go, select", peer: true, ops: n, round: outside(func() {
			for i := range n {
				ctx, cancel := context.WithTimeout(background, time.Hour)
				result := make(chan int, 1)
				go func() { result <- i }()
				select {
				case got := <-result:
					expect(got, i)
				case <-ctx.Done():
					panic("an hour has passed")
				}
				cancel()
			}
		})},
	}, closing(rt)
}

func scopes() ([]contender, func()) {
	const n = 200
	rt := start()
	two := func(cx ours.Cx, s *ours.TaskScope) error {
		ours.SpawnIn(cx, s, empty)
		ours.SpawnIn(cx, s, empty)
		return nil
	}
	return []contender{
		{name: "Scope, SpawnIn", ops: n, round: inside(rt, func(cx ours.Cx) {
			for range n {
				expectNo(ours.Scope(cx, two))
			}
		})},
		{name: "errgroup", peer: true, ops: n, round: outside(func() {
			for range n {
				g, _ := errgroup.WithContext(background)
				g.Go(func() error { return nil })
				g.Go(func() error { return nil })
				expectNo(g.Wait())
			}
		})},
	}, closing(rt)
}

func results() ([]contender, func()) {
	const n = 1000
	rt := start()
	check := func(list []int) {
		for i, got := range list {
			expect(got, i)
		}
	}
	return []contender{
		{name: "Results, Spawn, Join (from inside)", ops: n, round: inside(rt, func(cx ours.Cx) {
			r := ours.NewResults[int](background, rt)
			for i := range n {
				expectNo(r.Spawn(cx, func(ours.Cx) (int, error) { return i, nil }))
			}
			check(must(r.Join(cx)))
		})},
		{name: "Results, Go, Wait (from outside)", ops: n, round: outside(func() {
			r := ours.NewResults[int](background, rt)
			for i := range n {
				r.Go(func(ours.Cx) (int, error) { return i, nil })
			}
			check(must(r.Wait()))
		})},
		{name: "errgroup, a slice", peer: true, ops: n, round: outside(func() {
			g, _ := errgroup.WithContext(background)
			list := make([]int, n)
			for i := range n {
				g.Go(func() error { list[i] = i; return nil })
			}
			expectNo(g.Wait())
			check(list)
		})},
	}, closing(rt)
}

func blockingCalls() ([]contender, func()) {
	const n = 50
	rt := start()
	nothing := func() (int, error) { return 0, nil }
	return []contender{
		{name: "SpawnBlocking, Join", ops: n, round: inside(rt, func(cx ours.Cx) {
			for range n {
				must(ours.SpawnBlocking(cx, nothing).Join(cx))
			}
		})},
		{name: "SubmitBlocking, Wait", ops: n, round: outside(func() {
			for range n {
				must(ours.SubmitBlocking(rt, nothing).Wait(background))
			}
		})},
		{name: "go + channel", peer: true, ops: n, round: outside(func() {
			for range n {
				result := make(chan int, 1)
				go func() { result <- must(nothing()) }()
				expect(<-result, 0)
			}
		})},
	}, closing(rt)
}

func oneshots() ([]contender, func()) {
	const n = 500
	rt := start()
	send := func(cx ours.Cx, o *ours.Oneshot[int]) (int, error) { return 0, o.SendFrom(cx, 1) }
	return []contender{
		{name: "Oneshot, by oneself", ops: n, round: inside(rt, func(cx ours.Cx) {
			for i := range n {
				var o ours.Oneshot[int]
				expectNo(o.SendFrom(cx, i))
				expect(must(o.Receive(cx)), i)
			}
		})},
		{name: "Oneshot, from a task", ops: n, round: inside(rt, func(cx ours.Cx) {
			for range n {
				var o ours.Oneshot[int]
				ours.SpawnWith(cx, send, &o).Detach()
				expect(must(o.Receive(cx)), 1)
			}
		})},
		{name: "channel of capacity 1, by oneself", peer: true, ops: n, round: outside(func() {
			for i := range n {
				c := make(chan int, 1)
				c <- i
				expect(<-c, i)
			}
		})},
		{name: "channel of capacity 1, from a goroutine", peer: true, ops: n,
			round: outside(func() {
				for range n {
					c := make(chan int, 1)
					go func() { c <- 1 }()
					expect(<-c, 1)
				}
			})},
	}, closing(rt)
}

func notifies() ([]contender, func()) {
	const n = 500
	one, two := start(ours.Workers(1)), start(ours.Workers(2))
	tasks := func(name string, rt *ours.Runtime) contender {
		return contender{name: name, ops: 2 * n, round: inside(rt, func(cx ours.Cx) {
			var turn [2]ours.Notify
			turns := func(cx ours.Cx, mine int) (int, error) {
				for range n {
					expectNo(turn[mine].Wait(cx))
					turn[1-mine].SignalFrom(cx)
				}
				return 0, nil
			}
			other := ours.SpawnWith(cx, turns, 1)
			turn[0].SignalFrom(cx)
			must(turns(cx, 0))
			must(other.Join(cx))
		})}
	}
	return []contender{
		tasks("Notify, 2 workers", two),
		tasks("Notify, 1 worker", one),
		{name: "channels of capacity 1", peer: true, ops: 2 * n, round: outside(func() {
			turn := [2]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)}
			turns := func(mine int) {
				for range n {
					<-turn[mine]
					turn[1-mine] <- struct{}{}
				}
			}
			done := make(chan struct{})
			go func() { turns(1); close(done) }()
			turn[0] <- struct{}{}
			turns(0)
			<-done
		})},
	}, closing(one, two)
}

// dueTicks come one after the other without a wait: their times have passed.
func dueTicks() ([]contender, func()) {
	const n = 500
	rt := start()
	return []contender{
		{name: "Ticker.Next", ops: n, round: inside(rt, func(cx ours.Cx) {
			t := cx.NewTicker(1, ours.Burst)
			for range n {
				expectNo(t.Next(cx))
			}
		})},
		{name: "time.Ticker", peer: true, ops: n, round: outside(func() {
			t := time.NewTicker(1)
			for range n {
				<-t.C
			}
			t.Stop()
		})},
	}, closing(rt)
}
