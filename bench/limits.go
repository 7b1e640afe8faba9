package main

import (
	"math"
	goruntime "runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	ours "github.com/surewake/surewake/runtime"
)

// limitRows are those of what bounds how many there are, and how many in a time.
func limitRows() []row {
	const ns = time.Nanosecond
	return []row{
		{"bounded", "1,000 empty tasks from outside, at most 16 at a time, each", ns, boundedTasks},
		{"try-submit", "a task that is started if there is a place, and awaited", ns, tryPlaces},
		{"try-refused", "a task for which there is no place", ns, tryRefused},
		{"semaphore", "a permit, taken and given back", ns, semaphores},
		{"limiter", "a permit of a rate limiter", ns, limiters},
	}
}

// boundedTasks are more tasks than there are places for.
func boundedTasks() ([]contender, func()) {
	const n, most = 1000, 16
	rt := start(ours.MaxTasks(most))
	tokens, permits := make(chan struct{}, most), semaphore.NewWeighted(most)
	return []contender{
		{name: "MaxTasks, Runtime.Go", ops: n, round: outside(func() {
			var all sync.WaitGroup
			all.Add(n)
			for range n {
				rt.Go(func(ours.Cx) { all.Done() }).Detach()
			}
			all.Wait()
		})},
		{name: "tokens of a channel, go", peer: true, ops: n, round: outside(func() {
			var all sync.WaitGroup
			all.Add(n)
			for range n {
				tokens <- struct{}{}
				go func() { <-tokens; all.Done() }()
			}
			all.Wait()
		})},
		{name: "semaphore.Weighted, go", peer: true, ops: n, round: outside(func() {
			var all sync.WaitGroup
			all.Add(n)
			for range n {
				expectNo(permits.Acquire(background, 1))
				go func() { permits.Release(1); all.Done() }()
			}
			all.Wait()
		})},
	}, closing(rt)
}

// tryPlaces are tasks one after the other, with one place, which each finds free.
func tryPlaces() ([]contender, func()) {
	const n = 20
	rt := start(ours.MaxTasks(1))
	tokens, permits := make(chan struct{}, 1), semaphore.NewWeighted(1)
	return []contender{
		{name: "TrySubmit, Wait", ops: n, round: outside(func() {
			for range n {
				must(must(ours.TrySubmit(rt, empty)).Wait(background))
			}
		})},
		{name: "token of a channel, go, channel", peer: true, ops: n, round: outside(func() {
			for range n {
				select {
				case tokens <- struct{}{}:
				default:
					panic("no token")
				}
				result := make(chan int, 1)
				go func() { <-tokens; result <- 0 }()
				expect(<-result, 0)
			}
		})},
		{name: "semaphore.Weighted, go, channel", peer: true, ops: n, round: outside(func() {
			for range n {
				if !permits.TryAcquire(1) {
					panic("no permit")
				}
				result := make(chan int, 1)
				go func() { permits.Release(1); result <- 0 }()
				expect(<-result, 0)
			}
		})},
	}, closing(rt)
}

// tryRefused is what a server does that is busy.
func tryRefused() ([]contender, func()) {
	const n = 1000
	rt := start(ours.MaxTasks(1))
	ours.Submit(rt, func(cx ours.Cx) (int, error) { return 0, cx.Sleep(time.Hour) }).Detach()
	tokens, permits := make(chan struct{}, 1), semaphore.NewWeighted(1)
	tokens <- struct{}{}
	expectNo(permits.Acquire(background, 1))
	return []contender{
		{name: "TrySubmit", ops: n, round: outside(func() {
			for range n {
				if _, err := ours.TrySubmit(rt, empty); err == nil {
					panic("a place")
				}
			}
		})},
		{name: "token of a channel", peer: true, ops: n, round: outside(func() {
			for range n {
				select {
				case tokens <- struct{}{}:
					panic("a token")
				default:
				}
			}
		})},
		{name: "semaphore.Weighted", peer: true, ops: n, round: outside(func() {
			for range n {
				if permits.TryAcquire(1) {
					panic("a permit")
				}
			}
		})},
	}, closing(rt)
}

