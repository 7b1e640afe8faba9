package fork

import "time"

// Loops
//
// A loop runs its iterations in order, and forks nothing until a thief asks: it looks at the bit
// between two of them, or two blocks of them. Then it makes the older half of the private forks
// public, as a fork or a join would; if there are none, it forks the upper half of what is left of
// it, which is public at once. That half is a loop itself. So a loop that nobody steals from costs
// a load and a branch for each look, and one that is stolen from is split in few pieces, however
// many iterations it has. (K11)
//
// A steal costs its thief and its victim about as much as a microsecond of work. So a rest that is
// over in four, if it goes on as it has begun, is not split: loops of a few nanoseconds, one after
// another, are as fast with idle workers about as without.
//
// Who has long iterations would keep a thief waiting for the first of them: 16 iterations of a
// millisecond took 9 on two processors. So the stack keeps how long the iterations of its last loop
// were. If that was long, a loop that finds that a thief has asked is halved before its first one.
// Where the next loop has short ones, that is one steal too many, and known at its end. (K16)
//
// For looks after each iteration. Range and Reduce hand out blocks, which their functions run
// through as they like; a block grows to some microseconds, and shrinks if it turns out to last
// longer.
//
// Source: lazy binary splitting (Tzannes, Caragea, Barua, Vishkin, 2010), which splits when the
// deque of the worker is empty. Here it is when somebody has asked.
//
// Rejected alternatives
//
//   - A grain that is chosen before: by the caller, who does not know the machine, or as a part of
//     the length over the number of workers, which the package does not know either and which is
//     too coarse where iterations differ.
//   - Splitting down to the grain in any case, with forks that are nearly all joined by their
//     owner: cheap forks, but one for each block, and the iterations are not in order any more.
//   - Blocks by number alone: 4096 iterations of a millisecond each hide for 4 s.

// A Strand is what a loop runs on: a value, such as a pointer to a worker, that has the [Stack] of
// the goroutine that uses it. A type that embeds its Stack has the method.
type Strand[W any] interface{ Forks() *Stack[W] }

// Forks returns s. With it, a type that embeds a Stack is a [Strand].
func (s *Stack[W]) Forks() *Stack[W] { return s }

const (
	blockTime = 5 * time.Microsecond // what a block lasts, about
	maxBlock  = 4096                 // iterations
	minSplit  = 4 * time.Microsecond // what is left of a loop that is split lasts longer
	// A loop that had too little left looks again after so many iterations.
	lookAgain = 8
	// An iteration of so many nanoseconds is long: many times what a steal costs.
	longIteration = 50_000
)

// splitLoop answers a thief that has asked, between two iterations of a loop. So many are done, in
// that time, and so many left. It returns how many of these to fork, at the upper end, or 0.
func (s *Stack[W]) splitLoop(done, left uint, lasted time.Duration) uint {
	if left < 2 || s.top > s.split {
		s.feed()
		return 0
	}
	s.learn(done, lasted)
	if s.iteration*float64(left) < float64(s.minSplit) {
		return 0
	}
	return left / 2
}

// learn notes that so many iterations have lasted so long.
func (s *Stack[W]) learn(done uint, lasted time.Duration) {
	s.iteration = float64(lasted) / float64(done)
}

// splitFirst answers a thief that has asked, before the first of so many iterations, if those of
// the last loop were long. It returns how many to fork, at the upper end, or 0.
func (s *Stack[W]) splitFirst(all uint) uint {
	if s.iteration < longIteration || !s.isHungry() {
		return 0
	}
	if s.top > s.split {
		s.feed()
		return 0
	}
	return all / 2
}

// ends notes the end of a loop of so many iterations, if they are thought to be long.
func (s *Stack[W]) ends(all uint, begin time.Time) {
	if s.iteration >= longIteration {
		s.learn(all, time.Since(begin))
	}
}

// An each is what is left of a [For].
type each[W any] struct {
	body   func(w W, i int)
	over   func(w W) bool // whether no further call begins; nil: all do
	lo, hi int
}

func (r *each[W]) calls() any { return r.body }

