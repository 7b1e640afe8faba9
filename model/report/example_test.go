package report_test

import (
	"fmt"

	"github.com/surewake/surewake/model/report"
)

func ExampleTrace_Lanes() {
	trace := report.Trace{
		Threads: []string{"main", "owner", "thief"},
		Message: "value 7 was taken twice",
	}
	step := func(thread int, line int, fn, op, object, value string) *report.Step {
		trace.Steps = append(trace.Steps, report.Step{
			Thread: thread, Op: op, Object: object, Value: value,
			File: "/src/ring/ring.go", Line: line, Func: "example.com/ring.(*Ring[...])." + fn,
		})
		return &trace.Steps[len(trace.Steps)-1]
	}
	step(2, 41, "Steal", "Load", "head", "0x0_00000000")
	step(2, 42, "Steal", "Load", "tail", "1")
	step(1, 20, "Pop", "Load", "head", "0x0_00000000").Preempt = true
	step(1, 21, "Pop", "Load", "tail", "1")
	step(1, 24, "Pop", "Store", "head", "0x1_00000001")
	step(2, 46, "Steal", "Store", "head", "0x1_00000001").Note = "not a CompareAndSwap"
	fmt.Print(trace.Lanes(report.Options{}))
	// Output:
	// step │ owner                        │ thief
	// ──────┼──────────────────────────────┼──────────────────────────────
	//       │                              │ Ring.Steal  ring.go
	//     1 │                              │ 41  Load head   0x0_00000000
	//     2 │                              │ 42  Load tail   1
	//       │                              │ ╌╌╌╌╌╌╌╌ preempted ╌╌╌╌╌╌╌╌╌
	//       │ Ring.Pop  ring.go            │
	//     3 │ 20  Load head   0x0_00000000 │
	//     4 │ 21  Load tail   1            │
	//     5 │ 24  Store head  0x1_00000001 │
	//     6 │                              │ 46  Store head  0x1_00000001
	//       │                              │     (not a CompareAndSwap)
	// ──────┴──────────────────────────────┴──────────────────────────────
	//  failed: value 7 was taken twice
}

func ExampleParseToken() {
	t, err := report.ParseToken("deque:TestStealOne:1f3a9c2e:3b2a")
	fmt.Println(t.Check, t.Schedule, err)
	_, err = report.ParseToken("deque:TestStealOne:1f3a9c2e:3b2")
	fmt.Println(err)
	// Output:
	// TestStealOne 3b2a <nil>
	// token "deque:TestStealOne:1f3a9c2e:3b2": schedule "3b2", character 3: ends with a count, without what comes after it
}

func ExampleEncodeSchedule() {
	// The default policy goes on with the thread that ran last, thread 0 here. Thread 1 is preferred at the third
	// decision, and stays; then a Choose returns 2.
	s := report.EncodeSchedule([]report.Decision{
		{Thread: 0, Default: 0},
		{Thread: 0, Default: 0},
		{Thread: 1, Default: 0},
		{Thread: 1, Default: 1},
		{IsValue: true, Value: 2},
		{Thread: 1, Default: 1},
	})
	fmt.Println(s)
	fmt.Println(report.DecodeSchedule(s))
	// Output:
	// 2b1=2.
	// [{2 false 1 0} {4 true 0 2}] <nil>
}
