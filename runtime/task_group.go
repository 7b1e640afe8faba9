package runtime

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/surewake/surewake/taskstate"
)

// Groups
//
// A group lists the tasks of its functions that run, to cancel them, and a line of those for which
// there is no place. Each task has a joiner from the start, as a child of a scope has: when the
// task has ended, it leaves the list, and hands its place to the first in line. Both happen under
// one lock. So a place is free only if the line is empty, nobody overtakes, and whoever waits for
// the group finds it empty only when nothing is to come.
//
//	start      under the lock: list the task, or queue it
//	end        1 under the lock: unlist the task; list the first in line, or, if nothing is left,
//	           answer those that wait for the group  2 start it, wake whoever has waited for that
//	failure    under the lock: keep the error, cancel what is listed, refuse what is in line
//
// A function that starts another would wait for a place that it holds itself. So its call does not
// wait: the new function does, in line, alone. (runtime/R27)
//
// The context of the group is watched while functions run, so that it does not keep a group that
// has ended. (runtime/R20)
//
// Rejected alternatives
//
//   - A semaphore beside the group. Who waits would be woken to start its function, which takes a
//     switch more for each; and a function that starts another would wait for itself.
//   - A context of its own for each task, derived from that of the group: a registration for each.
//   - A scope without an owner. A scope ends once, is waited for by one task, which is its owner,
//     and each end of a child would look for places that no scope has.

// A Group runs functions in tasks and waits for them; the first error cancels the others. It is
// what golang.org/x/sync/errgroup is for goroutines. [NewGroup] makes one; it must not be copied.
//
// Goroutines call [Group.Go] and [Group.Wait], tasks [Group.Spawn] and [Group.Join]; all of them
// may be mixed, and any number may call them. Functions of the group may start others, also while
// the group is waited for. A group that has ended without an error can be used again.
//
// The call that starts a function synchronizes before the function, and its end before the return
// of each Wait and Join that waits for it.
type Group struct {
	rt       *Runtime // never changes
	heritage          // of the functions: from is the context of the group

	lock sync.Mutex
	// The rest is under the lock.

	limit   int        // how many functions may run at a time; 0: any number
	running int        // length of the list
	listed  *groupTask // a list: the tasks that have been started and have not ended
	queue   line[*groupTask]
	waiting line[struct{}] // calls that wait until nothing runs
	err     error          // the first one
	refused error          // why Spawn has refused a function since the last Wait or Join
	unwatch func() bool    // takes the registration with the context back; nil: there is none
}

// A groupTask is a task of a group, and the waker of its own first joiner.
type groupTask struct {
	Handle[struct{}]
	fn             groupCall // as in call
	group          *Group
	joiner         joiner
	previous, next *groupTask // in the list, under the lock of the group
	queued         queued
}

func (c *groupTask) poll(cx Cx) bool {
	fn := c.fn
	c.fn = nil
	if err := fn.call(cx); err != nil {
		c.failWith(err)
	}
	return true
}

func (c *groupTask) discardInput() { c.fn = nil }

// A groupCall is what a task of a group calls.
type groupCall interface {
	call(cx Cx) error
	does() any // as that of a body
}

// A groupFunction is the function of a Group.
type groupFunction func(Cx) error

func (f groupFunction) call(cx Cx) error { return f(cx) }

func (c *groupTask) inherited() *heritage { return &c.group.heritage }

// NewGroup returns a group whose functions run in tasks of rt and end with ctx, as [SubmitContext]
// says of a task: [Cx.Context] has the values and the deadline of ctx. In a task, rt is
// [Cx.Runtime], and ctx [Cx.Context] or one derived from it.
//
// A ctx that outlives the functions does not keep the group. NewGroup panics if ctx is nil.
func NewGroup(ctx context.Context, rt *Runtime) *Group {
	notNil(ctx, "NewGroup")
	rt.check("NewGroup")
	g := &Group{rt: rt}
	g.heritage = heritage{from: ctx, deadline: endless, group: g}
	return g
}

// SetLimit lets at most n functions run at a time. A function that waits, for a channel say, runs.
// It panics unless 1 <= n <= math.MaxInt32, or if functions run.
func (g *Group) SetLimit(n int) {
	g.check("SetLimit", false)
	if n < 1 || n > math.MaxInt32 {
		panic(fmt.Sprintf("surewake: Group.SetLimit(%d): must be 1 to %d", n, math.MaxInt32))
	}
	g.lock.Lock()
	defer g.lock.Unlock()
	if g.running > 0 {
		panic(fmt.Sprintf("surewake: Group.SetLimit(%d): must be called before Go and Spawn, "+
			"or after Wait; %d functions run", n, g.running))
	}
	g.limit = n
}

