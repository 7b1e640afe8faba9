package runtime

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// Results is a [Group] whose functions have results. [NewResults] makes one; it must not be copied.
// All that is said of the methods of a Group holds for those of the same name.
type Results[T any] struct {
	group *Group // never changes

	lock   sync.Mutex
	places []*result[T] // in the order of the calls that start functions; under the lock
	none   int          // how many of places stay empty, or more; under the lock
}

// A result is the place for the result of one function.
type result[T any] struct {
	value T
	state resultState
}

type resultState uint8 // under the lock of the Results

const (
	resultOpen  resultState = iota // the function has not returned
	resultThere                    // value is its result
	resultNone                     // there will be none
)

// NewResults returns a group of functions with results, which run in tasks of rt and end with ctx;
// see [NewGroup].
func NewResults[T any](ctx context.Context, rt *Runtime) *Results[T] {
	notNil(ctx, "NewResults")
	rt.check("NewResults")
	return &Results[T]{group: NewGroup(ctx, rt)}
}

// SetLimit is [Group.SetLimit].
func (r *Results[T]) SetLimit(n int) {
	r.check("SetLimit", false)
	r.group.SetLimit(n)
}

// Go is [Group.Go] for a function with a result.
func (r *Results[T]) Go(fn func(Cx) (T, error)) {
	r.check("Go", fn == nil)
	place, call := r.place(fn)
	if !r.group.start(call) {
		r.close(place)
	}
}

// TryGo is [Group.TryGo] for a function with a result.
func (r *Results[T]) TryGo(fn func(Cx) (T, error)) bool {
	r.check("TryGo", fn == nil)
	place, call := r.place(fn)
	if r.group.tryStart(call) {
		return true
	}
	r.close(place)
	return false
}

// Spawn is [Group.Spawn] for a function with a result. If it refuses one, the next Wait or Join
// returns no results but an error: a result would be missing.
func (r *Results[T]) Spawn(cx Cx, fn func(Cx) (T, error)) error {
	r.check("Spawn", fn == nil)
	place, call := r.place(fn)
	err := r.group.spawn(cx, call)
	if err != nil {
		r.close(place)
	}
	return err
}

// Wait is [Group.Wait], and returns the results, in the order of the calls that have started the
// functions; or none and the first error. Each result is returned once: of two calls of Wait or
// [Results.Join], one has it.
func (r *Results[T]) Wait() ([]T, error) {
	r.check("Wait", false)
	return r.take(r.group.wait(), r.group.takeRefused())
}

// Join is [Results.Wait] for tasks of the same runtime; see [Group.Join]. If it returns an error
// only because the calling task must end, it leaves the results to the next call.
func (r *Results[T]) Join(cx Cx) ([]T, error) {
	r.check("Join", false)
	return r.take(r.group.join(cx), r.group.takeRefused())
}

// Cancel is [Group.Cancel].
func (r *Results[T]) Cancel() {
	r.check("Cancel", false)
	r.group.Cancel()
}

// A resultCall calls a function and stores its result.
type resultCall[T any] struct {
	results *Results[T]
	place   *result[T]
	fn      func(Cx) (T, error)
}

func (c *resultCall[T]) call(cx Cx) error {
	value, err := c.fn(cx)
	if err != nil {
		return err
	}
	c.results.lock.Lock()
	c.place.value, c.place.state = value, resultThere
	c.results.lock.Unlock()
	return nil
}

// place appends a place for the result of fn, and returns it and what calls fn.
func (r *Results[T]) place(fn func(Cx) (T, error)) (*result[T], groupCall) {
	place := &result[T]{}
	r.lock.Lock()
	r.places = append(r.places, place)
	r.lock.Unlock()
	return place, &resultCall[T]{r, place, fn}
}

// close says that place stays empty. Such places are removed when they are half of all, so that
// calls that start nothing take constant time and leave nothing. (runtime/R47)
func (r *Results[T]) close(place *result[T]) {
	r.lock.Lock()
	defer r.lock.Unlock()
	place.state = resultNone
	if r.none++; r.none > len(r.places)/2 {
		r.places = slices.DeleteFunc(r.places,
			func(p *result[T]) bool { return p.state == resultNone })
		r.none = 0
	}
}

// take returns what is there, and forgets it; err is how the group, or the wait for it, ended, and
// refused why a function was not called. Functions that others have started meanwhile keep their
// places, and a wait that ended as the calling task must end leaves all.
func (r *Results[T]) take(err, refused error) ([]T, error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	switch {
	case r.group.result() != nil:
		r.places, r.none = nil, 0
		return nil, r.group.result()
	case err != nil && refused == nil:
		return nil, err
	}
	values := make([]T, 0, len(r.places))
	var open []*result[T]
	for _, place := range r.places {
		switch place.state {
		case resultOpen:
			open = append(open, place)
		case resultThere:
			values = append(values, place.value)
		}
	}
	r.places, r.none = open, 0
	if err = cmp.Or(err, refused); err != nil {
		return nil, err
	}
	return values, nil
}

func (r *Results[T]) check(what string, isNil bool) {
	if r == nil || r.group == nil {
		panic("surewake: Results." + what + ": a nil or zero Results; NewResults makes one")
	}
	if isNil {
		panic("surewake: Results." + what + ": nil function")
	}
}
