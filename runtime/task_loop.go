package runtime

import (
	"cmp"
	"sync"
	"sync/atomic"

	"github.com/surewake/surewake/fork"
)

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
func Sort[E cmp.Ordered](cx Cx, s []E) {
	cx.check("Sort")
	fork.SortFunc(cx, s, cmp.Compare[E])
}

// SortFunc sorts s as [slices.SortStableFunc] does, by halves that idle workers take; it uses two
// buffers of the length of s. If compare panics, s is as it was. See [fork.SortFunc].
func SortFunc[E any](cx Cx, s []E, compare func(a, b E) int) {
	cx.check("SortFunc")
	fork.SortFunc(cx, s, compare)
}

// A firstError is the first of several errors. Any number of forks use it.
type firstError struct {
	once  sync.Once
	err   error       // by once; read when the forks have ended
	there atomic.Bool // partner: note
}

// over reports whether nothing further should begin.
func (f *firstError) over(cx Cx) bool {
	if f.there.Load() {
		return true
	}
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
