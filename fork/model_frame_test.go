package fork

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// The checks of this file are of Fork, Join, Both and what panics leave, with workers whose stacks
// have room for one fork at first and keep two private, and who split any loop.

type crew struct {
	workers  []*hand
	sleepers atomic.Int32
	wake     chan struct{}
}

type hand struct {
	Stack[*hand]
	crew  *crew
	helps bool // in Await
	fails bool // the next Await panics
	ended chan struct{}
}

func newCrew(n int) *crew {
	c := &crew{wake: make(chan struct{}, n)}
	for range n {
		h := &hand{crew: c, ended: make(chan struct{}, 1)}
		h.Init(h)
		h.most, h.slots, h.minSplit = 2, nil, 0
		h.grow(1)
		h.word.Store(hungry)
		c.workers = append(c.workers, h)
	}
	return c
}

func (h *hand) Exposed() {
	if h.crew.sleepers.Load() > 0 && h.crew.unsleep() {
		h.crew.wake <- struct{}{}
	}
}

func (c *crew) unsleep() bool {
	for {
		n := c.sleepers.Load()
		if n == 0 {
			return false
		}
		if c.sleepers.CompareAndSwap(n, n-1) {
			return true
		}
	}
}

func (h *hand) Ended(_ *Claim[*hand], _ *hand) { h.ended <- struct{}{} }

func (h *hand) Await(c *Claim[*hand]) {
	if h.fails {
		h.fails = false
		panic("fails")
	}
	if by := c.By(); by != nil && h.helps {
		if loot := by.Claim(false); loot != nil {
			loot.Run(h, &h.Stack)
		}
	}
	if c.Wait() {
		<-h.ended
	}
}

// steal looks n times for a fork of another worker.
func (h *hand) steal(n int) {
	for range n {
		if c := h.find(); c != nil {
			c.Run(h, &h.Stack)
		}
	}
}

func (h *hand) find() *Claim[*hand] {
	for _, victim := range h.crew.workers {
		if victim != h {
			if c := victim.Claim(true); c != nil {
				return c
			}
		}
	}
	return nil
}

// stealFrom looks n times for a fork of one worker; the last time without asking for more.
func (h *hand) stealFrom(victim *hand, n int) {
	for i := range n {
		if c := victim.Claim(i < n-1); c != nil {
			c.Run(h, &h.Stack)
		}
	}
}

// sleep waits until somebody has made forks public after it has asked all for some.
func (h *hand) sleep() {
	h.crew.sleepers.Add(1)
	if c := h.find(); c != nil {
		if !h.crew.unsleep() {
			<-h.crew.wake // somebody has woken h meanwhile
		}
		c.Run(h, &h.Stack)
		return
	}
	<-h.crew.wake
}

func checkCrew(t *testing.T, workers, tries int, body func(x *model.Exec, h *hand),
	opts ...model.Option,
) {
	model.Check(t, func(x *model.Exec) {
		c := newCrew(workers)
		for _, h := range c.workers[1:] {
			x.Go("thief", func() { h.steal(tries) })
		}
		body(x, c.workers[0])
		x.Join()
		for i, h := range c.workers {
			x.Assert(h.top == 0 && h.split == 0, "worker %d has %d forks, split at %d",
				i, h.top, h.split)
		}
	}, opts...)
}

func fib(h *hand, n int) int {
	if n < 2 {
		return n
	}
	f := Fork(&h.Stack, fib, n-1)
	b := fib(h, n-2)
	return f.Join(h) + b
}

func TestForksInForks(t *testing.T) {
	checkCrew(t, 2, 3, func(x *model.Exec, h *hand) {
		x.Assert(fib(h, 3) == 2, "wrong")
	})
}

func TestAJoinHelpsItsThief(t *testing.T) {
	checkCrew(t, 2, 2, func(x *model.Exec, h *hand) {
		h.helps = true
		x.Assert(fib(h, 3) == 2, "wrong")
	})
}

func TestTwoThievesOfForksInForks(t *testing.T) {
	checkCrew(t, 3, 1, func(x *model.Exec, h *hand) {
		x.Assert(fib(h, 3) == 2, "wrong")
	})
}

// Both, and Mine and Result, with closures that write what only they may.
func TestBothAndMine(t *testing.T) {
	checkCrew(t, 2, 3, func(x *model.Exec, h *hand) {
		var left, right int
		a, b := Both(&h.Stack, h, func(*hand) int { left++; return 1 },
			func(h *hand) int {
				f := Fork(&h.Stack, fib, 1)
				right++
				if f.Mine() {
					return fib(h, 1)
				}
				return f.Result()
			})
		x.Assert(a == 1 && b == 1 && left == 1 && right == 1, "%d %d %d %d", a, b, left, right)
	})
}

