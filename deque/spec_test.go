package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// What a deque of work is, for the specification below
//
// Each deque has an owner, who pushes and pops, first in first out. A thief, who owns another deque, takes the older
// half at once: the oldest value is the result, the others go into the thief's deque. The deque is bounded; what does
// not fit leaves it in a batch.
//
// A steal takes effect at three instants within its call:
//
//	claim    the values leave the victim; from here on they are in no deque
//	release  the slots of these values, and of those that the victim's owner popped since the claim, are free again
//	publish  all but the oldest enter the thief's deque
//
// That a steal is not atomic can be seen: another thief may find the thief's deque empty meanwhile, and the victim's
// owner may find no room though its deque is short. What must hold in spite of it is exact: every value leaves once, in
// order, "empty" means empty, and a push fails to append only where the ring is full.
//
// How many values a steal takes depends on what it saw. If nothing that puts values into the victim and no steal from
// the thief's deque overlaps it, the number is determined; otherwise it may have seen less than there was at the instant
// of the claim, but at least one.

// DequeKind is an operation on deques.
type DequeKind uint8

// The operations on deques. Their zero value is none of them.
const (
	_              DequeKind = iota
	DequePushes              // Push, by the owner
	DequePops                // Pop, by the owner
	DequeSteals              // StealInto, by the owner of the destination
	DequeOwnerLens           // Len, by the owner: exact at some instant
	DequeLens                // Len, by anyone: an upper bound
)

// DequeOp is an operation on deques, which are numbered from 0.
type DequeOp struct {
	Kind  DequeKind
	Deque int // the deque pushed to, popped from, stolen from, measured
	Into  int // the destination of a steal
	Value int // the value pushed
}

// DequeOutcome is how an operation on deques ended.
type DequeOutcome uint8

// The outcomes. A push is Done; a pop is Taken or Empty; a steal is Taken, Empty or Contended.
const (
	DequeDone DequeOutcome = iota
	DequeTaken
	DequeEmpty
	DequeContended
)

// DequeResult is the result of an operation on deques.
type DequeResult struct {
	Outcome DequeOutcome
	Value   int  // the value taken, or the length measured
	Batch   Ints // what a push handed to overflow, in order
}

// Ints is a list of integers that can be compared with ==.
type Ints string

// IntsOf returns a list. It allocates unless the list is empty.
func IntsOf(values []int) Ints {
	if len(values) == 0 {
		return ""
	}
	var b []byte
	for _, v := range values {
		b = binary.AppendVarint(b, int64(v))
	}
	return Ints(b)
}

// Slice returns the integers of the list.
func (l Ints) Slice() []int {
	var values []int
	for b := []byte(l); len(b) > 0; {
		v, n := binary.Varint(b)
		if n <= 0 {
			panic(fmt.Sprintf("history: %q is not made by IntsOf", string(l)))
		}
		values = append(values, int(v))
		b = b[n:]
	}
	return values
}

// String prints the integers in brackets.
func (l Ints) String() string { return fmt.Sprint(l.Slice()) }

// Operation of a history of deques.
type dequeOperation = Operation[DequeOp, DequeResult]

// dequeState is the state of all deques. It is not changed once it has been made.
type dequeState struct {
	rings []ringState
	open  []openSteal
}

type ringState struct {
	values []int
	held   int // slots that an open steal keeps from the owner: what it claimed, and what was popped since
}

// openSteal is a steal between its claim and the later of release and publish.
type openSteal struct {
	id                  int
	rest                []int // to be published
	released, published bool
}

// Points of a steal.
const (
	stealClaim = iota
	stealRelease
	stealPublish
	stealPoints
)

// Deques returns the specification of a set of deques; capacities[i] is that of deque i, and the last one is that of all
// that follow. They are empty in the beginning.
func Deques(capacities ...int) Spec[dequeStates, DequeOp, DequeResult] {
	if len(capacities) == 0 {
		panic("history: Deques needs a capacity")
	}
	d := dequeSpec{slices.Clone(capacities)}
	return Spec[dequeStates, DequeOp, DequeResult]{
		Name: "deques",
		Init: func() dequeStates { return &dequeState{} },
		Steps: func(s dequeStates, a Action[DequeOp, DequeResult]) []dequeStates {
			return d.steps(s, a)
		},
		Points: func(op DequeOp, r DequeResult) int {
			if op.Kind == DequeSteals && r.Outcome == DequeTaken {
				return stealPoints
			}
			return 1
		},
		Key:            func(s dequeStates) string { return s.key() },
		Predicate:      d.predicate,
		Diagnose:       d.diagnose,
		DescribeOp:     describeDequeOp,
		DescribeResult: describeDequeResult,
		DescribeState:  func(s dequeStates) string { return s.describe() },
		DescribePoint: func(_ DequeOp, _ DequeResult, point int) string {
			return [...]string{"claim", "release", "publish"}[point]
		},
	}
}

