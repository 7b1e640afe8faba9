package taskstate_test

import (
	"testing"

	"github.com/surewake/surewake/taskstate"
)

// FuzzOperations performs a string of operations on a new word, one for each byte, and holds them
// against a struct.
func FuzzOperations(f *testing.F) {
	const ( // see operations
		wake, wakeDrop, run, claim, toIdle, yield, complete, cancel = 0, 1, 2, 3, 4, 5, 6, 7
		enter, leave, join, unjoin, detach, clone, drop             = 8, 9, 10, 11, 12, 13, 14
	)
	add := func(references uint32, ops ...byte) { f.Add(references, ops) }
	add(1, run, complete) // the shortest life
	// a wake while RUNNING, one while IDLE
	add(2, run, wake, toIdle, run, toIdle, wakeDrop, run, complete)
	add(2, join, run, cancel, yield, run, complete, drop, drop) // joined and cancelled
	add(3, run, enter, toIdle, cancel, wake, run, leave, toIdle, run, detach, complete, drop,
		wakeDrop)
	add(2, claim, run, drop, join, unjoin, detach, complete) // a stale entry
	add(1<<23, clone, claim, run, clone)
	// one rule after the other broken
	add(1, drop, toIdle, leave, run, leave, drop, complete, drop, wake)
	f.Fuzz(func(t *testing.T, references uint32, ops []byte) {
		if len(ops) > 600 {
			t.Skip("long strings show no more than short ones")
		}
		p := plain{references: int(references%taskstate.MaxReferences) + 1}
		w := taskstate.New(p.references)
		for _, op := range ops {
			if err := operations[int(op)%len(operations)].hold(&w, &p); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// FuzzStates performs every operation on any 64 bits.
func FuzzStates(f *testing.F) {
	f.Add(uint64(0))
	f.Add(^uint64(0))
	f.Add(uint64(1)<<40 | 0x00ff_0f01_ffff)
	f.Add(uint64(1)<<63 | 0xff_0001_0000)
	f.Fuzz(func(t *testing.T, bits uint64) {
		for _, o := range operations {
			w, p := taskstate.WordAt(taskstate.State(bits)), plainOf(taskstate.State(bits))
			if err := o.hold(&w, &p); err != nil {
				t.Fatal(err)
			}
		}
	})
}
