package runtime

import (
	"cmp"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/surewake/surewake/fork"
)

// Loops
//
// A loop begins no call once its task must end: it is told as the calls are, by the Cx that they
// are given, between any two of them, or two blocks. Then it returns [Cx.Err], since calls were
// left out, when those that have begun have returned. So a loop in a task that must end ends soon,
// however long it is, and what it returns is never taken for a whole. In a [Cx.Shield], it goes on.

// For calls body for each i with lo <= i < hi, perhaps several at the same time, and returns nil
// when all calls have returned. Idle workers take the upper half of what is left, between any two
// calls, or before the first if those of the last loop were long; nobody chooses a grain. If nobody
// takes anything and body does not wait, the calls are in order and cost what they cost in a loop.
// See [fork.For], and [Fork] for what body may do.
//
// Each millisecond, between two calls, tasks run that are queued at the worker, or for all workers,
// and those of timers that are due: body may find that they have run meanwhile.
//
// If body waits, or yields, the rest of the loop goes on as tasks: in the end all calls may wait at
// the same time, each with a stack of its own. A [Group] can limit how many do.
//
// If the task must end, no further call begins. For returns [Cx.Err] then, when all calls that have
// begun have returned, unless all were made. In a [Cx.Shield], all are.
func For(cx Cx, lo, hi int, body func(cx Cx, i int)) error {
	cx.check("For")
	if body == nil {
		panic("surewake: For: nil function")
	}
	cx.beginLoop()
	return cx.loopErr(fork.ForUntil(cx, lo, hi, mustEnd, body))
}

// Range is [For] for bodies that are short: it calls body for blocks lo <= i < hi of the range,
// each i in exactly one. Between blocks, it looks whether the task must end. See [fork.Range].
func Range(cx Cx, lo, hi int, body func(cx Cx, lo, hi int)) error {
	cx.check("Range")
	if body == nil {
		panic("surewake: Range: nil function")
	}
	cx.beginLoop()
	return cx.loopErr(fork.RangeUntil(cx, lo, hi, mustEnd, body))
}

// Map calls fn for each element of in, perhaps several at the same time, and returns the results in
// the order of in; or none and [Cx.Err], as [For] does. It hands out blocks, as [Range] does. See
// [fork.Map].
func Map[E, R any](cx Cx, in []E, fn func(cx Cx, e E) R) ([]R, error) {
	cx.check("Map")
	if fn == nil {
		panic("surewake: Map: nil function")
	}
	cx.beginLoop()
	out, all := fork.MapUntil(cx, in, mustEnd, fn)
	return out, cx.loopErr(all)
}

// ForEach calls body for each value of seq, perhaps several at the same time, and returns nil when
// all calls have returned. The calling task draws the values; while a worker is idle, that gets the
// calls. See [fork.ForEach]. seq may wait by means of cx, for instance for a channel; body uses its
// own Cx. If it blocks its worker instead, as a Go channel does, a call that was drawn waits with
// it until another worker is idle. A wait goes on if a call panics meanwhile on another worker: the
// loop ends then when seq has come to its next value, or its end.
//
// If the task must end, no further value is drawn and no further call begins, as [For] says; so an
// endless seq ends, too. ForEach returns [Cx.Err] then, and up to 64 values that were drawn have
// had no call. It also returns [Cx.Err] if the task must end when seq has: that may have ended
// because of it, as one that waits by means of cx does.
func ForEach[E any](cx Cx, seq iter.Seq[E], body func(cx Cx, e E)) error {
	cx.check("ForEach")
	if seq == nil || body == nil {
		panic("surewake: ForEach: nil function")
	}
	cx.beginLoop()
	all := fork.ForEachUntil(cx, seq, mustEnd, body)
	return cx.loopErr(all && cx.stopErr() == nil) // runtime/R65
}