// dequeStates names the state type in the signature of Deques.
type dequeStates = *dequeState

type dequeSpec struct{ capacities []int }

func (d dequeSpec) capacity(deque int) int { return d.capacities[min(deque, len(d.capacities)-1)] }

// steps returns the states after one instant of an operation.
func (d dequeSpec) steps(s *dequeState, a Action[DequeOp, DequeResult]) []*dequeState {
	op, r := a.Op, a.Result
	from := s.ring(op.Deque)
	one := func(next *dequeState) []*dequeState { return []*dequeState{next} }
	switch op.Kind {
	case DequePushes:
		batch := r.Batch.Slice()
		room := d.capacity(op.Deque) - len(from.values) - from.held
		half := d.capacity(op.Deque) / 2
		switch {
		case room > 0:
			if len(batch) > 0 {
				return nil // there was room
			}
			from.values = append(slices.Clone(from.values), op.Value)
		case from.held == 0:
			if !slices.Equal(batch, append(slices.Clone(from.values[:half]), op.Value)) {
				return nil // full: the older half and the new value leave
			}
			from.values = from.values[half:]
		default:
			if !slices.Equal(batch, []int{op.Value}) {
				return nil // full, but the slots are held by a steal: the new value leaves
			}
		}
		return one(s.with(op.Deque, from))

	case DequePops:
		if len(from.values) == 0 {
			if r.Outcome == DequeEmpty {
				return one(s)
			}
			return nil
		}
		if r.Outcome != DequeTaken || r.Value != from.values[0] {
			return nil
		}
		from.values = from.values[1:]
		if from.held > 0 {
			from.held++
		}
		return one(s.with(op.Deque, from))

	case DequeOwnerLens:
		if r.Value == len(from.values) {
			return one(s)
		}

	case DequeLens:
		n := len(from.values)
		if r.Value <= d.capacity(op.Deque) && (r.Value == 0 && n == 0 || 1 <= n && n <= r.Value) {
			return one(s)
		}

	case DequeSteals:
		switch r.Outcome {
		case DequeEmpty:
			if len(from.values) == 0 {
				return one(s)
			}
		case DequeContended:
			if len(from.values) > 0 {
				return one(s)
			}
		case DequeTaken:
			return d.steal(s, a)
		}
	}
	return nil
}

// steal is steps for an instant of a steal that took something.
func (d dequeSpec) steal(s *dequeState, a Action[DequeOp, DequeResult]) []*dequeState {
	from, into := s.ring(a.Op.Deque), s.ring(a.Op.Into)
	at := slices.IndexFunc(s.open, func(o openSteal) bool { return o.id == a.ID })
	switch {
	case a.Point == stealClaim:
		n := len(from.values)
		if n == 0 || from.values[0] != a.Result.Value || from.held > 0 {
			return nil // one steal at a time
		}
		room := d.capacity(a.Op.Into) - len(into.values) - into.held
		least, most := claimSizes(a, n, room)
		var next []*dequeState
		for k := least; k <= most; k++ {
			f := ringState{values: from.values[k:], held: k}
			t := s.with(a.Op.Deque, f)
			t.open = append(slices.Clone(s.open), openSteal{id: a.ID, rest: from.values[1:k]})
			slices.SortFunc(t.open, func(a, b openSteal) int { return a.id - b.id })
			next = append(next, t)
		}
		return next

	case at < 0:
		return nil // not claimed yet

	case a.Point == stealRelease:
		from.held = 0
		t := s.with(a.Op.Deque, from)
		t.open = slices.Clone(s.open)
		t.open[at].released = true
		return []*dequeState{t.closed(at)}

	default:
		rest := s.open[at].rest
		if len(into.values)+into.held+len(rest) > d.capacity(a.Op.Into) {
			return nil // would overwrite slots that are in use
		}
		into.values = slices.Concat(into.values, rest)
		t := s.with(a.Op.Into, into)
		t.open = slices.Clone(s.open)
		t.open[at].published = true
		return []*dequeState{t.closed(at)}
	}
}

