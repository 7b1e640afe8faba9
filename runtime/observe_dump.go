package runtime

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/surewake/surewake/taskstate"
)

// Dump writes to w, in one call, what the runtime does now, as lines for people: its workers, and
// its tasks with their names, whether they run, wait or are queued, and for what they wait: for the
// end of which task, until when, for which descriptor. It returns the error of w, and panics if w
// is nil.
//
//	open; 1 worker, 1 asleep, 0 searching; 2 tasks, 1 timer, 0 watches; 3 stacks, 1 spare
//	worker 0: asleep
//	task 1 main.serve: waits in Handle.Join, main.go:12, for 2s, for the end of task 2
//	task 2 "loader": waits in Cx.Sleep, main.go:25, for 2s, 58s are left
//
// With [Debug], all tasks are listed, in the order in which they were spawned, with the call and
// the line in which they wait, or what worker runs them, and since when; and last the waits that
// no task will end, as [Watchdog] tells of them. Without it, what costs nothing to know: the tasks
// that have waited before, blocking tasks and those with a name ([Cx.SetName]); the others are
// counted. The number of a task without a name is that of this dump then.
//
// Any goroutine may call it at any time, a task and a function of [OnPanic] included. Workers go on
// meanwhile, so each line is true of some instant within the call, but two lines need not be of the
// same. It looks at no more than some thousand tasks, and says of how many it says nothing.
func (rt *Runtime) Dump(w io.Writer) error {
	rt.check("Dump")
	if w == nil {
		panic("surewake: Dump: nil writer")
	}
	_, err := w.Write(rt.dump())
	return err
}

const (
	lookMost = 10_000 // entries of each list that a dump looks at
	showMost = 1_000  // tasks that a dump shows
)

// A dump is what was found of a runtime.
type dump struct {
	rt    *Runtime
	now   int64
	all   map[*task]*sight
	order []*sight
	out   bytes.Buffer
}

// A sight is what was found of a task.
type sight struct {
	task   *task
	number uint64
	state  taskstate.State
	record *record  // or nil
	does   any      // of does, or nil
	place  string   // where it runs, or ""
	waits  []string // for what it waits
	forkOf uint64   // the number of the task of which it is a fork, or 0
}

// dump returns what Dump writes. It holds each lock only while it copies what that guards, and
// never two at a time. (runtime/R30)
func (rt *Runtime) dump() []byte {
	d := &dump{rt: rt, now: rt.now(), all: map[*task]*sight{}}
	rt.records.look(d)
	rt.coroutines.look(d)
	rt.futures.look(d)
	rt.blocking.look(d)
	for _, s := range d.order {
		s.state = s.task.state.Load()
	}
	d.order = slices.DeleteFunc(d.order, func(s *sight) bool {
		return s.state.Lifecycle() == taskstate.Complete
	})
	d.number()
	rt.timers.look(d)
	rt.watches.look(d)
	for _, s := range d.order {
		d.lookAtJoiners(s)
	}
	d.lookAtRuns()
	d.write()
	return d.out.Bytes()
}

// see adds t, if there is room, and returns what is known of it; or nil.
func (d *dump) see(t *task) *sight {
	s := d.all[t]
	if s == nil && len(d.all) < 3*lookMost {
		s = &sight{task: t}
		d.all[t] = s
		d.order = append(d.order, s)
	}
	return s
}

// look adds the tasks with records.
func (rs *records) look(d *dump) {
	rs.lock.Lock()
	defer rs.lock.Unlock()
	left := lookMost
	for t, r := range rs.all {
		if s := d.see(t); s != nil {
			s.record, s.does = r, r.does
		}
		if left--; left == 0 {
			return
		}
	}
}

// look adds the tasks that have waited on a stack.
func (l *coroutineList) look(d *dump) {
	l.lock.Lock()
	defer l.lock.Unlock()
	left := lookMost
	for co := l.all; co != nil && left > 0; co = co.listNext {
		left--
		if t := co.lastSuspended.Load(); t != nil { // partner: suspend
			d.see(t)
		}
	}
}

// look adds the futures that have waited.
func (l *futureList) look(d *dump) {
	left := lookMost
	for t := range l.tasks {
		if left == 0 {
			return
		}
		left--
		d.see(t)
	}
}

// look adds the blocking tasks.
func (p *blocking) look(d *dump) {
	goroutines := map[*sight]string{}
	p.lookAtThreads(d, goroutines)
	for s, number := range goroutines {
		if call := guards.call(number); call != "" {
			s.place += ", waits in " + call
		}
	}
}

