package runtime_test

import (
	"time"

	"github.com/surewake/surewake/runtime"
)

// A restless is a tree of forks of which some wait. Its seed says which.
type restless struct{ seed, size uint64 }

// leaves returns how many leaves the tree has, which is its size.
func (r restless) leaves(cx runtime.Cx) uint64 {
	if r.size < 2 {
		switch r.seed >> 60 {
		case 0:
			cx.Yield()
		case 1:
			_ = cx.Sleep(20 * time.Microsecond) // the task may have been cancelled
		case 2:
			spin(5 * time.Microsecond)
		}
		return r.size
	}
	left := restless{r.seed * 0x9e3779b97f4a7c15, r.size / 2}
	right := restless{left.seed * 0x9e3779b97f4a7c15, r.size - left.size}
	if right.seed>>61 == 0 {
		a, b := runtime.Both(cx, left.leaves, right.leaves)
		return a + b
	}
	f := runtime.Fork(cx, leavesOf, left)
	switch left.seed >> 61 {
	case 0:
		cx.Forks().Share()
	case 1:
		cx.Forks().Poll()
	}
	n := right.leaves(cx)
	return f.Join(cx) + n
}

func leavesOf(cx runtime.Cx, r restless) uint64 { return r.leaves(cx) }

// fork runs a restless tree, or leaves some of one behind.
func (p *player) fork() {
	r := restless{p.rng.Uint64() | 1, 1 + p.rng.Uint64N(60)}
	if p.rng.IntN(8) == 0 {
		runtime.Fork(p.cx, leavesOf, r)
		p.cx.Yield()
		return
	}
	if n := r.leaves(p.cx); n != r.size {
		p.w.fail("the forks of task %d have returned %d in place of %d", p.r.id, n, r.size)
	}
}
