package deque

// Push appends v. Only the owner may call it. It synchronizes before the return of the call that
// takes v out.
//
// When the ring is full, Push calls overflow, once and before it returns, with a batch of values
// that are no longer in the deque:
//
//   - the older half of the ring, in order, and v after it: Cap/2+1 values;
//   - or v alone, while a steal is open: the slots that the thief is copying are the missing room.
//
// The batch belongs to overflow from the start of the call, and is valid during the call only: its
// memory is cleared and used again. If overflow panics, the panic passes through Push, the deque is
// in order and without the batch, and what becomes of the batch is up to overflow. overflow may use
// the deque as its owner does.
//
// overflow may be nil if the caller knows that there is room. If there is none, Push panics and
// leaves the deque as it was, without v.
func (d *Deque[T]) Push(v T, overflow func(batch []T)) {
	// This is append, inlined by hand: calls would cost 5% more.
	tail := d.next
	// Takes free slots back from thieves; partner: head CAS in release.
	if steal, _ := unpack(d.head.Load()); tail-steal >= uint32(len(d.slots)) {
		d.pushFull(v, overflow)
		return
	}
	d.slots[tail&uint32(len(d.slots)-1)] = v
	d.next = tail + 1
	d.tail.Store(tail + 1) // passes the slot to thieves; partner: tail.Load in look
}

// PushBatch appends values in order, from the first on, as many as there is room for, and returns
// how many. Only the owner may call it. Others see all of them at once, and the owner pays for one
// atomic store, not for one per value. It synchronizes as Push does.
//
// Room is what neither queued values nor an open steal occupy. Only the owner's own pushes reduce
// it. So all values fit if len(values) was at most Cap() - Len() while no steal was open; the rest
// can go to [Deque.Push] and its overflow.
func (d *Deque[T]) PushBatch(values []T) int {
	size := uint32(len(d.slots))
	if size == 0 {
		panic("deque: PushBatch to a Deque that New did not make")
	}
	head := d.head.Load() // takes free slots back from thieves; partner: head CAS in release
	steal, _ := unpack(head)
	used := d.next - steal
	if used > size {
		d.impossible("PushBatch", head, d.next)
	}
	n := min(len(values), int(size-used))
	if n == 0 {
		return 0
	}
	for i, v := range values[:n] {
		*d.slot(d.next + uint32(i)) = v
	}
	d.publish(uint32(n))
	return n
}

// append writes v after the last value. The caller, the owner, has seen that there is room, by a
// head.Load that returned the release of this slot's last thief.
func (d *Deque[T]) append(v T) {
	*d.slot(d.next) = v
	d.publish(1)
}

// publish makes the n values after the tail visible; the caller, the owner, has written their
// slots.
func (d *Deque[T]) publish(n uint32) {
	d.next += n
	d.tail.Store(d.next) // passes the slots to thieves; partner: tail.Load in look
}

// pushFull is Push without room. It looks again, since a steal may have ended in between.
func (d *Deque[T]) pushFull(v T, overflow func(batch []T)) {
	size := uint32(len(d.slots))
	if size == 0 {
		panic("deque: Push to a Deque that New did not make")
	}
	for {
		head := d.head.Load() // partner: head CAS in release, which may have made room
		steal, real := unpack(head)
		used := d.next - steal
		if used < size {
			d.append(v)
			return
		}
		if used > size {
			d.impossible("Push", head, d.next)
		}
		if overflow == nil {
			panic("deque: Push to a full Deque with a nil overflow")
		}
		if steal != real {
			d.handOver(real, 0, v, overflow)
			return
		}
		// No steal is open and the ring is full: [real, real+size) is queued. Both halves of the
		// head move, as in Pop: the owner needs no protection from itself.
		half := size / 2
		// Takes the older half; partner: head CAS in claim.
		if d.head.CompareAndSwap(head, pack(real+half, real+half)) {
			d.handOver(real, half, v, overflow)
			return
		}
	}
}

// handOver calls overflow with the n values from position first on, which the owner has taken, and
// with v.
func (d *Deque[T]) handOver(first, n uint32, v T, overflow func(batch []T)) {
	// overflow may push to this deque and overflow again: that call finds no spare and makes one.
	batch := d.spare
	d.spare = nil
	if batch == nil {
		batch = make([]T, len(d.slots)/2+1)
	}
	defer func() {
		clear(batch[:n+1]) // after a panic too: a spare keeps nothing alive
		d.spare = batch
	}()
	for i := range n {
		batch[i] = take(d.slot(first + i))
	}
	batch[n] = v
	overflow(batch[: n+1 : n+1])
}

// Pop takes the oldest value out. It returns false if the deque is empty. Only the owner may call
// it: Pop reads the slot after it has taken it.
func (d *Deque[T]) Pop() (T, bool) {
	for {
		head := d.head.Load()
		steal, real := unpack(head)
		if n := d.next - real; n-1 >= uint32(len(d.slots)) { // none, or more than fit
			if n != 0 {
				d.impossible("Pop", head, d.next)
			}
			var zero T
			return zero, false
		}
		after := pack(real+1, real+1)
		if steal != real {
			after = pack(steal, real+1) // the open steal's release frees this slot too
		}
		// Takes the value; partner: head CAS in claim.
		if d.head.CompareAndSwap(head, after) {
			return take(d.slot(real)), true
		}
	}
}

// take moves a value out of its slot and clears the slot, so that it keeps nothing alive that the
// value points to.
func take[T any](slot *T) T {
	v := *slot
	var zero T
	*slot = zero
	return v
}
