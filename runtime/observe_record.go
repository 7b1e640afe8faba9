package runtime

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/surewake/surewake/fork"
)

// What others know of tasks
//
// A task's fields belong to its runner, and so does what a coroutine or a worker knows of it. Who
// looks from outside has the lists that the runtime keeps anyway, and records:
//
//	record   of a task that has called SetName; with Debug, of each task from its spawn. It is one
//	         of the task's joiners, so that its end removes it
//	run      what a worker runs; published by the worker, with Debug or Watchdog only
//	wait     where a task waits, and since when; in its record, with Debug only
//
// What a record and a run say never changes, or is an atomic of its own: whoever looks takes the
// lock of the table for as long as it copies it, and no lock of a worker. (runtime/R30)
//
// Rejected alternatives
//
//   - A name in each task. It would not fit into the size class of small tasks.
//   - What each worker runs, always. A store that others can see costs a tenth of a spawn and join.
//   - Stopping workers while somebody looks.

// A record is what is known of a live task.
type record struct {
	joiner        // its wake removes the record at the end of the task
	task   *task  // never changes
	number uint64 // of the record, counted from 1; never changes
	does   any    // of does, at the spawn; nil without Debug. Never changes
	since  int64  // the clock at the spawn; never changes
	// name is what SetName was given, or nil. Stored by the runner, loaded by any goroutine.
	name  atomic.Pointer[string]
	begun atomic.Bool // a run has begun. Stored by the runner, loaded by any goroutine
	// wait is where the task waits, with Debug; nil while it runs. Stored by the runner, loaded by
	// any goroutine.
	wait atomic.Pointer[taskWait]
	// labelled says that the goroutine on which the task runs has its label. The runner uses it.
	labelled bool
}

// A run is a task that runs on a coroutine. It never changes.
type run struct {
	task   *task
	below  *run     // what has inlined it, or nil
	record *record  // of the task, or nil
	does   any      // of does
	ties   *joinTie // with Debug: of the task
	// deadline says, with Debug, that the task must end at one.
	deadline bool
	// goroutine is the number of the coroutine's goroutine.
	goroutine string
}

// name returns what the task was named, or else its function or type. Any goroutine may call it.
func (r *run) name() string {
	if r.record != nil {
		if name := r.record.name.Load(); name != nil && *name != "" {
			return *name
		}
	}
	return textOf(r.does)
}

// A taskWait is where a coroutine was suspended. It never changes.
type taskWait struct {
	run   *run // the innermost one
	since int64
	calls [24]uintptr
	depth int // of calls
}

// where returns the function of this package, or of package fork, that waits, and the line that
// called it. For the end of a task, which waits for its forks, it returns that, and no line.
func (w *taskWait) where() (call, line string) {
	frames := ownFrames{Frames: runtime.CallersFrames(w.calls[:w.depth])}
	for more := true; more; {
		var frame runtime.Frame
		var own bool
		frame, own, more = frames.next()
		switch {
		case strings.HasSuffix(frame.Function, endForksName):
			return "waits at its end for its forks", ""
		case !own:
			return call, fmt.Sprintf("%s:%d", frame.File, frame.Line)
		}
		call = shortName(frame.Function)
	}
	return call, "this package"
}

// forkPrefix is what the names of the functions of package fork begin with.
var forkPrefix = reflect.TypeFor[fork.Stack[Cx]]().PkgPath() + "."

const endForksName = ".(*coroutine).endForks"

// ownFrames tells the frames of this package and of package fork from others. A function literal
// that is compiled into its caller has the name of that; it is told by its file.
type ownFrames struct {
	*runtime.Frames
	folders []string // of the frames that have been told by their names
}

