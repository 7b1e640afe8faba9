package deque

import (
	"fmt"
	"sync/atomic"
)

// How it works
//
// The ring is a queue with two heads and a tail:
//
//	          taken, not free yet      queued             free
//	        |<---- [steal, real) ---->|<- [real, tail) ->|<- [tail, steal+cap) ->|
//	        ^                         ^                  ^
//	      steal                     real               tail
//
//	invariant, at every instant:  0 <= real-steal <= tail-steal <= capacity
//
// The owner pushes at tail. The owner and the thieves take at real: the owner one value, a thief
// half of them. A steal has three phases, and one steal at a time is open:
//
//	claim    CAS of the head: real advances by n, steal stays               [s|r]   -> [s|r+n]
//	copy     n slots are read, cleared, and written to the thief's ring
//	release  CAS of the head, repeated: steal catches up with real          [s|r']  -> [r'|r']
//
// The claim takes the values out of the queue; the release makes their slots free. In between the
// thief copies them, so the owner must not write there: room is measured from steal.
//
// # Partners
//
// Slots are plain memory. Go's atomics are sequentially consistent; the ring itself needs only that
// an atomic load that sees a store, or a compare-and-swap, comes after it and after everything that
// the storing goroutine did before:
//
//	the access            its partner                    what the pair orders
//	tail.Store in Push,   tail.Load in look              a slot is written before a thief
//	  publish                                              reads it
//	head CAS in release   head.Load in Push, pushFull,   a thief has read and cleared a slot
//	                        PushBatch, room                before the owner writes it again
//	head CAS in claim     head CAS in claim, Pop,        each value has one taker; a claim that
//	                        pushFull                       succeeds found the head it had loaded
//
// The owner's own accesses to a slot need no partner. Pop and an overflow read and clear a slot
// after the CAS that took it. Only the owner may do that: nobody else makes the slot visible again,
// by a later tail.Store. A thief has to hold its slots by the steal head while it reads, or the
// owner could have refilled them.
//
// # Where an operation linearizes
//
//	Push         at tail.Store; when the ring is full, at the CAS that takes the older half or,
//	             while a steal is open, at the head.Load that shows it
//	PushBatch    at tail.Store, all values at once; if none fits, at the head.Load that shows it
//	Pop          at the CAS that succeeds; false: at the head.Load that found real == tail
//	StealInto    Stolen: at the claim, n values leave the victim; at the destination's
//	             tail.Store, n-1 of them enter it. In between they are in neither. Empty: at
//	             tail.Load, since real can only have advanced since it was read, and not beyond
//	             a tail equal to it. Contended: nothing changes
//
// Every loop is bounded. A Pop fails its CAS only to claims and releases; while the owner is inside
// Pop nobody pushes, and each claim takes part of what is left. A release fails its CAS only to the
// owner's pops; while a steal is open the owner can pop fewer values than the capacity. An overflow
// fails its CAS only to a claim; then a steal is open, or it has been released and left room.
//
// # What is proved
//
// Each line is a theorem of package proofs, most of them for any number of thieves and any
// capacity.
//
//	deque/D1                         the invariant above
//	deque/D2, deque/D8               no slot is written that anybody will still read
//	deque/D3                         a claim takes what was queued ever since the head was read
//	deque/D4, deque/D6               each value comes out once
//	deque/D5                         and is the one that was pushed there
//	deque/D7, deque/D9, deque/D10    positions may be counted modulo 2^32
//	deque/D11                        the table above: where each operation linearizes
//	deque/D12                        values that steals carry from ring to ring exist once
//	deque/X1, deque/S1, deque/S2     the same in every state, within bounds; and of second models
//	deque/R1, deque/R2               this code does step by step what the proofs are about
//
// # Rejected alternatives
//
//   - Chase and Lev's deque (SPAA 2005), where the owner takes at the other end. A thief there
//     reads a slot before it knows that it may, so slots must be atomic words; it takes one value
//     at a time; and the owner's order is last in, first out, which starves old work. The proofs
//     about it say nothing about this ring.
//   - Atomic slots. The claim and the release already order every access; atomic slots cost an
//     exchange per push, and values larger than a word have to be boxed. The benchmarks compare
//     such a ring with this one.
//   - 16-bit positions, so that the head fits 32 bits. A thief loads head and tail and is
//     preempted; after 65,536 advances, less than a millisecond of work, the head has its old value
//     again, and the claim succeeds with a stale length. With 32 bits it takes exactly 2^32
//     advances, or a multiple, between a thief's head.Load and its CAS. That this does not happen
//     is the one assumption of this package.
//   - Heads and tail of different widths. Their difference is wrong for good once the narrower one
//     has wrapped.
//   - Giving up the release when its CAS fails. Only the owner's Pop can have come between, but the
//     steal head would lag for good, and every later steal and most pushes would fail.
//   - Claiming in a loop. The caller has other victims, and knows better whether to come back:
//     Contended.
//   - Room measured from the destination's real head. A deque that looks empty to its owner may
//     have a thief that still copies out of it and would read what this steal wrote.
//   - An owner's copy of the head beside its copy of the tail. It saves a load that hits the cache
//     anyway, and a CAS from an old copy fails after each steal: faster for bursts of one, slower
//     by a third for bursts of 128.
//   - Handing overflow to the callback one value at a time: half a ring of acquisitions of the
//     callback's lock.
//   - Putting the batch back when the callback panics. Values that it had already passed on would
//     then exist twice.

