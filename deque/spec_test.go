package deque_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/surewake/surewake/model/history"
)

// What a deque of work is, for the specification below
//
// Each deque has an owner, who pushes and pops, first in first out. A thief, who owns another
// deque, takes the older half at once: the oldest value is the result, the others go into the
// thief's deque. The deque is bounded; what does not fit leaves it in a batch.
//
// A steal has effects at three instants within its call:
//
//	claim    the values leave the victim; from here on they are in no deque
//	release  the slots of these values, and of those that the victim's owner popped since the
//	         claim, are free again
//	publish  all but the oldest enter the thief's deque
//
// That a steal is not atomic can be seen: another thief may find the thief's deque empty meanwhile,
// and the victim's owner may find no room though its deque is short. What must hold in spite of it
// is exact: every value leaves once, in order, "empty" means empty, and a push fails to append only
// where the ring is full.
//
// How many values a steal takes depends on what it saw. If nothing that puts values into the victim
// and no steal from the thief's deque overlaps it, the number is determined; otherwise it may have
// seen less than there was at the instant of the claim, but at least one.

// specKind is an operation on deques.
type specKind uint8

// The operations on deques. Their zero value is none of them.
const (
	_            specKind = iota
	specPush              // Push, by the owner
	specPop               // Pop, by the owner
	specSteal             // StealInto, by the owner of the destination
	specOwnerLen          // Len, by the owner: exact at some instant
	specLen               // Len, by anyone: an upper bound
)

// specOp is an operation on deques, which are numbered from 0.
type specOp struct {
	Kind  specKind
	Deque int // the deque pushed to, popped from, stolen from, measured
	Into  int // the destination of a steal
	Value int // the value pushed
}

// specOutcome is how an operation on deques ended.
type specOutcome uint8

// The outcomes. A push is Done; a pop is Taken or Empty; a steal is Taken, Empty or Contended.
const (
	specDone specOutcome = iota
	specTaken
	specEmpty
	specContended
)

// specResult is the result of an operation on deques.
type specResult struct {
	Outcome specOutcome
	Value   int  // the value taken, or the length measured
	Batch   ints // what a push handed to overflow, in order
}

// ints is a list of integers that can be compared with ==.
type ints string

// intsOf returns a list. It allocates unless the list is empty.
func intsOf(values []int) ints {
	if len(values) == 0 {
		return ""
	}
	var b []byte
	for _, v := range values {
		b = binary.AppendVarint(b, int64(v))
	}
	return ints(b)
}

// Slice returns the integers of the list.
func (l ints) Slice() []int {
	var values []int
	for b := []byte(l); len(b) > 0; {
		v, n := binary.Varint(b)
		if n <= 0 {
			panic(fmt.Sprintf("deque: %q is not made by intsOf", string(l)))
		}
		values = append(values, int(v))
		b = b[n:]
	}
	return values
}

// String prints the integers in brackets.
func (l ints) String() string { return fmt.Sprint(l.Slice()) }

// Operation of a history of deques.
type specOperation = history.Operation[specOp, specResult]

// specState is the state of all deques. It is not changed once it has been made.
type specState struct {
	rings []specRing
	open  []openSteal
}

