package explore

import (
	"slices"
	"time"
)

// Parts of the search tree.
//
// A Subtree is what is left to explore from some nodes of one path. Its first Fixed steps only lead
// to its root: what else begins at their nodes is in other subtrees. Of a later step, the subtree
// has the branches that are still to come, too.
//
// The search of a tree can give away subtrees (Part.Split). At the first node of its path from
// which more than one thread can go on, all that are awake and were not begun become subtrees, and
// the node becomes a step to the root of what is left. So every thread that does not sleep is
// explored from such a node. A race that asks for another order there is ignored: who finds it does
// not know what was explored from there, and need not, as it is everything. In each subtree the
// threads sleep that come before it in the order of its siblings. It does not matter when these
// are explored, or by whom. Sleep sets alone let each trace be explored at most once, so that
// subtrees are disjoint, and that each node has all that is awake makes them complete. They need no
// communication.
//
// What it costs: a thread that need not be explored from a node, as no race asks for it, makes a
// subtree in which something sleeps for ever. Its executions are cut short. So counts of complete
// and of deadlocked executions do not depend on how a tree was divided; that of pruned ones does.
//
// Part.Rest is what is left of the search of a tree, as a subtree. Its later steps have the
// backtracking sets of their nodes.
//
// Subtrees have no wakeup sequences (search_wakeup.go). A sequence keeps the promise that whatever
// sleeps is woken on its way. Where something sleeps without that promise, a race whose sequence
// does not wake it must not be dropped. So a node is plain, and its races are reversed by
// backtracking sets, if it is a step of a subtree that may have lost sequences, or comes after a
// plain one and something still sleeps.
//
// When executions ask for another way to search (engine.wantsAgain), all subtrees are to be
// searched in that way, from the beginning. So the search of a subtree ends then (Result.Again).
//
// In a loop that polls channels, how often it does so before what it waits for comes is not the
// same for all executions of a trace: their number depends on which thread was first. A search that
// meets such a loop gives nothing away (engine.polls).
//
// Within a bound on preemptions nothing is given away: to explore every thread would repeat traces
// that the search leaves out, and counts would depend on it.

// A Subtree is a part of the search tree of a body. That with no steps is the whole tree.
type Subtree struct {
	Modes string   // how it is searched: some of the letters of modes
	Fixed int      // how many steps lead to its root
	Later bool     // the later choices of the last of these steps are a part of it, too
	Hash  uint64   // of the steps before the last: where they must lead
	Steps []Branch // those, and those of the path on which the search of the subtree is
}

// A Branch is a step of the path of a subtree, and what is known of its node.
type Branch struct {
	Thread int
	Choice int   // if the operation chooses a value
	Done   []int // threads that were explored from there, or sleep as if they were; Thread, too
	Back   []int // threads that are to be explored from there, those of Done included
}

// modes are the ways of a search that its executions ask for, by their letters.
func (e *engine) modes() []struct {
	letter byte
	on     *bool
	wants  *bool
} {
	return []struct {
		letter byte
		on     *bool
		wants  *bool
	}{
		{'a', &e.orderAdds, &e.wantOrderAdds},
		{'d', &e.orderDones, &e.wantOrderDones},
		{'e', &e.requests[ofSignals], &e.wantRequests[ofSignals]},
		{'f', &e.rendezvous[ofSignals], &e.wantRendezvous[ofSignals]},
		{'l', &e.anyLoops, &e.wantAnyLoops},
		{'m', &e.mixed, &e.wantMixed},
		{'p', &e.polls, &e.wantPolls},
		{'q', &e.requests[ofValues], &e.wantRequests[ofValues]},
		{'r', &e.rendezvous[ofValues], &e.wantRendezvous[ofValues]},
		{'s', &e.simple, &e.wantSimple},
		{'t', &e.clocked, &e.wantClocked},
		{'w', &e.overlaid, &e.wantOverlaid},
		{'x', &e.res.cut, new(bool)}, // the bound on preemptions has left something out
	}
}

// modeText returns the modes of the search, or with wanted those that an execution asked for, too.
func (e *engine) modeText(wanted bool) string {
	var text []byte
	for _, m := range e.modes() {
		if *m.on && !(wanted && m.letter == 'x') || wanted && *m.wants {
			text = append(text, m.letter)
		}
	}
	return string(text)
}

// beginSubtree makes the search that of the subtree of the configuration, if there is one.
func (e *engine) beginSubtree() {
	s := e.cfg.Subtree
	if s == nil {
		return
	}
	e.beginAt(s)
	e.wasBegun = len(s.Steps) > 0
}

