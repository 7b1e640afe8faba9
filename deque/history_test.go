package deque_test

import (
	"fmt"
	"testing"

	"github.com/surewake/surewake/deque"
	"github.com/surewake/surewake/model"
)

// The checks of this file record every call with its result, and hold each history against the
// specification of deques in model/history: what is Empty was empty at some instant within the
// call, what is Contended had a rival there, an overflow had no room, and so on. Calls and returns
// count as steps here, so that there are more executions for the same number of operations.

type recorded = recordedDeque[*deque.Deque[int], deque.Result]

// record returns deques of that capacity, the first of which holds 1..held.
func record(x *model.Exec, size, number, held int, start uint32) []*recorded {
	deques := make([]*deque.Deque[int], number)
	for i := range deques {
		deques[i] = deque.NewAt[int](size, start)
	}
	r := recordDeques(x.History(), deques...)
	for v := 1; v <= held; v++ {
		r[0].Push(v)
	}
	return r
}

func drainAll(x *model.Exec, deques []*recorded) {
	x.Join()
	for _, d := range deques {
		d.Drain()
	}
}

func TestHistoryOfAnOwnerAndAThief(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d := record(x, 4, 2, 1, 0)
		x.Go("thief", func() { d[0].StealInto(d[1]) })
		d[0].Push(2)
		d[0].Push(3)
		d[0].Pop()
		d[0].Pop()
		drainAll(x, d)
	}, model.Spec(specification(4)))
}

func TestHistoryOfAnOwnerAndTwoThieves(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d := record(x, 4, 3, 2, 0)
		x.Go("thief", func() { d[0].StealInto(d[1]) })
		x.Go("other", func() { d[0].StealInto(d[2]) })
		d[0].Push(3)
		d[0].Pop()
		d[0].Pop()
		drainAll(x, d)
	}, model.Spec(specification(4)))
}

// The last value: who does not get it is told Empty or Contended, and has to be right.
func TestHistoryOfTheLastValue(t *testing.T) {
	for _, size := range []int{2, 4} {
		t.Run(fmt.Sprintf("capacity %d", size), func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				d := record(x, size, 3, 1, 0)
				x.Go("thief", func() { d[0].StealInto(d[1]) })
				x.Go("other", func() { d[0].StealInto(d[2]) })
				d[0].Pop()
				drainAll(x, d)
			}, model.Spec(specification(size)))
		})
	}
}

func TestHistoryOfOverflowAndAThief(t *testing.T) {
	for _, size := range []int{2, 4} {
		t.Run(fmt.Sprintf("capacity %d", size), func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				d := record(x, size, 2, size, 1<<32-3)
				x.Go("thief", func() { d[0].StealInto(d[1]) })
				d[0].Push(size + 1)
				d[0].Push(size + 2)
				d[0].Pop()
				drainAll(x, d)
			}, model.Spec(specification(size)))
		})
	}
}

// The owner goes round the ring while a thief is looking.
func TestHistoryOfAThiefWhoLooksTooEarly(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d := record(x, 2, 2, 2, 0)
		x.Go("thief", func() { d[0].StealInto(d[1]) })
		d[0].Pop()
		d[0].Push(3)
		d[0].Push(4)
		drainAll(x, d)
	}, model.Spec(specification(2)))
}

func TestHistoryOfAChainOfSteals(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d := record(x, 2, 3, 2, 0)
		a, b, c := d[0], d[1], d[2]
		b.Push(3)
		b.Push(4)
		x.Go("C", func() { b.StealInto(c) })
		b.Pop()
		b.Pop()
		a.StealInto(b)
		drainAll(x, d)
	}, model.Spec(specification(2)))
}

// A thief that is told how many there are, and one that takes them.
func TestHistoryOfLen(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d := record(x, 2, 2, 1, 0)
		x.Go("observer", func() { d[0].Len() })
		x.Go("thief", func() { d[0].StealInto(d[1]) })
		d[0].Push(2)
		d[0].Pop()
		d[0].OwnerLen()
		drainAll(x, d)
	}, model.Spec(specification(2)))
}
