package deque_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/surewake/surewake/deque"
	"github.com/surewake/surewake/model"
)

// The checks of this file run as stress tests in an ordinary go test, and through every
// interleaving that matters under `surewake check`. They are about values: every one comes out
// once, and each side sees them in order. The checks of history_test.go are about what each call
// may return.

// A side is what one side took, in order: an owner's pops, a thief, the overflow. Each belongs to
// one goroutine.
type side struct {
	got [16]int
	n   int
}

func (s *side) take(v int) {
	s.got[s.n] = v
	s.n++
}

func (s *side) batch(batch []int) {
	for _, v := range batch {
		s.take(v)
	}
}

func (s *side) pop(d *deque.Deque[int]) bool {
	v, ok := d.Pop()
	if ok {
		s.take(v)
	}
	return ok
}

func (s *side) drain(d *deque.Deque[int]) {
	for s.pop(d) {
	}
}

// steal takes what there is, and empties the thief's own deque.
func (s *side) steal(from victim, into *deque.Deque[int]) deque.Result {
	v, result := from.StealInto(into)
	if result == deque.Stolen {
		s.take(v)
		s.drain(into)
	}
	return result
}

// A victim is a deque, or its Stealer.
type victim interface {
	StealInto(dst *deque.Deque[int]) (int, deque.Result)
}

// rising fails unless the side saw the values in the order in which they were pushed.
func (s *side) rising(x *model.Exec) {
	for i := 1; i < s.n; i++ {
		x.Assert(s.got[i-1] < s.got[i], "out of order: %v", s.got[:s.n])
	}
}

// once fails unless the sides together took each of 1..n once.
func once(x *model.Exec, n int, sides ...*side) {
	var times [32]int
	for _, s := range sides {
		for _, v := range s.got[:s.n] {
			x.Assert(1 <= v && v <= n, "%d came out, and was never pushed", v)
			times[v]++
		}
	}
	for v := 1; v <= n; v++ {
		x.Assert(times[v] == 1, "%d came out %d times", v, times[v])
	}
}

// closed fails if a steal is open though all threads are done: no other would ever succeed.
func closed(x *model.Exec, deques ...*deque.Deque[int]) {
	for _, d := range deques {
		steal, real, _ := d.Indices()
		x.Assert(steal == real, "a steal has not ended: steal %d, real %d", steal, real)
	}
}

// holding returns a deque with the values from..to, whose positions start at start.
func holding(size int, start uint32, from, to int) *deque.Deque[int] {
	d := deque.NewAt[int](size, start)
	for v := from; v <= to; v++ {
		d.Push(v, nil)
	}
	return d
}

// sizes is a check for each of the two smallest capacities.
func sizes(t *testing.T, body func(x *model.Exec, size int)) {
	for _, size := range []int{2, 4} {
		t.Run(fmt.Sprintf("capacity %d", size), func(t *testing.T) {
			model.Check(t, func(x *model.Exec) { body(x, size) })
		})
	}
}

func TestOwnerAndAThief(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d, mine := deque.New[int](4), deque.New[int](4)
		var owner, thief side
		x.Go("thief", func() { thief.steal(d, mine) })
		d.Push(1, nil)
		d.Push(2, nil)
		d.Push(3, nil)
		owner.pop(d)
		owner.pop(d)
		owner.pop(d)
		x.Join()
		closed(x, d, mine)
		owner.drain(d)
		owner.rising(x)
		thief.rising(x)
		once(x, 3, &owner, &thief)
	})
}

func TestOwnerAndAThiefWhoComesTwice(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d, mine := holding(4, 0, 1, 3), deque.New[int](4)
		var owner, thief side
		x.Go("thief", func() {
			thief.steal(d, mine)
			thief.steal(d, mine)
		})
		owner.pop(d)
		d.Push(4, nil)
		owner.pop(d)
		x.Join()
		closed(x, d, mine)
		owner.drain(d)
		owner.rising(x)
		thief.rising(x)
		once(x, 4, &owner, &thief)
	})
}

func TestOwnerAndTwoThieves(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d, mine, yours := holding(4, 0, 1, 3), deque.New[int](4), deque.New[int](4)
		var owner, thief, other, spilt side
		x.Go("thief", func() { thief.steal(d, mine) })
		x.Go("other", func() { other.steal(d, yours) })
		owner.pop(d)
		d.Push(4, nil)
		d.Push(5, spilt.batch)
		owner.pop(d)
		owner.pop(d)
		x.Join()
		closed(x, d, mine, yours)
		owner.drain(d)
		owner.rising(x)
		thief.rising(x)
		other.rising(x)
		once(x, 5, &owner, &thief, &other, &spilt)
	})
}

