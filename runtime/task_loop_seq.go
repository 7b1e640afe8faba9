package runtime

import (
	"iter"
	"sync/atomic"

	"github.com/surewake/surewake/fork"
)

// Loops over iterators
//
// They are [ForEach] with a place for each result, which the calling task makes when it draws the
// value. So results are in the order of the values, whoever has made the calls. Where they are
// added, a place is used again when its result has been: were all kept, a loop over a file of 10 GB
// would need memory for a result of each of its lines.

// ForEachErr is [ForEach] for calls that can fail: once one has returned an error, or the task must
// end, no further value is drawn and no further call begins. It returns the first error, or
// [Cx.Err], when all calls that have begun have returned, as [ForErr] does. If seq waits when a
// call fails on another worker, that is when seq has come to its next value, or its end: whoever
// gives it values ends it, or lets it give up.
func ForEachErr[E any](cx Cx, seq iter.Seq[E], body func(cx Cx, e E) error) error {
	cx.check("ForEachErr")
	if seq == nil || body == nil {
		panic("surewake: ForEachErr: nil function")
	}
	return forEachErr(cx, seq, body)
}

// forEachErr is ForEachErr.
func forEachErr[E any](cx Cx, seq iter.Seq[E], body func(cx Cx, e E) error) error {
	var first firstError
	cx.beginLoop()
	fork.ForEachUntil(cx, seq, first.over, func(cx Cx, e E) { first.note(body(cx, e)) })
	first.over(cx) // seq may have ended because the task must (runtime/R65)
	return first.err
}

// MapSeq calls fn for each value of seq, as [ForEach] does, and returns the results in the order of
// the values; or none and [Cx.Err]. All results are kept until then.
func MapSeq[E, R any](cx Cx, seq iter.Seq[E], fn func(cx Cx, e E) R) ([]R, error) {
	cx.check("MapSeq")
	if seq == nil || fn == nil {
		panic("surewake: MapSeq: nil function")
	}
	return mapSeq(cx, seq, func(cx Cx, e E) (R, error) { return fn(cx, e), nil })
}

// MapSeqErr is [MapSeq] for calls that can fail, as [ForEachErr] says. It returns no results if
// there is an error.
func MapSeqErr[E, R any](
	cx Cx, seq iter.Seq[E], fn func(cx Cx, e E) (R, error),
) ([]R, error) {
	cx.check("MapSeqErr")
	if seq == nil || fn == nil {
		panic("surewake: MapSeqErr: nil function")
	}
	return mapSeq(cx, seq, fn)
}

// A drawn is a value of an iterator, and the place for its result.
type drawn[E, P any] struct {
	value E
	place *P
}