// lookAtThreads is look, and adds the goroutines of the tasks that run.
func (p *blocking) lookAtThreads(d *dump, goroutines map[*sight]string) {
	p.lock.Lock()
	defer p.lock.Unlock()
	add := func(t *task, does any, place string) *sight {
		s := d.see(t)
		if s != nil {
			s.does, s.place = does, place
		}
		return s
	}
	left := lookMost
	for th := range p.all {
		if left--; left < 0 {
			break
		}
		if th.task != nil {
			s := add(th.task, th.does, "runs on a goroutine of its own")
			if number := th.goroutine.Load(); s != nil && number != nil {
				goroutines[s] = *number
			}
		}
	}
	for _, t := range p.queue[:min(len(p.queue), lookMost)] {
		add(t, t.body.does(), "queued for a goroutine of its own")
	}
}

// number numbers the tasks: those without a record after the others.
func (d *dump) number() {
	last := uint64(0)
	for _, s := range d.order {
		if s.record != nil {
			s.number = s.record.number
			last = max(last, s.number)
		}
	}
	for _, s := range d.order {
		if s.number == 0 {
			last++
			s.number = last
		}
	}
	slices.SortFunc(d.order, func(a, b *sight) int { return int(a.number) - int(b.number) })
}

// look says which tasks wait for a timer.
func (ts *timers) look(d *dump) {
	ts.lock.Lock()
	defer ts.lock.Unlock()
	for _, e := range ts.heap[:min(len(ts.heap), lookMost)] {
		if s := d.all[e.timer.task]; s != nil {
			s.waits = append(s.waits, fmt.Sprintf("%v are left", shortly(e.when-d.now)))
		}
	}
}

// look says which tasks wait for a descriptor.
func (ws *watches) look(d *dump) {
	ws.lock.Lock()
	var all []*Watch
	for _, slot := range ws.slots[:min(len(ws.slots), lookMost)] {
		if slot.watch != nil {
			all = append(all, slot.watch)
		}
	}
	ws.lock.Unlock()
	for _, w := range all {
		var waiting [2][]*task
		w.lock.Lock()
		for i := range w.directions {
			left := lookMost
			for me := w.directions[i].waiting.first; me != nil && left > 0; me = me.next {
				left--
				if t := taskOf(me.waker); t != nil {
					waiting[i] = append(waiting[i], t)
				}
			}
		}
		w.lock.Unlock()
		for i, verb := range []string{"to read", "to write"} {
			for _, t := range waiting[i] {
				if s := d.all[t]; s != nil {
					s.waits = append(s.waits, verb+" "+w.descriptor())
				}
			}
		}
	}
}

// taskOf returns the task that w wakes, also by a case of a Select, or nil.
func taskOf(w waker) *task {
	if t, ok := w.(*ticket); ok {
		w = t.choice.waker
	}
	t, _ := w.(*task)
	return t
}

// descriptor returns the name of what w watches. It is called without the lock.
func (w *Watch) descriptor() string {
	name := "a closed descriptor"
	_ = w.conn.Control(func(fd uintptr) { name = fmt.Sprintf("descriptor %d", fd) })
	return name
}

// lookAtJoiners says which tasks wait for the end of that of s.
func (d *dump) lookAtJoiners(s *sight) {
	left := lookMost
	for j := s.task.joiners.Load(); j != nil && left > 0; j = j.next.Load() {
		left--
		switch waker := j.waker.(type) {
		case *task:
			d.waitsFor(waker, "for the end of", s)
		case *futureJoiner:
			d.waitsFor(waker.task, "for the end of", s)
		case *queuedEnd:
			if t := taskOf(waker.ticket); t != nil {
				d.waitsFor(t, "for the end of", s)
			}
		case *orderedEnd:
			d.waitsFor(waker.waits, "for the end of", s)
		case *child:
			scope := waker.scope
			scope.lock.Lock()
			waiting := scope.waiting
			scope.lock.Unlock()
			if waiting {
				d.waitsFor(scope.owner, "in a scope, for the end of", s)
			}
		case *link:
			if fork := d.all[waker.child]; fork != nil && waker.fork {
				fork.forkOf = s.number
			}
		}
	}
}

// waitsFor says that t waits for s.
func (d *dump) waitsFor(t *task, verb string, s *sight) {
	if waits := d.all[t]; waits != nil && len(waits.waits) < 10 {
		waits.waits = append(waits.waits, fmt.Sprintf("%s task %d", verb, s.number))
	}
}

// lookAtRuns says which tasks run, and which are beneath another on a stack. Workers show that with
// Debug or Watchdog.
func (d *dump) lookAtRuns() {
	for _, w := range d.rt.workers {
		if r, _ := w.looked(); r != nil {
			if s := d.all[r.task]; s != nil {
				s.place = fmt.Sprintf("runs on worker %d%s", w.id, d.since(w.shown.since.Load()))
			}
			d.lookBeneath(r)
		}
	}
	for _, s := range d.order {
		if s.record != nil {
			if wait := s.record.wait.Load(); wait != nil {
				d.lookBeneath(wait.run)
			}
		}
	}
}

