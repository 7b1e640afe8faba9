package fork

import "iter"

// Map calls fn for each element of in, perhaps several at the same time, and returns the results in
// the order of in. Blocks of elements are handed out as by [Range], so fn may be short. It panics
// as [For] does.
func Map[W Strand[W], E, R any](w W, in []E, fn func(w W, e E) R) []R {
	if fn == nil {
		panic("surewake: Map: nil function")
	}
	out := make([]R, len(in))
	reduce(w, sum[W, struct{}]{func(w W, lo, hi int) (none struct{}) {
		for i := lo; i < hi; i++ {
			out[i] = fn(w, in[i])
		}
		return none
	}, addNothing, nil, fn, 0, len(in), 1})
	return out
}

// An item is a value of [ForEach].
type item[W, E any] struct {
	body  func(w W, e E)
	value E
}

func (i *item[W, E]) calls() any { return i.body }

func callItem[W, E any](w W, i item[W, E]) (none struct{}) {
	i.body(w, i.value)
	return none
}

// forkedItems is how many calls of a [ForEach] are forked before they are joined.
const forkedItems = 64

// ForEach calls body for each value of seq, perhaps several at the same time, and returns when all
// calls have. The worker that calls it draws the values, one after another. It calls body for each
// itself, in order, unless a thief has asked: then it leaves the call to that, and draws the next.
// So each steal gets one call; where these are shorter than a microsecond or two, [Range] over a
// slice is better. At most 64 values are drawn before their calls have ended.
//
// seq may fork, to prepare the next value for instance. As long as it has forks that it has not
// joined, ForEach leaves no call to a thief.
//
// If a call of body panics, or seq does, so does ForEach, as [For] does. It panics if seq or body
// is nil. The owner of the Stack of w calls it.
func ForEach[W Strand[W], E any](w W, seq iter.Seq[E], body func(w W, e E)) {
	if seq == nil || body == nil {
		panic("surewake: ForEach: nil function")
	}
	s := w.Forks()
	base, returned := s.top, false
	defer s.abandonUnless(&returned, base)
	var forked []*Frame[W, item[W, E], struct{}]
	for e := range seq {
		// seq joins its forks next, and what is above them must not be there then. (K12)
		if !s.Asked() || s.top != base+len(forked) {
			body(w, e)
			continue
		}
		if len(forked) == forkedItems {
			forked = joinAll(w, forked)
		}
		forked = append(forked, Fork(w.Forks(), callItem[W, E], item[W, E]{body, e}))
	}
	joinAll(w, forked)
	returned = true
}

// joinAll joins frames, the youngest first, and returns the empty slice.
func joinAll[W, A, R any](w W, frames []*Frame[W, A, R]) []*Frame[W, A, R] {
	for i := len(frames) - 1; i >= 0; i-- {
		frames[i].Join(w)
	}
	return frames[:0]
}