// For calls body for each i with lo <= i < hi, perhaps several at the same time, and returns when
// all calls have; w is that of the worker that makes the call. The calls of one worker come in
// order, and all in order if nobody steals. The rest of the loop can be stolen, by halves, between
// any two calls; and before the first, if those of the last loop on the Stack were long.
//
// If a call panics, so does For, after those that had begun elsewhere have ended; of others that
// panic nothing is heard. Some are not made then. For panics if body is nil. The owner of the Stack
// of w calls it.
func For[W Strand[W]](w W, lo, hi int, body func(w W, i int)) {
	if body == nil {
		panic("surewake: For: nil function")
	}
	forAll(w, each[W]{body, nil, lo, hi})
}

// ForUntil is [For] that begins no call once over returns true, and reports whether all calls were
// made. Over is called before each, as in [RangeUntil]. ForUntil panics as For does, and if over is
// nil.
func ForUntil[W Strand[W]](w W, lo, hi int, over func(w W) bool, body func(w W, i int)) bool {
	if body == nil || over == nil {
		panic("surewake: ForUntil: nil function")
	}
	return !forAll(w, each[W]{body, over, lo, hi})
}

// forAll is For of r. It reports whether calls were left out.
func forAll[W Strand[W]](w W, r each[W]) (cut bool) {
	if r.lo >= r.hi {
		return false
	}
	s := w.Forks()
	base, returned := s.top, false
	defer s.abandonUnless(&returned, base)
	cut = forRest(w, r)
	returned = true
	return cut
}

func forRest[W Strand[W]](w W, r each[W]) (cut bool) {
	s := w.Forks()
	if n := s.splitFirst(uint(r.hi) - uint(r.lo)); n > 0 {
		return forHalves(w, r, n)
	}
	begin := time.Now()
	look := r.lo
	for i := r.lo; i < r.hi; i++ {
		if r.over != nil && r.over(w) {
			return true
		}
		r.body(w, i)
		if !s.isHungry() || i < look {
			continue
		}
		done, left := uint(i+1)-uint(r.lo), uint(r.hi)-uint(i+1)
		if n := s.splitLoop(done, left, time.Since(begin)); n > 0 {
			r.lo = i + 1
			return forHalves(w, r, n)
		}
		look = i + min(lookAgain, int(left))
	}
	s.ends(uint(r.hi)-uint(r.lo), begin)
	return false
}

// forHalves is forRest that forks the upper n iterations.
func forHalves[W Strand[W]](w W, r each[W], n uint) (cut bool) {
	upper := r
	upper.lo = r.hi - int(n)
	r.hi = upper.lo
	f := Fork(w.Forks(), forRest[W], upper)
	cut = forRest(w, r)
	return f.Join(w) || cut
}

// Range calls body for blocks lo <= i < hi of the whole range, perhaps several at the same time,
// and returns when all calls have; each i is in exactly one block. Otherwise it is [For], for
// bodies that are so short that a call for each would be felt. Blocks grow from 1 to what takes
// some microseconds, and to at most 4096; what is stolen meanwhile begins after the running block.
func Range[W Strand[W]](w W, lo, hi int, body func(w W, lo, hi int)) {
	if body == nil {
		panic("surewake: Range: nil function")
	}
	reduce(w, sum[W, struct{}]{leafOf(body), addNothing, nil, body, lo, hi, 1})
}

// RangeUntil is [Range] that begins no block once over returns true, however many are left, and
// reports whether all were. The worker of a block calls over before it, with what it would call
// body with; so once over has returned true, it must go on to. RangeUntil panics as Range does, and
// if over is nil.
func RangeUntil[W Strand[W]](
	w W, lo, hi int, over func(w W) bool, body func(w W, lo, hi int),
) bool {
	if body == nil || over == nil {
		panic("surewake: RangeUntil: nil function")
	}
	return !reduce(w, sum[W, struct{}]{leafOf(body), addNothing, over, body, lo, hi, 1}).cut
}

// leafOf returns body as a leaf of a [Reduce] that has no result.
func leafOf[W any](body func(w W, lo, hi int)) func(w W, lo, hi int) struct{} {
	return func(w W, lo, hi int) (none struct{}) {
		body(w, lo, hi)
		return none
	}
}

func addNothing(none, _ struct{}) struct{} { return none }

// A sum is what is left of a [Reduce].
type sum[W, R any] struct {
	leaf   func(w W, lo, hi int) R
	add    func(a, b R) R
	over   func(w W) bool // whether no further block begins; nil: all do
	user   any            // the function that leaf calls
	lo, hi int
	block  int
}

