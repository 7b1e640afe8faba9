package fork

import "iter"

// Map calls fn for each element of in, perhaps several at the same time, and returns the results in
// the order of in. Blocks of elements are handed out as by [Range], so fn may be short. It panics
// as [For] does.
func Map[W Strand[W], E, R any](w W, in []E, fn func(w W, e E) R) []R {
	if fn == nil {
		panic("surewake: Map: nil function")
	}
	out, _ := mapAll(w, in, nil, fn)
	return out
}

// MapUntil is [Map] that begins no call once over returns true. It reports whether all were made;
// if not, there are no results. Over is called before each call, as in [RangeUntil]. MapUntil
// panics as Map does, and if over is nil.
func MapUntil[W Strand[W], E, R any](
	w W, in []E, over func(w W) bool, fn func(w W, e E) R,
) ([]R, bool) {
	if fn == nil || over == nil {
		panic("surewake: MapUntil: nil function")
	}
	out, cut := mapAll(w, in, over, fn)
	if cut {
		return nil, false
	}
	return out, true
}

// mapAll is Map, or MapUntil if over is not nil. It reports whether calls were left out.
func mapAll[W Strand[W], E, R any](
	w W, in []E, over func(w W) bool, fn func(w W, e E) R,
) (out []R, cut bool) {
	out = make([]R, len(in))
	p := reduce(w, sum[W, bool]{func(w W, lo, hi int) bool {
		for i := lo; i < hi; i++ {
			if over != nil && over(w) {
				return true
			}
			out[i] = fn(w, in[i])
		}
		return false
	}, either, over, fn, 0, len(in), 1})
	return out, p.cut || p.result
}

func either(a, b bool) bool { return a || b }

// An item is a value of [ForEach].
type item[W, E any] struct {
	body  func(w W, e E)
	over  func(w W) bool // whether no further call begins; nil: all do
	value E
}

func (i *item[W, E]) calls() any { return i.body }

// callItem makes the call for i, and reports whether it was left out.
func callItem[W, E any](w W, i item[W, E]) (cut bool) {
	if i.over != nil && i.over(w) {
		return true
	}
	i.body(w, i.value)
	return false
}

const (
	// forkedItems is how many calls of a [ForEach] are forked before they are joined.
	forkedItems = 64
	// untaken is after how many more values a [ForEach] makes a call itself that it has left to a
	// thief, if none has come for it. A thief that was woken takes as long as some hundred calls
	// that are worth forking. (K14)
	untaken = 256
)

// ForEach calls body for each value of seq, perhaps several at the same time, and returns when all
// calls have. The worker that calls it draws the values, one after another. It calls body for each
// itself, in order, unless a thief has asked: then it leaves the call to that, and draws the next.
// It makes the call later, 256 values on, if no thief has come for it; as long as seq blocks, only
// a thief can. So each steal gets one call; where these are shorter than a microsecond or two,
// [Range] over a slice is better. At most 64 calls are left to thieves at a time. It waits for
// none of them before seq has ended.
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
	eachOf(w, seq, nil, body)
}

// ForEachUntil is [ForEach] that draws no value and begins no call once over returns true. It
// reports whether seq has ended, and all calls were made: up to 64 values that were drawn may have
// had none. Over is called before each value and each call, as in [RangeUntil]. When seq is left
// early, forks that it has not joined are abandoned. ForEachUntil panics as ForEach does, and if
// over is nil.
func ForEachUntil[W Strand[W], E any](
	w W, seq iter.Seq[E], over func(w W) bool, body func(w W, e E),
) bool {
	if seq == nil || body == nil || over == nil {
		panic("surewake: ForEachUntil: nil function")
	}
	return !eachOf(w, seq, over, body)
}

// eachOf is ForEach, or ForEachUntil if over is not nil. It reports whether calls were left out.
func eachOf[W Strand[W], E any](
	w W, seq iter.Seq[E], over func(w W) bool, body func(w W, e E),
) (cut bool) {
	if over != nil && over(w) {
		return true
	}
	s := w.Forks()
	base, returned := s.top, false
	defer s.abandonUnless(&returned, base)
	var forked []*Frame[W, item[W, E], bool]
	since := 0 // how many values were drawn since the last fork
	for e := range seq {
		i := item[W, E]{body, over, e}
		if since++; s.top != base+len(forked) {
			// seq joins its forks next, and what is above them must not be there then. (K12)
			cut = callItem(w, i)
		} else {
			asked := s.Asked()
			if asked && len(forked) == forkedItems || !asked && since > untaken && len(forked) > 0 {
				forked, cut = joinIdle(w, forked)
			}
			if asked && len(forked) < forkedItems {
				forked, since = append(forked, Fork(w.Forks(), callItem[W, E], i)), 0
			} else {
				cut = cut || callItem(w, i)
			}
		}
		if cut = cut || over != nil && over(w); cut {
			break
		}
	}
	if cut {
		s.Abandon(base + len(forked)) // what seq has forked and, left early, not joined (K12)
	}
	cut = joinAll(w, forked) || cut
	returned = true
	return cut
}

// joinIdle joins the youngest calls of a ForEach, as long as it does not wait: nobody has begun
// them, or they have ended. It returns the others, and whether one was left out. (K14)
func joinIdle[W Strand[W], E any](
	w W, frames []*Frame[W, item[W, E], bool],
) (others []*Frame[W, item[W, E], bool], cut bool) {
	for n := len(frames); n > 0 && w.Forks().joinsAtOnce(&frames[n-1].claim) && !cut; n-- {
		cut = frames[n-1].Join(w)
		frames = frames[:n-1]
	}
	return frames, cut
}

// joinAll joins the calls of a ForEach, the youngest first. It reports whether one was left out.
func joinAll[W, E any](w W, frames []*Frame[W, item[W, E], bool]) (cut bool) {
	for i := len(frames) - 1; i >= 0; i-- {
		cut = frames[i].Join(w) || cut
	}
	return cut
}