// claimSizes returns how many values a steal may claim at an instant at which there are n, and room for so many in the
// thief's deque.
func claimSizes(a Action[DequeOp, DequeResult], n, room int) (least, most int) {
	half := func(n int) int { return n - n/2 }
	most = min(half(n), room+1)
	seen, seenRoom := n, room
	for _, o := range a.History {
		if o.ID == a.ID || !o.Overlaps(a.Operation) {
			continue
		}
		switch {
		case o.Op.Kind == DequePushes && o.Op.Deque == a.Op.Deque && o.Result.Batch == "":
			seen-- // not yet there when the thief looked
		case o.Op.Kind == DequeSteals && o.Op.Into == a.Op.Deque && o.Result.Outcome == DequeTaken:
			seen = 0 // nor what the victim's owner stole itself; at least one value was
		case o.Op.Kind == DequeSteals && o.Op.Deque == a.Op.Into && o.Result.Outcome == DequeTaken:
			seenRoom = 0 // not yet released when the thief looked
		}
	}
	return min(half(max(seen, 1)), seenRoom+1), most
}

func (s *dequeState) ring(i int) ringState {
	if i < len(s.rings) {
		return s.rings[i]
	}
	return ringState{}
}

// with returns a copy in which one ring is different.
func (s *dequeState) with(i int, r ringState) *dequeState {
	t := &dequeState{rings: slices.Clone(s.rings), open: s.open}
	for len(t.rings) <= i {
		t.rings = append(t.rings, ringState{})
	}
	t.rings[i] = r
	return t
}

// closed forgets the open steal at, which belongs to s alone, if it is over.
func (s *dequeState) closed(at int) *dequeState {
	if s.open[at].released && s.open[at].published {
		s.open = slices.Delete(s.open, at, at+1)
	}
	return s
}

func (s *dequeState) key() string {
	var b []byte
	list := func(values []int) {
		b = binary.AppendVarint(b, int64(len(values)))
		for _, v := range values {
			b = binary.AppendVarint(b, int64(v))
		}
	}
	for i, r := range s.rings {
		// A ring that was never used is the same as one that is empty.
		if len(r.values) > 0 || r.held > 0 {
			b = binary.AppendVarint(b, int64(i))
			b = binary.AppendVarint(b, int64(r.held))
			list(r.values)
		}
	}
	b = append(b, '|')
	for _, o := range s.open {
		b = binary.AppendVarint(b, int64(o.id))
		b = strconv.AppendBool(b, o.released)
		b = strconv.AppendBool(b, o.published)
		list(o.rest)
	}
	return string(b)
}

// describe prints "A=[1 2] B=[] moving [3]".
func (s *dequeState) describe() string {
	var parts []string
	for i, r := range s.rings {
		text := fmt.Sprintf("%s=%v", dequeName(i), r.values)
		if r.held > 0 {
			text += fmt.Sprintf("+%d held", r.held)
		}
		parts = append(parts, text)
	}
	for _, o := range s.open {
		if !o.published && len(o.rest) > 0 {
			parts = append(parts, fmt.Sprintf("moving %v", o.rest))
		}
	}
	if len(parts) == 0 {
		return "all empty"
	}
	return strings.Join(parts, " ")
}

// dequeName returns A, B, ..., Z, D26, ...
func dequeName(i int) string {
	if 0 <= i && i < 26 {
		return string(rune('A' + i))
	}
	return "D" + strconv.Itoa(i)
}

func describeDequeOp(op DequeOp) string {
	d := dequeName(op.Deque)
	switch op.Kind {
	case DequePushes:
		return fmt.Sprintf("%s.Push(%d)", d, op.Value)
	case DequePops:
		return d + ".Pop()"
	case DequeSteals:
		return fmt.Sprintf("%s.StealInto(%s)", d, dequeName(op.Into))
	case DequeOwnerLens:
		return d + ".Len()"
	case DequeLens:
		return d + ".Len() by another"
	}
	return fmt.Sprintf("%+v", op)
}

func describeDequeResult(op DequeOp, r DequeResult) string {
	switch r.Outcome {
	case DequeTaken:
		return strconv.Itoa(r.Value)
	case DequeEmpty:
		return "Empty"
	case DequeContended:
		return "Contended"
	}
	switch {
	case op.Kind == DequeLens || op.Kind == DequeOwnerLens:
		return strconv.Itoa(r.Value)
	case r.Batch != "":
		return "overflow " + r.Batch.String()
	}
	return ""
}

var errDequeRules = errors.New("the test breaks the rules of a deque")