// Reduce calls leaf for blocks of the range as [Range] does, and returns their results, added by
// add in the order of the range. How the range is divided differs from call to call, so add must be
// associative; any worker calls it, several at the same time, so it uses no Cx. The result for an
// empty range is the zero R. If the task must end, it returns that and [Cx.Err], as [For] does. See
// [fork.Reduce].
func Reduce[R any](
	cx Cx, lo, hi int, leaf func(cx Cx, lo, hi int) R, add func(a, b R) R,
) (R, error) {
	cx.check("Reduce")
	if leaf == nil || add == nil {
		panic("surewake: Reduce: nil function")
	}
	cx.beginLoop()
	sum, all := fork.ReduceUntil(cx, lo, hi, mustEnd, leaf, add)
	return sum, cx.loopErr(all)
}

// mustEnd reports whether no further call of a loop begins, after others have had their turn. It is
// told of a cancellation in each part of the loop.
func mustEnd(cx Cx) bool {
	cx.letOthers()
	return cx.stopErr() != nil
}

// sortMustEnd is mustEnd for sorts. They ask at each level on their way down, where nothing has
// lasted, and else after hundreds of comparisons: how long one call takes tells nothing of the
// next. (runtime/R74)
func sortMustEnd(cx Cx) bool {
	cx.lookAround()
	return cx.stopErr() != nil
}

// loopErr returns what a loop does that has made all calls, or has left some out.
func (cx Cx) loopErr(all bool) error {
	if all {
		return nil
	}
	return cmp.Or(cx.stopErr(), ErrCancelled)
}

// ForErr is [Range] for calls that can fail, one for each i: once one has returned an error, or the
// task must end, no further call begins. It returns the first error, or [Cx.Err], when all calls
// that have begun have returned; and nil if all were made. Calls that have begun are not cancelled
// by the error of another, as those of errgroup are by its context: they are calls of one task. For
// calls that wait, start each in a [Scope] or a [Group], as the second example does.
func ForErr(cx Cx, lo, hi int, body func(cx Cx, i int) error) error {
	cx.check("ForErr")
	if body == nil {
		panic("surewake: ForErr: nil function")
	}
	var first firstError
	cx.beginLoop()
	fork.RangeUntil(cx, lo, hi, first.over, func(cx Cx, lo, hi int) {
		for i := lo; i < hi && !first.over(cx); i++ {
			first.note(body(cx, i))
		}
	})
	return first.err
}

// MapErr calls fn for each element of in, as [ForErr] does, and returns the results in the order of
// in, or none and the first error.
func MapErr[E, R any](cx Cx, in []E, fn func(cx Cx, e E) (R, error)) ([]R, error) {
	cx.check("MapErr")
	if fn == nil {
		panic("surewake: MapErr: nil function")
	}
	out := make([]R, len(in))
	err := ForErr(cx, 0, len(in), func(cx Cx, i int) (err error) {
		out[i], err = fn(cx, in[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Sort sorts s, by halves that idle workers take. See [SortFunc].
func Sort[E cmp.Ordered](cx Cx, s []E) error {
	cx.check("Sort")
	cx.beginLoop()
	return cx.loopErr(fork.SortFuncUntil(cx, s, sortMustEnd, cmp.Compare[E]))
}

// SortFunc sorts s as [slices.SortStableFunc] does, by halves that idle workers take, and returns
// nil; it uses two buffers of the length of s. If the task must end, it returns [Cx.Err], after at
// most some hundred comparisons on each worker, and s is as it was; so it is if compare panics. See
// [fork.SortFuncUntil].
func SortFunc[E any](cx Cx, s []E, compare func(a, b E) int) error {
	cx.check("SortFunc")
	if compare == nil {
		panic("surewake: SortFunc: nil function")
	}
	cx.beginLoop()
	return cx.loopErr(fork.SortFuncUntil(cx, s, sortMustEnd, compare))
}

// A firstError is the first of several errors. Any number of forks use it.
type firstError struct {
	once  sync.Once
	err   error       // by once; read when the forks have ended
	there atomic.Bool // partner: note
}

// over reports whether nothing further should begin, after others have had their turn.
func (f *firstError) over(cx Cx) bool {
	if f.there.Load() {
		return true
	}
	cx.letOthers()
	f.note(cx.stopErr())
	return f.there.Load()
}

func (f *firstError) note(err error) {
	if err != nil {
		f.once.Do(func() {
			f.err = err
			f.there.Store(true)
		})
	}
}
