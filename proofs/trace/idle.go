package trace

import (
	"fmt"
	"slices"
	"strings"
)

// idleAccess leads the table over an access to a field of a Coordinator.
func (j *judge) idleAccess(e *event, t *thread, o object) error {
	if got := o.of.shared(o); got != e.Before {
		return j.refuse(e, o, nil, nil, fmt.Sprintf("the table has %s=%d there, so somebody has "+
			"written it without an access", o.name, got))
	}
	return j.step(e, t, o, e.Before, e.After)
}

// tokenAccess does it for the word of a worker's Parker.
func (j *judge) tokenAccess(e *event, t *thread, p *parker) error {
	before, after := isToken(e.Before), isToken(e.After)
	return j.step(e, t, object{p.worker.c, "token", p.worker.id}, uint64(before), uint64(after))
}

func (j *judge) step(e *event, t *thread, o object, before, after uint64) error {
	var about []*idleStep
	var fits []*try
	j.starts(e, o)
	for _, s := range o.of.table.steps {
		if !s.seen || !s.access.Is(o.name, e.Op.String(), e.stack.functions) {
			continue
		}
		about = append(about, s)
		if x := j.trying(s, e, t, o); x != nil {
			fits = append(fits, x.all(o, after)...)
		}
	}
	switch {
	case fits == nil && before != after:
		return j.refuse(e, o, t, about, "")
	case fits == nil:
		return nil // it means nothing
	}
	x := fits[0]
	var at []string
	var mt []place
	for _, f := range fits {
		if f.idleStep != x.idleStep && (before != after || f.Closes != nil || x.Closes != nil) {
			return fmt.Errorf("trace: event %d may be %s, and may be %s", e.n, x.Name, f.Name)
		}
		at, mt = add(at, f.to()), add(mt, f.becomes())
	}
	if before == after && x.Closes == nil { // it may also mean nothing
		for _, f := range fits {
			at, mt = add(at, f.at), add(mt, f.mt)
		}
		if x.w != nil {
			at = add(at, x.w.at...)
		}
		if x.m != nil {
			mt = add(mt, x.m.at...)
		}
	}
	x.do(at, mt)
	j.passes(e, o.of)
	return nil
}

