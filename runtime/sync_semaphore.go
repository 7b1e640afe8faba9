package runtime

import (
	"context"
	"fmt"
	"math"
)

// A Semaphore has a number of permits, which tasks and goroutines acquire, one or several at a
// time, and release. It serves them in the order in which they came, so that nobody starves: a
// later call waits even if it wants fewer permits. [NewSemaphore] makes one; it must not be copied.
//
// A release synchronizes before the return of each acquisition that gets one of its permits.
type Semaphore struct {
	permits int // never changes

	lock rankedLock
	free int       // under the lock
	line line[int] // under the lock; the first wants more than free, or is late
}

// NewSemaphore returns a semaphore with so many permits, all free. It panics unless 1 <= permits <=
// math.MaxInt32.
func NewSemaphore(permits int) *Semaphore {
	if permits < 1 || permits > math.MaxInt32 {
		panic(fmt.Sprintf("surewake: NewSemaphore(%d): must be 1 to %d", permits, math.MaxInt32))
	}
	return &Semaphore{permits: permits, free: permits}
}

// Acquire takes n permits, after waiting until they are free and all earlier calls are served, and
// returns nil. It takes none and returns [Cx.Err] if the task must end. Return the permits with
// [Semaphore.Release]; any goroutine may do that. Acquire panics unless 1 <= n <= the number of
// permits.
func (s *Semaphore) Acquire(cx Cx, n int) error {
	// The short way, as in Mutex.Lock; here, too, it has no order of its own.
	if cx.goesOn() && s != nil && 1 <= n && n <= s.permits && s.tryTake(n) {
		cx.coroutine.budget--
		return nil
	}
	cx.checkHere("Semaphore.Acquire")
	s.inRange("Acquire", n)
	if err := cx.stopErr(); err != nil {
		return err
	}
	cx.charge() // before it has permits: it may yield
	if w := s.takeOrQueue(n, cx.task); w != nil {
		return w.wait(cx, s)
	}
	return nil
}

// AcquireContext is [Semaphore.Acquire] for goroutines that are not tasks, since it would block a
// worker. If ctx ends first, it returns the error of ctx, as [Handle.Wait] does.
func (s *Semaphore) AcquireContext(ctx context.Context, n int) error {
	notNil(ctx, "Semaphore.AcquireContext")
	s.inRange("AcquireContext", n)
	if ctx.Err() != nil {
		return contextErr(ctx)
	}
	done := make(goroutine)
	w := s.takeOrQueue(n, done)
	if w == nil {
		return nil
	}
	return w.waitOutside(ctx, s, done, "Semaphore.AcquireContext")
}

// TryAcquire takes n permits and returns true if they are free and nobody waits. Otherwise it
// returns false. Any goroutine may call it. It panics as [Semaphore.Acquire] does.
func (s *Semaphore) TryAcquire(n int) bool {
	s.inRange("TryAcquire", n)
	return s.tryTake(n)
}

// Release returns n acquired permits. Any goroutine may call it; a task should use
// [Semaphore.ReleaseFrom]. It panics unless n is at least 1 and at most the number of taken
// permits.
func (s *Semaphore) Release(n int) { s.release("Release", n, nil) }

// ReleaseFrom is [Semaphore.Release] for tasks: a task that gets the permits runs next on the
// worker of cx.
func (s *Semaphore) ReleaseFrom(cx Cx, n int) {
	cx.checkHere("Semaphore.ReleaseFrom")
	s.release("ReleaseFrom", n, cx.coroutine.worker)
}

// Free returns how many permits are free. Any goroutine may call it; the number may have changed
// when it returns.
func (s *Semaphore) Free() int {
	s.check("Free")
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.free
}

// check panics if NewSemaphore has not made s. (runtime/R14)
func (s *Semaphore) check(what string) {
	if s == nil || s.permits == 0 {
		panic("surewake: Semaphore." + what + ": a nil or zero Semaphore; NewSemaphore makes one")
	}
}

// inRange panics unless n is between 1 and the number of permits.
func (s *Semaphore) inRange(what string, n int) {
	s.check(what)
	if n < 1 || n > s.permits {
		panic(fmt.Sprintf("surewake: Semaphore.%s(%d): must be 1 to %d, the number of permits",
			what, n, s.permits))
	}
}

// takeOrQueue takes n permits and returns nil, or queues a waiter for who and returns it.
func (s *Semaphore) takeOrQueue(n int, who waker) *waiter[int] {
	s.lock.Lock()
	taken, granted := s.takeBehindLate(n)
	var w *waiter[int]
	if !taken {
		w = &waiter[int]{waker: who, payload: n}
		s.line.push(w)
	}
	s.lock.Unlock()
	granted.wakeAll(nil)
	return w
}

// tryTake is take with the lock. Nothing in between panics.
func (s *Semaphore) tryTake(n int) bool {
	s.lock.Lock()
	taken := s.take(n)
	if taken || s.line.first == nil {
		s.lock.Unlock()
		return taken
	}
	taken, granted := s.takeBehindLate(n)
	s.lock.Unlock()
	granted.wakeAll(nil)
	return taken
}

// takeBehindLate is take where the first in line may want no permits any more, and keep others from
// them until its task goes on: those get them first, and are to be woken after the lock.
// (runtime/R28)
func (s *Semaphore) takeBehindLate(n int) (taken bool, granted line[int]) {
	if w := s.line.first; w != nil && w.isLate() {
		granted = s.serve()
	}
	return s.take(n), granted
}

// take takes n permits and returns true if they are free and nobody waits, and false otherwise. It
// is called under the lock.
func (s *Semaphore) take(n int) bool {
	if s.free < n || s.line.first != nil {
		return false
	}
	s.free -= n
	return true
}

func (s *Semaphore) release(what string, n int, by *worker) {
	s.check(what)
	s.lock.Lock()
	if n < 1 || n > s.permits-s.free {
		taken := s.permits - s.free
		s.lock.Unlock()
		if taken == 0 {
			panic(fmt.Sprintf("surewake: Semaphore.%s(%d): no permit is taken", what, n))
		}
		panic(fmt.Sprintf("surewake: Semaphore.%s(%d): must be 1 to %d, the number of taken "+
			"permits", what, n, taken))
	}
	s.free += n
	if s.line.first == nil {
		s.lock.Unlock()
		return
	}
	granted := s.serve()
	s.lock.Unlock()
	granted.wakeAll(by)
}

// serve gives permits to the first waiters while there are enough, and returns these waiters, to be
// woken after the lock. It is called under the lock.
func (s *Semaphore) serve() (granted line[int]) {
	for w := s.line.first; w != nil && (w.payload <= s.free || w.isLate()); w = s.line.first {
		s.line.remove(w)
		if !w.claim() {
			continue
		}
		s.free -= w.payload
		w.setAnswer(served)
		granted.push(w)
	}
	return granted
}

// withdraw implements source. Waiters after w may want fewer permits than w did.
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

// takeBack implements returnable. Others may have released too many permits: that is no reason to
// panic here.
func (s *Semaphore) takeBack(w *waiter[int], by *worker) {
	s.lock.Lock()
	s.free = min(s.free+w.payload, s.permits)
	granted := s.serve()
	s.lock.Unlock()
	granted.wakeAll(by)
}
