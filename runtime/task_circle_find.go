package runtime

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Finding a circle
//
// Something is stuck, which means that it never ends, if there is a reason: one of its parts is, or
// all of what it waits for is, of which one would do. What can be stuck is found by assuming that
// all are, and taking back what has no reason left. A circle leads from a task back to it, through
// what is stuck.

// A finder looks for circles in notes, whose lock is held.
type finder struct {
	rt    *Runtime
	notes *waitNotes
	loose bool // loose notes count
	seen  map[any][]reason
	order []any // the keys of seen, as they were reached
	ends  map[*task]bool
	stuck map[any]bool
	// queued has the names of the blocking tasks for which there is no goroutine, and busy those
	// that have one; nil: not looked at yet.
	queued map[*task]string
	busy   []any
}

// A reason says that something is stuck if all of these are.
type reason struct {
	all  []any
	line string
	note *waitNote // or nil
}

// circle returns a line for each step that leads from t back to t, and for what else would have to
// end; or "". It is called under the lock.
func (n *waitNotes) circle(t *task) string {
	f := &finder{rt: t.rt, notes: n}
	if !f.look(t) || !f.judge()[t] {
		return ""
	}
	told := map[any]bool{}
	return f.tell(t, told)
}

// circles returns the lines of all circles, also of loose notes, and of waits for locks whose
// holder has ended; and the notes of the tasks in them.
func (rt *Runtime) circles() (lines string, in []*waitNote) {
	n := &rt.waits
	n.lock.Lock()
	defer n.lock.Unlock()
	if len(n.waits) == 0 || len(n.waits) > lookMost {
		return "", nil
	}
	f := &finder{rt: rt, notes: n, loose: true}
	for t := range n.waits {
		f.look(t)
	}
	f.judge()
	var stuck []*waitNote
	for t, note := range n.waits {
		if f.stuck[t] {
			stuck = append(stuck, note)
		}
	}
	slices.SortFunc(stuck, func(a, b *waitNote) int {
		return cmp.Compare(a.run.record.numbered(), b.run.record.numbered())
	})
	told := map[any]bool{}
	var text strings.Builder
	for _, note := range stuck {
		if t := note.run.task; !told[t] && f.path(t, func(at any) bool { return at == t }) != nil {
			text.WriteString(f.tell(t, told))
		}
	}
	for _, note := range stuck { // not in a circle, but behind a lock that nobody unlocks
		t := note.run.task
		abandoned := func(at any) bool { return !told[at] && f.isAbandoned(at) }
		if steps := f.path(t, abandoned); !told[t] && steps != nil {
			for _, s := range steps {
				told[s.at] = true
				text.WriteString(s.reason.line)
			}
			last := steps[len(steps)-1].to
			told[last] = true
			text.WriteString(f.reason(last).line)
		}
	}
	for _, note := range stuck {
		if told[note.run.task] {
			in = append(in, note)
		}
	}
	return text.String(), in
}

// numbered returns the number of r, which may be nil.
func (r *record) numbered() uint64 {
	if r == nil {
		return 0
	}
	return r.number
}

// look reaches all that t waits for, and reports whether that leads back to t.
func (f *finder) look(t *task) (back bool) {
	if f.seen == nil {
		f.seen = map[any][]reason{}
	}
	from := len(f.order)
	f.reach(t)
	for ; from < len(f.order); from++ {
		at := f.order[from]
		f.seen[at] = f.reasons(at)
		for _, r := range f.seen[at] {
			for _, to := range r.all {
				f.reach(to)
				back = back || to == t
			}
		}
	}
	return back
}

func (f *finder) reach(at any) {
	if _, again := f.seen[at]; !again {
		f.seen[at] = nil
		f.order = append(f.order, at)
	}
}

// reasons returns why at may be stuck.
func (f *finder) reasons(at any) (all []reason) {
	switch at := at.(type) {
	case *task:
		if at.ended() {
			return nil
		}
		if note := f.notes.waits[at]; note != nil && (f.loose || !note.loose) {
			all = append(all, reason{note.wholes, note.String(), note})
		} else if name, queued := f.isQueued(at); queued {
			line := fmt.Sprintf("\n\t%s waits for a goroutine of BlockingThreads", name)
			all = append(all, reason{f.busy, line, nil})
		}
	case groupPlace:
		if listed := at.group.functions(); len(listed) > 0 {
			all = append(all, reason{listed, "", nil})
		}
	case heldLock:
		for _, h := range at.holders() {
			r := reason{[]any{h.run.task}, h.String(), nil}
			if h.run.task.ended() {
				r.all = nil
			}
			all = append(all, r)
		}
	}
	for part, tie := range f.notes.parts[at] {
		line := ""
		if tie.run != nil {
			line = fmt.Sprintf("\n\t%s ends after %s", tie.run.name(),
				f.notes.waits[part].run.name())
		}
		all = append(all, reason{[]any{part}, line, nil})
	}
	return all
}