// beginAt makes the first execution that at which s is, in its modes.
func (e *engine) beginAt(s *Subtree) {
	for _, m := range e.modes() {
		*m.on = slices.Contains([]byte(s.Modes), m.letter)
	}
	e.optimal = e.optimal && !e.simple
	e.given, e.givenHash, e.root, e.later = s.Steps, s.Hash, s.Fixed, s.Later
}

// isPart reports whether others search the rest of the tree.
func (e *engine) isPart() bool { return e.root > 0 || e.cfg.Subtree != nil }

// givenAt returns the step of the subtree at depth d, nil if it has none there or was entered.
func (e *engine) givenAt(d int) *Branch {
	if d < len(e.given) {
		return &e.given[d]
	}
	return nil
}

// leadsOn reports whether the step b of the subtree can be taken at depth d, where those of cand
// can run. If not, the execution fails.
func (e *engine) leadsOn(b *Branch, d int, cand threadSet) bool {
	last := d == len(e.given)-1
	if !cand.has(b.Thread) || last && e.lastHash() != e.givenHash {
		e.nondeterministic("the first %d steps of a schedule lead to another state in this "+
			"process (now %s)", d, e.pendingList())
		return false
	}
	return true
}

// isPlain reports whether races are reversed without wakeup sequences at the new node at depth d,
// from which b is explored; b is nil if nothing is given.
func (e *engine) isPlain(b *Branch, d int) bool {
	switch {
	case !e.optimal || !e.isPart():
		return false
	case b != nil && (len(b.Done) > 1 || len(b.Back) > 1):
		return true
	}
	return d > 0 && e.stack[d-1].plain && !e.sleep.empty()
}

// endGiven fails the first execution of a subtree if it did not come to its root.
func (e *engine) endGiven() {
	if e.depth < len(e.given) && !e.wantsAgain() {
		e.nondeterministic("an execution with the same first steps ended after %d of %d in this "+
			"process", e.depth, len(e.given))
	}
	e.given = nil
}

func setOf(threads []int) (s threadSet) {
	for _, i := range threads {
		s.add(i)
	}
	return s
}

func listOf(s threadSet) (threads []int) {
	for i := s.first(); i >= 0; i = s.next(i + 1) {
		threads = append(threads, i)
	}
	return threads
}

// A Part is a search between two of its executions.
type Part struct{ e *engine }

// Result returns what was found so far.
func (p Part) Result() Result {
	e := p.e
	r := e.res
	r.Seconds, r.Cuts = time.Since(e.start).Seconds(), slices.Clone(e.cuts)
	r.Uses, r.Assumed = slices.Clone(r.Uses), slices.Clone(r.Assumed)
	return r
}

// isDivisible reports whether subtrees can be given away. A race run that may be a small one, to
// be run once more, is not divided yet (search_race.go).
func (e *engine) isDivisible() bool {
	small := Race && !e.isPart() && e.res.Executions() <= smallSearch
	return e.reduce && !e.bounded && !e.polls && e.certificate == nil && e.counted == nil && !small
}

// notePoll notes that t polls channels in a loop.
func (e *engine) notePoll() {
	if e.isPart() {
		e.wantPolls = e.wantPolls || !e.polls
	} else {
		e.polls = true
	}
}

// Rest returns what is left to explore.
func (p Part) Rest() Subtree { return p.e.subtree(p.e.plen, p.e.root, true) }

// Split takes some subtrees off what is left to explore. It returns none if there are none.
func (p Part) Split() []Subtree {
	e := p.e
	if !e.isDivisible() {
		return nil
	}
	for e.root < e.plen-1 {
		var others []Subtree
		if e.later {
			e.later = false
			others = e.choices(e.root - 1)
		} else {
			e.root++
			others = append(e.choices(e.root-1), e.siblings(e.root-1)...)
		}
		if len(others) > 0 {
			return others
		}
	}
	return nil
}

// subtree returns the first n steps of the path, fixed of which lead to the root. open says that
// the nodes of the others are as they are, and not as they were when they were reached.
func (e *engine) subtree(n, fixed int, open bool) Subtree {
	s := Subtree{Modes: e.modeText(false), Fixed: fixed, Steps: make([]Branch, n)}
	s.Later = open && e.later
	if n > 1 {
		s.Hash = e.stack[n-2].hash
	}
	for d := range n {
		ev := &e.stack[d]
		b := &s.Steps[d]
		b.Thread, b.Choice = int(ev.tid), int(ev.choice)
		b.Done = listOf(e.node(ev, nodeDone))
		if open && d >= fixed {
			b.Back = listOf(e.node(ev, nodeBack))
		}
	}
	return s
}

