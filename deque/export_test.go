package deque

// NewAt returns an empty deque whose positions start at start, as if so many values had passed
// through it.
func NewAt[T any](capacity int, start uint32) *Deque[T] {
	return NewWith[T](capacity, start, start, start)
}

// NewWith returns a deque with any indices, possible or not, and zero values in its slots.
func NewWith[T any](capacity int, steal, real, tail uint32) *Deque[T] {
	d := New[T](capacity)
	d.head.Store(pack(steal, real))
	d.tail.Store(tail)
	d.next = tail
	return d
}

// Indices returns steal, real and tail. Nobody may use d at the same time.
func (d *Deque[T]) Indices() (steal, real, tail uint32) {
	steal, real = unpack(d.head.Load())
	return steal, real, d.tail.Load()
}

// OwnerTail returns the owner's copy of the tail.
func (d *Deque[T]) OwnerTail() uint32 { return d.next }

// Memory returns everything in which d could keep a value: the slots by number, and the spare
// batch.
func (d *Deque[T]) Memory() (slots, spare []T) { return d.slots, d.spare }

// A SlowSteal is a StealInto that stands between its phases.
type SlowSteal[T any] struct {
	from, dst *Deque[T]
	head      uint64
	first, n  uint32
	copied    bool
	v         T
}

// Look is what d.StealInto(dst) does before it takes anything; nil unless it found something.
func (d *Deque[T]) Look(dst *Deque[T]) (*SlowSteal[T], Result) {
	head, n, result := d.look(dst)
	if result != Stolen {
		return nil, result
	}
	_, first := unpack(head)
	return &SlowSteal[T]{from: d, dst: dst, head: head, first: first, n: n}, Stolen
}

// Claim is the first phase: it says whether the steal has taken what it looked at.
func (s *SlowSteal[T]) Claim() bool { return s.from.claim(s.head, s.n) }

// N returns how many values the steal takes.
func (s *SlowSteal[T]) N() int { return int(s.n) }

// Claim is Look and the first phase; nil unless the result is Stolen.
func (d *Deque[T]) Claim(dst *Deque[T]) (*SlowSteal[T], Result) {
	s, result := d.Look(dst)
	if result == Stolen && !s.Claim() {
		return nil, Contended
	}
	return s, result
}

// Copy is the second phase.
func (s *SlowSteal[T]) Copy() {
	s.v = s.from.copyInto(s.dst, s.first, s.n)
	s.copied = true
}

// Finish is the rest, the second phase too unless Copy has been called. It returns what StealInto
// returns.
func (s *SlowSteal[T]) Finish() T {
	if !s.copied {
		s.Copy()
	}
	s.from.release(s.first, s.n)
	if s.n > 1 {
		s.dst.publish(s.n - 1)
	}
	return s.v
}

// Pack and Unpack are the layout of the head.
var (
	Pack   = pack
	Unpack = unpack
)
