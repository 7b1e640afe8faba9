package trace

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/surewake/surewake/proofs/trace/atomic"
)

// A Refusal is an error that says which step of a trace the tables do not have.
type Refusal string

func (r Refusal) Error() string { return string(r) }

func (j *judge) refuse(e *event, o object, t *thread, about []*idleStep, why string) error {
	var b strings.Builder
	on := ""
	switch o.name {
	case "":
	case "word", "worker", "token":
		on = fmt.Sprintf(" on %s %d,", o.name, o.n)
	default:
		on = fmt.Sprintf(" on %s,", o.name)
	}
	fmt.Fprintf(&b, "table idle has no such step: %s,%s by goroutine %x, event %d", what(e), on,
		e.Goroutine, e.n)
	if e.Kind == atomic.Access {
		fmt.Fprintf(&b, "\nthe memory was %#x, and is now %#x", e.Before, e.After)
	}
	if why != "" {
		fmt.Fprintf(&b, "\n%s", why)
	}
	m := j.notices[e.Goroutine]
	if m != nil {
		fmt.Fprintf(&b, "\nthe goroutine is a notifier in %s", m)
	}
	fmt.Fprintf(&b, "\nthe table has  searching=%d close=%s(%d)", o.of.numbers["searching"],
		o.of.close.name, o.of.close.n)
	w := j.concerned(e, o, t)
	if w != nil {
		fmt.Fprintf(&b, " and worker %d in %s bit=%d tok=%d", w.id, strings.Join(w.at, " or "),
			w.bit, w.tok)
	}
	if w != nil {
		fmt.Fprintf(&b, "\nby the table it may now do  %s", j.possible(e, w))
	}
	for _, s := range about {
		fmt.Fprintf(&b, "\nrule %-15s if %s then %s", s.Name, s.When, s.Do)
		if w != nil && s.At != "" && !slices.Contains(w.at, s.At) && w.moved[s.At] != nil {
			fmt.Fprintf(&b, "\n     it was last possible until event %d: %s", w.moved[s.At].n,
				what(w.moved[s.At]))
		}
	}
	if about == nil && e.Kind == atomic.Access {
		b.WriteString("\nno rule is about this access")
	}
	if w != nil && w.moved != nil && about == nil {
		for _, at := range slices.Sorted(maps.Keys(w.moved)) {
			fmt.Fprintf(&b, "\nit left %s in event %d: %s", at, w.moved[at].n, what(w.moved[at]))
		}
	}
	return Refusal(b.String())
}

func (m *notifier) String() string {
	var all []string
	for _, p := range m.at {
		switch {
		case p == ended:
			all = append(all, "no place, having ended")
		case p.name == "M0":
			all = append(all, p.name)
		default:
			all = append(all, fmt.Sprintf("%s(%d)", p.name, p.n))
		}
	}
	return strings.Join(all, " or ")
}

// possible lists the rules that a worker may do now, with their accesses.
func (j *judge) possible(e *event, w *worker) string {
	var all []string
	for _, s := range w.c.table.steps {
		x := &try{idleStep: s, j: j, e: e, c: w.c, w: w, m: j.notices[e.Goroutine], k: -1}
		if s.Worker == "i" && slices.ContainsFunc(x.places(), (*try).holds) {
			all = append(all, fmt.Sprintf("%s (%s)", s.Name, s.Code))
		}
	}
	if all == nil {
		return "nothing"
	}
	return strings.Join(all, ", ")
}

// concerned is the worker that a refusal speaks about, if there is one.
func (j *judge) concerned(e *event, o object, t *thread) *worker {
	switch {
	case o.name == "worker" || o.name == "token":
		return o.of.workers[o.n]
	case t == nil:
		return nil
	}
	if c := t.in("Worker."); c != nil {
		return j.objects[c.address].of.workers[j.objects[c.address].n]
	}
	return nil
}
