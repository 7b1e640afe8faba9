package runtime_test

import (
	"context"
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
}

func (l *lockTools) open() {
	l.changed.L = &l.mutex
	l.limiter = runtime.NewLimiter(100_000, 5)
}

// close holds that nobody has a lock at the end.
func (l *lockTools) close(w *world) {
	if !l.mutex.TryLock() || !l.shared.TryLock() {
		w.fail("a lock is held at the end")
	}
	l.mutex.Unlock()
	l.shared.Unlock()
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
	l.changes++
	l.changed.Broadcast()
}

// tend is what a goroutine does with the locks.
func (l *lockTools) tend(w *world, patience context.Context) {
	if l.mutex.LockContext(patience) == nil {
		l.hold(w, l.change, l.mutex.Unlock)
	}
	if l.shared.RLockContext(patience) == nil {
		l.read(w)
		l.shared.RUnlock()
	}
	_ = l.limiter.WaitContext(patience)
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
	switch p.rng.IntN(5) {
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
		for now := l.changes; l.changes == now; {
			if p.fail(l.changed.Wait(cx), "Cond.Wait") {
				break
			}
		}
		l.hold(p.w, func() {}, func() { l.mutex.UnlockFrom(cx) })
	case 4:
		p.fail(l.limiter.Wait(cx), "Limiter.Wait")
	}
}
