package deque

// Push appends v. Only the owner may call it.
//
// When the ring is full, overflow is called, once and before Push returns, with a batch that is no longer in the deque:
//
//   - the older half of the ring, in order, and v after it: Cap/2+1 values
//   - or v alone, while a thief holds the ring open: the slots it is copying are what is missing, and they
//     cannot be had before it is done
//
// The batch is valid during the call only; it is cleared and used again afterwards. It belongs to overflow from the
// start of the call: if overflow panics, the panic passes through Push, the deque is in order and without
// the batch, and what becomes of the batch is for overflow to say. overflow may use the deque as its owner does.
//
// overflow may be nil if the caller knows that there is room. If there is none, Push panics then and leaves the deque as
// it was, without v.
func (d *Deque[T]) Push(v T, overflow func(batch []T)) {
	// append, written out: as calls it costs a twentieth more.
	tail := d.next
	if steal, _ := unpack(d.head.Load()); tail-steal >= uint32(len(d.slots)) {
		d.pushFull(v, overflow)
		return
	}
	d.slots[tail&uint32(len(d.slots)-1)] = v
	d.next = tail + 1
	d.tail.Store(tail + 1)
}

// PushBatch appends as many of values, from the first on, as there is room for, and returns how many. Only the owner may call it.
// Others see all of them at once, and the owner pays for one store, not for one a value.
//
// Room is what neither values nor an open steal occupy; it never shrinks but by what the owner puts there. So nothing is left over if
// len(values) was at most Cap() - Len() while no steal was open; what is left over can go to [Deque.Push], and overflow.
func (d *Deque[T]) PushBatch(values []T) int {
	size := uint32(len(d.slots))
	if size == 0 {
		panic("deque: PushBatch to a Deque that New did not make")
	}
	head := d.head.Load()
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

// append writes v behind the last value. The caller, the owner, has seen that there is room: a head.Load that returned
// the release of this slot's last thief.
func (d *Deque[T]) append(v T) {
	*d.slot(d.next) = v
	d.publish(1)
}

// publish makes the n values behind the tail visible; the caller, the owner, has written their slots.
func (d *Deque[T]) publish(n uint32) {
	d.next += n
	d.tail.Store(d.next)
}

// pushFull is Push without room. It looks again, because a steal may have ended since.
func (d *Deque[T]) pushFull(v T, overflow func(batch []T)) {
	size := uint32(len(d.slots))
	if size == 0 {
		panic("deque: Push to a Deque that New did not make")
	}
	for {
		head := d.head.Load()
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
		// No steal is open and the ring is full: [real, real+size) is queued. Both halves of the head move, as in
		// Pop, because the owner needs no protection from itself.
		half := size / 2
		if d.head.CompareAndSwap(head, pack(real+half, real+half)) {
			d.handOver(real, half, v, overflow)
			return
		}
	}
}

// handOver calls overflow with the n values from position first on, which the owner has taken, and with v.
func (d *Deque[T]) handOver(first, n uint32, v T, overflow func(batch []T)) {
	// overflow may push to this deque and overflow again: that call finds no spare and makes its own.
	batch := d.spare
	d.spare = nil
	if batch == nil {
		batch = make([]T, len(d.slots)/2+1)
	}
	defer func() {
		clear(batch[:n+1]) // also after a panic: a spare keeps nothing alive
		d.spare = batch
	}()
	for i := range n {
		batch[i] = take(d.slot(first + i))
	}
	batch[n] = v
	overflow(batch[: n+1 : n+1])
}

// Pop takes the oldest value; false means that the deque was empty. Only the owner may call it: it reads the slot after it has
// taken it.
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
			after = pack(steal, real+1) // the open steal's release will move the steal head beyond this slot too
		}
		if d.head.CompareAndSwap(head, after) {
			return take(d.slot(real)), true
		}
	}
}

// take moves a value out of its slot. The slot keeps nothing, so that the collector can have what the value points to.
func take[T any](slot *T) T {
	v := *slot
	var zero T
	*slot = zero
	return v
}
