package explore

import (
	"fmt"
	"path/filepath"
)

// lockHolders knows which threads of a recorded execution hold which mutex, and since where, for
// what is said of threads that wait for it. It is no map, and nothing is copied in it: threads that
// have nothing to do with one another change it, and the race detector would see that.
type lockHolders struct{ list []lockHolder }

type lockHolder struct {
	obj    int32
	thread *thread // nil: no longer
	since  Frame
}

// step notes what event ev of thread t does to a mutex. Attempts are noted when their result is
// known, by taken.
func (h *lockHolders) step(ev *event, t *thread, at Frame) {
	switch ev.op {
	case OpLock, OpRWLock, OpRLock:
		h.taken(ev, t, at)
	case OpUnlock, OpRWUnlock:
		for i := range h.list {
			if l := &h.list[i]; l.obj == ev.obj {
				l.thread = nil
			}
		}
	case OpRUnlock:
		var any *lockHolder // another thread than the one that locked may unlock
		for i := range h.list {
			l := &h.list[i]
			if l.obj != ev.obj || l.thread == nil {
				continue
			}
			if l.thread == t {
				any = l
				break
			}
			if any == nil {
				any = l
			}
		}
		if any != nil {
			any.thread = nil
		}
	}
}

func (h *lockHolders) taken(ev *event, t *thread, at Frame) {
	switch ev.op {
	case OpLock, OpTryLock, OpRWLock, OpRWTryLock, OpRLock, OpTryRLock:
		for n := len(h.list) - 1; n >= 0 && h.list[n].thread == nil; n-- {
			h.list = h.list[:n]
		}
		h.list = append(h.list, lockHolder{ev.obj, t, at})
	}
}

// waitsFor says who keeps thread t from locking the mutex that it waits for.
func (h *lockHolders) waitsFor(e *engine, t *thread) string {
	switch t.op {
	case OpLock, OpRWAnnounce, OpRWLock, OpRLock:
	default:
		return ""
	}
	var text string
	for _, l := range h.list {
		if l.obj != t.obj || l.thread == nil {
			continue
		}
		if text != "" {
			text += ", "
		}
		who := l.thread.name
		if l.thread == t {
			who = "itself"
		}
		text += "held by " + who
		if l.since.File != "" {
			text += fmt.Sprintf(" since %s:%d", filepath.Base(l.since.File), l.since.Line)
		}
	}
	if w := int(e.objs[t.obj].state) - 1; t.op == OpRLock && 0 <= w && w < e.n && w != t.id {
		if text != "" {
			text += "; "
		}
		text += "behind the Lock of " + e.threads[w].name + ", which waits"
	}
	return text
}
