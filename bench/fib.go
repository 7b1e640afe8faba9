package main

import (
	"fmt"
	"time"

	"github.com/surewake/surewake/fork"
	ours "github.com/surewake/surewake/runtime"
)

// forkRows are those of forks: a recursion that does nothing else, work that is divided, and loops.
func forkRows() []row {
	var all []row
	for _, n := range []int{25, 30, 32} {
		all = append(all, row{fmt.Sprint("fib-", n), fmt.Sprintf("fork + join, fib(%d), a fork", n),
			time.Nanosecond, func() ([]contender, func()) {
				if *quick {
					return fibs(n - 10)
				}
				return fibs(n)
			}})
	}
	return append(append(all, divideRows()...), loopRows()...)
}

// fibs has one fork for each call with n > 1.
func fibs(n int) ([]contender, func()) {
	result := fibPlain(n)
	forks := fibPlain(n+1) - 1
	one, two := start(ours.Workers(1)), start(ours.Workers(2))
	poolOne, poolTwo := newForkPool(1), newForkPool(2)
	var all []contender
	for _, f := range []struct {
		name string
		fib  func(w *forker, n int) int
	}{{"Join", fibFork}, {"Mine", fibForkMine}, {"Both", fibForkBoth}} {
		if f.name == "Both" && n > 30 {
			continue // takes long
		}
		check := func(w *forker) { expect(f.fib(w, n), result) }
		all = append(all,
			contender{name: "package fork, " + f.name + ", 1 worker", ops: forks,
				round: poolOne.do(check)},
			contender{name: "package fork, " + f.name + ", 2 workers", ops: forks,
				round: poolTwo.do(check)})
	}
	for _, f := range []struct {
		name string
		fib  func(cx ours.Cx, n int) int
	}{{"Fork, Join", fibCx}, {"Fork, Mine", fibCxMine}, {"Both", fibCxBoth}} {
		if f.name == "Both" && n > 30 {
			continue
		}
		check := func(cx ours.Cx) { expect(f.fib(cx, n), result) }
		all = append(all,
			contender{name: f.name + ", 1 worker", ops: forks, round: inside(one, check)},
			contender{name: f.name + ", 2 workers", ops: forks, round: inside(two, check)})
	}
	all = append(all, contender{name: "plain recursion", peer: true, ops: forks,
		round: outside(func() { expect(fibPlain(n), result) })})
	if n <= 25 {
		all = append(all, contender{name: "go + channel", peer: true, ops: forks,
			round: outside(func() { expect(fibGo(n), result) })})
	}
	return all, func() {
		closing(one, two)()
		poolOne.close()
		poolTwo.close()
	}
}

func fibPlain(n int) int {
	if n < 2 {
		return n
	}
	return fibPlain(n-1) + fibPlain(n-2)
}

func fibFork(w *forker, n int) int {
	if n < 2 {
		return n
	}
	f := fork.Fork(&w.Stack, fibFork, n-1)
	b := fibFork(w, n-2)
	return f.Join(w) + b
}

func fibForkMine(w *forker, n int) int {
	if n < 2 {
		return n
	}
	f := fork.Fork(&w.Stack, fibForkMine, n-1)
	b := fibForkMine(w, n-2)
	if f.Mine() {
		return fibForkMine(w, n-1) + b
	}
	return f.Result() + b
}

func fibForkBoth(w *forker, n int) int {
	if n < 2 {
		return n
	}
	a, b := fork.Both(&w.Stack, w,
		func(w *forker) int { return fibForkBoth(w, n-1) },
		func(w *forker) int { return fibForkBoth(w, n-2) })
	return a + b
}

func fibCx(cx ours.Cx, n int) int {
	if n < 2 {
		return n
	}
	f := ours.Fork(cx, fibCx, n-1)
	b := fibCx(cx, n-2)
	return f.Join(cx) + b
}

func fibCxMine(cx ours.Cx, n int) int {
	if n < 2 {
		return n
	}
	f := ours.Fork(cx, fibCxMine, n-1)
	b := fibCxMine(cx, n-2)
	if f.Mine() {
		return fibCxMine(cx, n-1) + b
	}
	return f.Result() + b
}

func fibCxBoth(cx ours.Cx, n int) int {
	if n < 2 {
		return n
	}
	a, b := ours.Both(cx,
		func(cx ours.Cx) int { return fibCxBoth(cx, n-1) },
		func(cx ours.Cx) int { return fibCxBoth(cx, n-2) })
	return a + b
}