// Thieves that have only the Stealer take from the deque itself. One that has seen it empty finds
// it empty: nobody pushes.
func TestOwnerAndThievesWithItsStealer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d, mine, yours := holding(4, 0, 1, 3), deque.New[int](4), deque.New[int](4)
		var owner, thief, other side
		queue := d.Stealer()
		x.Go("thief", func() { thief.steal(queue, mine) })
		x.Go("other", func() {
			n := queue.Len()
			result := other.steal(queue, yours)
			x.Assert(n != 0 || result == deque.Empty, "Len is 0, and then a steal is %v", result)
		})
		owner.pop(d)
		owner.pop(d)
		x.Join()
		closed(x, d, mine, yours)
		owner.drain(d)
		owner.rising(x)
		thief.rising(x)
		other.rising(x)
		once(x, 3, &owner, &thief, &other)
	})
}

func TestOwnerAndTwoThievesWhoComeTwice(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d, mine, yours := holding(4, 0, 1, 4), deque.New[int](2), deque.New[int](2)
		var owner, thief, other side
		x.Go("thief", func() {
			thief.steal(d, mine)
			thief.steal(d, mine)
		})
		x.Go("other", func() {
			other.steal(d, yours)
			other.steal(d, yours)
		})
		owner.pop(d)
		x.Join()
		closed(x, d, mine, yours)
		owner.drain(d)
		owner.rising(x)
		thief.rising(x)
		other.rising(x)
		once(x, 4, &owner, &thief, &other)
	})
}

func TestTwoThievesAndAFullRingOfTwo(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d, mine, yours := holding(2, 0, 1, 2), deque.New[int](2), deque.New[int](2)
		var owner, thief, other, spilt side
		x.Go("thief", func() { thief.steal(d, mine) })
		x.Go("other", func() { other.steal(d, yours) })
		d.Push(3, spilt.batch)
		owner.pop(d)
		x.Join()
		closed(x, d, mine, yours)
		owner.drain(d)
		owner.rising(x)
		once(x, 3, &owner, &thief, &other, &spilt)
	})
}

// The last value goes to one of three.
func TestLastValueIsTakenOnce(t *testing.T) {
	sizes(t, func(x *model.Exec, size int) {
		d, mine, yours := holding(size, 0, 1, 1), deque.New[int](size), deque.New[int](size)
		var owner, thief, other side
		x.Go("thief", func() { thief.steal(d, mine) })
		x.Go("other", func() { other.steal(d, yours) })
		owner.pop(d)
		x.Join()
		closed(x, d, mine, yours)
		once(x, 1, &owner, &thief, &other)
	})
}

// A thief that has values already takes what fits after them.
func TestThiefWhoHasSomething(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d, mine, third := holding(4, 0, 1, 4), holding(4, 2, 5, 8), deque.New[int](4)
		var owner, thief, other side
		x.Go("thief", func() {
			thief.pop(mine)
			thief.steal(d, mine)
		})
		x.Go("other", func() { other.steal(mine, third) })
		owner.pop(d)
		x.Join()
		closed(x, d, mine, third)
		owner.drain(d)
		thief.drain(mine)
		once(x, 8, &owner, &thief, &other)
	})
}

// A thief steals from B, and stands still; B's owner finds B empty, and steals from A: the slots
// that the thief is still reading are no room.
func TestChainOfSteals(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b, c := holding(4, 0, 1, 4), holding(4, 0, 5, 8), deque.New[int](4)
		var ownerA, ownerB, ownerC side
		x.Go("C", func() { ownerC.steal(b, c) })
		ownerB.drain(b)
		ownerB.steal(a, b)
		ownerB.drain(b)
		x.Join()
		closed(x, a, b, c)
		ownerA.drain(a)
		ownerA.rising(x)
		once(x, 8, &ownerA, &ownerB, &ownerC)
	})
}

// A steals from B while C steals from A, and B's owner is not idle either.
func TestStealsThatOverlapInAChain(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b, c := holding(2, 0, 1, 1), holding(4, 0, 2, 4), deque.New[int](2)
		var ownerA, ownerB, ownerC side
		x.Go("A", func() { ownerA.steal(b, a) })
		x.Go("C", func() { ownerC.steal(a, c) })
		ownerB.pop(b)
		x.Join()
		closed(x, a, b, c)
		ownerA.drain(a)
		ownerB.drain(b)
		ownerB.rising(x)
		once(x, 4, &ownerA, &ownerB, &ownerC)
	})
}