// isQueued reports whether t is a blocking task for which there is no goroutine, and returns its
// name.
func (f *finder) isQueued(t *task) (name string, queued bool) {
	if t.rt != f.rt {
		return "", false
	}
	if f.queued == nil {
		f.queued, f.busy = f.rt.blocking.demand()
	}
	name, queued = f.queued[t]
	return name, queued
}

// String is a line that says what the note does.
func (n *waitNote) String() string {
	return fmt.Sprintf("\n\t%s %s %s", n.run.name(), n.how, n.where)
}

// judge finds what is stuck.
func (f *finder) judge() map[any]bool {
	f.findEnds()
	f.stuck = map[any]bool{}
	for _, at := range f.order {
		f.stuck[at] = true
	}
	for changed := true; changed; {
		changed = false
		for _, at := range slices.Backward(f.order) {
			if f.stuck[at] && f.reason(at) == nil {
				delete(f.stuck, at)
				changed = true
			}
		}
	}
	return f.stuck
}

// reason returns why at is stuck, or nil.
func (f *finder) reason(at any) *reason {
	for i := range f.seen[at] {
		if r := &f.seen[at][i]; f.holds(r) {
			return r
		}
	}
	return nil
}

func (f *finder) holds(r *reason) bool {
	if r.note != nil && !r.note.keeps && f.ends[r.note.run.task] {
		return false
	}
	for _, to := range r.all {
		if !f.stuck[to] {
			return false
		}
	}
	return true
}

// findEnds finds which tasks must end, now or at their deadline, so that they give up what they
// wait for. They hand that on to their children, functions and parts, though perhaps not yet; but
// not in a shield.
func (f *finder) findEnds() {
	f.ends = map[*task]bool{}
	var list []*task
	add := func(at any) {
		t, ok := at.(*task)
		if ok && !f.ends[t] && !t.ended() && t.state.Load().Shield() == 0 {
			f.ends[t] = true
			list = append(list, t)
		}
	}
	for _, at := range f.order {
		t, ok := at.(*task)
		if !ok {
			continue
		}
		note := f.notes.waits[t]
		if note != nil && note.run.deadline || t.state.Load().CancelEffective() ||
			t.rt.cancelling() {
			add(t)
		}
	}
	for ; len(list) > 0; list = list[1:] {
		for part := range f.notes.parts[list[0]] {
			add(part)
		}
		note := f.notes.waits[list[0]]
		if note == nil || !note.keeps {
			continue
		}
		for _, to := range note.wholes {
			add(to)
			if g, ok := to.(*Group); ok {
				for _, t := range g.functions() {
					add(t)
				}
			}
		}
	}
}

// A stuckStep leads from one thing that is stuck to another.
type stuckStep struct {
	at, to any
	reason *reason
}

// path returns the fewest steps that lead from at, through what is stuck, to what arrived accepts;
// or nil.
func (f *finder) path(at any, arrived func(any) bool) []stuckStep {
	came := map[any]stuckStep{}
	for list := []any{at}; len(list) > 0; list = list[1:] {
		for i := range f.seen[list[0]] {
			r := &f.seen[list[0]][i]
			if !f.holds(r) {
				continue
			}
			for _, to := range r.all {
				if _, again := came[to]; again {
					continue
				}
				came[to] = stuckStep{list[0], to, r}
				if arrived(to) {
					steps := []stuckStep{came[to]}
					for steps[0].at != at {
						steps = slices.Insert(steps, 0, came[steps[0].at])
					}
					return steps
				}
				list = append(list, to)
			}
		}
	}
	return nil
}

// tell returns the lines of the shortest circle through t; and if a step of it waits for the first
// of several, those that lead from the others to what has been told.
func (f *finder) tell(t *task, told map[any]bool) string {
	steps := f.path(t, func(at any) bool { return at == t })
	isStep := func(at any) bool {
		return slices.ContainsFunc(steps, func(s stuckStep) bool { return s.at == at })
	}
	var text strings.Builder
	for i := 0; i < len(steps); i++ {
		s := steps[i]
		if !told[s.at] {
			told[s.at] = true
			text.WriteString(s.reason.line)
		}
		for _, other := range s.reason.all {
			if other == s.to || told[other] {
				continue
			}
			more := f.path(other, func(at any) bool { return told[at] || isStep(at) })
			steps = append(steps, more...)
		}
	}
	return text.String()
}

// isAbandoned reports whether at is a lock whose holder has ended.
func (f *finder) isAbandoned(at any) bool {
	if _, ok := at.(heldLock); !ok {
		return false
	}
	r := f.reason(at)
	return r != nil && len(r.all) == 0
}

// functions returns the tasks of the functions that run.
func (g *Group) functions() (all []any) {
	g.lock.Lock()
	defer g.lock.Unlock()
	for c := g.listed; c != nil; c = c.next {
		all = append(all, &c.task)
	}
	return all
}
