package explore

import "slices"

// groupAdds are the additions of more than zero to a WaitGroup in an execution, for
// needsOrderedAdds.
type groupAdds struct {
	e     *engine
	of    *object
	all   []int32   // by events, in their order
	by    [][]int32 // by thread
	least []int32   // by place in all: leastBefore, once that is known
}

// unknownLeast stands for a number that was not computed.
const unknownLeast = -1 << 31

// irregular reports whether the events on o, which ran to their end, violate one of the three.
func (e *engine) irregular(o *object) bool {
	g := groupAdds{e: e, of: o, by: make([][]int32, e.n)}
	for f := o.last; f >= 0; f = e.stack[f].prevObj {
		if e.adds(f) {
			g.all, g.least = append(g.all, f), append(g.least, unknownLeast)
		}
	}
	slices.Reverse(g.all)
	for _, f := range g.all {
		tid := e.stack[f].tid
		g.by[tid] = append(g.by[tid], f)
	}
	base, used := o.base, g.unused()
	for f := o.last; f >= 0; f = e.stack[f].prevObj {
		switch e.stack[f].op {
		case OpWGLook:
			if g.meets(f, func(a int32) bool { return g.leastBefore(a) <= 0 }) {
				return true
			}
		case OpWGWait:
			if g.meets(f, func(int32) bool { return true }) {
				return true
			}
		case OpWGAdd:
			if used.take(f, &base) > 0 {
				return true
			}
		}
	}
	return false
}

// meets reports whether some addition that is so is not ordered with event f.
func (g *groupAdds) meets(f int32, so func(a int32) bool) bool {
	for tid, list := range g.by {
		i, _ := slices.BinarySearch(list, g.e.entry(f, int32(tid))) // those before are in f's past
		for ; i < len(list) && !g.e.before(f, list[i]); i++ {
			if so(list[i]) {
				return true
			}
		}
	}
	return false
}

// leastBefore returns the least that the counter can be just before the addition a: what was added
// in a's past, less what may have been subtracted of that.
func (g *groupAdds) leastBefore(a int32) int32 {
	place, _ := slices.BinarySearch(g.all, a)
	if g.least[place] != unknownLeast {
		return g.least[place]
	}
	e, used, least := g.e, g.unused(), g.of.base
	for f := g.of.last; f >= 0; f = e.stack[f].prevObj {
		if !e.adds(f) && e.stack[f].op == OpWGAdd && !e.before(a, f) {
			used.take(f, &least)
		}
	}
	for i, f := range g.all {
		if f != a && e.before(f, a) {
			least += used.left[i]
		}
	}
	g.least[place] = least
	return least
}

// adds reports whether event f is an addition of more than zero to a WaitGroup.
func (e *engine) adds(f int32) bool {
	return e.stack[f].op == OpWGAdd && int32(e.stack[f].arg) > 0
}

// usedAdds says how much is left of each addition, by place.
type usedAdds struct {
	of   *groupAdds
	left []int32
	skip []int32 // the place itself, or one before it: between the two nothing is left
}

// unused has all of each addition.
func (g *groupAdds) unused() *usedAdds {
	u := &usedAdds{of: g}
	for i, f := range g.all {
		u.left, u.skip = append(u.left, int32(g.e.stack[f].arg)), append(u.skip, int32(i))
	}
	return u
}

// last returns the last place up to i of which something is left, -1 if there is none.
func (u *usedAdds) last(i int32) int32 {
	for i >= 0 && u.left[i] == 0 {
		next := u.skip[i]
		switch {
		case next < 0:
			return next
		case next == i:
			next = i - 1
			u.skip[i] = next
		default:
			u.skip[i] = u.skip[next]
		}
		i = next
	}
	return i
}

// take takes what event f subtracts from the additions in its past, the latest first, and the rest
// from base, which was added while there was one goroutine. The result is what is left over.
func (u *usedAdds) take(f int32, base *int32) int32 {
	e := u.of.e
	n := -int32(e.stack[f].arg)
	i, _ := slices.BinarySearch(u.of.all, f)
	for i := u.last(int32(i) - 1); i >= 0 && n > 0; i = u.last(i - 1) {
		if e.before(u.of.all[i], f) {
			k := min(n, u.left[i])
			u.left[i] -= k
			n -= k
		}
	}
	if k := min(n, *base); k > 0 {
		*base -= k
		n -= k
	}
	return n
}
