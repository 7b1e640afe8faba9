package fork_test

import "github.com/surewake/surewake/fork"

// alone returns workers whose goroutines are the caller's: a test is the owner of the first and the
// thief in the name of the others, one after another.
func alone(n int) []*worker {
	p := newPool(1)
	for len(p.workers) < n {
		w := &worker{pool: p}
		w.Init(w)
		p.workers = append(p.workers, w)
	}
	return p.workers
}

func fibMine(w *worker, n int) int {
	if n < 2 {
		return n
	}
	f := fork.Fork(&w.Stack, fibMine, n-1)
	b := fibMine(w, n-2)
	if f.Mine() {
		return fibMine(w, n-1) + b
	}
	return f.Result() + b
}

func fibBoth(w *worker, n int) int {
	if n < 2 {
		return n
	}
	a, b := fork.Both(&w.Stack, w,
		func(w *worker) int { return fibBoth(w, n-1) },
		func(w *worker) int { return fibBoth(w, n-2) })
	return a + b
}

func plain(n int) int {
	if n < 2 {
		return n
	}
	return plain(n-1) + plain(n-2)
}
