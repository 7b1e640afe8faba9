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
	sortLeaf  = 48   // below this, insertion and rotation are faster than merging
	forkLeaf  = 512  // below this, a sort takes some microseconds, and its halves are no forks
	mergeLeaf = 4096 // below this, a merge is not divided
)

// SortFunc sorts s as [slices.SortStableFunc] does, by halves that thieves can take. It uses two
// buffers of the length of s. If cmp panics, so does SortFunc, as [For] does, and s is as it was.
// SortFunc panics if cmp is nil. The owner of the Stack of w calls it.
func SortFunc[W Strand[W], E any](w W, s []E, cmp func(a, b E) int) {
	if cmp == nil {
		panic("surewake: SortFunc: nil function")
	}
	if len(s) < forkLeaf {
		copied := slices.Clone(s)
		slices.SortStableFunc(copied, cmp)
		copy(s, copied)
		return
	}
	forks := w.Forks()
	base, returned := forks.top, false
	defer forks.abandonUnless(&returned, base)
	j := &sorting[W, E]{cmp, slices.Clone(s), make([]E, len(s))}
	j.sort(w, part[W, E]{j, 0, len(s), false})
	returned = true
	copy(s, j.a)
}

// A sorting is a SortFunc under way. The values are in a or in b.
type sorting[W Strand[W], E any] struct {
	cmp  func(a, b E) int
	a, b []E
}

// A part is what a call sorts: what is in a from lo to hi, into b if so wanted, otherwise in a.
type part[W Strand[W], E any] struct {
	of     *sorting[W, E]
	lo, hi int
	intoB  bool
}

func (p *part[W, E]) calls() any { return p.of.cmp }

func sortPart[W Strand[W], E any](w W, p part[W, E]) (none struct{}) {
	p.of.sort(w, p)
	return none
}

func (j *sorting[W, E]) sort(w W, p part[W, E]) {
	n := p.hi - p.lo
	if n <= sortLeaf {
		slices.SortStableFunc(j.a[p.lo:p.hi], j.cmp)
		if p.intoB {
			copy(j.b[p.lo:p.hi], j.a[p.lo:p.hi])
		}
		return
	}
	mid := p.lo + n/2
	lower, upper := part[W, E]{j, p.lo, mid, !p.intoB}, part[W, E]{j, mid, p.hi, !p.intoB}
	if n < forkLeaf {
		j.sort(w, lower)
		j.sort(w, upper)
	} else {
		f := Fork(w.Forks(), sortPart[W, E], lower)
		j.sort(w, upper)
		f.Join(w)
	}
	from, to := j.b, j.a
	if p.intoB {
		from, to = to, from
	}
	j.merge(w, pair[W, E]{j, from[p.lo:mid], from[mid:p.hi], to[p.lo:p.hi]})
}

// A pair is what a call merges: x and y into out; of equal values, those of x come first.
type pair[W Strand[W], E any] struct {
	of        *sorting[W, E]
	x, y, out []E
}

func (p *pair[W, E]) calls() any { return p.of.cmp }

func mergePair[W Strand[W], E any](w W, p pair[W, E]) (none struct{}) {
	p.of.merge(w, p)
	return none
}

func (j *sorting[W, E]) merge(w W, p pair[W, E]) {
	x, y, out := p.x, p.y, p.out
	if len(out) < mergeLeaf {
		j.mergeLeaf(x, y, out)
		return
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
	j.merge(w, pair[W, E]{j, x[m:], y[n:], out[m+n:]})
	f.Join(w)
}

func (j *sorting[W, E]) mergeLeaf(x, y, out []E) {
	if len(x) == 0 || len(y) == 0 || j.cmp(x[len(x)-1], y[0]) <= 0 {
		copy(out[copy(out, x):], y)
		return
	}
	for i := range out {
		switch {
		case len(y) == 0 || len(x) > 0 && j.cmp(x[0], y[0]) <= 0:
			out[i], x = x[0], x[1:]
		default:
			out[i], y = y[0], y[1:]
		}
	}
}