func add[T comparable](all []T, more ...T) []T {
	for _, x := range more {
		if !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	return all
}

// starts begins a notifier where Notify is called for a task that no trace shows: of another queue.
func (j *judge) starts(e *event, o object) {
	if o.name != "searching" || !slices.Contains(e.stack.functions, "idle.Notify") {
		return
	}
	m := j.notices[e.Goroutine]
	if m == nil {
		m = &notifier{at: []place{ended}, of: o.of}
	}
	if !slices.Contains(m.at, ended) {
		return
	}
	for _, s := range o.of.table.steps {
		if s.Starts != nil && s.Worker == "" && s.Notifier == nil && !s.seen {
			m.at = add(m.at, place{name: s.Starts.Name})
			j.notices[e.Goroutine] = m
		}
	}
}

func (j *judge) rule(s *idleStep) { j.Rules["idle/"+s.Name]++ }

// passes does what no access shows: a notifier, or Close, is through with the words, or a word.
func (j *judge) passes(e *event, c *coordinator) {
	if m := j.notices[e.Goroutine]; m != nil && m.of == c {
		for _, s := range c.table.steps {
			for i := 0; i < len(m.at) && !s.seen && s.Worker == "" && s.Notifier != nil; i++ {
				x := &try{idleStep: s, j: j, e: e, c: c, m: m, mt: m.at[i], k: m.at[i].n}
				if x.holds() {
					j.rule(s)
					m.at = add(m.at, x.becomes())
				}
			}
		}
	}
	for more := true; more; {
		more = false
		for _, s := range c.table.steps {
			x := &try{idleStep: s, j: j, e: e, c: c, k: c.close.n}
			if !s.seen && s.Worker == "" && s.Close != nil && s.Name != "close_done" && x.holds() {
				x.do(nil, nil)
				more = true
			}
		}
	}
}

// said leads the table over what a recheck has said, for each worker that the goroutine has
// published before.
func (j *judge) said(e *event, t *thread) error {
	name := map[uint64]string{0: "recheck_none", 1: "recheck_work"}[e.After]
	for _, w := range t.owned(e) {
		for _, s := range w.c.table.steps {
			if s.Name != name {
				continue
			}
			x := &try{idleStep: s, j: j, e: e, c: w.c, w: w, m: j.notices[e.Goroutine], k: -1}
			for _, y := range x.places() {
				if y.holds() {
					y.do([]string{y.to()}, []place{y.becomes()})
				}
			}
		}
	}
	return nil
}

// owes refuses a call by a goroutine that has something else to do first.
func (j *judge) owes(e *event, t *thread) error {
	m := j.notices[e.Goroutine]
	if m == nil {
		return nil
	}
	function, o := e.stack.text, j.objects[e.Address]
	if !strings.HasPrefix(function, "Worker.") && !strings.HasPrefix(function, "Coordinator.") &&
		!strings.HasPrefix(function, "Parker.") {
		return nil
	}
	ok := m.only(func(p place) bool {
		return p == ended || p.name == "M3" && function == "Parker.Unpark" ||
			p.name == "M0" && function == "Coordinator.Notify" && o.of == m.of
	})
	if j.over(e.Goroutine); ok {
		return nil
	}
	return j.refuse(e, object{m.of, "", 0}, t, nil, "the goroutine has to go on with this first")
}

// parks is the call of Park: only by a worker that the table has asleep.
func (j *judge) parks(e *event, t *thread) error {
	p := j.parkers[e.Address]
	if own := t.owned(e); p.worker == nil && len(own) == 1 && slices.ContainsFunc(own[0].at,
		func(at string) bool { return slices.Contains(own[0].c.table.parked, at) }) {
		if err := j.belongs(e, p, own[0]); err != nil {
			return err
		}
	}
	w := p.worker
	if w != nil && !w.only(e, func(at string) bool { return at == "P" }) {
		return j.refuse(e, object{w.c, "worker", w.id}, t, nil, "it is done only in P")
	}
	return nil
}

// unparks is the call of Unpark for a worker: only by who has claimed and counted it.
func (j *judge) unparks(e *event) error {
	p, m := j.parkers[e.Address], j.notices[e.Goroutine]
	var claimed *worker
	if m != nil && m.only(func(p place) bool { return p.name == "M3" }) {
		claimed = m.of.workers[m.at[0].n]
	}
	switch {
	case claimed != nil && p.worker == nil:
		return j.belongs(e, p, claimed)
	case claimed != p.worker:
		return j.refuse(e, object{p.worker.c, "worker", p.worker.id}, nil, nil,
			"it is done only by who has claimed the worker, and counted it")
	}
	return nil
}

// belongs notes whose a Parker is.
func (j *judge) belongs(e *event, p *parker, w *worker) error {
	if w.parker != 0 && w.parker != e.Address {
		return j.refuse(e, object{w.c, "worker", w.id}, nil, nil, "the worker has another Parker")
	}
	p.worker, w.parker = w, e.Address
	return nil
}

// notified is the end of a call that notifies: it has done so.
func (j *judge) notified(e *event) error {
	m := j.notices[e.Goroutine]
	if m == nil {
		return nil
	}
	ok := m.only(func(p place) bool { return p == ended || p.name == "M3" })
	if j.over(e.Goroutine); !ok {
		return j.refuse(e, object{m.of, "", 0}, nil, nil, "the call owes a notification")
	}
	return nil
}

// closed is the end of Close.
func (j *judge) closed(e *event) error {
	c := j.objects[e.Address].of
	for _, s := range c.table.steps {
		x := &try{idleStep: s, j: j, e: e, c: c, k: c.close.n}
		switch {
		case s.Name != "close_done" || c.closer != e.Goroutine || c.close.name == "Done":
		case !x.holds():
			return j.refuse(e, object{c, "", 0}, nil, []*idleStep{s}, "")
		default:
			x.do(nil, nil)
		}
	}
	if c.closer == e.Goroutine && c.close.name != "Done" {
		return j.refuse(e, object{c, "", 0}, nil, nil, "Close is not done")
	}
	return nil
}

// returns is the end of a call by a worker: not in a place within it.
func (j *judge) returns(e *event, t *thread) error {
	o := j.objects[e.Address]
	w := o.of.workers[o.n]
	outside := func(at string) bool {
		call := o.of.table.inside[at]
		return call == "" || "Worker."+call != e.stack.text
	}
	if !w.only(e, outside) {
		return j.refuse(e, o, t, nil, "the call does not end in these places")
	}
	return nil
}
