package runtime

import (
	"context"
	"sync/atomic"
)

// Waiting
//
// Whoever has to wait for something stands in line at its source, which is under a lock:
//
//	a call      makes a waiter, puts it into the line, and suspends its task, or blocks its goroutine
//	the source  takes the first waiter out of the line and answers it, under the lock; wakes it, behind the lock
//	a call      finds the answer and goes on; or finds that it is to end, and takes its waiter out of the line
//
// Under the lock it is decided which of the last two comes first. What the source has given with its answer, a permit or a value, the
// call has then, cancelled or not: nothing is lost, and nothing has to be given back.
//
// A waiter is used once. So whoever answers it may hold it for as long as it takes to wake its owner, who may have gone
// on by itself in the meantime.

// A waker is what is woken: a task, or a goroutine.
type waker interface {
	// wake may be called by anyone; w is the worker whose goroutine calls, or nil.
	wake(w *worker)
}

// A goroutine waits outside of all tasks, for this to be closed. It is woken once.
type goroutine chan struct{}

func (g goroutine) wake(*worker) { close(g) }

// An answer is what a source says to a waiter.
type answer uint32

const (
	unanswered answer = iota
	served            // the source has given what the waiter waits for, or taken what it brings
	refused           // the source has been closed
)

// A waiter is a call that waits. P is what it brings to the source, or gets from it.
type waiter[P any] struct {
	state atomic.Uint32 // an answer; stored once, under the lock of the source, loaded by the call
	waker waker         // never changes
	// payload is the source's, under its lock, until the answer; the call's from then on.
	payload P
	// The links are the source's, under its lock, while the waiter is in line; then those of whoever answers it.
	next, previous *waiter[P]
}

// say answers. It is called under the lock of the source, once.
func (w *waiter[P]) setAnswer(a answer) { w.state.Store(uint32(a)) }

// answered reports whether there is an answer. Anyone may call it; who waits finds what the source did before it answered.
func (w *waiter[P]) answered() bool { return answer(w.state.Load()) != unanswered }

// A line is a list of waiters, first come, first served. It is under the lock of its source.
type line[P any] struct {
	first, last *waiter[P]
}

// push puts w at the end.
func (l *line[P]) push(w *waiter[P]) {
	w.previous, w.next = l.last, nil
	if l.last != nil {
		l.last.next = w
	} else {
		l.first = w
	}
	l.last = w
}

// pop takes the first out, or returns nil.
func (l *line[P]) pop() *waiter[P] {
	w := l.first
	if w != nil {
		l.remove(w)
	}
	return w
}

// remove takes w out, which is in l.
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

// answer empties the line, answers all who were in it, and returns them, to be woken behind the lock.
func (l *line[P]) answerAll(a answer) line[P] {
	all := *l
	*l = line[P]{}
	for w := all.first; w != nil; w = w.next {
		w.setAnswer(a)
	}
	return all
}

// wake wakes all, who have been answered and whom l belongs to alone, without a lock.
func (l *line[P]) wakeAll(w *worker) {
	for first := l.pop(); first != nil; first = l.pop() {
		first.waker.wake(w)
	}
}

// A source is what keeps waiters in line.
type source[P any] interface {
	// forget takes w out of its line, and reports whether it did: it does not if w has been answered. Who waits may call it; by is its
	// worker, or nil.
	withdraw(w *waiter[P], by *worker) bool
}

// wait suspends the calling task until w, which stands in line at from, is answered, and returns nil or, if it was refused,
// ErrChannelClosed; or, out of the line, why the task is to end.
func (w *waiter[P]) wait(cx Cx, from source[P]) error {
	for {
		cx.coroutine.suspend(taskWaits)
		if w.answered() {
			break
		}
		if err := cx.task.stopErr(); err != nil {
			if from.withdraw(w, cx.coroutine.worker) {
				return err
			}
			break
		}
	}
	return w.result()
}

// waitOutside is wait for a goroutine that is not a task; done is what w wakes.
func (w *waiter[P]) waitOutside(ctx context.Context, from source[P], done goroutine) error {
	select {
	case <-done:
	case <-ctx.Done():
		if from.withdraw(w, nil) {
			return context.Cause(ctx)
		}
	}
	return w.result()
}

// result is for the call, behind the answer.
func (w *waiter[P]) result() error {
	if answer(w.state.Load()) == refused {
		return ErrChannelClosed
	}
	return nil
}

// notNil panics if ctx is nil; what is the name of the function that was given it.
func notNil(ctx context.Context, what string) {
	if ctx == nil {
		panic("runtime: " + what + ": nil context")
	}
}