// choices returns the subtrees of the further choices of the event at depth d.
func (e *engine) choices(d int) (out []Subtree) {
	ev := &e.stack[d]
	for c := ev.choice + 1; c < ev.choices; c++ {
		s := e.subtree(d+1, d+1, false)
		s.Steps[d].Choice = int(c)
		out = append(out, s)
	}
	return out
}

// siblings returns the subtrees of the threads that were not explored from the node at depth d and
// are awake there, those first that must be explored.
func (e *engine) siblings(d int) (out []Subtree) {
	ev := &e.stack[d]
	done := e.node(ev, nodeDone)
	awake := e.node(ev, nodeEnabled).without(e.node(ev, nodeSleep)).without(done)
	back := e.node(ev, nodeBack).intersection(awake)
	for _, todo := range []threadSet{back, awake.without(back)} {
		for i := todo.first(); i >= 0; i = todo.next(i + 1) {
			done.add(i)
			s := e.subtree(d+1, d+1, false)
			s.Later, s.Steps[d] = true, Branch{Thread: i, Done: listOf(done)}
			out = append(out, s)
		}
	}
	return out
}

// Expand returns the subtrees that s consists of, in their order: those that begin where its
// executions first differ. It runs one of these, whose result it returns. There are none if they do
// not differ, or if the tree cannot be divided.
func Expand(cfg Config, s Subtree, body func()) (below []Subtree, res Result) {
	cfg.Subtree, cfg.Progress, cfg.Between = &s, nil, nil
	cfg.expands = &below
	res = Run(cfg, body)
	return below, res
}

// expand puts the subtrees of the subtree that the search is of into Config.expands.
func (e *engine) expand() {
	if !e.isDivisible() || e.res.Failure != nil {
		return
	}
	at := e.cfg.Subtree
	for d := len(at.Steps) - 1; d < e.depth; d++ {
		var others []Subtree
		if d >= len(at.Steps) || at.Later {
			others = e.choices(d)
		}
		if d >= len(at.Steps) {
			others = append(others, e.siblings(d)...)
		}
		if len(others) > 0 {
			*e.cfg.expands = append([]Subtree{e.subtree(d+1, d+1, false)}, others...)
			return
		}
	}
}

// isDue reports whether Config.Between may have to be called after this execution: each time if it
// asks for that, or if executions are slow.
func (e *engine) isDue() bool {
	return e.cfg.Between != nil && (e.cfg.Every == 0 || e.slowly || e.depth >= longExecution)
}

// Executions of so many steps, or of which 16 take so long, are slow.
const (
	longExecution = 512
	slowSixteen   = 100 * time.Millisecond
)

// between calls Config.Between. It reports whether the search goes on.
func (e *engine) between() bool {
	if e.cfg.Between == nil || e.counted != nil {
		return true
	}
	now := time.Now()
	e.slowly = now.Sub(e.lastLook) > slowSixteen
	e.lastLook = now
	if now.Sub(e.lastBetween) < e.cfg.Every {
		return true
	}
	e.lastBetween = now
	return e.cfg.Between(Part{e})
}

// Add adds what the search of another part of the same tree found. The failure stays that of r if
// it has one.
func (r *Result) Add(p *Result) {
	r.Complete += p.Complete
	r.Deadlocked += p.Deadlocked
	r.Pruned += p.Pruned
	r.Failures += p.Failures
	r.Steps += p.Steps
	r.CutShort = r.CutShort || p.CutShort
	r.Left += p.Left
	r.Races += p.Races
	r.Digest += p.Digest
	r.ForcedTimeouts += p.ForcedTimeouts
	r.Rescued += p.Rescued
	r.Threads = max(r.Threads, p.Threads)
	r.Held, r.HeldLong = r.Held || p.Held, r.HeldLong || p.HeldLong
	r.HeldFutex, r.HeldClock = r.HeldFutex || p.HeldFutex, r.HeldClock || p.HeldClock
	r.Timed, r.AsksTime = r.Timed || p.Timed, r.AsksTime || p.AsksTime
	r.Assumed, r.Uses = joined(r.Assumed, p.Assumed), joined(r.Uses, p.Uses)
	if r.Failure == nil {
		r.Failure = p.Failure
	}
	stopped := r.Bounded
	if stopped == "" || stopped == cutText(r.Cuts) {
		if stopped = p.Bounded; stopped == cutText(p.Cuts) {
			stopped = ""
		}
	}
	r.Cuts = joined(r.Cuts, p.Cuts)
	if r.Bounded = stopped; stopped == "" {
		r.Bounded = cutText(r.Cuts)
	}
}

// joined returns what is in a or b, each once.
func joined[T comparable](a, b []T) []T {
	out := slices.Clip(a)
	for _, v := range b {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}