// Whichever of both panics, the other has ended or is given up when Both has. (K9)
func TestAPanicOfBoth(t *testing.T) {
	checkCrew(t, 2, 2, func(x *model.Exec, h *hand) {
		var left, right int
		both := func(a, b func(*hand) int) (with any) {
			defer func() { with = recover() }()
			Both(&h.Stack, h, a, b)
			return nil
		}
		fails := func(*hand) int { panic("no") }
		x.Assert(both(func(*hand) int { left++; return 1 }, fails) == "no", "the panic is lost")
		x.Assert(h.Len() == 0 && left <= 1, "%d forks are left, %d calls", h.Len(), left)
		x.Assert(both(fails, func(*hand) int { right++; return 1 }) == "no", "the panic is lost")
		x.Assert(h.Len() == 0 && right == 1, "%d forks are left, %d calls", h.Len(), right)
	})
}

// Frames of other types at the same depth.
func TestTypesTakeTurns(t *testing.T) {
	checkCrew(t, 2, 3, func(x *model.Exec, h *hand) {
		for n := range 2 {
			f := Fork(&h.Stack, func(_ *hand, n int) int { return n + 1 }, n)
			x.Assert(f.Join(h) == n+1, "wrong number")
			g := Fork(&h.Stack, func(_ *hand, s string) string { return s + "!" }, "a")
			x.Assert(g.Join(h) == "a!", "wrong string")
		}
	})
}

// A panic between fork and join that is recovered leaves forks; the next join abandons them.
func TestPanicLeavesForks(t *testing.T) {
	checkCrew(t, 2, 3, func(x *model.Exec, h *hand) {
		same := func(_ *hand, n int) int { return n }
		a := Fork(&h.Stack, same, 1)
		func() {
			defer func() { x.Assert(recover() == "between", "another panic") }()
			Fork(&h.Stack, same, 2)
			Fork(&h.Stack, same, 3)
			panic("between")
		}()
		x.Assert(Fork(&h.Stack, same, 4).Join(h) == 4, "wrong")
		x.Assert(a.Join(h) == 1, "wrong")
	})
}

func TestPanicOfAFork(t *testing.T) {
	checkCrew(t, 2, 2, func(x *model.Exec, h *hand) {
		var ran int
		a := Fork(&h.Stack, func(h *hand, n int) int {
			Fork(&h.Stack, func(*hand, int) int { return 0 }, 1)
			ran++
			panic("a")
		}, 1)
		func() {
			defer func() { x.Assert(recover() == "a", "no panic") }()
			a.Join(h)
		}()
		x.Assert(ran == 1, "ran %d times", ran)
		h.Abandon(0)
		x.Assert(a.claim.fault == nil, "the panic was kept")
	})
}

// A thief whose host panics when it should wait for what its call has left: the call has panicked,
// and what it has left has ended all the same. (K9)
func TestAnAwaitOfAThiefThatPanics(t *testing.T) {
	checkCrew(t, 3, 2, func(x *model.Exec, h *hand) {
		begun, over := 0, 0
		a := Fork(&h.Stack, func(h *hand, _ int) int {
			Fork(&h.Stack, func(*hand, int) int { begun++; over++; return 0 }, 1)
			h.fails = true
			return 1
		}, 1)
		failed := func() (with any) {
			defer func() { with = recover() }()
			a.Join(h)
			return nil
		}()
		if h.fails {
			h.fails = false // it was the owner that has called the function
			h.Abandon(0)
		}
		x.Assert(failed == nil || failed == "fails", "%v", failed)
		x.Assert(begun == over, "a fork runs on after the join")
	})
}

func TestGoexitOfAFork(t *testing.T) {
	checkCrew(t, 2, 1, func(x *model.Exec, h *hand) {
		var joined, after bool
		done := make(chan struct{})
		go func() {
			defer close(done)
			a := Fork(&h.Stack, func(*hand, int) int { runtime.Goexit(); return 0 }, 1)
			b := Fork(&h.Stack, fib, 1)
			joined = b.Join(h) == 1
			a.Join(h)
			after = true
		}()
		<-done
		x.Assert(joined && !after, "joined %v, after it %v", joined, after)
	})
}

// What is public is taken by a worker that sleeps or is about to: the owner waits for it without a
// join.
func TestSleepersGetWhatIsPublic(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := newCrew(2)
		began := make(chan bool)
		var closed atomic.Bool
		x.Go("thief", func() {
			for !closed.Load() {
				c.workers[1].sleep()
			}
		})
		h := c.workers[0]
		a := Fork(&h.Stack, func(*hand, int) int { close(began); return 7 }, 0)
		<-began // a long leaf
		x.Assert(a.Join(h) == 7, "wrong")
		closed.Store(true)
		c.wake <- struct{}{}
		x.Join()
	})
}
