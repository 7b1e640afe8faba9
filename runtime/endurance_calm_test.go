package runtime_test

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/runtime"
)

// Where much happens, a wake-up that was forgotten is made good by the next one. So some rounds
// begin with a runtime in which all workers but one are asleep: that one makes work, and blocks
// until the others have done it.

// calm is such a part of a round.
func (w *world) calm() {
	h := w.newHouse(2, 3, 4)
	rng := rand.New(rand.NewPCG(w.seed, w.rng.Uint64()))
	runtime.Submit(h.rt, func(cx runtime.Cx) (int, error) {
		for range 10 {
			time.Sleep(time.Duration(rng.IntN(500)) * time.Microsecond) // the others fall asleep
			(&caller{w, h, cx, rng}).call()
		}
		return 0, nil
	})
	if err := h.rt.Shutdown(context.Background()); err != nil {
		w.fail("Shutdown of a calm runtime: %v", err)
	}
}

const stranded = 10 * time.Second // for which work waits although a worker sleeps

// A caller is a task that makes work for others.
type caller struct {
	w   *world
	h   *house
	cx  runtime.Cx
	rng *rand.Rand
}

func nothing(runtime.Cx) (int, error) { return 0, nil }

func (c *caller) call() {
	cx, rt := c.cx, c.h.rt
	switch c.rng.IntN(8) {
	case 0: // what was next in line makes room
		first := runtime.Spawn(cx, nothing)
		runtime.Spawn(cx, nothing).Detach()
		c.block("an evicted task", first)
	case 1: // what is next in line
		if c.h.watch > 0 {
			c.block("a task in the slot", runtime.Spawn(cx, nothing))
		}
	case 2: // the ring overflows
		var all []*runtime.Handle[int]
		for range 20 {
			all = append(all, runtime.Spawn(cx, nothing))
		}
		c.block("a task in the ring", all[:19]...)
	case 3:
		var all []*runtime.Handle[int]
		nothing := func(runtime.Cx, int) (int, error) { return 0, nil }
		for _, h := range runtime.SpawnBatch(cx, 1+c.rng.IntN(9), nothing).All() {
			all = append(all, h)
		}
		c.block("a task of a batch", all...)
	case 4:
		var all []*runtime.Handle[int]
		for range 1 + c.rng.IntN(3) {
			all = append(all, runtime.Submit(rt, nothing))
		}
		c.block("a submitted task", all...)
	case 5: // what waits is woken from outside
		var all []*runtime.Handle[int]
		var begun atomic.Int64
		for range 1 + c.rng.IntN(3) {
			all = append(all, runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
				begun.Add(1)
				return 0, cx.Sleep(time.Hour)
			}))
		}
		for begun.Load() < int64(len(all)) { // none is next in line, where only a rescue finds it
			if cx.Sleep(100*time.Microsecond) != nil {
				return
			}
		}
		go func() {
			for _, h := range all {
				h.Cancel()
			}
		}()
		c.block("a cancelled task", all...)
	case 6: // timers, and a worker that blocks as soon as one has fired
		first, due := c.chain(c.h.workers - 1)
		if c.h.watch == 0 && !time.Now().Before(due) {
			first.Join(cx) // it may be next in line here, where only a rescue finds it
			return
		}
		c.block("a sleeping task", first)
	case 7: // what has yielded, while its worker goes on with something else
		var yielded *runtime.Handle[int]
		blocker := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
			yielded = runtime.Spawn(cx,
				func(cx runtime.Cx) (int, error) { cx.Yield(); cx.Yield(); return 0, nil })
			cx.Yield()
			cx.Yield()
			(&caller{c.w, c.h, cx, c.rng}).block("a task that has yielded", yielded)
			return 0, nil
		})
		blocker.Join(cx)
	}
}

// chain starts n tasks that sleep, each a little longer than the one before it; then each blocks
// its worker until the next has ended. When all have fallen asleep it returns the first, and when
// one of them may awake.
func (c *caller) chain(n int) (next *runtime.Handle[int], due time.Time) {
	due = time.Now().Add(time.Hour)
	var begun atomic.Int64
	for i := n; i > 0; i-- {
		after, pause := next, time.Duration(i)*time.Duration(50+c.rng.IntN(300))*time.Microsecond
		if at := time.Now().Add(pause); at.Before(due) {
			due = at
		}
		next = runtime.Spawn(c.cx, func(cx runtime.Cx) (int, error) {
			begun.Add(1)
			cx.Sleep(pause)
			if after != nil {
				(&caller{c.w, c.h, cx, c.rng}).block("the next of the sleeping tasks", after)
			}
			return 0, nil
		})
	}
	// A full ring sends who yields to the injector, from which a look may take it first, before
	// what is next in line.
	for begun.Load() < int64(n) {
		c.cx.Yield()
	}
	return next, due
}

// block blocks the worker until others have done all the work. Closing ends it as well.
func (c *caller) block(what string, all ...*runtime.Handle[int]) {
	waited, last := time.Duration(0), time.Now()
	for ; ; time.Sleep(20 * time.Microsecond) {
		left := 0
		for _, h := range all {
			if _, _, ended := h.TryJoin(); !ended {
				left++
			}
		}
		if left == 0 {
			return
		}
		now := time.Now()
		waited += min(now.Sub(last), stranded/10) // the machine may stand still
		if last = now; waited > stranded {
			c.w.fail("%s was not run for %v while its worker was busy\n%s\n%s", what, stranded,
				c.h.description, runtime.Dump(c.h.rt))
			return
		}
	}
}
