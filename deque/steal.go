package deque

import "strconv"

// A Result says how a steal ended.
type Result uint8

const (
	// Empty: the deque was empty at some instant within the call.
	Empty Result = iota
	// Contended: the deque was not empty at some instant within the call, and another steal, a pop
	// or an overflow overlapped. Nothing was taken; it makes sense to try again.
	Contended
	// Stolen: at least one value was taken.
	Stolen
)

// String returns "Empty", "Contended" or "Stolen".
func (r Result) String() string {
	switch r {
	case Empty:
		return "Empty"
	case Contended:
		return "Contended"
	case Stolen:
		return "Stolen"
	}
	return "Result(" + strconv.Itoa(int(r)) + ")"
}

// StealInto takes the older half of d, rounded up: it returns the oldest value and appends the
// others to dst in their order. Only the owner of dst may call it. It panics if dst is nil or d
// itself. It never waits: see [Result] for how it ends.
//
// It takes no more than dst has room for, besides the value that it returns; so it can take one
// even if dst is full. Room in dst is what neither dst's values nor an open steal from dst occupy.
//
// The pushes of the values synchronize before the return. While the call moves them they are in
// neither deque: others may find both empty.
func (d *Deque[T]) StealInto(dst *Deque[T]) (T, Result) {
	if dst == nil {
		panic("deque: StealInto a nil Deque")
	}
	if dst == d {
		panic("deque: StealInto the same Deque")
	}
	head, n, result := d.look(dst)
	if result == Stolen && !d.claim(head, n) {
		result = Contended
	}
	if result != Stolen {
		var zero T
		return zero, result
	}
	_, first := unpack(head)
	v := d.copyInto(dst, first, n)
	d.release(first, n)
	if n > 1 {
		dst.publish(n - 1) // after the release, so that d is held open no longer than needed
	}
	return v, Stolen
}

// look finds out what a steal into dst would take. If the result is Stolen it is n > 0 values,
// provided that the head does not move before claim.
func (d *Deque[T]) look(dst *Deque[T]) (head uint64, n uint32, result Result) {
	head = d.head.Load()
	steal, real := unpack(head)
	// After the head, so that it is not less than real. Receives the slots; partner: tail.Store in
	// Push and publish.
	tail := d.tail.Load()
	queued := tail - real
	if queued == 0 {
		return head, 0, Empty // even if a steal is open: there is nothing left to take
	}
	if steal != real {
		return head, 0, Contended
	}
	if queued > uint32(len(d.slots)) {
		// The tail has advanced since real was read. It never is more than the capacity ahead of
		// the steal head, so the head has moved too, by a pop, an overflow or another steal.
		if d.head.Load() == head {
			d.impossible("StealInto", head, tail)
		}
		return head, 0, Contended
	}
	n = queued - queued/2
	if n > 1 {
		n = min(n, dst.room()+1)
	}
	return head, n, Stolen
}

// claim is the first phase: it takes the n values that look found at that head, and holds d open
// until release. It fails if the head has moved. So [real, tail) was queued all the time, and
// look's tail.Load saw the store that followed the writes of these slots.
func (d *Deque[T]) claim(head uint64, n uint32) bool {
	steal, real := unpack(head)
	// Takes n slots from the owner; partner: head CAS in Pop, in pushFull, and in another's claim.
	return d.head.CompareAndSwap(head, pack(steal, real+n))
}

// room returns how many values fit after the tail. Only the owner may call it. While the owner does
// not push, room only grows, as steals from d end.
func (d *Deque[T]) room() uint32 {
	head := d.head.Load() // takes free slots back from thieves; partner: head CAS in release
	steal, _ := unpack(head)
	used := d.next - steal
	if used > uint32(len(d.slots)) {
		d.impossible("StealInto", head, d.next)
	}
	return uint32(len(d.slots)) - used
}

// copyInto is the second phase: it returns the value at position first, and moves the n-1 that
// follow it to the slots after dst's tail, where nobody sees them yet. The thief owns the slots of
// both rings: of d by the claim, of dst as the owner.
func (d *Deque[T]) copyInto(dst *Deque[T], first, n uint32) T {
	v := take(d.slot(first))
	for i := range n - 1 {
		*dst.slot(dst.next + i) = take(d.slot(first + 1 + i))
	}
	return v
}

// release is the third phase: it frees the slots of the claim, and those that the owner popped
// since. Only the owner's pops can come between the load and the CAS, and they run out: no push
// goes beyond the steal head.
func (d *Deque[T]) release(first, n uint32) {
	for {
		head := d.head.Load()
		steal, real := unpack(head)
		if steal != first || real-first < n || real-first > uint32(len(d.slots)) {
			d.impossible("the end of a steal", head, d.tail.Load())
		}
		// Passes the slots back to the owner; partner: head.Load in Push, pushFull, PushBatch,
		// room.
		if d.head.CompareAndSwap(head, pack(real, real)) {
			return
		}
	}
}