const (
	// DefaultCapacity is a capacity for [New] that suits a scheduler's worker: enough for a burst
	// of spawns, small enough to stay in the first-level cache.
	DefaultCapacity = 256

	minCapacity = 2     // half of it must be at least one
	maxCapacity = 32768 // bounds what one steal or one overflow copies
)

// A Deque is the queue of one owner. [New] makes one; a Deque must not be copied. The zero value
// has no capacity: Len and Cap are 0, Pop and StealInto find it empty, and Push panics.
type Deque[T any] struct {
	// The fields lie in three groups, by who writes them: nobody, everybody, the owner. On 64-bit
	// machines each is 128 bytes, two cache lines, since processors fetch neighbours in pairs.

	// slots never changes; its length is the capacity, a power of two. A slot's element is plain
	// memory:
	//   [tail, steal+cap)  free, zero: the owner writes it in Push, PushBatch, and in StealInto as
	//                      the destination
	//   [real, tail)       queued: nobody writes it; whoever moves real beyond it reads it
	//   [steal, real)      claimed by the one thief, or popped by the owner: that one reads and
	//                      clears it
	slots []T
	_     [104]byte

	// head is packed, see pack. Everybody loads it; the owner (Pop, overflow) and thieves (claim,
	// release) move it, always by compare-and-swap.
	head atomic.Uint64
	_    [120]byte

	// tail is the position of the next push. Thieves and Len load it, the owner stores it.
	tail atomic.Uint32
	// next is the owner's own copy of tail.
	next uint32
	// spare is the owner's memory for overflow batches, cleared while it is not in use; nil before
	// the first overflow and during one.
	spare []T
	_     [96]byte
}

// New returns an empty deque with room for capacity values. It panics unless capacity is a power of
// two from 2 to 32768.
func New[T any](capacity int) *Deque[T] {
	if capacity < minCapacity || capacity > maxCapacity || capacity&(capacity-1) != 0 {
		panic(fmt.Sprintf("deque: capacity %d is not a power of two from %d to %d",
			capacity, minCapacity, maxCapacity))
	}
	return &Deque[T]{slots: make([]T, capacity)}
}

// Cap returns the capacity, which New was given. Anyone may call it.
func (d *Deque[T]) Cap() int { return len(d.slots) }

// Tail returns the position of the next push, modulo 2^32. Each value that Push, PushBatch, or a
// steal into d puts here advances it by one: the difference of two calls is how many came here in
// between. Only the owner may call it.
func (d *Deque[T]) Tail() uint32 { return d.next }

// Len returns how many values are queued. Anyone may call it. Values that a thief has claimed are
// not counted, whether or not it has copied them yet.
//
// For the owner it is the number at one instant within the call. For others it is an upper bound of
// that number, at most Cap; but 0 still means that the deque was empty at some instant within the
// call, and any other number that it was not.
func (d *Deque[T]) Len() int {
	_, real := unpack(d.head.Load())
	// After the head: a tail read later is never less than that real. The partner of both loads, as
	// a recheck before a sleep, is tail.Store in Push: see package idle.
	n := d.tail.Load() - real
	return int(min(n, uint32(len(d.slots)))) // the owner may have gone round between the loads
}

// slot returns the slot of a position.
func (d *Deque[T]) slot(position uint32) *T {
	return &d.slots[position&uint32(len(d.slots)-1)]
}

// impossible panics: no sequence of permitted calls leads to these positions. There is a second
// owner, a copied Deque, or overwritten memory. Going on would lose values or hand them out twice.
func (d *Deque[T]) impossible(where string, head uint64, tail uint32) {
	steal, real := unpack(head)
	panic(fmt.Sprintf("deque: %s found steal %d, real %d, tail %d in a ring of %d; "+
		"is there a second owner?",
		where, steal, real, tail, len(d.slots)))
}
