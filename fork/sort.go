package fork

import (
	"slices"
	"sort"
)

// A merge sort whose halves, and the halves of whose merges, are forks: a merge divides the longer
// of its inputs in the middle, and the other where that value belongs (Akl, Santoro: Optimal
// Parallel Merging and Sorting Without Memory Conflicts, 1987). It needs no care for who takes
// what: each call writes a part of one buffer that no other call uses meanwhile.
//
// It works on a copy, so that a comparison that panics leaves the slice as it was. To sort in place
// by quicksort takes no memory, but its first partitions, which nobody shares, are most of the time
// with many workers, and it is not stable.

const (
	sortLeaf  = 48   // up to this, insertion and rotation are faster than merging
	forkLeaf  = 512  // below this, a sort takes some microseconds, and its halves are no forks
	mergeLeaf = 4096 // below this, a merge is not divided
	mergeLook = 256  // after so many values a merge asks whether the sort is over
)

// SortFunc sorts s as [slices.SortStableFunc] does, by halves that thieves can take. It uses two
// buffers of the length of s. If cmp panics, so does SortFunc, as [For] does, and s is as it was.
// SortFunc panics if cmp is nil. The owner of the Stack of w calls it.
func SortFunc[W Strand[W], E any](w W, s []E, cmp func(a, b E) int) {
	if cmp == nil {
		panic("surewake: SortFunc: nil function")
	}
	sortAll(w, s, sorting[W, E]{cmp: cmp})
}

// SortFuncUntil is [SortFunc] that leaves s as it was once over returns true, and reports whether s
// is sorted. Over is called before at most some hundred comparisons, as in [RangeUntil].
// SortFuncUntil panics as SortFunc does, and if over is nil.
func SortFuncUntil[W Strand[W], E any](
	w W, s []E, over func(w W) bool, cmp func(a, b E) int,
) bool {
	if cmp == nil || over == nil {
		panic("surewake: SortFuncUntil: nil function")
	}
	return !over(w) && !sortAll(w, s, sorting[W, E]{cmp: cmp, over: over})
}

// sortAll is SortFunc by j. It reports whether it was cut short.
func sortAll[W Strand[W], E any](w W, s []E, j sorting[W, E]) (cut bool) {
	forks := w.Forks()
	base, returned := forks.top, false
	defer forks.abandonUnless(&returned, base)
	j.a, j.b = slices.Clone(s), make([]E, len(s))
	cut = j.sort(w, part[W, E]{&j, 0, len(s), false})
	returned = true
	if !cut {
		copy(s, j.a)
	}
	return cut
}

// A sorting is a SortFunc under way. The values are in a or in b.
type sorting[W Strand[W], E any] struct {
	cmp  func(a, b E) int
	over func(w W) bool // whether it is cut short; nil: it is not
	a, b []E
}

func (j *sorting[W, E]) isOver(w W) bool { return j.over != nil && j.over(w) }

// A part is what a call sorts: what is in a from lo to hi, into b if so wanted, otherwise in a.
type part[W Strand[W], E any] struct {
	of     *sorting[W, E]
	lo, hi int
	intoB  bool
}

func (p *part[W, E]) calls() any { return p.of.cmp }

func sortPart[W Strand[W], E any](w W, p part[W, E]) (cut bool) { return p.of.sort(w, p) }

func (j *sorting[W, E]) sort(w W, p part[W, E]) (cut bool) {
	n := p.hi - p.lo
	if n <= sortLeaf {
		slices.SortStableFunc(j.a[p.lo:p.hi], j.cmp)
		if p.intoB {
			copy(j.b[p.lo:p.hi], j.a[p.lo:p.hi])
		}
		return false
	}
	if j.isOver(w) {
		return true
	}
	mid := p.lo + n/2
	lower, upper := part[W, E]{j, p.lo, mid, !p.intoB}, part[W, E]{j, mid, p.hi, !p.intoB}
	if n < forkLeaf {
		cut = j.sort(w, lower) || j.sort(w, upper)
	} else {
		f := Fork(w.Forks(), sortPart[W, E], lower)
		cut = j.sort(w, upper)
		cut = f.Join(w) || cut
	}
	if cut {
		return true
	}
	from, to := j.b, j.a
	if p.intoB {
		from, to = to, from
	}
	return j.merge(w, pair[W, E]{j, from[p.lo:mid], from[mid:p.hi], to[p.lo:p.hi]})
}

// A pair is what a call merges: x and y into out; of equal values, those of x come first.
type pair[W Strand[W], E any] struct {
	of        *sorting[W, E]
	x, y, out []E
}

func (p *pair[W, E]) calls() any { return p.of.cmp }

func mergePair[W Strand[W], E any](w W, p pair[W, E]) (cut bool) { return p.of.merge(w, p) }

func (j *sorting[W, E]) merge(w W, p pair[W, E]) (cut bool) {
	x, y, out := p.x, p.y, p.out
	if len(out) < mergeLeaf {
		return j.mergeLeaf(w, p)
	}
	var m, n int // what goes into the lower half
	if len(x) >= len(y) {
		m = len(x) / 2
		n = sort.Search(len(y), func(i int) bool { return j.cmp(y[i], x[m]) >= 0 })
	} else {
		n = len(y) / 2
		m = sort.Search(len(x), func(i int) bool { return j.cmp(x[i], y[n]) > 0 })
	}
	f := Fork(w.Forks(), mergePair[W, E], pair[W, E]{j, x[:m], y[:n], out[:m+n]})
	cut = j.merge(w, pair[W, E]{j, x[m:], y[n:], out[m+n:]})
	return f.Join(w) || cut
}

func (j *sorting[W, E]) mergeLeaf(w W, p pair[W, E]) (cut bool) {
	x, y, out := p.x, p.y, p.out
	if len(x) == 0 || len(y) == 0 || j.cmp(x[len(x)-1], y[0]) <= 0 {
		copy(out[copy(out, x):], y)
		return false
	}
	for len(out) > 0 {
		if j.isOver(w) {
			return true
		}
		n := min(len(out), mergeLook)
		x, y = mergeInto(out[:n], x, y, j.cmp)
		out = out[n:]
	}
	return false
}

// mergeInto fills out, and returns what is left of x and y.
func mergeInto[E any](out, x, y []E, cmp func(a, b E) int) (_, _ []E) {
	for i := range out {
		switch {
		case len(y) == 0 || len(x) > 0 && cmp(x[0], y[0]) <= 0:
			out[i], x = x[0], x[1:]
		default:
			out[i], y = y[0], y[1:]
		}
	}
	return x, y
}