// semaphores are permits that are there, and two permits for four that hold them while others run.
func semaphores() ([]contender, func()) {
	const n, each, ways, permits = 1000, 250, 4, 2
	rt := start()
	s, weighted := ours.NewSemaphore(permits), semaphore.NewWeighted(permits)
	tokens := make(chan struct{}, permits)
	return []contender{
		{name: "Semaphore, free", ops: n, round: inside(rt, func(cx ours.Cx) {
			for range n {
				expectNo(s.Acquire(cx, 1))
				s.ReleaseFrom(cx, 1)
			}
		})},
		{name: "Semaphore, 2 permits, 4 tasks that yield", ops: each * ways,
			round: insideTogether(rt, ways, func(cx ours.Cx) {
				for range each {
					expectNo(s.Acquire(cx, 1))
					cx.Yield()
					s.ReleaseFrom(cx, 1)
				}
			})},
		{name: "semaphore.Weighted, free", peer: true, ops: n, round: outside(func() {
			for range n {
				expectNo(weighted.Acquire(background, 1))
				weighted.Release(1)
			}
		})},
		{name: "semaphore.Weighted, 2 permits, 4 goroutines that yield", peer: true,
			ops: each * ways, round: outsideTogether(ways, func() {
				for range each {
					expectNo(weighted.Acquire(background, 1))
					goruntime.Gosched()
					weighted.Release(1)
				}
			})},
		{name: "tokens of a channel, free", peer: true, ops: n, round: outside(func() {
			for range n {
				tokens <- struct{}{}
				<-tokens
			}
		})},
		{name: "tokens of a channel, 2 tokens, 4 goroutines that yield", peer: true,
			ops: each * ways, round: outsideTogether(ways, func() {
				for range each {
					tokens <- struct{}{}
					goruntime.Gosched()
					<-tokens
				}
			})},
	}, closing(rt)
}

// limiters have all the permits that a session needs, or none for years.
func limiters() ([]contender, func()) {
	const n, ways = 1000, 2
	rt := start()
	full, none := ours.NewLimiter(1e9, math.MaxInt32), ours.NewLimiter(1e-9, 1)
	peerFull, peerNone := rate.NewLimiter(1e9, math.MaxInt32), rate.NewLimiter(1e-9, 1)
	none.Allow()
	peerNone.Allow()
	ask := func(allow func() bool, want bool, n int) {
		for range n {
			if allow() != want {
				panic("a wrong answer")
			}
		}
	}
	asks := func(name string, peer bool, allow func() bool, want bool) contender {
		return contender{name: name, peer: peer, ops: n,
			round: outside(func() { ask(allow, want, n) })}
	}
	return []contender{
		asks("Limiter.Allow, granted", false, full.Allow, true),
		asks("Limiter.Allow, refused", false, none.Allow, false),
		{name: "Limiter.Wait, granted", ops: n, round: inside(rt, func(cx ours.Cx) {
			for range n {
				expectNo(full.Wait(cx))
			}
		})},
		{name: "Limiter.Allow, granted, 2 tasks at a time", ops: n,
			round: insideTogether(rt, ways, func(ours.Cx) { ask(full.Allow, true, n/ways) })},
		asks("rate.Limiter.Allow, granted", true, peerFull.Allow, true),
		asks("rate.Limiter.Allow, refused", true, peerNone.Allow, false),
		{name: "rate.Limiter.Wait, granted", peer: true, ops: n, round: outside(func() {
			for range n {
				expectNo(peerFull.Wait(background))
			}
		})},
		{name: "rate.Limiter.Allow, granted, 2 goroutines at a time", peer: true, ops: n,
			round: outsideTogether(ways, func() { ask(peerFull.Allow, true, n/ways) })},
	}, closing(rt)
}
