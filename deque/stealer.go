package deque

// A Stealer is the side of a [Deque] that is for others: they steal from it, and see whether it is
// empty. The owner keeps the Deque to itself and hands out its Stealer, so that nobody else can
// push or pop by mistake.
//
// A Stealer is a reference, made by [Deque.Stealer]. Any goroutine may copy and use it, and two are
// equal if they are of the same deque. The methods of the zero value panic.
type Stealer[T any] struct {
	of *Deque[T] // never changes
}

// Stealer returns the side of d that is for others. Anyone may call it; it panics if d is nil.
func (d *Deque[T]) Stealer() Stealer[T] {
	if d == nil {
		panic("deque: Stealer of a nil Deque")
	}
	return Stealer[T]{d}
}

// StealInto takes the older half of the deque, rounded up: it returns the oldest value and appends
// the others to dst. Only the owner of dst may call it. It is [Deque.StealInto], which says what
// room, order and memory are guaranteed.
func (s Stealer[T]) StealInto(dst *Deque[T]) (T, Result) {
	return s.deque().StealInto(dst)
}

// Len returns an upper bound of the number of queued values; 0 means that the deque was empty at
// some instant within the call, and any other number that it was not. It is [Deque.Len].
func (s Stealer[T]) Len() int { return s.deque().Len() }

func (s Stealer[T]) deque() *Deque[T] {
	if s.of == nil {
		panic("deque: use of a Stealer that Deque.Stealer did not make")
	}
	return s.of
}
