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
	// refused is why Spawn has refused a function since the last Wait or Join; under the lock.
	refused error
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
// returns no results, but the same error if there is no other: a result would be missing.
func (r *Results[T]) Spawn(cx Cx, fn func(Cx) (T, error)) error {
	r.check("Spawn", fn == nil)
	place, call := r.place(fn)
	err := r.group.spawn(cx, call)
	if err != nil {
		r.close(place)
		r.lock.Lock()
		r.refused = cmp.Or(r.refused, err)
		r.lock.Unlock()
	}
	return err
}

// Wait is [Group.Wait], and returns the results, in the order of the calls that have started the
// functions; or none and the first error. Each result is returned once: of two calls of Wait or
// [Results.Join], one has it.
func (r *Results[T]) Wait() ([]T, error) {
	r.check("Wait", false)
	return r.take(r.group.Wait())
}

// Join is [Results.Wait] for tasks of the same runtime; see [Group.Join].
func (r *Results[T]) Join(cx Cx) ([]T, error) {
	r.check("Join", false)
	return r.take(r.group.Join(cx))
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

// take returns what is there, and forgets it; err is how the group ended. Functions that others
// have started meanwhile keep their places.
func (r *Results[T]) take(err error) ([]T, error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.none = 0
	refused := r.refused
	r.refused = nil
	if err != nil {
		r.places = nil
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
	r.places = open
	if refused != nil {
		return nil, refused
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
