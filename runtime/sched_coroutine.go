package runtime

import (
	"iter"
	"sync"
	"sync/atomic"

	"github.com/surewake/surewake/taskstate"
)

// Stacks
//
// Tasks run on coroutines (iter.Pull), one after another on the same one: a task that never waits costs no switch and no stack of
// its own. A worker's goroutine, its trampoline, resumes one stack after another:
//
//	trampoline   takes a task that was suspended, resumes its stack; or takes one that has not begun, and lends it a spare stack
//	stack        runs the task, takes the next that has not begun, runs it, ...; leaves when the next one was suspended, or when
//	             there is none; or when the task has to wait
//
// A task that waits keeps the stack, with everything beneath it: the tasks that have inlined it in a join, and the loop. The worker goes
// on with another stack, and whoever wakes the task puts it into a queue like any other; the worker that takes it resumes the stack,
// which then belongs to that worker. So no task ever waits for one that lies beneath it on the same stack and could go on: the lower one
// waits for the upper one, and for nothing else. (runtime/R2)
//
// "I wait" is published by the trampoline, after the switch: a waker may hand the task to another worker at once, and that must
// not resume a stack that is still running.
//
// What was not done
//
//   - Waiting by helping: to run other tasks on top of the one that waits. Two tasks that wait for each other's children then wait
//     for what lies beneath them on the same stack, for ever; and there is no bound on the depth.
//   - A goroutine for each task that waits. A switch by the scheduler costs 200 ns and more, and moves work to where nobody asked for it.
//   - Parking on the stack that found nothing. It would keep the deepest stack of the worker from being shrunk by the collector.

// A stack is a coroutine that runs tasks. It belongs to the worker that resumed it last; while it is suspended, to the task on top
// of it, whose next runner resumes it. Fields are the owner's unless they say something else.
type stack struct {
	worker *worker // that has resumed the stack last
	task   *task   // the innermost task that runs here; nil in the loop, and while the stack is suspended
	first  *task   // RUNNING: the task to begin with when a spare stack is resumed
	body   body    // of task, while it is suspended
	depth  int     // how many more joins may run their targets here
	budget int     // what the task may still do without leaving the stack; see Cx.spend
	rounds uint8   // how often the budget was used up
	traces bool    // never changes: see Trace
	waited bool    // the stack has been suspended since a future cleared this before its poll

	next  func() (struct{}, bool) // resumes; the trampoline calls it
	stop  func()                  // ends a spare stack
	yield func(struct{}) bool     // back to the trampoline; false: the stack is to end

	// waiter is the task that was suspended here last; stored by the owner before the switch, loaded by whoever cancels everything.
	waiter atomic.Pointer[task]
	// The links of Runtime.stacks, under its lock.
	previous, following *stack
}

func newStack(rt *Runtime) *stack {
	s := &stack{depth: rt.config.inlineDepth, traces: rt.config.trace}
	s.next, s.stop = iter.Pull(func(yield func(struct{}) bool) {
		rt.label()
		s.yield = yield
		if rt.config.debug {
			s.yield = s.guarded(yield)
			defer s.unlock(rt)
		}
		for s.loop() {
		}
	})
	rt.stacks.add(s)
	return s
}

// loop runs tasks until it is stopped, or not needed as a spare, or one of them panics: then it returns true, and is to be called again.
func (s *stack) loop() (again bool) {
	defer s.caught(&again)
	for {
		w := s.worker
		t := s.first
		s.first = nil
		if t == nil {
			t = w.take()
		}
		if t != nil {
			suspended, ok := t.body.(*stack)
			if !ok {
				s.runFirst(t)
				continue
			}
			w.resume = suspended
		}
		if !w.keep(s) || !s.yield(struct{}{}) {
			return false
		}
	}
}

// runFirst is run for a task with nothing beneath it, whose panics caught sees to: a defer for each costs a tenth of an empty task.
func (s *stack) runFirst(t *task) {
	s.task = t
	var ended bool
	if s.traces {
		ended = s.traced(t)
	} else {
		ended = t.body.poll(Cx{s, t})
	}
	s.task = nil // from here on, caught has nothing to do
	if ended {
		t.complete(s.worker)
	} else {
		s.worker.leave(t)
	}
}

