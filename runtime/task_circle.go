package runtime

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
)

// Circles of joins
//
// Tasks that join each other in a circle wait until they are cancelled. With Debug, a runtime
// notes which task waits for which, and the join that would close a circle panics instead.
//
//	join   under the lock: 1 note for what the task waits  2 follow the notes and the ties: if
//	       they lead back to the task, remove its notes and panic
//	       Of the joins of a circle, the last one finds the notes of all others. (runtime/R19)
//
// A task that runs its target on its own stack waits for it too, so a join notes this for all tasks
// beneath. Joins that can give up, with a timeout or a context, are not noted, nor are waits for
// the first of several.
//
// What a task has forked, or started in a Scope of its own, ends before it, whether it waits for
// that yet or not. That is no wait that could be refused: a task that panicked there would wait all
// the same. So it is not noted when the task comes to wait, but is a tie from the start, of which
// the join of the part knows. (runtime/R55) The functions of a group are tied to the group, and its
// Join is noted.

// joinNotes is what Debug knows of joins. Any goroutine may call its methods.
type joinNotes struct {
	lock  sync.Mutex
	waits map[*task]joinNote         // by the task that waits
	parts map[any]map[*task]*joinTie // of those that wait, by what does not end before them
}

// A joinNote says that a task waits.
type joinNote struct {
	whole any    // for the end of this: a *task or a *Group
	run   *run   // of the task that waits
	where string // the line that called Join, or that the target runs on the same stack
	stuck bool   // the task cannot give up: whole is its child, or a group
}

// A joinTie says that something does not end before the tasks that have the tie. It never changes.
type joinTie struct {
	whole any      // a *task or a *Group
	run   *run     // of the task, or nil
	next  *joinTie // further ties of the same tasks, or nil
}

// ties returns those of t, which is about to run.
func (t *task) ties() *joinTie {
	var ties *joinTie
	if part, ok := t.ownBody().(interface{ tiedTo() *joinTie }); ok {
		ties = part.tiedTo()
	}
	if g := t.heritage().group; g != nil {
		ties = &joinTie{whole: g, next: ties}
	}
	return ties
}

// tieParts returns the ties of the forks of the running task, or of its children in a scope, if
// Debug is on: to all tasks on the stack, and to what these are tied to.
func (co *coroutine) tieParts() *joinTie {
	if !co.debugging {
		return nil
	}
	var ties *joinTie
	for _, r := range co.running {
		for tie := r.ties; tie != nil; tie = tie.next {
			ties = &joinTie{tie.whole, tie.run, ties}
		}
		ties = &joinTie{r.task, r, ties}
	}
	return ties
}

// refuseCircle notes that the calling task is about to wait for t, if Debug is on. It panics if it
// would wait for itself then.
func (cx Cx) refuseCircle(t *task) {
	if cx.coroutine.debugging {
		cx.noteJoin(t)
	}
}

// forgetJoin ends what refuseCircle has noted.
func (cx Cx) forgetJoin() {
	if cx.coroutine.debugging {
		cx.coroutine.forgetJoins(cx.task.rt)
	}
}

// forgetJoins ends what is noted of the tasks that run on co.
func (co *coroutine) forgetJoins(rt *Runtime) {
	rt.joins.lock.Lock()
	defer rt.joins.lock.Unlock()
	rt.joins.remove(co.running)
}

// noteJoin is refuseCircle with Debug.
func (cx Cx) noteJoin(t *task) { cx.noteWait(t, cx.coroutine.isChild(t)) }

// noteWait notes that the calling task is about to wait for whole. It panics if that would close a
// circle.
func (cx Cx) noteWait(whole any, stuck bool) {
	running := cx.coroutine.running
	where := callerOutside()
	notes := &cx.task.rt.joins
	notes.lock.Lock()
	defer notes.lock.Unlock()
	for i, r := range running {
		if i+1 < len(running) {
			notes.add(joinNote{running[i+1].task, r, "a join that runs it", true})
		} else {
			notes.add(joinNote{whole, r, where, stuck})
		}
	}
	if circle := notes.circle(cx.task); circle != "" {
		notes.remove(running)
		panic("surewake: Join: tasks must not join each other in a circle:" + circle)
	}
}

// add adds a note. It is called under the lock.
func (n *joinNotes) add(note joinNote) {
	if n.waits == nil {
		n.waits, n.parts = map[*task]joinNote{}, map[any]map[*task]*joinTie{}
	}
	t := note.run.task
	n.waits[t] = note
	for tie := note.run.ties; tie != nil; tie = tie.next {
		if n.parts[tie.whole] == nil {
			n.parts[tie.whole] = map[*task]*joinTie{}
		}
		n.parts[tie.whole][t] = tie
	}
}

// remove removes the notes of tasks that go on. It is called under the lock.
func (n *joinNotes) remove(running []*run) {
	for _, r := range running {
		delete(n.waits, r.task)
		for tie := r.ties; tie != nil; tie = tie.next {
			delete(n.parts[tie.whole], r.task)
			if len(n.parts[tie.whole]) == 0 {
				delete(n.parts, tie.whole)
			}
		}
	}
}

// circle returns a line for each step that leads from t back to t, or "". It is called under the
// lock.
func (n *joinNotes) circle(t *task) string {
	type step struct {
		from any
		line string
	}
	steps := map[any]step{} // how each was reached first
	reached := []any{t}
	reach := func(from, to any, line string) {
		if _, again := steps[to]; !again {
			steps[to] = step{from, line}
			reached = append(reached, to)
		}
	}
	for i := 0; i < len(reached); i++ {
		at := reached[i]
		if w, ok := at.(*task); ok && n.holds(w) {
			note := n.waits[w]
			reach(at, note.whole, fmt.Sprintf("\n\t%s waits in %s", note.run.name(), note.where))
		}
		for part, tie := range n.parts[at] {
			line := ""
			if tie.run != nil {
				line = fmt.Sprintf("\n\t%s ends after %s", tie.run.name(), n.waits[part].run.name())
			}
			reach(at, part, line)
		}
		if s, found := steps[t]; found {
			lines := s.line
			for s.from != t {
				s = steps[s.from]
				lines = s.line + lines
			}
			return lines
		}
	}
	return ""
}

// holds reports whether t waits for something that has not ended, and does not give up: a task that
// must end does, unless it joins its child. It is called under the lock.
func (n *joinNotes) holds(t *task) bool {
	note, waits := n.waits[t]
	if !waits {
		return false
	}
	if target, ok := note.whole.(*task); ok && target.ended() {
		return false
	}
	return note.stuck || !t.state.Load().CancelEffective() && !t.rt.cancelling()
}

// callerOutside returns the file and line of the innermost function that is not of this package.
func callerOutside() string {
	var calls [32]uintptr
	frames := runtime.CallersFrames(calls[:runtime.Callers(2, calls[:])])
	for more := true; more; {
		var frame runtime.Frame
		if frame, more = frames.Next(); !strings.HasPrefix(frame.Function, packagePrefix) {
			return fmt.Sprintf("%s:%d", frame.File, frame.Line)
		}
	}
	return "this package"
}
