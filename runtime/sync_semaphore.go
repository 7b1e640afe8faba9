package runtime

import (
	"context"
	"fmt"
	"math"
	"sync"
)

// A Semaphore is a number of permits, which tasks and goroutines acquire, some at a time, and release. Who waits longest is served
// first, and who comes later waits behind, also if it wants less: nobody starves. Use [NewSemaphore]; a Semaphore must not be
// copied.
//
// A release synchronizes before the return of each acquisition that gets one of its permits.
type Semaphore struct {
	permits int // never changes

	lock sync.Mutex
	free int       // under the lock
	line line[int] // under the lock; the first wants more than free
}

// NewSemaphore returns a semaphore with so many permits, all of them free. It panics unless 1 <= permits <= math.MaxInt32.
func NewSemaphore(permits int) *Semaphore {
	if permits < 1 || permits > math.MaxInt32 {
		panic(fmt.Sprintf("runtime: NewSemaphore(%d): must be 1 to %d", permits, math.MaxInt32))
	}
	return &Semaphore{permits: permits, free: permits}
}

// Acquire waits until n permits are free and nobody waits before it, takes them and returns nil; or takes none, and returns [Cx.Err], if
// the task is to end before that, or when it is called. What it has taken must be given back by [Semaphore.Release], by
// anyone. It panics unless 1 <= n <= the number of permits.
func (s *Semaphore) Acquire(cx Cx, n int) error {
	cx.check("Semaphore.Acquire")
	s.inRange("Acquire", n)
	if err := cx.task.stopErr(); err != nil {
		return err
	}
	w := s.takeOrQueue(n, cx.task)
	if w == nil {
		cx.charge()
		return nil
	}
	return w.wait(cx, s)
}

// AcquireContext is [Semaphore.Acquire] for goroutines that are not tasks: it would block a worker. It returns the cause of ctx if that
// ends first.
func (s *Semaphore) AcquireContext(ctx context.Context, n int) error {
	notNil(ctx, "Semaphore.AcquireContext")
	s.inRange("AcquireContext", n)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	done := make(goroutine)
	w := s.takeOrQueue(n, done)
	if w == nil {
		return nil
	}
	return w.waitOutside(ctx, s, done)
}

// TryAcquire takes n permits if they are free and nobody waits, and reports whether it did. Anyone may call it. It panics as
// [Semaphore.Acquire] does.
func (s *Semaphore) TryAcquire(n int) bool {
	s.inRange("TryAcquire", n)
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.free < n || s.line.first != nil {
		return false
	}
	s.free -= n
	return true
}

// Release gives back n permits that were acquired. Anyone may call it; a task rather calls [Semaphore.ReleaseFrom]. It panics unless n
// is at least 1 and at most as many permits are taken.
func (s *Semaphore) Release(n int) { s.release("Release", n, nil) }

// ReleaseFrom is [Semaphore.Release] for a caller that is a task: who gets the permits goes to the worker of cx, which runs it next.
func (s *Semaphore) ReleaseFrom(cx Cx, n int) {
	cx.check("Semaphore.ReleaseFrom")
	s.release("ReleaseFrom", n, cx.coroutine.worker)
}

// Free returns how many permits are free. Anyone may call it; the number may have changed when it returns.
func (s *Semaphore) Free() int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.free
}

func (s *Semaphore) inRange(what string, n int) {
	if n < 1 || n > s.permits {
		panic(fmt.Sprintf("runtime: Semaphore.%s(%d): must be 1 to %d, the number of permits", what, n, s.permits))
	}
}

// enter stands who in line for n permits, or takes them and returns nil.
func (s *Semaphore) takeOrQueue(n int, who waker) *waiter[int] {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.free >= n && s.line.first == nil {
		s.free -= n
		return nil
	}
	w := &waiter[int]{waker: who, payload: n}
	s.line.push(w)
	return w
}

func (s *Semaphore) release(what string, n int, by *worker) {
	s.lock.Lock()
	if n < 1 || n > s.permits-s.free {
		taken := s.permits - s.free
		s.lock.Unlock()
		panic(fmt.Sprintf("runtime: Semaphore.%s(%d): must be 1 to %d, the permits that are taken", what, n, taken))
	}
	s.free += n
	granted := s.serve()
	s.lock.Unlock()
	granted.wakeAll(by)
}

// serve gives the first in line what they want as long as there is enough, and returns them. It is called under the lock.
func (s *Semaphore) serve() (granted line[int]) {
	for w := s.line.first; w != nil && w.payload <= s.free; w = s.line.first {
		s.line.remove(w)
		s.free -= w.payload
		w.setAnswer(served)
		granted.push(w)
	}
	return granted
}

// forget implements source. Those behind w may want less than w did.
func (s *Semaphore) withdraw(w *waiter[int], by *worker) bool {
	s.lock.Lock()
	if w.answered() {
		s.lock.Unlock()
		return false
	}
	s.line.remove(w)
	granted := s.serve()
	s.lock.Unlock()
	granted.wakeAll(by)
	return true
}
