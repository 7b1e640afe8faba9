package history

import (
	"fmt"
	"strings"
	"time"
)

// Operation is one operation of a finished history.
type Operation[O, R comparable] struct {
	ID           int // counted from 0 in the order of calls
	Thread       int
	Call, Return int // instants, counted from 1 over the whole history
	Op           O
	Result       R
}

// Overlaps reports whether some instant lies within both operations.
func (a Operation[O, R]) Overlaps(b Operation[O, R]) bool {
	return a.Call < b.Return && b.Call < a.Return
}

// Before reports whether a returned before b was called.
func (a Operation[O, R]) Before(b Operation[O, R]) bool { return a.Return < b.Call }

// Action is one point of an operation: an instant at which it linearizes, or a part of it does.
type Action[O, R comparable] struct {
	Operation[O, R]
	Point int // 0 <= Point < Spec.Points(operation)
	// History is the whole history, in the order of calls: what an operation may do can depend on
	// what overlaps it. It must not be changed.
	History []Operation[O, R]
}

// Spec is a specification of an object with states S, operations O and results R. The values of O
// and R must say everything about an operation: histories with equal ones are judged once.
//
// Init and one of Step and Steps are needed. None of the functions may change its arguments or
// depend on anything else.
type Spec[S any, O, R comparable] struct {
	// Name of the object in reports.
	Name string

	// Init returns the state before the first operation.
	Init func() S

	// Step returns the state after op with that result, or false when op cannot have that result in
	// state s.
	Step func(s S, op O, result R) (S, bool)

	// Steps is for objects that Step cannot describe: nondeterministic ones, and operations that
	// take effect at several instants. It returns the states that can follow, none when a cannot
	// happen in state s.
	Steps func(s S, a Action[O, R]) []S

	// Points returns at how many instants an operation takes effect; nil means one. The state must
	// remember which of them have happened when their order matters.
	Points func(op O, result R) int

	// Key returns the same text for equal states and different texts for different ones. Without
	// it, states are told apart by what fmt prints of them.
	Key func(S) string

	// Predicate, if any, says what linearizability cannot: it looks at the whole history, before
	// linearizability is decided, and returns what is wrong.
	Predicate func(history []Operation[O, R]) error

	// Diagnose, if any, is asked why a history that has no allowed order is wrong. Its answer, if
	// not empty, is the first line of the reason.
	Diagnose func(history []Operation[O, R]) string

	// DescribeOp, DescribeResult and DescribeState print values in reports; the default is what fmt
	// prints.
	DescribeOp     func(op O) string
	DescribeResult func(op O, result R) string
	DescribeState  func(S) string

	// DescribePoint names the instants of an operation that has several.
	DescribePoint func(op O, result R, point int) string

	// Timeout bounds the time to judge one history; 0 means a minute. A history that takes longer
	// is a violation: it was not shown to be right.
	Timeout time.Duration
}

// Specification is a [Spec] of any types.
type Specification interface {
	// newJudge returns what judges histories of this specification.
	newJudge() judge
}

func (s Spec[S, O, R]) newJudge() judge {
	switch {
	case s.Init == nil:
		panic("history: a Spec needs Init")
	case (s.Step == nil) == (s.Steps == nil):
		panic("history: a Spec needs one of Step and Steps")
	case s.Steps == nil && s.Points != nil:
		panic("history: a Spec with Points needs Steps, which knows the point")
	}
	if s.Name == "" {
		s.Name = "object"
	}
	if s.Steps == nil {
		s.Steps = func(state S, a Action[O, R]) []S {
			if next, ok := s.Step(state, a.Op, a.Result); ok {
				return []S{next}
			}
			return nil
		}
	}
	if s.Points == nil {
		s.Points = func(O, R) int { return 1 }
	}
	if s.Key == nil {
		s.Key = func(state S) string { return fmt.Sprint(state) }
	}
	if s.DescribeOp == nil {
		s.DescribeOp = func(op O) string { return fmt.Sprint(op) }
	}
	if s.DescribeResult == nil {
		s.DescribeResult = func(_ O, result R) string { return fmt.Sprint(result) }
	}
	if s.DescribeState == nil {
		s.DescribeState = func(state S) string { return fmt.Sprint(state) }
	}
	if s.DescribePoint == nil {
		s.DescribePoint = func(_ O, _ R, point int) string {
			return fmt.Sprintf("point %d", point+1)
		}
	}
	if s.Timeout <= 0 {
		s.Timeout = time.Minute
	}
	return &typed[S, O, R]{spec: s, calls: &column[O]{}, returns: &column[R]{}}
}

// describe prints one instant of an operation.
func (s *Spec[S, O, R]) describe(a Action[O, R]) string {
	text := s.DescribeOp(a.Op)
	if r := s.DescribeResult(a.Op, a.Result); r != "" {
		text += " -> " + r
	}
	if s.Points(a.Op, a.Result) > 1 {
		text += ": " + s.DescribePoint(a.Op, a.Result, a.Point)
	}
	return text
}

// states is a set of states that the object may be in, as porcupine sees it: one value with a key.
type states[S any] struct {
	list []S
	key  string
	hash uint64
}

func (s *Spec[S, O, R]) set(list []S) states[S] {
	keys := make([]string, 0, len(list))
	kept := list[:0:0]
next:
	for _, state := range list {
		k := s.Key(state)
		at := len(keys)
		for i, old := range keys {
			if old == k {
				continue next
			}
			if k < old {
				at = i
				break
			}
		}
		// Sorted by key, so that equal sets have equal keys.
		keys = append(keys, "")
		copy(keys[at+1:], keys[at:])
		keys[at] = k
		var zero S
		kept = append(kept, zero)
		copy(kept[at+1:], kept[at:])
		kept[at] = state
	}
	// The lengths keep two sets apart whose keys merely read the same when joined.
	var b strings.Builder
	for _, k := range keys {
		fmt.Fprintf(&b, "%d:%s", len(k), k)
	}
	key := b.String()
	hash := uint64(14695981039346656037)
	for i := 0; i < len(key); i++ {
		hash = (hash ^ uint64(key[i])) * 1099511628211
	}
	return states[S]{kept, key, hash}
}

func (s *Spec[S, O, R]) step(from states[S], a Action[O, R]) states[S] {
	var next []S
	for _, state := range from.list {
		next = append(next, s.Steps(state, a)...)
	}
	return s.set(next)
}

func (s *Spec[S, O, R]) describeStates(set states[S]) string {
	parts := make([]string, len(set.list))
	for i, state := range set.list {
		parts[i] = s.DescribeState(state)
	}
	return strings.Join(parts, " or ")
}
