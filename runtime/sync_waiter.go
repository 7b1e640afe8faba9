package runtime

import (
	"context"
	"sync/atomic"
)

// Waiting in line
//
// A call that has to wait makes a waiter and queues it at its source, which has a lock:
//
//	call     1 under the lock: take what it wants, or queue a waiter  2 suspend the task, or block
//	         the goroutine  3 if answered: return; if it must give up: withdraw the waiter
//	source   1 under the lock: dequeue the first waiter and answer it  2 after the lock: wake it
//
// Answer and withdrawal are ordered by the lock. What the source has given with its answer, a
// permit or a value, the call keeps, cancelled or not: nothing is lost, and nothing has to be
// returned.
//
// A waiter is used once. So the source may hold an answered waiter until it has woken its owner,
// which may have gone on by itself meanwhile.
//
// A call may wait in several lines, of which one is to answer it: sync_select.go.

// A waker is what can be woken: a task, or a goroutine.
type waker interface {
	// wake may be called by any goroutine; w is the worker that it belongs to, or nil.
	wake(w *worker)
}

// A goroutine is the waker of a goroutine that is not a task; waking closes it. It is woken once.
type goroutine chan struct{}

func (g goroutine) wake(w *worker) {
	close(g)
	w.hasWoken()
}

// An answer is what a source tells a waiter.
type answer uint32

const (
	unanswered answer = iota
	served            // the source has given or taken the payload
	told              // by a Broadcast, which was for all that waited
	refused           // the source is closed
	late              // another case of the same Select has been taken
)

// A waiter is a call that waits. P is what the call gives to the source, or receives from it.
type waiter[P any] struct {
	state atomic.Uint32 // an answer; stored once, under the lock of the source, loaded by the call
	// waker never changes. That of a case of a Select is its ticket.
	waker waker
	// payload belongs to the source, under its lock, until the answer, and to the call afterwards.
	payload P
	// The links belong to the source, under its lock, while the waiter is in line, and then to the
	// goroutine that answers it.
	next, previous *waiter[P]
}

// setAnswer answers w. It is called once, under the lock of the source.
func (w *waiter[P]) setAnswer(a answer) {
	w.state.Store(uint32(a)) // passes the payload to the call; partner: answered
}

// answered reports whether w has been answered. Any goroutine may call it. What the source did
// before it answered synchronizes before a true result.
func (w *waiter[P]) answered() bool { return answer(w.state.Load()) != unanswered }

// A line is a list of waiters, first come, first served, under the lock of its source.
type line[P any] struct {
	first, last *waiter[P]
}

// push appends w.
func (l *line[P]) push(w *waiter[P]) {
	w.previous, w.next = l.last, nil
	if l.last != nil {
		l.last.next = w
	} else {
		l.first = w
	}
	l.last = w
}

// pop removes and returns the first waiter that may be answered, or returns nil. Its caller answers
// it.
func (l *line[P]) pop() *waiter[P] {
	for w := l.first; w != nil; w = l.first {
		l.remove(w)
		if w.claim() {
			return w
		}
	}
	return nil
}

// claim reports whether w may be answered. If so, its caller answers it; if not, claim has done so.
// It is called once, under the lock of the source, when w has left the line or is about to.
// (runtime/R28)
func (w *waiter[P]) claim() bool {
	if t, ok := w.waker.(*ticket); !ok || t.claim() {
		return true
	}
	w.setAnswer(late)
	return false
}

// isLate reports whether claim would fail. Any goroutine may call it.
func (w *waiter[P]) isLate() bool {
	t, ok := w.waker.(*ticket)
	return ok && t.choice.made.Load() != undecided
}

// remove removes w, which is in l.
func (l *line[P]) remove(w *waiter[P]) {
	if w.previous != nil {
		w.previous.next = w.next
	} else {
		l.first = w.next
	}
	if w.next != nil {
		w.next.previous = w.previous
	} else {
		l.last = w.previous
	}
	w.next, w.previous = nil, nil
}

// answerAll empties the line, answers all its waiters, and returns them, to be woken after the
// lock.
func (l *line[P]) answerAll(a answer) (all line[P]) {
	for w := l.pop(); w != nil; w = l.pop() {
		w.setAnswer(a)
		all.push(w)
	}
	return all
}

// wakeAll wakes every waiter in l. All are answered and l is unshared, so no lock is needed.
func (l *line[P]) wakeAll(w *worker) {
	for first := l.first; first != nil; first = l.first {
		l.remove(first)
		first.waker.wake(w)
	}
}

// wakeAllFirst is wakeAll with wakeFirst.
func (l *line[P]) wakeAllFirst(w *worker) {
	for first := l.first; first != nil; first = l.first {
		l.remove(first)
		wakeFirst(first.waker, w)
	}
}

// wakeFirst wakes a task so that it goes before what is queued, and others as usual. by is the
// calling worker, or nil. (runtime/R77)
func wakeFirst(w waker, by *worker) {
	if t, ok := w.(*task); ok {
		t.wakeFirst(by)
	} else {
		w.wake(by)
	}
}

// A source has waiters in line.
type source[P any] interface {
	// withdraw removes w from its line and returns true, or returns false if w has been answered.
	// The owner of w may call it; by is its worker, or nil.
	withdraw(w *waiter[P], by *worker) bool
}

// A returnable is a source that takes back what it has given.
type returnable[P any] interface {
	// takeBack gives what w was given, whose owner does not know of it, to the next in line. The
	// owner of w calls it once, when w has been answered; by is its worker, or nil.
	takeBack(w *waiter[P], by *worker)
}

// wait suspends the calling task until w, in line at from, is answered. It returns nil, or
// ErrChannelClosed if w was refused. If the task must end first, wait withdraws w and returns why.
func (w *waiter[P]) wait(cx Cx, from source[P]) error {
	for {
		cx.coroutine.suspend(taskWaits)
		if w.answered() {
			break
		}
		if err := cx.stopErr(); err != nil {
			if from.withdraw(w, cx.coroutine.worker) {
				return err
			}
			break
		}
	}
	return w.result()
}

// outlast suspends the calling task until w is answered, also if the task must end.
func (w *waiter[P]) outlast(cx Cx) {
	for cx.stopErr() == nil {
		cx.coroutine.suspend(taskWaits)
		if w.answered() {
			return
		}
	}
	cx.Shield(func() { // or the task would not wait, but run in turns
		for !w.answered() {
			cx.coroutine.suspend(taskWaits)
		}
	})
}

// waitOutside is wait for a goroutine that is not a task, in a call whose name is what. done is the
// waker of w. It panics if a task of a runtime with Debug calls it. (runtime/R18)
func (w *waiter[P]) waitOutside(
	ctx context.Context, from source[P], done goroutine, what string,
) error {
	if guards.count.Load() > 0 {
		guards.refuse(what, func() bool { return from.withdraw(w, nil) })
		defer guards.enter(what)()
	}
	return w.block(ctx, from, done)
}

// block is waitOutside that asks and notes nothing.
func (w *waiter[P]) block(ctx context.Context, from source[P], done goroutine) error {
	select {
	case <-done:
	case <-ctx.Done():
		if from.withdraw(w, nil) {
			return contextErr(ctx)
		}
	}
	return w.result()
}

// result returns what an answered wait returns.
func (w *waiter[P]) result() error {
	if answer(w.state.Load()) == refused {
		return ErrChannelClosed
	}
	return nil
}

// notNil panics if ctx is nil; what is the name of the calling function.
func notNil(ctx context.Context, what string) {
	if ctx == nil {
		panic("surewake: " + what + ": nil context")
	}
}