// Go starts a task that calls fn. If as many functions run as the limit allows, it waits until it
// is fn's turn; they come in the order of the calls. If the group has an error, or its context has
// ended, before that, fn is not called; [Group.Wait] tells why. Nor is it called if the runtime is
// closed: that is an error, [ErrClosed].
//
// It is for goroutines that are not tasks, since it would block a worker: a task calls
// [Group.Spawn]. It panics if fn is nil, and with [Debug] if a task of the runtime calls it when
// there is no room.
func (g *Group) Go(fn func(Cx) error) {
	g.check("Go", fn == nil)
	g.start(groupFunction(fn))
}

// start is Go, and reports whether fn is called, as far as that is decided.
func (g *Group) start(fn groupCall) bool {
	c := g.newTask(fn)
	var done goroutine
	starts, w := g.enter(c, func() waker {
		if g.rt.config.debug {
			g.rt.refuseInTask("Group.Go", waitInTaskRule, "Group.Spawn")
		}
		done = make(goroutine)
		return done
	})
	switch {
	case starts:
		return c.enqueue()
	case w == nil:
		return false
	}
	defer g.notePlace(w)()
	defer guards.enterEnd("Group.Go", g.rt, done, context.Background())()
	<-done
	return w.result() == nil
}

// TryGo is [Group.Go] that returns false instead of waiting, or if the group has an error, its
// context has ended, or the runtime is closed: then fn will not be called. Any goroutine may call
// it.
func (g *Group) TryGo(fn func(Cx) error) bool {
	g.check("TryGo", fn == nil)
	return g.tryStart(groupFunction(fn))
}

// tryStart is TryGo.
func (g *Group) tryStart(fn groupCall) bool {
	c := g.newTask(fn)
	starts, _ := g.enter(c, nil)
	return starts && c.enqueue()
}

// Spawn is [Group.Go] for tasks of the same runtime, which it suspends instead of blocking their
// goroutine. It returns nil if fn is called or will be; the error of the group, or that of its
// context, if it has one; and [Cx.Err] if the calling task must end: then fn is not called, and the
// next Wait or Join returns the same error if there is no other.
//
// In a function of the group, and in a [Timeout], [Deadline] or [Scope] there, Spawn does not wait,
// since it might be for the place of that function: fn is called when it is its turn. Other tasks
// that such a function starts and joins should not call Spawn if there is a limit; with [Debug], a
// call that would wait for ever panics.
func (g *Group) Spawn(cx Cx, fn func(Cx) error) error {
	g.check("Spawn", fn == nil)
	return g.spawn(cx, groupFunction(fn))
}

// spawn is Spawn.
func (g *Group) spawn(cx Cx, fn groupCall) error {
	cx.check("Group.Spawn")
	cx.refuseForeign()
	g.sameRuntime(cx, "Spawn")
	if err := cx.stopErr(); err != nil {
		return g.refuse(err)
	}
	c := g.newTask(fn)
	inside := g.has(cx.task)
	v := cx.coroutine.worker
	if v.rt.adorns.Load() {
		v.inheritSpan(&c.task)
	}
	starts, w := g.enter(c, func() waker {
		if inside {
			return nobody{}
		}
		return cx.task
	})
	switch {
	case starts:
		v.launch(c)
	case w == nil:
		return g.result()
	case inside:
		return nil
	default:
		defer cx.notePlace(g, w)()
		if err := w.wait(cx, (*groupQueue)(g)); err == ErrChannelClosed {
			return g.result()
		} else if err != nil {
			return g.refuse(err)
		}
	}
	cx.charge()
	return nil
}

// refuse returns err, and keeps it for the next Wait or Join: a function was not called.
func (g *Group) refuse(err error) error {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.refused = cmp.Or(g.refused, err)
	return err
}

// takeRefused returns what refuse has kept, once.
func (g *Group) takeRefused() (err error) {
	g.lock.Lock()
	defer g.lock.Unlock()
	err, g.refused = g.refused, nil
	return err
}

