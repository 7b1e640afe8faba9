package runtime

import (
	"context"
	"fmt"
	"runtime"
	"sync"
)

// Circles of waits
//
// Tasks that wait for each other in a circle wait until they are cancelled. With Debug, a runtime
// notes which task waits for what, and the wait that would close a circle panics instead.
//
//	wait   under the lock: 1 note for what the task waits  2 look whether that can never end: if
//	       so, remove the task's notes and panic
//	       Of the waits of a circle, the last one finds the notes of all others. (runtime/R19)
//
// What is noted, and what it waits for:
//
//	Join of a task, a batch, a group        that
//	Select, Next, AsEnded of ends only      one of several tasks
//	Group.Spawn and Go that find no place   one of the functions that have the places
//	Wait and Go of a blocking task          as Join and Spawn
//	a blocking task in the queue            one of those that have the goroutines (runtime/R57)
//	a lock                                  the task that holds it; see below
//
// A task that runs its target on its own stack waits for it too, so a wait notes this for all tasks
// beneath. What else may end the wait, a timer, a channel, a context that is not the task's own,
// makes it none that could be refused: it is not noted. Nor does a task that has a deadline wait
// for ever, outside of shields, or what it hands its end on to.
//
// What a task has forked, or started in a Scope of its own, ends before it, whether it waits for
// that yet or not. That is no wait that could be refused: a task that panicked there would wait all
// the same. So it is not noted when the task comes to wait, but is a tie from the start, of which
// the join of the part knows. (runtime/R55) The functions of a group are tied to the group, and its
// Join is noted.
//
// A lock belongs to no task. Whoever holds it by a Cx is noted in the lock, and who waits for it in
// the notes, but as a loose one: another may unlock it, so the wait is not refused. A watchdog
// tells of a circle that has loose notes and lasts, and a dump shows it. (runtime/R58)

// waitNotes is what Debug knows of waits. Any goroutine may call its methods.
type waitNotes struct {
	lock  sync.Mutex
	waits map[*task]*waitNote        // by the task that waits
	parts map[any]map[*task]*joinTie // of those that wait, by what does not end before them
}

// A waitNote says that a task waits. It never changes.
type waitNote struct {
	run    *run   // of the task that waits
	wholes []any  // until one of these ends: a *task, a *Group, a groupPlace, or a heldLock
	how    string // "waits in", say, before where
	where  string // the line that called, or that the target runs on the same stack
	keeps  bool   // the task cannot give up: it waits for its child, or a group
	loose  bool   // somebody else may end the wait
}

// A groupPlace is what waits for a place in a group: one of its functions must end.
type groupPlace struct{ group *Group }

// A joinTie says that something does not end before the tasks that have the tie. It never changes.
type joinTie struct {
	whole any      // a *task or a *Group
	run   *run     // of the task, or nil
	next  *joinTie // further ties of the same tasks, or nil
}

const circleRule = "tasks must not wait for each other in a circle"

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