func (r *sum[W, R]) calls() any { return r.user }

// Reduce calls leaf for blocks of the range as [Range] does, and returns their results, added by
// add in the order of the range: add(a, b) is called with the results of two neighbours. How the
// range is divided differs from call to call, so add must be associative; it need not be
// commutative. Sums of floating-point numbers are rounded differently each time. The result for an
// empty range is the zero R.
//
// It panics as [For] does.
func Reduce[W Strand[W], R any](w W, lo, hi int, leaf func(w W, lo, hi int) R,
	add func(a, b R) R,
) (result R) {
	if leaf == nil || add == nil {
		panic("surewake: Reduce: nil function")
	}
	return reduce(w, sum[W, R]{leaf, add, nil, leaf, lo, hi, 1}).result
}

// ReduceUntil is [Reduce] that begins no block once over returns true, as [RangeUntil] does. It
// reports whether all were begun; if not, the result is the zero R. It panics as Reduce does, and
// if over is nil.
func ReduceUntil[W Strand[W], R any](
	w W, lo, hi int, over func(w W) bool, leaf func(w W, lo, hi int) R, add func(a, b R) R,
) (result R, all bool) {
	if leaf == nil || add == nil || over == nil {
		panic("surewake: ReduceUntil: nil function")
	}
	p := reduce(w, sum[W, R]{leaf, add, over, leaf, lo, hi, 1})
	if p.cut {
		return result, false
	}
	return p.result, true
}

// A partial is the result of a part of a [Reduce].
type partial[R any] struct {
	result R
	cut    bool // blocks were left out: the result is none
}

// reduce is Reduce of r.
func reduce[W Strand[W], R any](w W, r sum[W, R]) (p partial[R]) {
	if r.lo >= r.hi {
		return p
	}
	s := w.Forks()
	base, returned := s.top, false
	defer s.abandonUnless(&returned, base)
	p = reduceRest(w, r)
	returned = true
	return p
}

func reduceRest[W Strand[W], R any](w W, r sum[W, R]) (p partial[R]) {
	if r.isOver(w) {
		return partial[R]{cut: true}
	}
	s := w.Forks()
	if n := s.splitFirst(uint(r.hi) - uint(r.lo)); n > 0 {
		return reduceHalves(w, r, n)
	}
	begin := time.Now()
	var last time.Duration
	next := r.next()
	p.result = r.leaf(w, r.lo, next)
	first := r.lo
	for next < r.hi {
		if r.isOver(w) {
			return partial[R]{cut: true}
		}
		now := time.Since(begin)
		if s.isHungry() {
			if n := s.splitLoop(uint(next)-uint(first), uint(r.hi)-uint(next), now); n > 0 {
				r.lo = next
				return r.both(p, reduceHalves(w, r, n))
			}
		}
		r.block = resize(r.block, now-last)
		r.lo, last = next, now
		next = r.next()
		p.result = r.add(p.result, r.leaf(w, r.lo, next))
	}
	s.ends(uint(r.hi)-uint(first), begin)
	return p
}

// reduceHalves is reduceRest that forks the upper n iterations.
func reduceHalves[W Strand[W], R any](w W, r sum[W, R], n uint) partial[R] {
	upper := r
	upper.lo = r.hi - int(n)
	r.hi = upper.lo
	f := Fork(w.Forks(), reduceRest[W, R], upper)
	return r.both(reduceRest(w, r), f.Join(w))
}

// both returns the result of two neighbours.
func (r *sum[W, R]) both(lower, upper partial[R]) partial[R] {
	if lower.cut || upper.cut {
		return partial[R]{cut: true}
	}
	return partial[R]{result: r.add(lower.result, upper.result)}
}

func (r *sum[W, R]) isOver(w W) bool { return r.over != nil && r.over(w) }

// next returns the end of the next block.
func (r *sum[W, R]) next() int {
	return r.lo + int(min(uint(r.block), uint(r.hi)-uint(r.lo)))
}

// resize returns the size of the next block after one that has lasted d.
func resize(block int, d time.Duration) int {
	switch {
	case d > 2*blockTime:
		return max(1, block/2)
	case d <= blockTime/4:
		return min(4*block, maxBlock)
	case d <= blockTime/2:
		return min(2*block, maxBlock)
	}
	return block
}
