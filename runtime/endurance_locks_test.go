package runtime_test

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/runtime"
)

// lockTools are tools that one holds while others wait.
type lockTools struct {
	mutex   runtime.Mutex
	holders int // unprotected but by the mutex
	changes int
	changed runtime.Cond
	shared  runtime.RWMutex
	inside  atomic.Int64 // how many read, or -1 if one writes
	limiter *runtime.Limiter
	opened  time.Time
	events  atomic.Int64 // that the limiter has let happen
}

const (
	eventInterval = 10 * time.Microsecond // of the limiter
	eventBurst    = 5
)

func (l *lockTools) open() {
	l.changed.L = &l.mutex
	l.opened = time.Now()
	l.limiter = runtime.NewLimiter(float64(time.Second/eventInterval), eventBurst)
}

// close holds that nobody has a lock at the end, and that there were no more events than the
// limiter allows, nor is one lost.
func (l *lockTools) close(w *world) {
	if !l.mutex.TryLock() || !l.shared.TryLock() {
		w.fail("a lock is held at the end")
	}
	l.mutex.Unlock()
	l.shared.Unlock()
	most := eventBurst + 1 + int64(time.Since(l.opened)/eventInterval)
	if n := l.events.Load(); n > most {
		w.fail("a limiter has let %d events happen in place of %d", n, most)
	}
	time.Sleep(eventBurst * eventInterval) // then it is full
	for i := range eventBurst {
		if !l.limiter.Allow() {
			w.fail("a limiter that is full and that nobody waits for refuses event %d", i+1)
			break
		}
	}
}

// happens notes what a limiter has decided of n events.
func (l *lockTools) happens(n int64, allowed bool) {
	if allowed {
		l.events.Add(n)
	}
}

// hold is called with the mutex, which it unlocks after a rest.
func (l *lockTools) hold(w *world, rest func(), unlock func()) {
	if l.holders++; l.holders != 1 {
		w.fail("%d hold a Mutex", l.holders)
	}
	rest()
	l.holders--
	unlock()
}

// change changes what Cond is for. It is called with the mutex.
func (l *lockTools) change() {
	if l.changes++; l.changes%2 == 0 {
		l.changed.Broadcast()
	} else {
		l.changed.Signal()
	}
}

// tend is what a goroutine does with the locks.
func (l *lockTools) tend(w *world, patience context.Context, rng *rand.Rand) {
	if l.mutex.LockContext(patience) == nil {
		l.hold(w, l.change, l.mutex.Unlock)
	}
	if l.mutex.LockContext(patience) == nil {
		_ = l.changed.WaitContext(patience) // also then it has the mutex
		l.hold(w, l.change, l.mutex.Unlock)
	}
	if l.shared.LockContext(patience) == nil {
		l.write(w)
		l.shared.Unlock()
	}
	if l.shared.RLockContext(patience) == nil {
		l.read(w)
		l.shared.RUnlock()
	}
	n := 1 + rng.IntN(eventBurst)
	l.happens(int64(n), l.limiter.WaitNContext(patience, n) == nil)
}

func (l *lockTools) read(w *world) {
	if l.inside.Add(1) <= 0 {
		w.fail("a reader is inside with a writer")
	}
	l.inside.Add(-1)
}

func (l *lockTools) write(w *world) {
	if !l.inside.CompareAndSwap(0, -1) {
		w.fail("a writer is inside with others")
		return
	}
	l.inside.Add(1)
}

// use is what a task does with the locks.
func (l *lockTools) use(p *player) {
	cx := p.cx
	rest := func() {
		if p.rng.IntN(2) == 0 {
			cx.Yield()
		} else {
			p.sleep(time.Duration(p.rng.IntN(50)) * time.Microsecond)
		}
	}
	switch p.rng.IntN(9) {
	case 0:
		if !p.fail(l.mutex.Lock(cx), "Mutex.Lock") {
			l.hold(p.w, rest, func() { l.mutex.UnlockFrom(cx) })
		}
	case 1:
		if !p.fail(l.shared.RLock(cx), "RWMutex.RLock") {
			rest()
			l.read(p.w)
			l.shared.RUnlockFrom(cx)
		}
	case 2:
		if !p.fail(l.shared.Lock(cx), "RWMutex.Lock") {
			rest()
			l.write(p.w)
			l.shared.UnlockFrom(cx)
		}
	case 3:
		if p.fail(l.mutex.Lock(cx), "Mutex.Lock") {
			return
		}
		if p.rng.IntN(3) == 0 {
			l.changes++
			l.changed.SignalFrom(cx)
		}
		for now := l.changes; l.changes == now; {
			if p.fail(l.changed.Wait(cx), "Cond.Wait") {
				break
			}
		}
		l.hold(p.w, func() {}, func() { l.mutex.UnlockFrom(cx) })
	case 4:
		n := 1 + p.rng.IntN(eventBurst)
		if n == 1 {
			l.happens(1, !p.fail(l.limiter.Wait(cx), "Limiter.Wait"))
		} else {
			l.happens(int64(n), !p.fail(l.limiter.WaitN(cx, n), "Limiter.WaitN"))
		}
	case 5:
		n := 1 + p.rng.IntN(eventBurst)
		l.happens(int64(n), l.limiter.AllowN(n))
	case 6:
		if l.mutex.TryLock() {
			l.hold(p.w, rest, func() { l.mutex.UnlockFrom(cx) })
		}
	case 7:
		if l.shared.TryRLock() {
			rest()
			l.read(p.w)
			l.shared.RUnlock()
		}
	case 8:
		if l.shared.TryLock() {
			rest()
			l.write(p.w)
			l.shared.UnlockFrom(cx)
		}
	}
}
