package main

import (
	"time"

	ours "github.com/surewake/surewake/runtime"
)

func loopRows() []row {
	us, ms := time.Microsecond, time.Millisecond
	return []row{
		{"triangle", "a loop whose i-th iteration takes i steps", ms, triangle},
		{"range-10us", "a loop of 10 µs over trivial bodies", us, trivial(30_000)},
		{"range-100us", "a loop of 100 µs over trivial bodies", us, trivial(300_000)},
		{"range-1ms", "a loop of 1 ms over trivial bodies", us, trivial(3_000_000)},
		{"leaves-1us", "8,000 leaves of 1 µs", ms, leaves(8000, 1)},
		{"leaves-10us", "800 leaves of 10 µs", ms, leaves(800, 10)},
		{"leaves-100us", "80 leaves of 100 µs", ms, leaves(80, 100)},
		{"leaves-1ms", "16 leaves of 1 ms", ms, leaves(16, 1000)},
		{"long-leaf", "16 forks of 1 ms, then a leaf of 16 ms by the owner", ms, longLeaf},
	}
}

func triangle() ([]contender, func()) {
	const n = 4000
	data := make([]float64, n)
	return besidePlain("For",
		func(cx ours.Cx) {
			ours.For(cx, 0, n, func(_ ours.Cx, i int) { data[i] = steps(i) })
		},
		func() {
			for i := range n {
				data[i] = steps(i)
			}
		})
}

// trivial has loops whose bodies are shorter than a call. One operation is a loop over n numbers.
func trivial(n int) func() ([]contender, func()) {
	return func() ([]contender, func()) {
		repeat := max(1_000_000/n, 1)
		data := make([]int, n)
		for i := range data {
			data[i] = i
		}
		increase := func(lo, hi int) {
			for i := lo; i < hi; i++ {
				data[i] = data[i]*3 + 1
			}
		}
		sum := func(lo, hi int) (sum int) {
			for _, v := range data[lo:hi] {
				sum += v ^ lo
			}
			return sum
		}
		again := func(loop func()) func() {
			return func() {
				for range repeat {
					loop()
				}
			}
		}
		one, two := start(ours.Workers(1)), start(ours.Workers(2))
		in := func(rt *ours.Runtime, loop func(cx ours.Cx)) func() time.Duration {
			return inside(rt, func(cx ours.Cx) { again(func() { loop(cx) })() })
		}
		ranged := func(cx ours.Cx) {
			ours.Range(cx, 0, n, func(_ ours.Cx, lo, hi int) { increase(lo, hi) })
		}
		var total int
		reduced := func(cx ours.Cx) {
			// Nobody cancels the task.
			part, _ := ours.Reduce(cx, 0, n, func(_ ours.Cx, lo, hi int) int { return sum(lo, hi) },
				func(a, b int) int { return a + b })
			total += part
		}
		return []contender{
			{name: "Range, 1 worker", ops: repeat, round: in(one, ranged)},
			{name: "Range, 2 workers", ops: repeat, round: in(two, ranged)},
			{name: "plain loop", peer: true, ops: repeat,
				round: outside(again(func() { increase(0, n) }))},
			{name: "Reduce, 1 worker", ops: repeat, round: in(one, reduced)},
			{name: "Reduce, 2 workers", ops: repeat, round: in(two, reduced)},
			{name: "plain sum", peer: true, ops: repeat,
				round: outside(again(func() { total += sum(0, n) }))},
		}, closing(one, two)
	}
}

// leaves has n leaves of so many microseconds, in a loop and in a binary tree.
func leaves(n, micros int) func() ([]contender, func()) {
	return func() ([]contender, func()) {
		data := make([]float64, n)
		leaf := func(i int) { data[i] = steps(micros * stepsPerMicrosecond) }
		all, done := besidePlain("For",
			func(cx ours.Cx) { ours.For(cx, 0, n, func(_ ours.Cx, i int) { leaf(i) }) },
			func() {
				for i := range n {
					leaf(i)
				}
			})
		var binary func(cx ours.Cx, part [2]int) struct{}
		binary = func(cx ours.Cx, part [2]int) (none struct{}) {
			lo, hi := part[0], part[1]
			if hi-lo == 1 {
				leaf(lo)
				return none
			}
			f := ours.Fork(cx, binary, [2]int{lo, (lo + hi) / 2})
			binary(cx, [2]int{(lo + hi) / 2, hi})
			return f.Join(cx)
		}
		forks, end := onWorkers("Fork", func(cx ours.Cx) { binary(cx, [2]int{0, n}) })
		return append(all, forks...), func() { done(); end() }
	}
}

// longLeaf is 16 ms at best, for two workers.
func longLeaf() ([]contender, func()) {
	const n = 16
	stall := func(d time.Duration) {
		for begin := time.Now(); time.Since(begin) < d; {
		}
	}
	leaf := func(_ ours.Cx, d time.Duration) (none struct{}) {
		stall(d)
		return none
	}
	var deep func(cx ours.Cx, left int, share bool)
	deep = func(cx ours.Cx, left int, share bool) {
		if left == 0 {
			if share {
				cx.Forks().Share()
			}
			stall(n * time.Millisecond)
			return
		}
		f := ours.Fork(cx, leaf, time.Millisecond)
		deep(cx, left-1, share)
		f.Join(cx)
	}
	two := start(ours.Workers(2))
	return []contender{
		{name: "Fork, 2 workers", ops: 1,
			round: inside(two, func(cx ours.Cx) { deep(cx, n, false) })},
		{name: "Fork and Share, 2 workers", ops: 1,
			round: inside(two, func(cx ours.Cx) { deep(cx, n, true) })},
		{name: "go + channel", peer: true, ops: 1, round: outside(func() {
			done := make(chan struct{}, n)
			for range n {
				go func() { stall(time.Millisecond); done <- struct{}{} }()
			}
			stall(n * time.Millisecond)
			for range n {
				<-done
			}
		})},
	}, closing(two)
}
