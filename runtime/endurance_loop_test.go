package runtime_test

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/runtime"
)

// A loopWork is what the calls of a loop do: some fail, wait, panic. Its seed says which.
type loopWork struct {
	p      *player
	seed   uint64
	counts []atomic.Int32 // of the calls, by number
	inside atomic.Int64   // calls that have begun and not ended
	failed atomic.Bool
	panics bool
	told   error // what a loop has returned that panics if a call does
}

var errOfLoop = errors.New("of a loop")

func (l *loopWork) call(cx runtime.Cx, i int) error {
	l.counts[i].Add(1)
	l.inside.Add(1)
	defer l.inside.Add(-1)
	switch n := (l.seed + uint64(i)) * 0x9e3779b97f4a7c15 >> 52; {
	case n < 100:
		cx.Yield()
	case n < 200:
		_ = cx.Sleep(20 * time.Microsecond) // the task may have been cancelled
	case n < 600:
		spin(3 * time.Microsecond)
	case n < 620:
		l.failed.Store(true)
		if l.panics {
			panic(errOfLoop)
		}
		return errOfLoop
	}
	return nil
}

// ended holds that a loop has returned or panicked as its calls have. made is whether each call
// must have been made.
func (l *loopWork) ended(what string, err error, made bool) {
	p := l.p
	for i := range l.counts {
		if n := l.counts[i].Load(); n > 1 || made && n == 0 {
			p.w.fail("task %d: %s has made call %d %d times", p.r.id, what, i, n)
		}
	}
	if n := l.inside.Load(); n != 0 {
		p.w.fail("task %d: %s has returned in %d calls", p.r.id, what, n)
	}
	switch {
	case err == nil && l.failed.Load() && made, err == errOfLoop && !l.failed.Load():
		p.w.fail("task %d: %s has returned %v; a call has failed: %v", p.r.id, what, err,
			l.failed.Load())
	case err != nil && err != errOfLoop:
		p.fail(err, what)
	}
}

// loop runs a loop of some kind.
func (p *player) loop() {
	l := &loopWork{p: p, seed: p.rng.Uint64(), counts: make([]atomic.Int32, p.rng.IntN(80))}
	n := len(l.counts)
	defer func() {
		if l.panics {
			if r := recover(); r != nil && r != errOfLoop {
				panic(r)
			} else if (r != nil) != l.failed.Load() {
				p.w.fail("task %d: a loop has panicked with %v; a call has: %v", p.r.id, r,
					l.failed.Load())
			}
			l.ended("a loop that panics", l.told, l.told == nil && !l.failed.Load())
		}
	}()
	switch p.rng.IntN(15) {
	case 0:
		err := runtime.ForErr(p.cx, 0, n, l.call)
		l.ended("ForErr", err, err == nil)
	case 1:
		out, err := runtime.MapErr(p.cx, slices.Collect(count(n)),
			func(cx runtime.Cx, i int) (int, error) { return i, l.call(cx, i) })
		if err == nil && !slices.Equal(out, slices.Collect(count(n))) || err != nil && out != nil {
			p.w.fail("task %d: MapErr returned %d of %d results, and %v", p.r.id, len(out), n, err)
		}
		l.ended("MapErr", err, err == nil)
	case 2:
		l.panics = true
		l.told = runtime.For(p.cx, 0, n, func(cx runtime.Cx, i int) { _ = l.call(cx, i) })
	case 3:
		err := runtime.ForEach(p.cx, l.ahead(n), func(cx runtime.Cx, i int) { _ = l.call(cx, i) })
		l.failed.Store(false)
		l.ended("ForEach", err, err == nil)
	case 4:
		l.panics = true
		runtime.Both(p.cx, func(cx runtime.Cx) int { l.some(cx, 0, n/2); return 0 },
			func(cx runtime.Cx) int { l.some(cx, n/2, n); return 0 })
	case 5:
		p.sort()
	case 6:
		l.panics = true
		l.told = runtime.Range(p.cx, 0, n, l.some)
	case 7:
		out, err := runtime.Map(p.cx, slices.Collect(count(n)), func(cx runtime.Cx, i int) int {
			_ = l.call(cx, i)
			return i
		})
		if err == nil && !slices.Equal(out, slices.Collect(count(n))) || err != nil && out != nil {
			p.w.fail("task %d: Map returned %v, and %v", p.r.id, out, err)
		}
		l.failed.Store(false)
		l.ended("Map", err, err == nil)
	case 8:
		sum, err := runtime.Reduce(p.cx, 0, n, func(cx runtime.Cx, lo, hi int) []int {
			l.some(cx, lo, hi)
			return slices.Collect(count(hi))[lo:]
		}, func(a, b []int) []int { return append(slices.Clip(a), b...) })
		if err == nil && !slices.Equal(sum, slices.Collect(count(n))) || err != nil && sum != nil {
			p.w.fail("task %d: Reduce returned %v, and %v", p.r.id, sum, err)
		}
		l.failed.Store(false)
		l.ended("Reduce", err, err == nil)
	default:
		l.overValues(p.rng.IntN(6))
	}
}

func (l *loopWork) some(cx runtime.Cx, lo, hi int) {
	for i := lo; i < hi; i++ {
		_ = l.call(cx, i)
	}
}

// count returns an iterator over 0 to n-1.
func count(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; i < n && yield(i); i++ {
		}
	}
}

// ahead returns an iterator of which some values are prepared by forks.
func (l *loopWork) ahead(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if (l.seed>>(i%60))&1 == 0 {
				if !yield(i) {
					return
				}
				continue
			}
			f := runtime.Fork(l.p.cx, func(cx runtime.Cx, i int) int { cx.Yield(); return i }, i)
			if i%7 == 0 {
				l.p.cx.Yield()
			}
			if !yield(i) {
				return
			}
			if f.Join(l.p.cx) != i {
				l.p.w.fail("task %d: a fork of an iterator has returned another value", l.p.r.id)
			}
		}
	}
}

// sort sorts values by a comparison that may panic.
func (p *player) sort() {
	type value struct{ key, number int }
	values := make([]value, p.rng.IntN(1500))
	for i := range values {
		values[i] = value{p.rng.IntN(100), i}
	}
	byKey := func(a, b value) int { return cmp.Compare(a.key, b.key) }
	before := slices.Clone(values)
	left := atomic.Int64{}
	left.Store(int64(p.rng.IntN(30_000)))
	var err error
	defer func() {
		r := recover()
		if r != nil && r != errOfLoop {
			panic(r)
		}
		if r == nil && err == nil {
			slices.SortStableFunc(before, byKey)
		}
		if !slices.Equal(values, before) {
			p.w.fail("task %d: SortFunc has not sorted, or changed values though it panicked or "+
				"returned %v", p.r.id, err)
		}
	}()
	if p.rng.IntN(4) == 0 {
		numbers := make([]int, len(values))
		for i, v := range values {
			numbers[i] = v.key
		}
		if err := runtime.Sort(p.cx, numbers); err == nil && (!slices.IsSorted(numbers) ||
			len(numbers) > 0 && numbers[0] != slices.MinFunc(values, byKey).key) {
			p.w.fail("task %d: Sort has not sorted", p.r.id)
		}
	}
	err = runtime.SortFunc(p.cx, values, func(a, b value) int {
		if left.Add(-1) == 0 {
			panic(errOfLoop)
		}
		return byKey(a, b)
	})
}
