package runtime

import "math"

// Joins of children
//
// A task's child is what it has spawned, a task that it has submitted is not. A join of a child is
// like a call: it returns when the child has ended, and what ends the calling task meanwhile ends
// the child. That must not depend on where the child runs, which is chance:
//
//	elsewhere   the calling task waits. Told that it must end, it cancels the child, and waits on
//	inlined     the child runs on top of the calling task, whose frames cannot be left first. So a
//	            cancellation of the lower one is passed on to the upper one
//
// Joins of other tasks only wait: they are not inlined, and do not cancel.
//
// A task that is cancelled finds what runs on top of it by a link, which is in the list of its
// joiners. Most inlined tasks never look whether they must end, and need none. The first one that
// does makes the links of all levels beneath it:
//
//	upper task   1 push the link to the joiners of the lower one  2 load its state: if it is
//	             cancelled, cancel the upper one  3 look whether the upper one must end
//	cancel       1 set the flag of the lower one  2 walk its joiners: cancel what links lead to
//	             Whichever comes last sees the other. (runtime/R22)
//
// A shield of the lower task holds the cancellation off: a task does not leave its shield while
// another is on top of it, so there is no link then. Whoever has set the flag before the shield was
// entered, and walks the joiners after that, would find one. (runtime/R46)
//
// Close needs no link, it tells all tasks.
//
// Rejected alternatives
//
//   - Inlining only beneath what cannot be cancelled: all tasks can be. Not inlining at all: each
//     join takes two switches, and each level of a recursion a stack.
//   - A join that lets its target run on when the calling task must end. It can do so only if the
//     target was not inlined.
//   - Passing the cancellation on to the target of any join. A task that others wait for too would
//     end with the first of them that gives up.
//   - A pointer to the parent in each task. It would keep tasks that have ended.

// A link leads from a task, of whose joiners it is one, to the child that it has inlined, or to a
// fork of it that has become a task.
type link struct {
	joiner
	child  *task  // never changes
	fork   bool   // child is not inlined, but a fork. It never changes
	queued queued // child is inlined, or was queued
	// shield is that of the task in which it has forked child, or nil. It never changes.
	shield *shieldSpan
}

// wake does nothing: the end of the lower task is none of the upper one's business.
func (*link) wake(*worker) {}

// isChild reports whether t, a task of the same runtime, was started by the task that runs on co.
func (co *coroutine) isChild(t *task) bool { return t.parent == co.serial }

// noSerial is the serial of a run that has started no child.
const noSerial = math.MaxUint64

// asParent returns what is the parent of the tasks that the running one starts.
func (co *coroutine) asParent() uint64 {
	if co.serial == noSerial {
		co.serial = co.worker.newSerial()
	}
	return co.serial
}

// newSerial returns a number that no other run of a task of the runtime has. It is neither 0 nor
// noSerial.
func (w *worker) newSerial() uint64 {
	w.serial += uint64(len(w.rt.workers))
	return w.serial
}

// A level is what a coroutine knows of a task there that has inlined another.
type level struct {
	task   *task
	serial uint64 // as coroutine.serial
	link   *link  // in the innermost levels, and in those of tasks in shields, nil
}

// addLevels makes room for more levels. It returns false if there may be no more. It is rarely
// called: inlined, it would make the frame of join larger.
//
//go:noinline
func (co *coroutine) addLevels() bool {
	n := len(co.levels)
	if n >= co.inlineDepth {
		return false
	}
	more := make([]level, min(max(2*n, 8), co.inlineDepth))
	copy(more, co.levels)
	co.levels = more
	return true
}

// leaveLevel returns to the task beneath the running one, which has ended, or waits without a
// stack. There is no link between them any more: with unlink, it would be too large to be inlined.
func (co *coroutine) leaveLevel() {
	co.depth--
	l := &co.levels[co.depth]
	co.task, co.serial = l.task, l.serial
	l.task = nil // runtime/R10
}

// link makes the missing links from the tasks beneath the running one, which is about to look
// whether it must end, or to tell others.
func (co *coroutine) link() {
	if co.linked < co.depth {
		co.makeLinks()
	}
}

// heed makes the missing links if a task was cancelled meanwhile: one that only joins what it
// starts asks for nothing else. (runtime/R83)
func (co *coroutine) heed() {
	// Partner: noted.Add in cancel, before it walks the joiners.
	if noted := co.worker.rt.noted.Load(); noted != co.heeded {
		co.heeded = noted
		co.link()
	}
}

func (co *coroutine) makeLinks() {
	for n := co.linked; n < co.depth; n++ {
		child := co.task
		if n+1 < co.depth {
			child = co.levels[n+1].task
		}
		lower := &co.levels[n]
		co.linked++
		if lower.task.state.Load().Shield() > 0 {
			continue // runtime/R46
		}
		child.share()
		l := &link{child: child}
		l.waker = l
		l.queued.Store(true)
		lower.link = l
		lower.task.pushJoiner(&l.joiner) // partner: cancelInlined, after Cancel
		if lower.task.state.Load().CancelEffective() {
			child.cancel(co.worker)
		}
	}
}

// unlink removes the innermost link. Its child has ended, or is on the coroutine no more.
func (co *coroutine) unlink() {
	co.linked--
	l := &co.levels[co.linked]
	if l.link != nil {
		l.task.removeJoiner(&l.link.joiner)
		l.link = nil
	}
}

// cancelInlined cancels what t, which has just been cancelled, has inlined, and its forks that are
// tasks; not those of a shield that t has entered meanwhile. Any goroutine may call it; w is the
// worker that it belongs to, or nil.
func (t *task) cancelInlined(w *worker) {
	// Partner: link, which pushes the joiner and then loads the state.
	for j := t.joiners.Load(); j != nil; j = j.next.Load() {
		// Partner: leaveShield, which ends the shield, and then loads the state. (runtime/R46)
		if l, ok := j.waker.(*link); ok && (l.shield == nil || l.shield.over.Load()) {
			if l.child.cancel(w) && l.queued.Load() {
				l.child.hurry()
			}
		}
	}
}

// stopErr returns nil, or why the calling task must end; see Cx.Err.
func (cx Cx) stopErr() error {
	cx.coroutine.link()
	return cx.task.stopErr()
}

// awaitChild suspends the calling task until t, its child, has ended.
func (cx Cx) awaitChild(t *task) {
	cx.refuseCircle(t)
	if t.addJoiner(&joiner{waker: cx.task}) {
		cx.suspendForChild(t)
	}
	cx.forgetJoin()
}

// suspendForChild suspends the calling task, which is a joiner of t, its child, until t has ended.
// If the calling task must end first, t must end too: Close has told it, a cancellation is passed
// on.
func (cx Cx) suspendForChild(t *task) {
	for cx.stopErr() == nil {
		cx.coroutine.suspend(taskWaits)
		if t.ended() {
			return
		}
	}
	cx.outlast(t)
}

// outlast is the rest of a wait for t, a child, when the calling task must end: t is told, and the
// calling task waits on in a shield, or it would not wait, but run in turns.
func (cx Cx) outlast(t *task) {
	cx.cancelChild(t)
	if t.state.Load().Cancelled() {
		t.hurry()
	}
	cx.enterShield()
	defer cx.leaveShield()
	for {
		cx.coroutine.suspend(taskWaits)
		if t.ended() {
			return
		}
	}
}

// cancelChild cancels t, a child of the calling task, if that is cancelled.
func (cx Cx) cancelChild(t *task) {
	if cx.task.state.Load().CancelEffective() {
		t.cancel(cx.coroutine.worker)
	}
}
