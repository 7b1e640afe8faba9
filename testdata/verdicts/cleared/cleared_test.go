package cleared

import (
	"testing"

	"github.com/surewake/surewake/model"
)

// clear writes each element.
//
// verdict: FAILED race
func TestClearBesideARead(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		values := make([]int, 40)
		x.Go("clearer", func() { clear(values) })
		_ = values[31]
		x.Join()
	})
}

// So it does in a slice of a type of its own.
//
// verdict: FAILED race
func TestClearOfPointersBesideAWrite(t *testing.T) {
	type list []*int
	model.Check(t, func(x *model.Exec) {
		values := make(list, 40)
		x.Go("clearer", func() { clear(values[1:]) })
		values[39] = new(int)
		x.Join()
	})
}

// verdict: proved
func TestClearOfAnotherPart(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		values := []int{1, 2, 3}
		x.Go("clearer", func() { clear(values[1:]); clear(values[:0]) })
		values[0]++
		x.Join()
		x.Assert(values[0] == 2 && values[1] == 0 && values[2] == 0, "%v", values)
	})
}

// verdict: FAILED race
func TestClearOfAMapBesideARead(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		values := map[int]int{1: 2}
		x.Go("clearer", func() { clear(values) })
		_ = values[1]
		x.Join()
	})
}

// What is appended is written where there is room, also if it is zero.
//
// verdict: FAILED race
func TestAppendOfZeroesBesideAWrite(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		values := make([]int, 1, 40)
		x.Go("appender", func() { _ = append(values, make([]int, 20)...) })
		values[:40][11] = 2
		x.Join()
	})
}
