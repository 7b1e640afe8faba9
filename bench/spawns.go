package main

import ours "github.com/surewake/surewake/runtime"

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
			peer:  true,
			ops:   fibSpawns,
			round: outside(func() { expect(fibGo(fibN), fibResult) }),
		},
	}, closing(two, one)
}