// Wait waits until no function runs and none is to be called, and returns the first error, or nil.
// It does not wait if there is none.
//
// It is for goroutines that are not tasks, since it would block a worker: a task calls
// [Group.Join]. With [Debug] it panics if a task of the runtime calls it.
func (g *Group) Wait() error {
	g.check("Wait", false)
	return cmp.Or(g.wait(), g.takeRefused())
}

// wait is Wait, without what takeRefused returns.
func (g *Group) wait() error {
	if g.rt.config.debug {
		g.rt.refuseInTask("Group.Wait", waitInTaskRule, "Group.Join")
	}
	note := waitNote{wholes: []any{g}}
	defer g.rt.noteBlocking(context.Background(), "Group.Wait", note)()
	var done goroutine
	if w := g.await(func() waker { done = make(goroutine); return done }); w != nil {
		defer guards.enterEnd("Group.Wait", g.rt, done, context.Background())()
		<-done
	}
	return g.result()
}

// Join is [Group.Wait] for tasks of the same runtime. As the join of a child, it returns when the
// functions have ended, in any case: if the calling task must end, it cancels them, with the error
// of [Cx.Err], and returns that if there is no other, also if none runs.
//
// It panics in a function of the group. A task that such a function joins must not call it: both
// would wait for each other, also when the runtime is closed; with [Debug] it panics.
func (g *Group) Join(cx Cx) error {
	g.check("Join", false)
	return cmp.Or(g.join(cx), g.takeRefused())
}

// join is Join, without what takeRefused returns.
func (g *Group) join(cx Cx) error {
	cx.checkHere("Group.Join")
	g.sameRuntime(cx, "Join")
	if g.has(cx.task) {
		panic("surewake: Group.Join: " + ownEndRule) // runtime/R16
	}
	cx.charge()
	if cx.coroutine.debugging {
		cx.noteWait("Group.Join", waitNote{wholes: []any{g}, keeps: true})
		defer cx.forgetJoin()
	}
	me := func() waker { return cx.task }
	err := cx.stopErr()
	if err == nil {
		w := g.await(me)
		if w == nil {
			return g.result()
		}
		if err = w.wait(cx, (*groupEnd)(g)); err == nil {
			return g.result()
		}
	}
	g.fail(err, false, cx.coroutine.worker)
	if w := g.await(me); w != nil {
		cx.enterShield() // or the task would not wait, but run in turns
		defer cx.leaveShield()
		_ = w.wait(cx, (*groupEnd)(g))
	}
	return cmp.Or(g.result(), err)
}

// Cancel cancels all functions of the group, present and future. [Group.Wait] returns
// [ErrCancelled], unless there is an error already. Any goroutine may call it.
func (g *Group) Cancel() {
	g.check("Cancel", false)
	g.fail(ErrCancelled, true, nil)
}

// check panics if NewGroup has not made g, or isNil is set; what is the name of the method.
func (g *Group) check(what string, isNil bool) {
	if g == nil || g.rt == nil {
		panic("surewake: Group." + what + ": a nil or zero Group; NewGroup makes one")
	}
	if isNil {
		panic("surewake: Group." + what + ": nil function")
	}
}

func (g *Group) sameRuntime(cx Cx, what string) {
	if g.rt != cx.task.rt {
		panic("surewake: Group." + what + ": the group belongs to another runtime")
	}
}

// has reports whether t, the calling task, is one of the group, or calls a part of its function: a
// timeout or a scope there.
func (g *Group) has(t *task) bool { return t.heritage().group == g }

func (g *Group) newTask(fn groupCall) *groupTask {
	c := &groupTask{fn: fn, group: g}
	c.state = taskstate.New(references)
	c.body = c
	c.rt = g.rt
	c.joiner.waker = c
	c.joiners.Store(&c.joiner)
	c.state.Join()
	return c
}

// enter lists c and returns true: its caller starts it. If there is no place, it queues a waiter
// for who and returns it, or does not if who is nil. It does neither if the group is over.
func (g *Group) enter(c *groupTask, who func() waker) (starts bool, w *waiter[*groupTask]) {
	g.lock.Lock()
	defer g.lock.Unlock()
	if g.err == nil && g.heritage.over() {
		g.failLocked(g.cancelErr(), nil)
	}
	switch {
	case g.err != nil:
		return false, nil
	case g.limit == 0 || g.running < g.limit:
		g.list(c)
		return true, nil
	case who == nil:
		return false, nil
	}
	w = &waiter[*groupTask]{waker: who(), payload: c}
	g.queue.push(w)
	return false, w
}