func (f *ownFrames) next() (frame runtime.Frame, own, more bool) {
	frame, more = f.Next()
	folder := frame.File[:strings.LastIndexAny(frame.File, `/\`)+1]
	switch {
	case strings.HasPrefix(frame.Function, packagePrefix),
		strings.HasPrefix(frame.Function, forkPrefix):
		f.folders = append(f.folders, folder)
		own = true
	case !strings.HasSuffix(frame.File, "_test.go"):
		own = slices.Contains(f.folders, folder)
	}
	return frame, own, more
}

// shortName returns Type.Method or Function for the name of a function of this package, or of
// package fork, or of a literal in one.
func shortName(function string) string {
	name := strings.ReplaceAll(function, "[...]", "")
	for {
		at := strings.LastIndexByte(name, '.')
		last := strings.TrimPrefix(name[at+1:], "func")
		if at < 0 || strings.Trim(last, "0123456789") != "" && !strings.Contains(last, "-range") {
			break
		}
		name = name[:at] // it was a literal
	}
	short := strings.TrimPrefix(strings.TrimPrefix(name, packagePrefix), forkPrefix)
	if short == name { // compiled into its caller
		short = name[strings.LastIndexByte(name, '.')+1:]
	}
	return strings.NewReplacer("(*", "", ")", "").Replace(short)
}

// records is the table of a runtime's records. Any goroutine may call its methods.
type records struct {
	count  atomic.Int64 // len(all): stored under the lock, loaded by any goroutine
	lock   sync.Mutex
	all    map[*task]*record
	number uint64 // of the last record; under the lock
}

// add makes the record of t, whose runner or spawner calls it.
func (rs *records) add(t *task, does any) *record {
	r := &record{task: t, does: does, since: t.rt.now()}
	r.waker = r
	rs.lock.Lock()
	defer rs.lock.Unlock()
	if rs.all == nil {
		rs.all = map[*task]*record{}
	}
	rs.number++
	r.number = rs.number
	rs.all[t] = r
	rs.count.Store(int64(len(rs.all)))
	return r
}

// get returns the record of t, or nil.
func (rs *records) get(t *task) *record {
	if rs.count.Load() == 0 {
		return nil
	}
	rs.lock.Lock()
	defer rs.lock.Unlock()
	return rs.all[t]
}

// nameOf returns what t was named by SetName, or "". The runner of t calls it, or whoever has found
// it in a list.
func (rs *records) nameOf(t *task) string {
	if r := rs.get(t); r != nil {
		if name := r.name.Load(); name != nil {
			return *name
		}
	}
	return ""
}

// wake removes the record when the task has ended, and the labels that it had. (runtime/R31)
func (r *record) wake(w *worker) {
	rs := &r.task.rt.records
	rs.lock.Lock()
	delete(rs.all, r.task)
	rs.count.Store(int64(len(rs.all)))
	rs.lock.Unlock()
	if r.labelled {
		w.current.endLabel(r.task, r)
	}
}

// record makes the record of t, a new task, if Debug is on. Whoever spawns t calls it before t is
// published.
func (rt *Runtime) record(t *task) {
	if rt.config.debug {
		r := rt.records.add(t, t.body.does())
		t.pushJoiner(&r.joiner)
		t.state.Join()
	}
}

// adorn gives t, a new task, what few tasks need: a record, and the span of the running task. With
// [Debug], it refuses to be called on a goroutine that is not w's: its queues have one owner.
func (w *worker) adorn(t *task) {
	if w.rt.config.debug {
		w.refuseForeign()
	}
	w.rt.record(t)
	w.inheritSpan(t)
}

// pushRunning notes that t runs, on top of the others.
func (co *coroutine) pushRunning(t *task) {
	r := &run{
		task: t, record: t.rt.records.get(t), does: t.body.does(), goroutine: co.goroutine,
	}
	if co.debugging {
		r.ties, r.deadline = t.ties(), t.heritage().hasDeadline()
	}
	if n := len(co.running); n > 0 {
		r.below = co.running[n-1]
	}
	if r.record != nil {
		r.record.begun.Store(true)
	}
	co.running = append(co.running, r)
	co.worker.showRun(r)
}

// popRunning is deferred by what has called pushRunning.
func (co *coroutine) popRunning() {
	last := len(co.running) - 1
	below := co.running[last].below
	co.running[last] = nil
	co.running = co.running[:last]
	co.worker.showRun(below)
}

// A shownRun is what others see of a worker. That stores it, with Debug or Watchdog; any goroutine
// loads it.
type shownRun struct {
	run   atomic.Pointer[run] // nil: none
	since atomic.Int64        // the clock when run was stored, with Debug
	// changes counts the stores of run, after each. Partner: worker.looked.
	changes atomic.Uint64
}

// showRun shows that w runs r, or nothing.
func (w *worker) showRun(r *run) {
	if w.rt.config.debug {
		w.shown.since.Store(w.rt.now())
	}
	w.shown.run.Store(r)
	w.shown.changes.Store(w.shown.changes.Load() + 1)
}

// looked returns what w runs, and how often that has changed before. Any goroutine may call it. If
// two calls return the same, w has run that all the time in between. (runtime/R32)
func (w *worker) looked() (r *run, changes uint64) {
	changes = w.shown.changes.Load()
	return w.shown.run.Load(), changes
}

// showing returns yield with what others see of the run and the wait around it. Debug or
// Watchdog is on.
func (co *coroutine) showing(yield func(struct{}) bool) func(struct{}) bool {
	return func(struct{}) bool {
		n := len(co.running)
		if n == 0 {
			return yield(struct{}{})
		}
		top := co.running[n-1]
		if top.record != nil && co.debugging {
			wait := &taskWait{run: top, since: co.worker.rt.now()}
			wait.depth = runtime.Callers(2, wait.calls[:])
			top.record.wait.Store(wait)
		}
		co.worker.showRun(nil)
		resumed := yield(struct{}{})
		co.worker.showRun(top)
		if top.record != nil {
			top.record.wait.Store(nil)
		}
		return resumed
	}
}
