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
// The owner pushes at tail. Whoever takes, takes at real: the owner one value, a thief half of them. Values
// that a thief has claimed leave the queue at once, but their slots do not become free at once, since the
// thief copies them out afterwards; steal stays behind real until it has. One thief at a time can be in that
// state. So a steal has three phases:
//
//	claim    CAS of the head: real moves on by n, steal stays               [s|r]   -> [s|r+n]
//	copy     n slots are read, cleared, and written to the thief's ring
//	release  CAS of the head, repeated: steal moves up to real              [s|r']  -> [r'|r']
//
// Which memory accesses rely on which
//
// Slots are plain memory. Go's atomics are sequentially consistent; all that is used of that is that an atomic
// load that sees the value of a store, or of a compare-and-swap, comes after it and after everything before it:
//
//	the access                   its partner                    what the pair orders
//	tail.Store in Push,          tail.Load in look              a slot is written before a thief reads it
//	  publish
//	head CAS in release          head.Load in Push, pushFull,   a thief has read and cleared a slot before
//	                               PushBatch, room                the owner writes it again
//	head CAS in claim            head CAS in claim, Pop,        one taker a value; a claim that succeeds saw
//	                               pushFull                       the head unchanged since its load of it
//
// The owner's own accesses to one slot need no pair. After Pop and after an overflow, the owner reads and clears
// slots *behind* the compare-and-swap that took them. That is in order for the owner only: nobody but the owner
// makes these slots visible again, by a later tail.Store. Anyone else would have to hold them by the steal head
// while reading, as a thief does, or the owner could have refilled them already.
//
// Where an operation takes effect
//
//	Push         at tail.Store; when the ring is full, at the CAS that takes the older half, or, while a steal is
//	             open, at the head.Load that says so
//	PushBatch    at tail.Store, all of them; none, at the head.Load that says that there is no room
//	Pop          at the CAS that succeeds; false, at the head.Load that found real == tail
//	StealInto    Stolen: at the claim n values leave the victim, at the tail.Store of the destination n-1 of them
//	             enter it, and between the two they are in neither. Empty: at tail.Load: real can only have
//	             moved up since it was read, and not beyond a tail that equals it. Contended: no effect
//
// Every loop is bounded. A Pop fails its CAS only to claims and releases, and while the owner is inside Pop nobody
// pushes: each claim takes something of what is left. A release fails its CAS only to the owner's pops, and while
// a steal is open the owner can pop only what fits behind the claim, less than the capacity. An overflow fails its CAS
// only to a claim; then the steal is open, or has been released and left room.
//
// What is proved
//
// Each line is a theorem of package proofs, most of them for any number of thieves and any capacity.
//
//	deque/D1                         the invariant above
//	deque/D2, deque/D8               a slot that is written is none that anybody will still read
//	deque/D3                         a claim takes what was queued ever since the head was read
//	deque/D4, deque/D6               each value comes out once
//	deque/D5                         and is the one that was pushed there
//	deque/D7, deque/D9, deque/D10    positions may be counted modulo 2^32
//	deque/D11                        the table above: where each operation takes effect
//	deque/D12                        the values that steals carry from ring to ring exist once
//	deque/X1, deque/S1, deque/S2     the same in every state, within bounds, and of two second models
//	deque/R1                         this code does step by step what the proofs are about
//
// What was not done
//
//   - Chase and Lev's deque, where the owner takes at the other end. A thief there reads a slot before it knows that it
//     may, so that slots must be atomic words; it takes one value at a time; and the owner's order is last in, first out,
//     which starves old work. None of the proofs about it says anything about this ring.
//   - Atomic slots. The claim and the release already order every access; atomic slots cost an exchange a push, and
//     values larger than a word have to be boxed. The benchmarks keep such a ring beside this one.
//   - 16-bit positions, so that the head fits 32 bits. A thief loads head and tail and is preempted; after 65,536
//     advances, less than a millisecond of work, the head has its old value, and the claim succeeds with a length from
//     another time. With 32 bits it takes exactly 2^32 advances, or a multiple, between a thief's head.Load and its CAS:
//     that this does not happen is an assumption of this package, and its only one.
//   - Heads and tail of different widths. Their difference is wrong for ever after the narrower one has wrapped.
//   - Giving up the release when its CAS fails. The owner popped in between, nothing else; the steal head would stay
//     behind for ever, and with it every later steal and most pushes.
//   - Claiming in a loop. The caller has other victims to look at, and knows better whether to come back: Contended.
//   - Room measured from the destination's real head. A deque that looks empty to its owner may have a thief that still
//     copies out of it, and would read what this steal wrote. Room is what is left from the *steal* head.
//   - An owner's copy of the head beside its copy of the tail. It saves a load that hits the cache anyway, and the
//     compare-and-swap from an old copy fails after each steal: faster for bursts of one, slower by a third for bursts of 128.
//   - Handing overflow to the callback one value at a time: half a ring of acquisitions of somebody's lock.
//   - Putting the batch back when the callback panics. What it had already passed on would then exist twice.

