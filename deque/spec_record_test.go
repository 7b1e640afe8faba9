package history

import "fmt"

// RealDeque is a deque of integers with the methods that [RecordDeques] records. R prints as Stolen, Empty or Contended.
type RealDeque[D any, R fmt.Stringer] interface {
	Push(v int, overflow func(batch []int))
	Pop() (int, bool)
	StealInto(dst D) (int, R)
	Len() int
}

// RecordedDeque records every call of a deque. As with the deque itself, Push, Pop, OwnerLen and being the destination
// of a steal are for the owner.
type RecordedDeque[D RealDeque[D, R], R fmt.Stringer] struct {
	// Deque is the deque itself, for calls that are not to be recorded.
	Deque D

	h        *Recorder
	number   int
	overflow func(batch []int)
	batch    Ints // what overflow got; the owner's
}

// RecordDeques returns recorders for deques, which get the numbers 0, 1, ... of [Deques].
func RecordDeques[D RealDeque[D, R], R fmt.Stringer](h *Recorder, deques ...D) []*RecordedDeque[D, R] {
	list := make([]*RecordedDeque[D, R], len(deques))
	for i, d := range deques {
		r := &RecordedDeque[D, R]{Deque: d, h: h, number: i}
		r.overflow = func(batch []int) {
			if r.batch != "" || len(batch) == 0 {
				panic(fmt.Sprintf("history: overflow was called with %v after %v in one Push", batch, r.batch))
			}
			r.batch = IntsOf(batch)
		}
		list[i] = r
	}
	return list
}

// Push pushes v and returns what overflowed.
func (d *RecordedDeque[D, R]) Push(v int) Ints {
	id := Call(d.h, DequeOp{Kind: DequePushes, Deque: d.number, Value: v})
	d.batch = ""
	d.Deque.Push(v, d.overflow)
	Return(d.h, id, DequeResult{Outcome: DequeDone, Batch: d.batch})
	return d.batch
}

// Pop pops.
func (d *RecordedDeque[D, R]) Pop() (int, bool) {
	id := Call(d.h, DequeOp{Kind: DequePops, Deque: d.number})
	v, ok := d.Deque.Pop()
	outcome := DequeTaken
	if !ok {
		outcome = DequeEmpty
	}
	Return(d.h, id, DequeResult{Outcome: outcome, Value: v})
	return v, ok
}

// StealInto steals from d into dst.
func (d *RecordedDeque[D, R]) StealInto(dst *RecordedDeque[D, R]) (int, R) {
	id := Call(d.h, DequeOp{Kind: DequeSteals, Deque: d.number, Into: dst.number})
	v, r := d.Deque.StealInto(dst.Deque)
	result := DequeResult{Value: v}
	switch s := r.String(); s {
	case "Stolen":
		result.Outcome = DequeTaken
	case "Empty":
		result.Outcome = DequeEmpty
	case "Contended":
		result.Outcome = DequeContended
	default:
		panic("history: a steal ended as " + s)
	}
	Return(d.h, id, result)
	return v, r
}

// OwnerLen measures the length, as the owner.
func (d *RecordedDeque[D, R]) OwnerLen() int {
	id := Call(d.h, DequeOp{Kind: DequeOwnerLens, Deque: d.number})
	n := d.Deque.Len()
	Return(d.h, id, DequeResult{Value: n})
	return n
}

// Len measures the length, as anyone.
func (d *RecordedDeque[D, R]) Len() int {
	id := Call(d.h, DequeOp{Kind: DequeLens, Deque: d.number})
	n := d.Deque.Len()
	Return(d.h, id, DequeResult{Value: n})
	return n
}

// Drain pops until the deque is empty, as the owner, and returns what it got.
func (d *RecordedDeque[D, R]) Drain() []int {
	var values []int
	for {
		v, ok := d.Pop()
		if !ok {
			return values
		}
		values = append(values, v)
	}
}
