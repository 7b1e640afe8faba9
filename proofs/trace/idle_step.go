package trace

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/surewake/surewake/proofs/spec"
)

// A try is a step of certain agents.
type try struct {
	*idleStep
	j *judge
	e *event
	c *coordinator
	w *worker // nil: none
	m *notifier
	k int // a word, -1: none

	// Where the worker and the notifier are.
	at string
	mt place
}

// trying finds the agents of a step; nil if they are not those of the access.
func (j *judge) trying(s *idleStep, e *event, t *thread, o object) *try {
	x := &try{idleStep: s, j: j, e: e, c: o.of, k: -1}
	if o.name == "word" {
		x.k = o.n
	}
	if x.m = j.notices[e.Goroutine]; x.m != nil && x.m.of != o.of {
		x.m = nil
	}
	switch {
	case s.Name == again && o.of.closer == e.Goroutine && o.of.close.name != "Done":
		return nil
	case s.Worker == "":
	case o.name == "token":
		x.w = o.of.workers[o.n]
	case s.Worker == "i":
		c := t.in("Worker.")
		if c == nil {
			return nil
		}
		x.w = o.of.workers[j.objects[c.address].n]
	case s.Notifier != nil && slices.Equal(s.Notifier.Args, []string{"j"}):
		if x.m == nil {
			return nil
		}
		for _, p := range x.m.at {
			if p.name == s.Notifier.Name {
				x.w = o.of.workers[p.n]
			}
		}
	default:
		if bit := ^e.Arg; bits.OnesCount64(bit) == 1 {
			if id := o.n*64 + bits.TrailingZeros64(bit); id < len(o.of.workers) {
				x.w = o.of.workers[id]
			}
		}
	}
	if s.Worker != "" && x.w == nil {
		return nil
	}
	return x
}

// all returns the step from each place in which its agents may be, if it can be done there and
// leads an object to a value.
func (x *try) all(o object, after uint64) (fits []*try) {
	for _, y := range x.places() {
		if y.holds() && y.leads(o) == after {
			fits = append(fits, y)
		}
	}
	return fits
}

// places returns the step from each place in which its agents may be.
func (x *try) places() (all []*try) {
	at, mt := []string{""}, []place{ended}
	if x.w != nil && x.Worker == "i" {
		at = x.w.at
	}
	if x.m != nil {
		mt = x.m.at
	}
	for _, a := range at {
		for _, m := range mt {
			y := *x
			y.at, y.mt = a, m
			all = append(all, &y)
		}
	}
	return all
}

// to is where the step leads its worker, and becomes where its notifier.
func (x *try) to() string {
	if x.To != "" {
		return x.To
	}
	return x.at
}

func (x *try) becomes() place {
	switch {
	case x.Ends:
		return ended
	case x.Becomes != nil:
		return x.place(x.Becomes)
	case x.Starts != nil:
		return x.place(x.Starts)
	}
	return x.mt
}

// holds reports whether the step's conditions hold.
func (x *try) holds() bool {
	if s := x.Step; s.Worker == "i" && s.At != "" && x.at != s.At {
		return false
	}
	for what, need := range x.Needs {
		n := map[string]int{"bit": x.bit(), "tok": x.tok()}
		if what == "word" && x.w.id/64 != x.k || what != "word" && !compare(n[what], need) {
			return false
		}
	}
	for _, n := range x.Numbers {
		switch {
		case n.Op == "zero":
			if x.c.word(x.k) != 0 {
				return false
			}
		case n.X == "k":
			if !compare(x.k, n.Op+" "+fmt.Sprint(x.c.words())) {
				return false
			}
		case slices.Contains(x.c.table.unseen, n.X):
		case !compare(x.c.numbers[n.X], n.Op+" "+n.Y):
			return false
		}
	}
	if p := x.Notifier; p != nil && !x.is(p, x.mt) || p == nil && x.Starts != nil && x.mt != ended {
		return false
	}
	if p := x.NotClose; p != nil && x.c.close.name == p.Name {
		return false
	}
	return x.Close == nil || x.closes()
}

func (x *try) bit() int {
	if x.w == nil {
		return 0
	}
	return x.w.bit
}

func (x *try) tok() int {
	if x.w == nil {
		return 0
	}
	return x.w.tok
}