const (
	// DefaultCapacity suits a scheduler's worker: enough for a burst of spawns, small enough to stay in the
	// first-level cache.
	DefaultCapacity = 256

	minCapacity = 2     // half of it must be at least one
	maxCapacity = 32768 // bounds what one steal or one overflow copies
)

// A Deque is the queue of one owner. Use [New]; a Deque must not be copied.
type Deque[T any] struct {
	// The fields lie in three groups, by who writes them: nobody, everybody, the owner. On 64-bit machines each is 128
	// bytes, two cache lines, since processors fetch neighbours in pairs.

	// slots never changes; its length is the capacity, a power of two. A slot's element is plain memory:
	//   [tail, steal+cap)  free, zero: the owner's, to write in Push, PushBatch, and StealInto as the destination
	//   [real, tail)       queued: nobody writes it; read by whoever moves real beyond it
	//   [steal, real)      claimed by the one thief, or popped by the owner: read and cleared by that one
	slots []T
	_     [104]byte

	// head is packed, see pack. Loaded by everybody; moved by the owner (Pop, overflow) and by thieves
	// (claim, release), always by compare-and-swap.
	head atomic.Uint64
	_    [120]byte

	// tail is the position of the next push. Loaded by thieves and Len, stored by the owner.
	tail atomic.Uint32
	// next is the owner's own copy of tail: nobody else touches it.
	next uint32
	// spare is the owner's memory for overflow batches, cleared while it is not in use; nil before the
	// first overflow and during one.
	spare []T
	_     [96]byte
}

// New returns an empty deque for capacity values. It panics unless capacity is a power of two from 2 to 32768.
func New[T any](capacity int) *Deque[T] {
	if capacity < minCapacity || capacity > maxCapacity || capacity&(capacity-1) != 0 {
		panic(fmt.Sprintf("deque: capacity %d is not a power of two from %d to %d", capacity, minCapacity, maxCapacity))
	}
	return &Deque[T]{slots: make([]T, capacity)}
}

// Cap returns the capacity. Anyone may call it.
func (d *Deque[T]) Cap() int { return len(d.slots) }

// Tail returns the position of the next push: it goes up by one, modulo 2^32, with each value that Push, PushBatch, or a steal into d,
// puts here. Only the owner may call it.
func (d *Deque[T]) Tail() uint32 { return d.next }

// Len returns how many values are queued, as a snapshot. Anyone may call it.
//
// The owner gets the number at one instant within the call. Others get an upper bound of it, at most Cap; but for them
// too, 0 means that the deque was empty at some instant within the call, and any other number that it was not. Values that
// a thief has claimed are no longer counted, whether or not it has copied them yet.
func (d *Deque[T]) Len() int {
	// In this order: tail never falls behind a real that was read before it.
	_, real := unpack(d.head.Load())
	n := d.tail.Load() - real
	return int(min(n, uint32(len(d.slots)))) // more than fit: the owner has gone round since the first load
}

// slot returns the slot of a position.
func (d *Deque[T]) slot(position uint32) *T {
	return &d.slots[position&uint32(len(d.slots)-1)]
}

// impossible reports indices that no sequence of permitted calls leads to: a second owner, a copied Deque,
// overwritten memory. Going on would lose values or hand them out twice.
func (d *Deque[T]) impossible(where string, head uint64, tail uint32) {
	steal, real := unpack(head)
	panic(fmt.Sprintf("deque: %s found steal %d, real %d, tail %d in a ring of %d; is there a second owner?",
		where, steal, real, tail, len(d.slots)))
}