func TestThreeThieves(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d := holding(4, 0, 1, 4)
		var owner, one, two, three side
		for _, s := range []*side{&one, &two, &three} {
			x.Go("thief", func() { s.steal(d, deque.New[int](2)) })
		}
		owner.pop(d)
		x.Join()
		closed(x, d)
		owner.drain(d)
		owner.rising(x)
		once(x, 4, &owner, &one, &two, &three)
	})
}

// Two workers steal from each other at the same time.
func TestStealsInACircle(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b := holding(4, 0, 1, 3), holding(4, 0, 4, 6)
		var ownerA, ownerB side
		x.Go("B", func() { ownerB.steal(a, b) })
		ownerA.steal(b, a)
		x.Join()
		closed(x, a, b)
		ownerA.drain(a)
		ownerB.drain(b)
		once(x, 6, &ownerA, &ownerB)
	})
}

func TestOverflowWhileAStealIsOpen(t *testing.T) {
	sizes(t, func(x *model.Exec, size int) {
		d, mine := holding(size, 0, 1, size), deque.New[int](size)
		var owner, thief, spilt side
		x.Go("thief", func() { thief.steal(d, mine) })
		d.Push(size+1, spilt.batch)
		d.Push(size+2, spilt.batch)
		owner.pop(d)
		d.Push(size+3, spilt.batch)
		x.Join()
		closed(x, d, mine)
		owner.drain(d)
		owner.rising(x)
		thief.rising(x)
		once(x, size+3, &owner, &thief, &spilt)
	})
}

// A batch goes after what a thief is still copying, all of it at once.
func TestBatchBehindAnOpenSteal(t *testing.T) {
	sizes(t, func(x *model.Exec, size int) {
		d, mine := holding(size, 0, 1, size), deque.New[int](size)
		var owner, thief side
		x.Go("thief", func() {
			thief.steal(d, mine)
			thief.steal(d, mine)
		})
		values := []int{size + 1, size + 2, size + 3}
		owner.pop(d)
		n := d.PushBatch(values)
		owner.pop(d)
		n += d.PushBatch(values[n:])
		x.Join()
		closed(x, d, mine)
		owner.drain(d)
		owner.rising(x)
		thief.rising(x)
		once(x, size+n, &owner, &thief)
	})
}

// The owner goes round the ring between a thief's loads: it must notice.
func TestThiefWhoLookedBeforeTheOwnerWentRound(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d, mine := deque.New[int](2), deque.New[int](2)
		var owner, thief, spilt side
		x.Go("thief", func() { thief.steal(d, mine) })
		for v := 1; v <= 4; v++ {
			d.Push(v, spilt.batch)
			if v%2 == 0 {
				owner.pop(d)
			}
		}
		x.Join()
		closed(x, d, mine)
		owner.drain(d)
		owner.rising(x)
		once(x, 4, &owner, &thief, &spilt)
	})
}

// The indices wrap in the middle of a steal, of the claim and of its release.
func TestWrapInTheMiddleOfASteal(t *testing.T) {
	for _, before := range []uint32{1, 2, 4} {
		t.Run(fmt.Sprintf("%d before", before), func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				d, mine := holding(4, -before, 1, 3), deque.NewAt[int](4, math.MaxUint32)
				var owner, thief, spilt side
				x.Go("thief", func() { thief.steal(d, mine) })
				owner.pop(d)
				d.Push(4, spilt.batch)
				d.Push(5, spilt.batch)
				owner.pop(d)
				x.Join()
				closed(x, d, mine)
				owner.drain(d)
				owner.rising(x)
				thief.rising(x)
				once(x, 5, &owner, &thief, &spilt)
			})
		})
	}
}

// Whatever others do, Len is no more than fits, 0 only if there was an instant at which the deque
// was empty.
func TestLenOfADequeInUse(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d := holding(2, 0, 1, 1)
		var owner, spilt side
		x.Go("observer", func() {
			n := d.Len()
			x.Assert(1 <= n && n <= 2, "Len is %d of a deque that always holds 1 or 2", n)
		})
		for v := 2; v <= 5; v++ {
			d.Push(v, spilt.batch)
			owner.pop(d)
		}
		x.Join()
		owner.drain(d)
		once(x, 5, &owner, &spilt)
	})
}