type specRing struct {
	values []int
	// held is the number of slots that an open steal keeps from the owner: what it claimed, and
	// what was popped since.
	held int
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

// specification returns the specification of a set of deques; capacities[i] is that of deque i, and
// the last one is that of all that follow. They are empty in the beginning.
func specification(capacities ...int) history.Spec[*specState, specOp, specResult] {
	if len(capacities) == 0 {
		panic("deque: specification needs a capacity")
	}
	d := spec{slices.Clone(capacities)}
	return history.Spec[*specState, specOp, specResult]{
		Name: "deques",
		Init: func() *specState { return &specState{} },
		Steps: func(s *specState, a history.Action[specOp, specResult]) []*specState {
			return d.steps(s, a)
		},
		Points: func(op specOp, r specResult) int {
			if op.Kind == specSteal && r.Outcome == specTaken {
				return stealPoints
			}
			return 1
		},
		Key:            func(s *specState) string { return s.key() },
		Predicate:      d.predicate,
		Diagnose:       d.diagnose,
		DescribeOp:     describeSpecOp,
		DescribeResult: describeSpecResult,
		DescribeState:  func(s *specState) string { return s.describe() },
		DescribePoint: func(_ specOp, _ specResult, point int) string {
			return [...]string{"claim", "release", "publish"}[point]
		},
	}
}

type spec struct{ capacities []int }

func (d spec) capacity(deque int) int { return d.capacities[min(deque, len(d.capacities)-1)] }

// steps returns the states after one instant of an operation.
func (d spec) steps(s *specState, a history.Action[specOp, specResult]) []*specState {
	op, r := a.Op, a.Result
	from := s.ring(op.Deque)
	one := func(next *specState) []*specState { return []*specState{next} }
	switch op.Kind {
	case specPush:
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

	case specPop:
		if len(from.values) == 0 {
			if r.Outcome == specEmpty {
				return one(s)
			}
			return nil
		}
		if r.Outcome != specTaken || r.Value != from.values[0] {
			return nil
		}
		from.values = from.values[1:]
		if from.held > 0 {
			from.held++
		}
		return one(s.with(op.Deque, from))

	case specOwnerLen:
		if r.Value == len(from.values) {
			return one(s)
		}

	case specLen:
		n := len(from.values)
		if r.Value <= d.capacity(op.Deque) && (r.Value == 0 && n == 0 || 1 <= n && n <= r.Value) {
			return one(s)
		}

	case specSteal:
		switch r.Outcome {
		case specEmpty:
			if len(from.values) == 0 {
				return one(s)
			}
		case specContended:
			if len(from.values) > 0 {
				return one(s)
			}
		case specTaken:
			return d.steal(s, a)
		}
	}
	return nil
}

// steal is steps for an instant of a steal that took something.
func (d spec) steal(s *specState, a history.Action[specOp, specResult]) []*specState {
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
		var next []*specState
		for k := least; k <= most; k++ {
			f := specRing{values: from.values[k:], held: k}
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
		return []*specState{t.closed(at)}

	default:
		rest := s.open[at].rest
		if len(into.values)+into.held+len(rest) > d.capacity(a.Op.Into) {
			return nil // would overwrite slots that are in use
		}
		into.values = slices.Concat(into.values, rest)
		t := s.with(a.Op.Into, into)
		t.open = slices.Clone(s.open)
		t.open[at].published = true
		return []*specState{t.closed(at)}
	}
}

// claimSizes returns how many values a steal may claim at an instant at which there are n, and room
// for so many in the thief's deque.
func claimSizes(a history.Action[specOp, specResult], n, room int) (least, most int) {
	half := func(n int) int { return n - n/2 }
	most = min(half(n), room+1)
	seen, seenRoom := n, room
	for _, o := range a.History {
		if o.ID == a.ID || !o.Overlaps(a.Operation) {
			continue
		}
		switch {
		case o.Op.Kind == specPush && o.Op.Deque == a.Op.Deque && o.Result.Batch == "":
			seen-- // not yet there when the thief looked
		case o.Op.Kind == specSteal && o.Op.Into == a.Op.Deque && o.Result.Outcome == specTaken:
			seen = 0 // nor what the victim's owner stole itself; at least one value was
		case o.Op.Kind == specSteal && o.Op.Deque == a.Op.Into && o.Result.Outcome == specTaken:
			seenRoom = 0 // not yet released when the thief looked
		}
	}
	return min(half(max(seen, 1)), seenRoom+1), most
}

func (s *specState) ring(i int) specRing {
	if i < len(s.rings) {
		return s.rings[i]
	}
	return specRing{}
}

// with returns a copy in which one ring is different.
func (s *specState) with(i int, r specRing) *specState {
	t := &specState{rings: slices.Clone(s.rings), open: s.open}
	for len(t.rings) <= i {
		t.rings = append(t.rings, specRing{})
	}
	t.rings[i] = r
	return t
}

// closed forgets the open steal at, which belongs to s alone, if it is over.
func (s *specState) closed(at int) *specState {
	if s.open[at].released && s.open[at].published {
		s.open = slices.Delete(s.open, at, at+1)
	}
	return s
}

func (s *specState) key() string {
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
func (s *specState) describe() string {
	var parts []string
	for i, r := range s.rings {
		text := fmt.Sprintf("%s=%v", specName(i), r.values)
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

// specName returns A, B, ..., Z, D26, ...
func specName(i int) string {
	if 0 <= i && i < 26 {
		return string(rune('A' + i))
	}
	return "D" + strconv.Itoa(i)
}

func describeSpecOp(op specOp) string {
	d := specName(op.Deque)
	switch op.Kind {
	case specPush:
		return fmt.Sprintf("%s.Push(%d)", d, op.Value)
	case specPop:
		return d + ".Pop()"
	case specSteal:
		return fmt.Sprintf("%s.StealInto(%s)", d, specName(op.Into))
	case specOwnerLen:
		return d + ".Len()"
	case specLen:
		return d + ".Len() by another"
	}
	return fmt.Sprintf("%+v", op)
}

func describeSpecResult(op specOp, r specResult) string {
	switch r.Outcome {
	case specTaken:
		return strconv.Itoa(r.Value)
	case specEmpty:
		return "Empty"
	case specContended:
		return "Contended"
	}
	switch {
	case op.Kind == specLen || op.Kind == specOwnerLen:
		return strconv.Itoa(r.Value)
	case r.Batch != "":
		return "overflow " + r.Batch.String()
	}
	return ""
}

var errSpecRules = errors.New("the test breaks the rules of a deque")
