package runtime

import (
	"fmt"
	"slices"
	"sync"
)

// A heldLock is a lock that knows who holds it, as far as Debug has noted that.
type heldLock interface {
	holders() []*holder
}

// A holder is a task that holds a lock. It never changes.
type holder struct {
	run   *run
	what  string // the type of the lock
	where string // the line that has locked it
}

// holding returns the calling task as the holder of a lock of that type. Debug is on.
func (cx Cx) holding(what string) *holder {
	running := cx.coroutine.running
	return &holder{running[len(running)-1], what, callerOutside()}
}

// String is a line that says who holds the lock.
func (h *holder) String() string {
	ended := ""
	if h.run.task.ended() {
		ended = " and has ended"
	}
	return fmt.Sprintf("\n\tthe %s is held by %s, which locked it in %s%s", h.what, h.run.name(),
		h.where, ended)
}

// waitForLock is waiter.wait for a lock, which Debug notes.
func waitForLock[P any](cx Cx, w *waiter[P], lock source[P]) error {
	if cx.coroutine.debugging {
		cx.noteWait("", waitNote{wholes: []any{lock}, loose: true})
		defer cx.forgetJoin()
	}
	return w.wait(cx, lock)
}

// note notes, with Debug, that the calling task holds m.
func (m *Mutex) note(cx Cx) {
	if cx.coroutine.debugging {
		m.held.Store(cx.holding("Mutex"))
	}
}

// forget ends what note has noted. Whoever unlocks m calls it before.
func (m *Mutex) forget() {
	if m.held.Load() != nil {
		m.held.Store(nil)
	}
}

func (m *Mutex) holders() []*holder {
	if h := m.held.Load(); h != nil {
		return []*holder{h}
	}
	return nil
}

// rwHolders are those of an RWMutex that Debug has noted. Any goroutine may call its methods.
type rwHolders struct {
	lock sync.Mutex
	all  []*holder
}

// note notes, with Debug, that the calling task holds m, to write or to read.
func (m *RWMutex) note(cx Cx) {
	if !cx.coroutine.debugging {
		return
	}
	held := m.held.Load()
	if held == nil {
		m.held.CompareAndSwap(nil, &rwHolders{})
		held = m.held.Load()
	}
	h := cx.holding("RWMutex")
	held.lock.Lock()
	defer held.lock.Unlock()
	held.all = append(held.all, h)
}

// forget ends what note has noted of t; of all, if t is nil or has no note: then nobody knows who
// has left m.
// Whoever unlocks m calls it before. It forgets nothing if nobody is inside as who, rwWriter or
// rwReader: then the unlock is refused.
func (m *RWMutex) forget(t *task, who uint64) {
	held := m.held.Load()
	if held == nil || !isInside(m.word.Load(), who) {
		return
	}
	held.lock.Lock()
	defer held.lock.Unlock()
	i := slices.IndexFunc(held.all, func(h *holder) bool { return h.run.task == t })
	if t == nil || i < 0 {
		held.all = nil
		return
	}
	held.all = slices.Delete(held.all, i, i+1)
}

func (m *RWMutex) holders() []*holder {
	held := m.held.Load()
	if held == nil {
		return nil
	}
	held.lock.Lock()
	defer held.lock.Unlock()
	return slices.Clone(held.all)
}
