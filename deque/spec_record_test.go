package deque_test

import (
	"fmt"

	"github.com/surewake/surewake/model/history"
)

// realDeque is a deque of integers with the methods that [recordDeques] records. R prints as
// Stolen, Empty or Contended.
type realDeque[D any, R fmt.Stringer] interface {
	Push(v int, overflow func(batch []int))
	Pop() (int, bool)
	StealInto(dst D) (int, R)
	Len() int
}

// recordedDeque records every call of a deque. As with the deque itself, Push, Pop, OwnerLen and
// being the destination of a steal are for the owner.
type recordedDeque[D realDeque[D, R], R fmt.Stringer] struct {
	// Deque is the deque itself, for calls that are not to be recorded.
	Deque D

	h        *history.Recorder
	number   int
	overflow func(batch []int)
	batch    ints // what overflow got; the owner's
}

// recordDeques returns recorders for deques, which get the numbers 0, 1, ... of [specification].
func recordDeques[D realDeque[D, R], R fmt.Stringer](
	h *history.Recorder, deques ...D,
) []*recordedDeque[D, R] {
	list := make([]*recordedDeque[D, R], len(deques))
	for i, d := range deques {
		r := &recordedDeque[D, R]{Deque: d, h: h, number: i}
		r.overflow = func(batch []int) {
			if r.batch != "" || len(batch) == 0 {
				panic(fmt.Sprintf("deque: overflow was called with %v after %v in one Push", batch,
					r.batch))
			}
			r.batch = intsOf(batch)
		}
		list[i] = r
	}
	return list
}

// Push pushes v and returns what overflowed.
func (d *recordedDeque[D, R]) Push(v int) ints {
	id := history.Call(d.h, specOp{Kind: specPush, Deque: d.number, Value: v})
	d.batch = ""
	d.Deque.Push(v, d.overflow)
	history.Return(d.h, id, specResult{Outcome: specDone, Batch: d.batch})
	return d.batch
}

// Pop pops.
func (d *recordedDeque[D, R]) Pop() (int, bool) {
	id := history.Call(d.h, specOp{Kind: specPop, Deque: d.number})
	v, ok := d.Deque.Pop()
	outcome := specTaken
	if !ok {
		outcome = specEmpty
	}
	history.Return(d.h, id, specResult{Outcome: outcome, Value: v})
	return v, ok
}

// StealInto steals from d into dst.
func (d *recordedDeque[D, R]) StealInto(dst *recordedDeque[D, R]) (int, R) {
	id := history.Call(d.h, specOp{Kind: specSteal, Deque: d.number, Into: dst.number})
	v, r := d.Deque.StealInto(dst.Deque)
	result := specResult{Value: v}
	switch s := r.String(); s {
	case "Stolen":
		result.Outcome = specTaken
	case "Empty":
		result.Outcome = specEmpty
	case "Contended":
		result.Outcome = specContended
	default:
		panic("deque: a steal ended as " + s)
	}
	history.Return(d.h, id, result)
	return v, r
}

// OwnerLen measures the length, as the owner.
func (d *recordedDeque[D, R]) OwnerLen() int {
	id := history.Call(d.h, specOp{Kind: specOwnerLen, Deque: d.number})
	n := d.Deque.Len()
	history.Return(d.h, id, specResult{Value: n})
	return n
}

// Len measures the length, as anyone.
func (d *recordedDeque[D, R]) Len() int {
	id := history.Call(d.h, specOp{Kind: specLen, Deque: d.number})
	n := d.Deque.Len()
	history.Return(d.h, id, specResult{Value: n})
	return n
}

// Drain pops until the deque is empty, as the owner, and returns what it got.
func (d *recordedDeque[D, R]) Drain() []int {
	var values []int
	for {
		v, ok := d.Pop()
		if !ok {
			return values
		}
		values = append(values, v)
	}
}
