package report_test

import (
	"fmt"
	"strings"

	"github.com/surewake/surewake/model/report"
	"github.com/surewake/surewake/model/wire"
)

func ExampleLanes() {
	trace := wire.Trace{
		Threads: []string{"main", "owner", "thief"},
		Message: "value 7 was taken twice",
	}
	step := func(thread int, line int, fn, op, object, value string) *wire.Step {
		trace.Steps = append(trace.Steps, wire.Step{
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
	fmt.Print(report.Lanes(&trace, report.Options{}))
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

func ExampleWritePage() {
	var page strings.Builder
	err := report.WritePage(&page, &report.Page{
		Heading: "1 check",
		Checks: []report.PageCheck{{
			Package: "example.com/ring", Name: "TestSteal", Verdict: wire.Proved,
			Executions: []string{"12 complete"}, Steps: "96",
		}},
	})
	fmt.Println(err)
	for line := range strings.Lines(page.String()) {
		if strings.Contains(line, "badge proved") {
			fmt.Print(line)
		}
	}
	// Output:
	// <nil>
	// <p class="tally"><span class="badge proved">1 proved</span></p>
	// <td><span class="badge proved">proved</span></td>
}
