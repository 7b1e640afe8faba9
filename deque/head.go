package deque

// The head of the ring is one 64-bit word, so that one compare-and-swap sees and moves both of its
// halves:
//
//	 63            32 31             0
//	+----------------+----------------+
//	|     steal      |      real      |
//	+----------------+----------------+
//
//	bits    name   meaning
//	32-63   steal  the first slot not to be written yet: a thief may still be copying it
//	 0-31   real   the first slot that is not taken: Pop and StealInto start here
//
//	steal == real  no steal is open
//	steal != real  one steal is open; it claimed slots from steal on, and the owner may have
//	               popped some after the claim: [steal, real) is taken, and not free yet
//
// Both halves and the tail are positions in an endless sequence, counted modulo 2^32; position p is
// in slot p mod capacity. Only differences of positions mean anything. They are right across the
// wrap, since all three have the same width and no two of them are further apart than the capacity
// (at most maxCapacity, far less than 2^31).
//
// pack and unpack are the only code that knows the layout.

func pack(steal, real uint32) uint64 {
	return uint64(steal)<<32 | uint64(real)
}

func unpack(head uint64) (steal, real uint32) {
	return uint32(head >> 32), uint32(head)
}
