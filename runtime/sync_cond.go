package runtime

import (
	"context"
	"sync"
)

// Waiting for a signal, then for the lock
//
// A wait stands in the line of the Cond before it unlocks the Mutex. So a signal that is sent after
// what it announces was changed under the lock finds it there:
//
//	wait     1 stand in line  2 unlock  3 wait in line  4 lock, and do not give up
//	signal   1 change, under the lock  2 answer the first in line
//
// A task that must end gives up step 3, never step 4: its caller holds the lock in any case, and
// unlocks it. If its answer comes first, the wait was ended by the signal, and returns nil though
// the task must end; otherwise it is out of the line, and the signal goes to the next. So no signal
// goes to nobody while somebody waits. (runtime/R26)
//
// Rejected alternative: to move who is signalled from the line of the Cond to that of the Mutex,
// without waking it. That saves a broadcast a wake for each wait that finds the lock taken. But a
// waiter then changes its source while its owner may withdraw it.

// A Cond is where tasks and goroutines wait for a change of what a [Mutex] protects. Set L, or use
// [NewCond]. It must not be copied.
//
// [Cond.Signal] ends one wait, [Cond.Broadcast] all; neither is remembered. A [Notify] remembers a
// signal and needs no Mutex.
//
// A Signal or Broadcast synchronizes before the return of each wait that it ends.
type Cond struct {
	// L is locked by who looks at the condition, changes it, or waits. It does not change once the
	// Cond is in use.
	L *Mutex

	lock sync.Mutex
	line line[struct{}] // under the lock
}

// NewCond returns a Cond whose L is l. It panics if l is nil.
func NewCond(l *Mutex) *Cond {
	if l == nil {
		panic("surewake: NewCond: nil Mutex")
	}
	return &Cond{L: l}
}

// Wait unlocks c.L, waits until a [Cond.Signal] or [Cond.Broadcast] ends the wait, locks c.L, and
// returns nil. It returns [Cx.Err] if the task must end. In both cases the task holds c.L again; to
// lock it, Wait waits also if the task must end. No wait ends without a reason, but another call
// may have locked c.L first, so look at the condition again:
//
//	for !condition() {
//		if err := c.Wait(cx); err != nil {
//			return err // with c.L locked
//		}
//	}
//
// Wait panics if c.L is nil or not locked.
func (c *Cond) Wait(cx Cx) error {
	cx.checkHere("Cond.Wait")
	c.checkLocked("Wait")
	if err := cx.stopErr(); err != nil {
		return err
	}
	w := c.queue(cx.task)
	if !c.L.release() {
		c.L.unlock("Unlock", cx.coroutine.worker)
	}
	err := w.wait(cx, c)
	if w := c.L.takeOrQueue(cx.task); w != nil {
		if cx.coroutine.debugging {
			cx.noteWait("", waitNote{wholes: []any{c.L}, keeps: true, loose: true})
			defer cx.forgetJoin()
		}
		w.outlast(cx)
	}
	c.L.note(cx)
	return err
}

// WaitContext is [Cond.Wait] for goroutines that are not tasks, since it would block a worker. If
// ctx ends first, it returns the error of ctx, as [Handle.Wait] does; then, too, it holds c.L.
func (c *Cond) WaitContext(ctx context.Context) error {
	notNil(ctx, "Cond.WaitContext")
	c.checkLocked("WaitContext")
	if ctx.Err() != nil {
		return contextErr(ctx)
	}
	refuseBlocking("Cond.WaitContext") // while the lock is held
	defer guards.enter("Cond.WaitContext")()
	done := make(goroutine)
	w := c.queue(done)
	c.L.Unlock()
	err := w.block(ctx, c, done)
	locked := make(goroutine)
	if c.L.takeOrQueue(locked) != nil {
		<-locked
	}
	return err
}

// Signal ends the wait that has lasted longest, if there is one. Any goroutine may call it, whether
// it holds c.L or not; a task should use [Cond.SignalFrom].
func (c *Cond) Signal() { c.signal(nil) }

// SignalFrom is [Cond.Signal] for tasks: the woken task runs next on the worker of cx.
func (c *Cond) SignalFrom(cx Cx) {
	cx.checkHere("Cond.SignalFrom")
	c.signal(cx.coroutine.worker)
}

func (c *Cond) signal(by *worker) {
	c.lock.Lock()
	w := c.line.pop()
	if w == nil {
		c.lock.Unlock()
		return
	}
	w.setAnswer(served)
	c.lock.Unlock()
	w.waker.wake(by)
}

// Broadcast ends all waits that have begun, and no others. Any goroutine may call it, whether it
// holds c.L or not.
func (c *Cond) Broadcast() {
	c.lock.Lock()
	all := c.line.answerAll(served)
	c.lock.Unlock()
	all.wakeAll(nil)
}

// checkLocked panics unless c has a Mutex that is locked; what is the name of the calling function.
func (c *Cond) checkLocked(what string) {
	switch {
	case c.L == nil:
		panic("surewake: Cond." + what + ": L is nil; NewCond sets it")
	case c.L.word.Load()&mutexHeld == 0:
		panic("surewake: Cond." + what + ": L is not locked")
	}
}

// queue queues a waiter for who and returns it.
func (c *Cond) queue(who waker) *waiter[struct{}] {
	c.lock.Lock()
	defer c.lock.Unlock()
	w := &waiter[struct{}]{waker: who}
	c.line.push(w)
	return w
}

// withdraw implements source.
func (c *Cond) withdraw(w *waiter[struct{}], _ *worker) bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	if w.answered() {
		return false
	}
	c.line.remove(w)
	return true
}