// hasDeadline reports whether a deadline will end the task that has the heritage.
func (h *heritage) hasDeadline() bool {
	if h.from != nil {
		if _, has := h.from.Deadline(); has {
			return true
		}
	}
	return h.deadline != endless
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

// refuseCircle notes that the calling task is about to join t, if Debug is on. It panics if it
// would wait for itself then.
func (cx Cx) refuseCircle(t *task) {
	if cx.coroutine.debugging {
		cx.noteWait("Join", waitNote{wholes: []any{t}, keeps: cx.coroutine.isChild(t)})
	}
}

// forgetJoin ends what refuseCircle, or noteWait, has noted.
func (cx Cx) forgetJoin() {
	if cx.coroutine.debugging {
		cx.coroutine.forgetJoins(cx.task.rt)
	}
}

// forgetJoins ends what is noted of the tasks that run on co.
func (co *coroutine) forgetJoins(rt *Runtime) {
	rt.waits.lock.Lock()
	defer rt.waits.lock.Unlock()
	rt.waits.remove(co.running)
}

// noteWait notes that the calling task is about to wait as note says, which has neither a run nor a
// line. It panics if the wait, in the function what, can never end, unless the note is loose. Debug
// is on.
func (cx Cx) noteWait(what string, note waitNote) {
	note.where = callerOutside()
	cx.task.rt.waits.enter(what, cx.coroutine.running, note)
}

// noteJoinContext notes, with Debug, that the calling task is about to join t unless ctx ends
// first. It returns what forgets that.
func (cx Cx) noteJoinContext(t *task, ctx context.Context) (forget func()) {
	if _, ends := ctx.Deadline(); ends || !cx.coroutine.debugging {
		return func() {}
	}
	cx.noteWait("JoinContext", waitNote{
		wholes: []any{t}, loose: !t.rt.contexts.isEndless(ctx, cx.task),
	})
	return cx.forgetJoin
}

// noteEnds notes that the calling task waits for the end of one of the tasks of cases, in the
// function what, if nothing else can end the wait. It returns what forgets that. Debug is on.
func (cx Cx) noteEnds(what string, cases []Case) (forget func()) {
	var ends []any
	for _, c := range cases {
		switch c := c.(type) {
		case endCase:
			ends = append(ends, c.task)
		case doneCase:
			if !cx.task.rt.contexts.isEndless(c.ctx, cx.task) {
				return func() {}
			}
		case nil:
		default:
			return func() {}
		}
	}
	if len(ends) == 0 {
		return func() {}
	}
	cx.noteWait(what, waitNote{wholes: ends})
	return cx.forgetJoin
}

// noteBlocking notes, with Debug, that the calling goroutine, if it is that of a blocking task of
// rt, is about to wait as note says, until ctx ends, in the function what. It panics if the wait
// can never end. It returns what forgets the note.
func (rt *Runtime) noteBlocking(
	ctx context.Context, what string, note waitNote,
) (forget func()) {
	none := func() {}
	if !rt.config.debug {
		return none
	}
	if note.run = rt.blocking.running(); note.run == nil {
		return none
	}
	if _, ends := ctx.Deadline(); ends {
		return none
	}
	note.loose = !rt.contexts.isEndless(ctx, note.run.task)
	note.where = callerOutside()
	notes, running := &rt.waits, []*run{note.run}
	notes.enter(what, running, note)
	return func() {
		notes.lock.Lock()
		defer notes.lock.Unlock()
		notes.remove(running)
	}
}

// notePlace notes, with Debug, that the calling task waits for a place in g, as w in its line. If
// it would wait for ever, it panics, and w is out of the line. It returns what forgets the note.
func (cx Cx) notePlace(g *Group, w *waiter[*groupTask]) (forget func()) {
	if !cx.coroutine.debugging {
		return func() {}
	}
	defer g.leaveIfRefused(w)()
	cx.noteWait("Group.Spawn", waitNote{wholes: []any{groupPlace{g}}, how: placeOfGroup})
	return cx.forgetJoin
}

// notePlace is Cx.notePlace for a goroutine, which may be that of a blocking task.
func (g *Group) notePlace(w *waiter[*groupTask]) (forget func()) {
	defer g.leaveIfRefused(w)()
	return g.rt.noteBlocking(context.Background(), "Group.Go",
		waitNote{wholes: []any{groupPlace{g}}, how: placeOfGroup})
}

const placeOfGroup = "waits for a place of a group in"

// leaveIfRefused returns what takes w out of the line of g if its caller panics.
func (g *Group) leaveIfRefused(w *waiter[*groupTask]) func() {
	return func() {
		if refused := recover(); refused != nil {
			(*groupQueue)(g).withdraw(w, nil)
			panic(refused)
		}
	}
}

// isEndless reports whether ctx never ends, or ends when t must end.
func (cs *contexts) isEndless(ctx context.Context, t *task) bool {
	done := ctx.Done()
	if done == nil {
		return true
	}
	cs.lock.Lock()
	defer cs.lock.Unlock()
	own := cs.all[t]
	return own != nil && own.Done() == done
}

// enter notes that the innermost of running waits as note says, in the function what, and the
// others for what runs on top of them. If that can never end, it removes the notes and panics.
func (n *waitNotes) enter(what string, running []*run, note waitNote) {
	top := len(running) - 1
	note.run = running[top]
	n.lock.Lock()
	defer n.lock.Unlock()
	for i, r := range running[:top] {
		n.add(&waitNote{
			run: r, wholes: []any{running[i+1].task}, where: "a join that runs it", keeps: true,
		})
	}
	n.add(&note)
	if note.loose {
		return
	}
	if circle := n.circle(note.run.task); circle != "" {
		n.remove(running)
		panic("surewake: " + what + ": " + circleRule + ":" + circle)
	}
}

// add adds a note. It is called under the lock.
func (n *waitNotes) add(note *waitNote) {
	if n.waits == nil {
		n.waits, n.parts = map[*task]*waitNote{}, map[any]map[*task]*joinTie{}
	}
	if note.how == "" {
		note.how = "waits in"
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
func (n *waitNotes) remove(running []*run) {
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

// callerOutside returns the file and line of the innermost function that is not of this package.
func callerOutside() string {
	var calls [32]uintptr
	frames := ownFrames{Frames: runtime.CallersFrames(calls[:runtime.Callers(2, calls[:])])}
	for more := true; more; {
		var frame runtime.Frame
		var own bool
		if frame, own, more = frames.next(); !own {
			return fmt.Sprintf("%s:%d", frame.File, frame.Line)
		}
	}
	return "this package"
}
