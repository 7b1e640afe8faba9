package hook

import (
	"sync"

	"github.com/surewake/surewake/model/explore"
)

// DynLock calls Lock on what may be a lock of package sync behind an interface.
func DynLock(l interface{ Lock() }) {
	switch m := l.(type) {
	case *sync.Mutex:
		MutexLock(m)
	case *sync.RWMutex:
		RWMutexLock(m)
	default:
		if e, ok := embedded(l, "Lock").(interface{ Lock() }); ok {
			DynLock(e)
			return
		}
		explore.Unseen()
		l.Lock()
	}
}

// DynUnlock is DynLock for Unlock.
func DynUnlock(l interface{ Unlock() }) {
	switch m := l.(type) {
	case *sync.Mutex:
		MutexUnlock(m)
	case *sync.RWMutex:
		RWMutexUnlock(m)
	default:
		if e, ok := embedded(l, "Unlock").(interface{ Unlock() }); ok {
			DynUnlock(e)
			return
		}
		explore.Unseen()
		l.Unlock()
	}
}

// DynRLock is DynLock for RLock.
func DynRLock(l interface{ RLock() }) {
	if m, ok := l.(*sync.RWMutex); ok {
		RWMutexRLock(m)
		return
	}
	if e, ok := embedded(l, "RLock").(interface{ RLock() }); ok {
		DynRLock(e)
		return
	}
	explore.Unseen()
	l.RLock()
}

// DynRUnlock is DynLock for RUnlock.
func DynRUnlock(l interface{ RUnlock() }) {
	if m, ok := l.(*sync.RWMutex); ok {
		RWMutexRUnlock(m)
		return
	}
	if e, ok := embedded(l, "RUnlock").(interface{ RUnlock() }); ok {
		DynRUnlock(e)
		return
	}
	explore.Unseen()
	l.RUnlock()
}

// DynTryLock is DynLock for TryLock.
func DynTryLock(l interface{ TryLock() bool }) bool {
	switch m := l.(type) {
	case *sync.Mutex:
		return MutexTryLock(m)
	case *sync.RWMutex:
		return RWMutexTryLock(m)
	}
	if e, ok := embedded(l, "TryLock").(interface{ TryLock() bool }); ok {
		return DynTryLock(e)
	}
	explore.Unseen()
	return l.TryLock()
}

// DynTryRLock is DynLock for TryRLock.
func DynTryRLock(l interface{ TryRLock() bool }) bool {
	if m, ok := l.(*sync.RWMutex); ok {
		return RWMutexTryRLock(m)
	}
	if e, ok := embedded(l, "TryRLock").(interface{ TryRLock() bool }); ok {
		return DynTryRLock(e)
	}
	explore.Unseen()
	return l.TryRLock()
}

// DynWait calls Wait on what may be a WaitGroup or a Cond.
func DynWait(l interface{ Wait() }) {
	switch w := l.(type) {
	case *sync.WaitGroup:
		WaitGroupWait(w)
	case *sync.Cond:
		CondWait(w)
	default:
		if e, ok := embedded(l, "Wait").(interface{ Wait() }); ok {
			DynWait(e)
			return
		}
		l.Wait()
	}
}

// DynDone calls Done on what may be a WaitGroup.
func DynDone(l interface{ Done() }) {
	if w, ok := l.(*sync.WaitGroup); ok {
		WaitGroupDone(w)
		return
	}
	if e, ok := embedded(l, "Done").(interface{ Done() }); ok {
		DynDone(e)
		return
	}
	l.Done()
}

// DynAdd calls Add on what may be a WaitGroup.
func DynAdd(l interface{ Add(int) }, n int) {
	if w, ok := l.(*sync.WaitGroup); ok {
		WaitGroupAdd(w, n)
		return
	}
	if e, ok := embedded(l, "Add").(interface{ Add(int) }); ok {
		DynAdd(e, n)
		return
	}
	l.Add(n)
}

// DynGo calls Go on what may be a WaitGroup.
func DynGo(l interface{ Go(func()) }, f func()) {
	if w, ok := l.(*sync.WaitGroup); ok {
		WaitGroupGo(w, f)
		return
	}
	if e, ok := embedded(l, "Go").(interface{ Go(func()) }); ok {
		DynGo(e, f)
		return
	}
	l.Go(f)
}

// DynDo calls Do on what may be a Once.
func DynDo(l interface{ Do(func()) }, f func()) {
	if o, ok := l.(*sync.Once); ok {
		OnceDo(o, f)
		return
	}
	if e, ok := embedded(l, "Do").(interface{ Do(func()) }); ok {
		DynDo(e, f)
		return
	}
	l.Do(f)
}

// DynSignal calls Signal on what may be a Cond.
func DynSignal(l interface{ Signal() }) {
	if c, ok := l.(*sync.Cond); ok {
		CondSignal(c)
		return
	}
	if e, ok := embedded(l, "Signal").(interface{ Signal() }); ok {
		DynSignal(e)
		return
	}
	l.Signal()
}

// DynBroadcast calls Broadcast on what may be a Cond.
func DynBroadcast(l interface{ Broadcast() }) {
	if c, ok := l.(*sync.Cond); ok {
		CondBroadcast(c)
		return
	}
	if e, ok := embedded(l, "Broadcast").(interface{ Broadcast() }); ok {
		DynBroadcast(e)
		return
	}
	l.Broadcast()
}