// list lists c, which its caller starts afterwards. It is called under the lock.
func (g *Group) list(c *groupTask) {
	if g.unwatch == nil && g.from.Done() != nil {
		g.unwatch = g.rt.afterContext(g.from, func() { g.fail(g.cancelErr(), false, nil) })
	}
	g.running++
	c.next = g.listed
	if c.next != nil {
		c.next.previous = c
	}
	g.listed = c
}

// unlist removes c from the list. It is called under the lock.
func (g *Group) unlist(c *groupTask) {
	g.running--
	if c.previous != nil {
		c.previous.next = c.next
	} else {
		g.listed = c.next
	}
	if c.next != nil {
		c.next.previous = c.previous
	}
	c.previous, c.next = nil, nil
}

// wake is called when the task has ended, by its last runner.
func (c *groupTask) wake(w *worker) {
	g := c.group
	if f := c.failure(); f != nil {
		g.fail(f.error, true, w)
	}
	g.lock.Lock()
	g.unlist(c)
	next := g.queue.pop()
	var over line[struct{}]
	failed := g.err != nil
	if next != nil {
		g.list(next.payload)
		next.setAnswer(served)
	} else if g.running == 0 {
		over = g.waiting.answerAll(served)
		if g.unwatch != nil {
			g.unwatch() // runtime/R20
			g.unwatch = nil
		}
	}
	g.lock.Unlock()
	if next != nil { // c has not failed: it has run on w
		w.launch(next.payload)
		next.waker.wake(w)
	}
	if failed {
		over.wakeAllFirst(w)
	} else {
		over.wakeAll(w)
	}
}

// fail makes err the error of the group, cancels what runs and refuses what is in line, unless
// there is an error already. If nothing runs, it does so only if always is set: the context of a
// group that has ended is none of its business. Any goroutine may call it; w is the worker that it
// belongs to, or nil.
func (g *Group) fail(err error, always bool, w *worker) {
	g.lock.Lock()
	defer g.lock.Unlock()
	if g.err == nil && (always || g.running > 0) {
		g.failLocked(err, w)
	}
}

// failLocked is fail under the lock.
func (g *Group) failLocked(err error, w *worker) {
	g.err = err
	for c := g.listed; c != nil; c = c.next {
		if c.task.cancel(w) && c.queued.Load() {
			c.task.hurry()
		}
	}
	refused := g.queue.answerAll(refused)
	refused.wakeAllFirst(w)
}

// await returns nil if nothing runs, and otherwise queues a waiter for who.
func (g *Group) await(who func() waker) *waiter[struct{}] {
	g.lock.Lock()
	defer g.lock.Unlock()
	if g.running == 0 {
		return nil
	}
	w := &waiter[struct{}]{waker: who()}
	g.waiting.push(w)
	return w
}

// result returns the error of the group, or nil.
func (g *Group) result() error {
	g.lock.Lock()
	defer g.lock.Unlock()
	return g.err
}

// enqueue queues c from outside, as Runtime.enqueue does.
func (c *groupTask) enqueue() bool {
	accepted := c.rt.enqueue(&c.task)
	if accepted {
		c.queued.set(&c.task)
	}
	return accepted
}

// launch queues c, a task that has its span already, as spawn does.
func (w *worker) launch(c *groupTask) {
	t := &c.task
	w.count.spawned++
	w.takeCredit(1)
	w.rt.record(t)
	if t.closing() {
		t.state.ToRunning()
		t.completeWith(w, ErrClosed)
		return
	}
	w.pushLocal(t)
	c.queued.set(t)
}

// nobody is the waker of a waiter whose call does not wait.
type nobody struct{}

func (nobody) wake(*worker) {}

// A groupQueue is a group as the source of those that wait for a place.
type groupQueue Group

// withdraw implements source.
func (q *groupQueue) withdraw(w *waiter[*groupTask], _ *worker) bool {
	q.lock.Lock()
	defer q.lock.Unlock()
	if w.answered() {
		return false
	}
	q.queue.remove(w)
	return true
}

// A groupEnd is a group as the source of those that wait for its end.
type groupEnd Group

// withdraw implements source.
func (e *groupEnd) withdraw(w *waiter[struct{}], _ *worker) bool {
	e.lock.Lock()
	defer e.lock.Unlock()
	if w.answered() {
		return false
	}
	e.waiting.remove(w)
	return true
}
