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
//	join   under the lock: 1 note for what the task waits  2 follow the notes: if they lead back
//	       to the task, remove its notes and panic
//	       Of the joins of a circle, the last one finds the notes of all others. (runtime/R19)
//
// A task that runs its target on its own stack waits for it too, so a join notes this for all tasks
// beneath. Joins that can give up, with a timeout or a context, are not noted, nor is the wait of a
// Scope.

// joinNotes is what Debug knows of joins. Any goroutine may call its methods.
type joinNotes struct {
	lock  sync.Mutex
	waits map[*task]joinNote // by the task that waits
}

// A joinNote says that a task waits.
type joinNote struct {
	task  *task  // for the end of this one
	name  string // of the task that waits
	where string // the line that called Join, or that the target runs on the same stack
	stuck bool   // the target is a child of the task, which cannot give up
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
func (cx Cx) noteJoin(t *task) {
	running := cx.coroutine.running
	where := callerOutside()
	notes := &cx.task.rt.joins
	notes.lock.Lock()
	defer notes.lock.Unlock()
	if notes.waits == nil {
		notes.waits = map[*task]joinNote{}
	}
	for i, r := range running {
		if i+1 < len(running) {
			notes.waits[r.task] = joinNote{
				running[i+1].task, r.name(), "a join that runs it", true,
			}
		} else {
			notes.waits[r.task] = joinNote{t, r.name(), where, cx.coroutine.isChild(t)}
		}
	}
	if circle := notes.circle(cx.task); circle != "" {
		notes.remove(running)
		panic("surewake: Join: tasks must not join each other in a circle:" + circle)
	}
}

// circle returns a line for each wait that leads from t back to t, or "". It is called under the
// lock.
func (n *joinNotes) circle(t *task) string {
	var lines strings.Builder
	seen := map[*task]bool{}
	for at := t; !seen[at]; {
		seen[at] = true
		note, waits := n.waits[at]
		// A task that must end gives up, unless it joins its child. One whose target has ended goes
		// on.
		givesUp := at.state.Load().CancelEffective() || at.rt.cancelling()
		if !waits || note.task.ended() || givesUp && !note.stuck {
			return ""
		}
		fmt.Fprintf(&lines, "\n\t%s waits in %s", note.name, note.where)
		if at = note.task; at == t {
			return lines.String()
		}
	}
	return "" // another circle, which t is not in
}

// remove removes the notes of tasks that go on. It is called under the lock.
func (n *joinNotes) remove(running []*run) {
	for _, r := range running {
		delete(n.waits, r.task)
	}
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