// mapSeq is MapSeqErr.
func mapSeq[E, R any](cx Cx, seq iter.Seq[E], fn func(cx Cx, e E) (R, error)) ([]R, error) {
	var blocks [][]R // of the calling task, which makes places when it draws
	n := 0
	values := func(yield func(drawn[E, R]) bool) {
		var free []R
		for e := range seq {
			if len(free) == 0 {
				free = make([]R, min(max(n, leastPlaces), mostPlaces))
				blocks = append(blocks, free)
			}
			place := &free[0]
			free = free[1:]
			n++
			if !yield(drawn[E, R]{e, place}) {
				return
			}
		}
	}
	err := forEachErr(cx, values, func(cx Cx, d drawn[E, R]) (err error) {
		*d.place, err = fn(cx, d.value)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make([]R, 0, n)
	for _, block := range blocks {
		out = append(out, block[:min(len(block), n-len(out))]...)
	}
	return out, nil
}

// Places are made by the block: as many as there are, but within these bounds.
const (
	leastPlaces = 8
	mostPlaces  = 1024
)

// ReduceSeq calls leaf for each value of seq, as [ForEach] does, and returns the results, added by
// add in the order of the values, by the calling task: add(a, b) is given what has been added so
// far, and the next result. The calling task adds what it can before it draws a value; a result is
// kept as long as one before it is not there. The result for no value is the zero R, as it is if
// there is an error, [Cx.Err]; part of the results have been added then.
func ReduceSeq[E, R any](
	cx Cx, seq iter.Seq[E], leaf func(cx Cx, e E) R, add func(a, b R) R,
) (R, error) {
	cx.check("ReduceSeq")
	if seq == nil || leaf == nil || add == nil {
		panic("surewake: ReduceSeq: nil function")
	}
	return reduceSeq(cx, seq, func(cx Cx, e E) (R, error) { return leaf(cx, e), nil }, add)
}

// ReduceSeqErr is [ReduceSeq] for calls that can fail, as [ForEachErr] says.
func ReduceSeqErr[E, R any](
	cx Cx, seq iter.Seq[E], leaf func(cx Cx, e E) (R, error), add func(a, b R) R,
) (R, error) {
	cx.check("ReduceSeqErr")
	if seq == nil || leaf == nil || add == nil {
		panic("surewake: ReduceSeqErr: nil function")
	}
	return reduceSeq(cx, seq, leaf, add)
}

// reduceSeq is ReduceSeqErr.
func reduceSeq[E, R any](
	cx Cx, seq iter.Seq[E], leaf func(cx Cx, e E) (R, error), add func(a, b R) R,
) (R, error) {
	row := &row[R]{add: add}
	values := func(yield func(drawn[E, summand[R]]) bool) {
		for e := range seq {
			if !yield(drawn[E, summand[R]]{e, row.place()}) {
				return
			}
			row.addThose()
		}
	}
	err := forEachErr(cx, values, func(cx Cx, d drawn[E, summand[R]]) (err error) {
		if d.place.value, err = leaf(cx, d.value); err == nil {
			d.place.there.Store(true) // Partner: the load in addThose.
		}
		return err
	})
	if err != nil {
		var none R
		return none, err
	}
	row.addThose()
	return row.sum, nil
}

// A summand is a result that is to be added. Whoever calls leaf writes value, and then there. The
// calling task reads and clears both after that; next is its own.
type summand[R any] struct {
	value R
	there atomic.Bool
	next  *summand[R]
}

// A row adds results in the order of their places. The calling task owns it.
type row[R any] struct {
	add         func(a, b R) R
	sum         R
	begun       bool        // sum is of one result or more
	first, last *summand[R] // what is not added yet
	free        *summand[R]
}

// place returns a place after all others.
func (r *row[R]) place() *summand[R] {
	place := r.free
	if place == nil {
		place = new(summand[R])
	} else {
		r.free, place.next = place.next, nil
	}
	if r.first == nil {
		r.first = place
	} else {
		r.last.next = place
	}
	r.last = place
	return place
}

// addThose adds those results that have none before them that is not there.
func (r *row[R]) addThose() {
	// Partner: the store in reduceSeq, after that of the value.
	for f := r.first; f != nil && f.there.Load(); f = r.first {
		if r.begun {
			r.sum = r.add(r.sum, f.value)
		} else {
			r.sum, r.begun = f.value, true
		}
		var none R
		f.value = none
		f.there.Store(false)
		r.first, f.next, r.free = f.next, r.free, f
	}
}

// ReduceErr is [Reduce] for leaves that can fail: once one has returned an error, or the task must
// end, no further block begins. It returns the first error, or [Cx.Err], as [ForErr] does, and the
// zero R then.
func ReduceErr[R any](
	cx Cx, lo, hi int, leaf func(cx Cx, lo, hi int) (R, error), add func(a, b R) R,
) (R, error) {
	cx.check("ReduceErr")
	if leaf == nil || add == nil {
		panic("surewake: ReduceErr: nil function")
	}
	var first firstError
	sum, all := fork.ReduceUntil(cx, lo, hi, first.over, func(cx Cx, lo, hi int) R {
		r, err := leaf(cx, lo, hi)
		first.note(err)
		return r
	}, func(a, b R) R {
		if first.there.Load() {
			return a // the sum is not asked for
		}
		return add(a, b)
	})
	if !all || first.err != nil {
		var none R
		return none, first.err
	}
	return sum, nil
}
