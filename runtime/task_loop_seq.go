package runtime

import (
	"iter"

	"github.com/surewake/surewake/fork"
)

// Loops over iterators
//
// They are [ForEach] with a place for each result, which the calling task makes when it draws the
// value. So results are in the order of the values, whoever has made the calls.

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
type drawn[E, R any] struct {
	value E
	place *R
}

// mapSeq is MapSeqErr.
func mapSeq[E, R any](cx Cx, seq iter.Seq[E], fn func(cx Cx, e E) (R, error)) ([]R, error) {
	var places []*R // the calling task appends, when it draws
	values := func(yield func(drawn[E, R]) bool) {
		for e := range seq {
			place := new(R)
			places = append(places, place)
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
	out := make([]R, len(places))
	for i, place := range places {
		out[i] = *place
	}
	return out, nil
}

// ReduceSeq calls leaf for each value of seq, as [ForEach] does, and returns the results, added by
// add in the order of the values, by the calling task: add(a, b) is given what has been added so
// far, and the next result. It is called when all results are there: they are kept until then. The
// result for no value is the zero R, as it is if there is an error, [Cx.Err].
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
) (sum R, err error) {
	all, err := mapSeq(cx, seq, leaf)
	for i, r := range all {
		if i == 0 {
			sum = r
			continue
		}
		sum = add(sum, r)
	}
	return sum, err
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
