package explore

import "time"

// The state of a search.
//
// A State is a search between two of its executions: what was found, the path to the next
// execution, and all that the search remembers of earlier ones. A search that goes on from it, in
// another process, runs the executions that the first one would have run, in the same order. So
// whatever is counted is the same as if it had not been interrupted, the digest too, and searches
// that cannot be divided (search_part.go) have states as well.
//
// The first execution from a state runs the path anew, as that of a subtree does. What a search
// knows of the nodes of its path differs from what running them anew shows: races found by earlier
// executions have added to it. So all of that is put back just before the last step, which is the
// only new one (putBack).
//
// While a small search runs once more to look for races (search_race.go) it has no state.

// A State is what the rest of a search depends on. It can be written as JSON.
type State struct {
	Tree   Subtree // the path, and the modes
	Result Result  // of the search so far, in Seconds
	Part   bool    // others search the rest of the tree
	Begun  bool    // they began the path
	Plain  []int   // the depths of the nodes at which no wakeup sequences begin

	Found       *Failure      `json:",omitempty"` // before the search was started again
	Ends        time.Duration // after its beginning; 0: no end
	Twice       bool          // the first schedule was run a second time
	Selects     bool
	ForeignSeen bool
	OrdersLeft  bool
	LeftOut     bool // apart.leftOut
	Longest     int
	Paused      int
	PausedSteps int
	Random      uint64

	Labels [][]int32 // of threads, by birth
	Wakeup []byte    // races, and wakeup trees (search_state_code.go)
}

// State returns the state of the search.
func (p Part) State() *State {
	e := p.e
	s := &State{
		Tree: e.subtree(e.plen, e.root, true), Result: p.Result(), Part: e.isPart(),
		Begun: e.wasBegun, Found: e.found, Twice: e.twice, Selects: e.selects,
		ForeignSeen: e.foreignSeen, OrdersLeft: e.ordersLeft, LeftOut: e.apart.leftOut,
		Longest: e.longest, Paused: e.paused, PausedSteps: e.pausedSteps, Random: e.rng.state,
	}
	if !e.deadline.IsZero() {
		s.Ends = e.deadline.Sub(e.start)
	}
	for _, of := range e.labels {
		s.Labels = append(s.Labels, append([]int32{}, of...))
	}
	for d := range e.plen {
		if e.stack[d].plain {
			s.Plain = append(s.Plain, d)
		}
	}
	s.Wakeup = e.wakeup()
	return s
}

// beginState makes the search go on from the state of the configuration, if there is one.
func (e *engine) beginState() {
	s := e.cfg.From
	if s == nil {
		return
	}
	if e.cfg.Subtree = nil; s.Part {
		e.cfg.Subtree = &s.Tree
	}
	e.res, e.cuts, e.found = s.Result, s.Result.Cuts, s.Found
	e.beginAt(&s.Tree)
	e.wasBegun = s.Begun
	e.first, e.resumed, e.twice, e.repeated = true, true, s.Twice, s.Twice
	e.selects, e.foreignSeen, e.ordersLeft = s.Selects, s.ForeignSeen, s.OrdersLeft
	e.apart.leftOut = s.LeftOut
	e.longest, e.paused, e.rng.state = s.Longest, s.Paused, s.Random
	e.pausedSteps = s.PausedSteps
	e.labels = s.Labels
	labels := 1
	for _, of := range s.Labels {
		for _, label := range of {
			labels = max(labels, int(label)+1)
		}
	}
	e.labelled = make([]int32, labels)
}

// beginTime sets the clock of the search to the time that it has taken.
func (e *engine) beginTime() {
	e.start = time.Now()
	e.lastLook = e.start
	s := e.cfg.From
	if s != nil {
		e.start = e.start.Add(-time.Duration(s.Result.Seconds * float64(time.Second)))
	}
	e.deadline = e.budgetEnd()
	if s != nil && s.Ends > 0 {
		e.deadline = e.start.Add(s.Ends)
	}
}

// putBackBefore puts back what the search knew of its path if its last step is at depth d.
func (e *engine) putBackBefore(d int) {
	if d == len(e.given)-1 && e.cfg.From != nil {
		e.putBack()
	}
}

// putBack makes the nodes of the path what they were, before its last step.
func (e *engine) putBack() {
	s := e.cfg.From
	for d := range s.Tree.Steps {
		b, ev := &s.Tree.Steps[d], &e.stack[d]
		back := setOf(b.Done)
		if d >= s.Tree.Fixed {
			back = setOf(b.Back)
		}
		e.setNode(ev, nodeBack, back)
		e.setNode(ev, nodeDone, setOf(b.Done))
		ev.plain = false
	}
	for _, d := range s.Plain {
		e.stack[d].plain = true
	}
	e.setWakeup(s.Wakeup)
}
