package history_test

import (
	"fmt"
	"sync/atomic"

	"github.com/surewake/surewake/model/history"
)

// A counter: Add returns the new value.
type add struct{ n int }

var counter = history.Spec[int, add, int]{
	Name:       "counter",
	Init:       func() int { return 0 },
	Step:       func(s int, o add, result int) (int, bool) { return s + o.n, result == s+o.n },
	DescribeOp: func(o add) string { return fmt.Sprintf("Add(%d)", o.n) },
}

func Example() {
	judge := history.NewJudge(counter)
	h := judge.Recorder(history.Options{})
	var c atomic.Int64
	for range 3 {
		history.Do(h, add{1}, func() int { return int(c.Add(1)) })
	}
	fmt.Println(judge.Judge(h))

	// Two threads that overlap and both read 0 before they store 1: an update is lost.
	h.Reset()
	a := history.Call(h, add{1})
	b := history.Call(h, add{1})
	history.Return(h, a, 1)
	history.Return(h, b, 1)
	fmt.Println(judge.Judge(h))
	// Output:
	// <nil>
	// history of counter is wrong: no order of the operations is allowed. The longest one that is:
	//    1. T0: Add(1) -> 1   state 1
	// and then T1: Add(1) -> 1 does not fit
	//
	// thread  operation  result  call  return
	// T0      Add(1)     1          1       3   ├───┤
	// T1      Add(1)     1          2       4     ├───┤
}