// closes reports whether Close is where the step wants it, and the goroutine is the one that
// closes.
func (x *try) closes() bool {
	p := x.Close
	switch {
	case x.c.close.name != p.Name || p.Name != "Open" && x.c.closer != x.e.Goroutine:
		return false
	case len(p.Args) > 0 && x.k >= 0 && x.c.close.n != x.k:
		return false
	case slices.Contains(p.Args, "none"):
		return len(x.c.through) == 0
	case len(p.Args) == 3:
		return x.c.through[x.w.id]
	}
	return true
}

// is reports whether a place is the one that a step names.
func (x *try) is(p *spec.Place, at place) bool {
	if at.name != p.Name {
		return false
	}
	switch {
	case len(p.Args) == 0:
		return true
	case p.Args[0] == "k":
		return at.n == x.k
	case p.Args[0] == "j":
		return at.n == x.w.id
	}
	return false
}

// compare evaluates a condition "op y" on x.
func compare(x int, condition string) bool {
	var op string
	var y int
	if _, err := fmt.Sscan(condition, &op, &y); err != nil {
		panic(fmt.Sprintf("trace: %q: %v", condition, err))
	}
	switch op {
	case "==":
		return x == y
	case "!=":
		return x != y
	case ">":
		return x > y
	case ">=":
		return x >= y
	case "<":
		return x < y
	}
	panic(fmt.Sprintf("trace: %q has no meaning here", condition))
}

// leads is what the table has for an object after the step.
func (x *try) leads(o object) uint64 {
	now := x.c.shared(o)
	switch o.name {
	case "searching":
		return now + signs[x.Sets["searching"]]
	case "closed":
		if x.Closes != nil {
			return 1
		}
	case "token":
		return now + signs[x.Gets["tok"]]
	case "word":
		if x.w == nil {
			break
		}
		switch bit := uint64(1) << (x.w.id % 64); x.Gets["bit"] {
		case "0":
			return now &^ bit
		case "1":
			return now | bit
		}
	}
	return now
}

var signs = map[string]uint64{"+": 1, "-": 1<<64 - 1}

// do has the effects of the step, which leads its agents to places.
func (x *try) do(at []string, mt []place) {
	x.j.rule(x.idleStep)
	w := x.w
	if x.To != "" {
		w.moves(x.e, at)
	}
	for what, got := range x.Gets {
		v := &w.bit
		if what == "tok" {
			v = &w.tok
		}
		*v = map[string]int{"0": 0, "1": 1, "+": *v + 1, "-": *v - 1}[got]
	}
	for v, change := range x.Sets {
		if !slices.Contains(x.c.table.unseen, v) {
			x.c.numbers[v] += map[string]int{"+": 1, "-": -1}[change]
		}
	}
	if x.Notifier != nil || x.Starts != nil {
		x.j.notices[x.e.Goroutine] = &notifier{mt, x.c}
		x.j.over(x.e.Goroutine)
	}
	if w != nil && x.Starts != nil && len(x.Starts.Args) > 0 || x.Name == "claim" {
		x.j.Highest = max(x.j.Highest, w.id)
	}
	if p := x.Closes; p != nil {
		x.goesOn(p)
	}
}

// over forgets a notifier that has ended.
func (j *judge) over(goroutine uint64) {
	if m := j.notices[goroutine]; m != nil && slices.Equal(m.at, []place{ended}) {
		delete(j.notices, goroutine)
	}
}

func (x *try) place(p *spec.Place) place {
	at := place{name: p.Name}
	if len(p.Args) > 0 {
		switch p.Args[0] {
		case "k":
			at.n = x.k
		case "k + 1":
			at.n = x.k + 1
		case "j":
			at.n = x.w.id
		}
	}
	return at
}

// goesOn leads Close to a place.
func (x *try) goesOn(p *spec.Place) {
	x.c.close = x.place(p)
	switch {
	case x.Close.Name == "Open":
		x.c.closer = x.e.Goroutine
	case slices.Contains(p.Args, "bits(k)"):
		clear(x.c.through)
		for i := range x.c.workers {
			if i/64 == x.k && x.c.workers[i].bit != 0 {
				x.c.through[i] = true
			}
		}
	case x.w != nil:
		delete(x.c.through, x.w.id)
	}
}