// caught is deferred by loop, once for all of its tasks: it ends the one that panics or calls Goexit.
func (s *stack) caught(again *bool) {
	t := s.task
	if t == nil {
		return
	}
	defer func() { // also if the function of OnPanic calls Goexit
		s.task = nil
		t.complete(s.worker)
		*again = true
	}()
	t.failed(recover())
}

// run runs t, which its caller has made RUNNING, on top of the tasks that are on s. When it returns, t has ended or, if it is one that
// can be left, waits; it reports whether it has ended.
func (s *stack) run(t *task) (ended bool) {
	beneath := s.task
	s.task = t
	defer s.unwind(t, beneath, &ended)
	if s.traces {
		ended = s.traced(t)
	} else {
		ended = t.body.poll(Cx{s, t})
	}
	s.task = beneath // from here on, unwind has nothing to do
	if ended {
		t.complete(s.worker)
	} else {
		s.worker.leave(t)
	}
	return ended
}

// unwind is deferred by run: it ends a task that panics or calls Goexit.
func (s *stack) unwind(t, beneath *task, ended *bool) {
	if s.task == beneath {
		return
	}
	defer func() { // also if the function of OnPanic calls Goexit
		s.task = beneath
		t.complete(s.worker)
		*ended = true
	}()
	t.failed(recover())
}

// A reason says why a stack was left.
type reason uint8

const (
	spare   reason = iota // there is nothing that it could run
	waiting               // its task waits
	yielded               // its task has yielded
)

// suspend leaves the stack of the running task until somebody resumes it: whoever wakes it (waiting), or its turn (yielded).
// It may return for no reason.
func (s *stack) suspend(why reason) {
	t, w := s.task, s.worker
	if s.waiter.Load() != t { // a load costs nothing, a store as much as the rest of this
		s.waiter.Store(t)
	}
	s.body, t.body = t.body, s
	s.waited = true
	s.task = nil
	w.reason, w.leaving = why, t
	s.yield(struct{}{}) // never false: only spare stacks are stopped
	s.task = t
	t.body, s.body = s.body, nil
}

// enter resumes s and does what it left to be done. Only the trampoline calls it.
func (w *worker) enter(s *stack) {
	w.current = s
	s.worker = w
	s.budget = w.rt.config.taskBudget
	w.reason = spare
	s.next()
	switch t := w.leaving; w.reason {
	case spare:
	case waiting:
		w.leave(t)
	case yielded:
		t.state.Yield()
		w.pushBack(t)
	}
}

// leave ends a poll of t after which it waits: others may resume its stack before this returns.
func (w *worker) leave(t *task) {
	if w.rt.cancelling() && t.state.Load().Shield() == 0 { // partner: Runtime.cancelAll, which looks for it after it has said so
		t.state.Wake()
	}
	if t.state.ToIdle() == taskstate.IdleEnqueue {
		w.pushLocal(t)
	}
}

// stacks is the list of all stacks of a runtime. Anyone may call its methods.
type stacks struct {
	lock sync.Mutex
	all  *stack
}

func (l *stacks) add(s *stack) {
	l.lock.Lock()
	defer l.lock.Unlock()
	s.following = l.all
	if l.all != nil {
		l.all.previous = s
	}
	l.all = s
}

func (l *stacks) remove(s *stack) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if s.previous != nil {
		s.previous.following = s.following
	} else {
		l.all = s.following
	}
	if s.following != nil {
		s.following.previous = s.previous
	}
	s.previous, s.following = nil, nil
}

// wake wakes the task that was suspended last on each stack.
func (l *stacks) wake() {
	l.lock.Lock()
	defer l.lock.Unlock()
	for s := l.all; s != nil; s = s.following {
		if t := s.waiter.Load(); t != nil {
			t.wake(nil)
		}
	}
}

// A stack stands for the body of the task that is suspended on it. Who takes such a task resumes the stack; none of the following is
// ever called.

func (s *stack) poll(Cx) bool { panic("runtime: a suspended task was polled") }
func (s *stack) abandon()     { panic("runtime: a suspended task was abandoned") }
func (s *stack) discard()     { panic("runtime: the result of a suspended task was discarded") }
