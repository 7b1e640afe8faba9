package runtime

// GroupQueue returns how many functions of g wait for a place.
func GroupQueue(g *Group) (n int) {
	g.lock.Lock()
	defer g.lock.Unlock()
	for w := g.queue.first; w != nil; w = w.next {
		n++
	}
	return n
}

// Cancelling reports whether Close of rt was called.
func Cancelling(rt *Runtime) bool { return rt.cancelling() }

// Places returns how many places for results r keeps.
func Places[T any](r *Results[T]) int {
	r.lock.Lock()
	defer r.lock.Unlock()
	return len(r.places)
}
