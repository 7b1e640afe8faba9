package deque_test

import (
	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/deque"
)

// A fleet is some deques beside what they must contain, and its methods are the package's
// operations that check themselves against it. Steals can also be taken apart into their phases, so
// that one goroutine reaches the states in which a thief is about to claim, or holds a ring open.
// The property tests and the fuzz targets drive it.
type fleet[T any] struct {
	t     require.TestingT
	rings []*ring[T]
}

// A ring is one deque and its model.
type ring[T any] struct {
	*deque.Deque[T]
	queued []T       // oldest first
	spilt  []T       // everything that overflow was handed, in order
	open   *steal[T] // the steal that holds this ring open
	into   *steal[T] // the steal whose destination this is: its owner is inside StealInto
	taken  int       // slots between steal and real
	moved  int       // how often anybody took something, or ended a steal
	pushed uint32    // how many were pushed or stolen into it
	start  uint32    // where its positions started
}

// A steal is one that is taken apart.
type steal[T any] struct {
	*deque.SlowSteal[T]
	from, into *ring[T]
	n, moved   int // how many it will take, if from has not moved since
	values     []T // what was claimed
	copied     bool
}

func newFleet[T any](t require.TestingT, start uint32, capacities ...int) *fleet[T] {
	f := &fleet[T]{t: t}
	for _, c := range capacities {
		f.rings = append(f.rings, &ring[T]{Deque: deque.NewAt[T](c, start), start: start})
	}
	return f
}

// busy reports whether the owner of a ring is inside StealInto and can do nothing else.
func (r *ring[T]) busy() bool { return r.into != nil }

// looking reports whether the owner has looked at a victim, and not claimed anything yet.
func (r *ring[T]) looking() bool { return r.into != nil && r.into.values == nil }

func (f *fleet[T]) push(r *ring[T], v T) {
	var batch []T
	calls := 0
	r.Push(v, func(b []T) {
		calls++
		batch = append(batch, b...)
	})
	if r.Cap()-len(r.queued)-r.taken > 0 {
		require.Zero(f.t, calls, "overflow although there was room")
		r.queued = append(r.queued, v)
		r.pushed++
		f.check(r)
		return
	}
	require.Equal(f.t, 1, calls, "overflow is one batch")
	if r.open != nil {
		require.Equal(f.t, []T{v}, batch, "overflow while a steal is open")
	} else {
		half := r.Cap() / 2
		require.Equal(f.t, append(r.queued[:half:half], v), batch, "overflow")
		r.queued = r.queued[half:]
		r.moved++
	}
	r.spilt = append(r.spilt, batch...)
	f.check(r)
}

func (f *fleet[T]) pushBatch(r *ring[T], values []T) {
	n := min(len(values), r.Cap()-len(r.queued)-r.taken)
	require.Equal(f.t, n, r.PushBatch(values), "PushBatch")
	r.queued = append(r.queued, values[:n]...)
	r.pushed += uint32(n)
	f.check(r)
}

func (f *fleet[T]) pop(r *ring[T]) {
	v, ok := r.Pop()
	require.Equal(f.t, len(r.queued) > 0, ok, "Pop")
	if !ok {
		require.Zero(f.t, v)
		return
	}
	require.Equal(f.t, r.queued[0], v, "Pop")
	r.queued = r.queued[1:]
	r.moved++
	if r.open != nil {
		r.taken++
	}
	f.check(r)
}

// half returns how many values a steal takes.
func (f *fleet[T]) half(from, into *ring[T]) int {
	room := into.Cap() - len(into.queued) - into.taken
	return min((len(from.queued)+1)/2, room+1)
}

func (f *fleet[T]) steal(from, into *ring[T]) {
	v, result := from.StealInto(into.Deque)
	switch {
	case len(from.queued) == 0:
		require.Equal(f.t, deque.Empty, result)
		require.Zero(f.t, v)
	case from.open != nil:
		require.Equal(f.t, deque.Contended, result)
		require.Zero(f.t, v)
	default:
		require.Equal(f.t, deque.Stolen, result)
		n := f.half(from, into)
		require.Equal(f.t, from.queued[0], v, "StealInto")
		into.queued = append(into.queued, from.queued[1:n]...)
		into.pushed += uint32(n - 1)
		from.queued = from.queued[n:]
		from.moved += 2
	}
	f.check(from)
	f.check(into)
}

// look is what a steal does before its first phase.
func (f *fleet[T]) look(from, into *ring[T]) {
	slow, result := from.Look(into.Deque)
	switch {
	case len(from.queued) == 0:
		require.Equal(f.t, deque.Empty, result)
	case from.open != nil:
		require.Equal(f.t, deque.Contended, result)
	default:
		require.Equal(f.t, deque.Stolen, result)
		require.Equal(f.t, f.half(from, into), slow.N(), "how many are to be taken")
		into.into = &steal[T]{SlowSteal: slow, from: from, into: into, n: slow.N(),
			moved: from.moved}
	}
	f.check(from)
	f.check(into)
}

// claim is the first phase of the steal into a ring.
func (f *fleet[T]) claim(into *ring[T]) {
	s := into.into
	from := s.from
	if from.moved != s.moved {
		require.False(f.t, s.Claim(), "a claim, though the victim's head has moved")
		into.into = nil
	} else {
		require.True(f.t, s.Claim(), "a claim, and nobody else took anything")
		s.values = from.queued[:s.n:s.n]
		from.open = s
		from.taken = s.n
		from.queued = from.queued[s.n:]
		from.moved++
	}
	f.check(from)
	f.check(into)
}

// copyOut is the second phase of the steal that holds a ring open.
func (f *fleet[T]) copyOut(from *ring[T]) {
	from.open.Copy()
	from.open.copied = true
	f.check(from)
	f.check(from.open.into)
}

// finish is the rest of it.
func (f *fleet[T]) finish(from *ring[T]) {
	s := from.open
	require.Equal(f.t, s.values[0], s.Finish(), "what a steal returns")
	s.into.queued = append(s.into.queued, s.values[1:]...)
	s.into.pushed += uint32(len(s.values) - 1)
	from.open, s.into.into = nil, nil
	from.taken = 0
	from.moved++
	f.check(from)
	f.check(s.into)
}

// A view is what anybody can see of a ring, and its indices relative to where they started.
type view struct{ len, steal, real, tail, ownerTail int }

// check compares a ring with its model.
func (f *fleet[T]) check(r *ring[T]) {
	tail := int(r.pushed)
	real := tail - len(r.queued)
	want := view{len(r.queued), real - r.taken, real, tail, tail}

	s, h, t := r.Indices()
	since := func(position uint32) int { return int(position - r.start) }
	got := view{r.Len(), since(s), since(h), since(t), since(r.OwnerTail())}
	if got != want { // require is slow, and called for every operation
		require.Equal(f.t, want, got)
	}
}

// drain ends the steals and empties every ring, which then must hold no value anywhere in its
// memory.
func (f *fleet[T]) drain() {
	for _, r := range f.rings {
		if r.looking() {
			f.claim(r)
		}
	}
	for _, r := range f.rings {
		if r.open != nil {
			f.finish(r)
		}
	}
	for _, r := range f.rings {
		for len(r.queued) > 0 {
			f.pop(r)
		}
		f.pop(r)
		slots, spare := r.Memory()
		for i := range slots {
			require.Zero(f.t, slots[i], "a free slot")
		}
		for i := range spare {
			require.Zero(f.t, spare[i], "the spare batch")
		}
	}
}
