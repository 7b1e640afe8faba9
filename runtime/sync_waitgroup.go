package runtime

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
)

// A WaitGroup counts what is to be done, and tells who waits when all is done. Tasks of any runtime
// and goroutines may add, end and wait. The zero WaitGroup has nothing to be done. It must not be
// copied.
//
// It is for work that is counted by hand: for tasks, a [Scope] or [TaskBatch] passes errors and
// cancellation on as well. Unlike sync.WaitGroup, it may be used again at any time: a wait ends
// when the counter is, or was, zero after it began.
//
// An Add that makes the counter smaller synchronizes before the return of each Wait that it ends,
// and of those that find its effect.
type WaitGroup struct {
	// word is the counter, shifted by groupShift, and groupWaited if somebody came to wait since it
	// was zero. Every goroutine may swap the counter, except to zero if it says groupWaited; that,
	// and to set groupWaited, is under the lock.
	word atomic.Int64
	lock sync.Mutex
	line line[struct{}] // under the lock; empty unless the word says groupWaited
}

const (
	groupWaited int64 = 1
	groupShift  int   = 1
)

// Add adds delta, which may be negative, to the counter of what is to be done. If that makes it
// zero, all waits end. Any goroutine may call it. It panics, and adds nothing, unless the counter
// stays between 0 and math.MaxInt32.
//
// What is added to a counter that may be zero must be added before the call of Wait that is to wait
// for it.
func (g *WaitGroup) Add(delta int) { g.add("", delta, nil) }

// Done says that one thing is done: it is Add(-1). A task should use [WaitGroup.DoneFrom].
func (g *WaitGroup) Done() { g.add("Done", -1, nil) }

// DoneFrom is [WaitGroup.Done] for tasks: a task whose wait it ends runs next on the worker of cx.
func (g *WaitGroup) DoneFrom(cx Cx) {
	cx.checkHere("WaitGroup.DoneFrom")
	g.add("DoneFrom", -1, cx.coroutine.worker)
}

// Wait waits until the counter is zero, and returns nil; or returns [Cx.Err] if the task must end.
func (g *WaitGroup) Wait(cx Cx) error {
	cx.checkHere("WaitGroup.Wait")
	if err := cx.stopErr(); err != nil {
		return err
	}
	w := g.queue(cx.task)
	if w == nil {
		cx.charge()
		return nil
	}
	return w.wait(cx, g)
}

// WaitContext is [WaitGroup.Wait] for goroutines that are not tasks, since it would block a worker.
// If ctx ends first, it returns the error of ctx, as [Handle.Wait] does.
func (g *WaitGroup) WaitContext(ctx context.Context) error {
	notNil(ctx, "WaitGroup.WaitContext")
	if ctx.Err() != nil {
		return contextErr(ctx)
	}
	done := make(goroutine)
	w := g.queue(done)
	if w == nil {
		return nil
	}
	return w.waitOutside(ctx, g, done, "WaitGroup.WaitContext")
}

// add is Add for what, the name of the calling function, which is "" for Add itself.
func (g *WaitGroup) add(what string, delta int, by *worker) {
	for {
		s := g.word.Load()
		n := s>>groupShift + int64(delta)
		if n < 0 || n > math.MaxInt32 {
			if what == "" {
				what = fmt.Sprintf("Add(%d)", delta)
			}
			panic(fmt.Sprintf("surewake: WaitGroup.%s: the counter would be %d; must be 0 to %d",
				what, n, math.MaxInt32))
		}
		if n == 0 && s&groupWaited != 0 {
			if g.endWaits(s, by) {
				return
			}
		} else if g.word.CompareAndSwap(s, n<<groupShift|s&groupWaited) { // partner: queue
			return
		}
	}
}

// endWaits makes the counter zero, ends all waits, and returns true, if the word is still s, which
// says that somebody waits.
func (g *WaitGroup) endWaits(s int64, by *worker) bool {
	g.lock.Lock()
	if !g.word.CompareAndSwap(s, 0) {
		g.lock.Unlock()
		return false
	}
	all := g.line.answerAll(served)
	g.lock.Unlock()
	all.wakeAll(by)
	return true
}

// queue returns nil if the counter is zero, or queues a waiter for who and returns it.
func (g *WaitGroup) queue(who waker) *waiter[struct{}] {
	if g.word.Load()>>groupShift == 0 { // partner: add
		return nil
	}
	g.lock.Lock()
	defer g.lock.Unlock()
	for {
		s := g.word.Load()
		if s>>groupShift == 0 {
			return nil
		}
		if s&groupWaited != 0 || g.word.CompareAndSwap(s, s|groupWaited) {
			break
		}
	}
	w := &waiter[struct{}]{waker: who}
	g.line.push(w)
	return w
}

// withdraw implements source.
func (g *WaitGroup) withdraw(w *waiter[struct{}], _ *worker) bool {
	g.lock.Lock()
	defer g.lock.Unlock()
	if w.answered() {
		return false
	}
	g.line.remove(w)
	return true
}
