package runtime_test

import (
	"slices"

	"github.com/surewake/surewake/runtime"
)

// overValues runs a loop over an iterator, or one whose blocks can fail. A sum is the list of what
// was added: it shows what was lost, and in which order the rest was added.
func (l *loopWork) overValues(kind int) {
	cx, n := l.p.cx, len(l.counts)
	what, err := "", error(nil)
	var got []int
	switch kind {
	case 0:
		what = "ForEachErr"
		err = runtime.ForEachErr(cx, l.ahead(n), l.call)
		if err == nil {
			got = upTo(0, n)
		}
	case 1:
		what = "MapSeq"
		got, err = runtime.MapSeq(cx, l.ahead(n), l.succeeds)
		l.failed.Store(false)
	case 2:
		what = "MapSeqErr"
		got, err = runtime.MapSeqErr(cx, l.ahead(n), l.itself)
	case 3:
		what = "ReduceSeq"
		got, err = runtime.ReduceSeq(cx, l.ahead(n), func(cx runtime.Cx, i int) []int {
			return []int{l.succeeds(cx, i)}
		}, join)
		l.failed.Store(false)
	case 4:
		what = "ReduceSeqErr"
		got, err = runtime.ReduceSeqErr(cx, l.ahead(n), func(cx runtime.Cx, i int) ([]int, error) {
			return []int{i}, l.call(cx, i)
		}, join)
	case 5:
		what = "ReduceErr"
		got, err = runtime.ReduceErr(cx, 0, n, func(cx runtime.Cx, lo, hi int) ([]int, error) {
			for i := lo; i < hi; i++ {
				if err := l.call(cx, i); err != nil {
					return nil, err
				}
			}
			return upTo(lo, hi), nil
		}, join)
	}
	if err == nil && !slices.Equal(got, upTo(0, n)) || err != nil && got != nil {
		l.p.w.fail("task %d: %s returned %v of %d results, and %v", l.p.r.id, what, got, n, err)
	}
	l.ended(what, err, err == nil)
}

// succeeds is a call whose failure nobody is told of.
func (l *loopWork) succeeds(cx runtime.Cx, i int) int {
	_ = l.call(cx, i)
	return i
}

// itself is a call that returns its number.
func (l *loopWork) itself(cx runtime.Cx, i int) (int, error) { return i, l.call(cx, i) }

// join returns a with b behind it, and leaves both as they are.
func join(a, b []int) []int { return append(slices.Clip(a), b...) }

// upTo returns the numbers from lo to hi-1.
func upTo(lo, hi int) []int { return slices.Collect(count(hi))[lo:] }