// lookBeneath says what the tasks beneath r run.
func (d *dump) lookBeneath(r *run) {
	for ; r.below != nil; r = r.below {
		below, above := d.all[r.below.task], d.all[r.task]
		if below != nil && above != nil {
			below.place = fmt.Sprintf("runs task %d on its stack, in a join", above.number)
		}
	}
}

// since returns for how long something has lasted that began at that clock, or "" if that is not
// known.
func (d *dump) since(clock int64) string {
	if !d.rt.config.debug {
		return ""
	}
	return " for " + shortly(d.now-clock).String()
}

// shortly returns ns as a duration with few digits.
func shortly(ns int64) time.Duration { return max(time.Duration(ns), 0).Round(time.Microsecond) }

// write writes what was found.
func (d *dump) write() {
	rt, stats := d.rt, d.rt.Stats()
	mode := [...]string{"open", "shutting down", "closed"}[rt.mode.Load()]
	fmt.Fprintf(&d.out, "%s; %s, %d asleep, %d searching; %s, %s, %s; %s, %d spare\n",
		mode, several(len(rt.workers), "worker"), stats.Sleeping, stats.Searching,
		several(stats.Live, "task"), several(stats.Timers, "timer"),
		several(stats.Watches, "watch"), several(stats.Stacks, "stack"), stats.Spares)
	for _, w := range rt.workers[:min(len(rt.workers), showMost)] {
		fmt.Fprintf(&d.out, "worker %d: %s", w.id, d.work(w))
		if n := stats.Workers[w.id].Queued; n > 0 {
			fmt.Fprintf(&d.out, ", %d queued", n)
		}
		d.out.WriteByte('\n')
	}
	if b := rt.BlockingStats(); b.Threads+b.Queued > 0 {
		fmt.Fprintf(&d.out, "blocking: %s, %d idle, %d queued\n",
			several(b.Threads, "goroutine"), b.Idle, b.Queued)
	}
	if limit := rt.places.limit; limit > 0 {
		fmt.Fprintf(&d.out, "places: %d of %d free, %s wait\n", stats.Places, limit,
			several(stats.Submitting, "call"))
	}
	shown := d.order[:min(len(d.order), showMost)]
	for _, s := range shown {
		fmt.Fprintf(&d.out, "task %d%s: %s\n", s.number, s.name(), d.says(s))
	}
	if lines, _ := rt.circles(); lines != "" {
		fmt.Fprintf(&d.out, "no task will end these waits:%s\n", lines)
	}
	if more := max(stats.Live, len(d.order)) - len(shown); more > 0 {
		fmt.Fprintf(&d.out, "about %d more", more)
		if !rt.config.debug {
			d.out.WriteString("; Debug shows also tasks that have not waited yet")
		}
		d.out.WriteByte('\n')
	}
}

// several returns a number of things.
func several(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "ch"):
		what += "e"
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// work says what w does.
func (d *dump) work(w *worker) string {
	if d.rt.idle.IsParked(w.id) {
		return "asleep"
	}
	r, _ := w.looked()
	if r == nil {
		return "awake"
	}
	what := r.name()
	if s := d.all[r.task]; s != nil {
		what = fmt.Sprintf("task %d", s.number)
	}
	return "runs " + what + d.since(w.shown.since.Load())
}

// name returns the name of the task with a space before it, or "".
func (s *sight) name() string {
	if s.record != nil {
		if name := s.record.name.Load(); name != nil && *name != "" {
			return fmt.Sprintf(" %q", *name)
		}
	}
	if text := textOf(s.does); text != "" {
		return " " + text
	}
	return ""
}

// says returns what the task does.
func (d *dump) says(s *sight) string {
	var parts []string
	switch s.state.Lifecycle() {
	case taskstate.Running:
		if s.place == "" {
			s.place = "runs"
		}
		parts = append(parts, s.place)
		s.waits = nil
	case taskstate.Scheduled:
		parts = append(parts, "queued")
		if s.record != nil && !s.record.begun.Load() {
			parts = append(parts, "not begun"+d.since(s.record.since))
		}
		s.waits = nil
	case taskstate.Idle:
		parts = append(parts, d.waitOf(s)...)
	}
	parts = append(parts, s.waits...)
	if s.forkOf > 0 {
		parts = append(parts, fmt.Sprintf("a fork of task %d", s.forkOf))
	}
	if s.state.Shield() > 0 {
		parts = append(parts, "in a shield")
	}
	if s.state.Cancelled() {
		parts = append(parts, "cancelled")
	}
	return strings.Join(parts, ", ")
}

// waitOf returns where the task waits, if that is known.
func (d *dump) waitOf(s *sight) []string {
	if s.record == nil {
		return []string{"waits"}
	}
	wait := s.record.wait.Load()
	if wait == nil {
		return []string{"waits"}
	}
	call, line := wait.where()
	if line == "" {
		return []string{call, strings.TrimSpace(d.since(wait.since))}
	}
	return []string{"waits in " + call, line, strings.TrimSpace(d.since(wait.since))}
}
