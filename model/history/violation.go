package history

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/anishathalye/porcupine"
)

// Violation says that a history is wrong, and why.
type Violation struct {
	Spec   string // name of the specification
	Reason string // one or more lines, without the history
	Table  string // the history, one line per operation

	// Undecided: judging took longer than Spec.Timeout, so the history may be right.
	Undecided bool

	// visualize writes porcupine's page; nil where there is none.
	visualize func(io.Writer) error
}

// String returns the reason and the table.
func (v *Violation) String() string {
	what := "is wrong"
	if v.Undecided {
		what = "is undecided"
	}
	return fmt.Sprintf("history of %s %s: %s\n\n%s", v.Spec, what, v.Reason, v.Table)
}

// Error makes a Violation an error.
func (v *Violation) Error() string { return v.String() }

// WriteHTML writes porcupine's interactive page of the history, with the longest orders that are
// allowed.
func (v *Violation) WriteHTML(w io.Writer) error {
	if v.visualize == nil {
		return errors.New("history: no page is drawn when an operation has not returned")
	}
	return v.visualize(w)
}

// WriteHTMLFile writes the page of WriteHTML to a file.
func (v *Violation) WriteHTMLFile(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := v.WriteHTML(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// decide judges a history that was not seen before.
func (t *typed[S, O, R]) decide(h *Recorder, calls *column[O], returns *column[R]) *Violation {
	s := &t.spec
	done, open := t.operations(h, calls, returns)
	violation := func(reason string) *Violation {
		return &Violation{Spec: s.Name, Reason: reason, Table: t.table(h, done, open)}
	}
	if len(open) > 0 {
		var names []string
		for _, o := range open {
			names = append(names, h.ThreadName(o.Thread)+": "+s.DescribeOp(o.Op))
		}
		return violation("never returned: " + strings.Join(names, ", "))
	}
	model := t.model()
	events := t.events(done)
	var reason string
	if s.Predicate != nil {
		if err := s.Predicate(done); err != nil {
			reason = err.Error()
		}
	}
	if reason == "" {
		switch porcupine.CheckEventsTimeout(model, events, s.Timeout) {
		case porcupine.Ok:
			return nil
		case porcupine.Unknown:
			v := violation(fmt.Sprintf("not judged within %s: too long a history for Spec.Timeout",
				s.Timeout))
			v.Undecided = true
			return v
		}
	}
	// Porcupine keeps what explains its verdict only when asked to, which is slower and takes
	// memory.
	detail := func() porcupine.LinearizationInfo {
		_, info := porcupine.CheckEventsVerbose(model, events, s.Timeout)
		return info
	}
	if reason == "" {
		reason = t.explain(h, done, detail())
		if s.Diagnose != nil {
			if d := s.Diagnose(done); d != "" {
				reason = d + "\n" + reason
			}
		}
	}
	v := violation(reason)
	v.visualize = func(w io.Writer) error { return porcupine.Visualize(model, detail(), w) }
	return v
}

// model returns the specification as porcupine wants it. Inputs are actions, states are sets of
// states.
func (t *typed[S, O, R]) model() porcupine.Model {
	s := &t.spec
	return porcupine.Model{
		Init: func() any { return s.set([]S{s.Init()}) },
		Step: func(state, input, _ any) (bool, any) {
			next := s.step(state.(states[S]), input.(Action[O, R]))
			return len(next.list) > 0, next
		},
		Equal:             func(a, b any) bool { return a.(states[S]).key == b.(states[S]).key },
		Hash:              func(state any) uint64 { return state.(states[S]).hash },
		DescribeOperation: func(input, _ any) string { return s.describe(input.(Action[O, R])) },
		DescribeState:     func(state any) string { return s.describeStates(state.(states[S])) },
	}
}

// events returns a history as porcupine wants it: an operation with several points becomes several
// operations with the same call and return. In porcupine's page, the first point is drawn in the
// row of its thread and the others below.
func (t *typed[S, O, R]) events(done []Operation[O, R]) []porcupine.Event {
	points := make([]int, len(done))
	rows := map[int]int{} // by thread: how many it needs
	threads := 0
	for i, o := range done {
		points[i] = t.spec.Points(o.Op, o.Result)
		rows[o.Thread] = max(rows[o.Thread], points[i], 1)
		threads = max(threads, o.Thread+1)
	}
	first := make([]int, threads+1) // first row of a thread
	for i := range threads {
		first[i+1] = first[i] + max(rows[i], 1)
	}
	at := make([]int, 2*len(done)+1) // instant to operation: i+1 called, -(i+1) returned
	for i, o := range done {
		at[o.Call], at[o.Return] = i+1, -(i + 1)
	}
	id := make([]int, len(done)) // id of an operation's first point
	next := 0
	var events []porcupine.Event
	for _, i := range at[1:] {
		kind := porcupine.CallEvent
		if i < 0 {
			kind, i = porcupine.ReturnEvent, -i
		}
		i--
		if kind == porcupine.CallEvent {
			id[i] = next
			next += points[i]
		}
		for p := range points[i] {
			e := porcupine.Event{ClientId: first[done[i].Thread] + p, Kind: kind, Id: id[i] + p}
			if kind == porcupine.CallEvent {
				e.Value = Action[O, R]{Operation: done[i], Point: p, History: done}
			}
			events = append(events, e)
		}
	}
	return events
}

// explain says how far an allowed order gets.
func (t *typed[S, O, R]) explain(
	h *Recorder, done []Operation[O, R], info porcupine.LinearizationInfo,
) string {
	s := &t.spec
	// Porcupine returns the orders in no order of their own.
	earlier := func(a, b []porcupine.Operation) bool {
		return slices.CompareFunc(a, b, func(x, y porcupine.Operation) int {
			p, q := x.Input.(Action[O, R]), y.Input.(Action[O, R])
			return cmp.Or(p.ID-q.ID, p.Point-q.Point)
		}) < 0
	}
	var longest []porcupine.Operation
	for _, partition := range info.PartialLinearizationsOperations() {
		for _, order := range partition {
			if len(order) > len(longest) || len(order) == len(longest) && earlier(order, longest) {
				longest = order
			}
		}
	}
	describe := func(a Action[O, R]) string { return h.ThreadName(a.Thread) + ": " + s.describe(a) }
	var b strings.Builder
	state := s.set([]S{s.Init()})
	type instant struct{ id, point int }
	in := map[instant]bool{}
	if len(longest) == 0 {
		fmt.Fprintf(&b, "no order of the operations is allowed. In the state %s, ",
			s.describeStates(state))
	} else {
		fmt.Fprintf(&b, "no order of the operations is allowed. The longest one that is:\n")
		width := 0
		for _, o := range longest {
			width = max(width, utf8.RuneCountInString(describe(o.Input.(Action[O, R]))))
		}
		for i, o := range longest {
			a := o.Input.(Action[O, R])
			in[instant{a.ID, a.Point}] = true
			state = s.step(state, a)
			fmt.Fprintf(&b, "  %2d. %s   state %s\n",
				i+1, pad(describe(a), width), s.describeStates(state))
		}
		fmt.Fprintf(&b, "and then ")
	}
	// What is next: an operation that is not in the order, and that none of the others returned
	// before.
	var next []Action[O, R]
	end := int(^uint(0) >> 1)
	for _, o := range done {
		for p := range s.Points(o.Op, o.Result) {
			if !in[instant{o.ID, p}] {
				next = append(next, Action[O, R]{Operation: o, Point: p, History: done})
				end = min(end, o.Return)
				break
			}
		}
	}
	var stuck []string
	for _, a := range next {
		if a.Call < end {
			stuck = append(stuck, describe(a))
		}
	}
	if len(stuck) == 1 {
		fmt.Fprintf(&b, "%s does not fit", stuck[0])
	} else {
		fmt.Fprintf(&b, "none of these fits: %s", strings.Join(stuck, "; "))
	}
	return b.String()
}
