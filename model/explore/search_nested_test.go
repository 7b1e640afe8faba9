//go:build !race

package explore_test

import (
	"slices"
	"testing"

	"github.com/surewake/surewake/model/explore"
	"pgregory.net/rapid"
)

// nested draws programs whose threads start some of the others: threads and objects have other
// numbers in other executions. Loads and stores have twice as many variables.
func nested(ops []string, threads, length int) *rapid.Generator[program] {
	return rapid.Custom(func(t *rapid.T) program {
		p := genProgram(ops, threads, length).Draw(t, "program")
		for i := range p {
			for k := range p[i] {
				switch in := &p[i][k]; in.Op {
				case "load", "store", "add", "cas":
					in.Var += 3 * rapid.IntRange(0, 1).Draw(t, "further")
				}
			}
		}
		for i := len(p) - 1; i > 1; i-- {
			if parent := rapid.IntRange(-1, i-1).Draw(t, "parent"); parent >= 0 {
				at := rapid.IntRange(0, len(p[parent])).Draw(t, "at")
				p[parent] = slices.Insert(p[parent], at, instr{Op: "go", Val: int32(i)})
			}
		}
		return p
	})
}

// runNested starts the threads that no other one starts.
func (p program) runNested(w *world) {
	started := map[int32]bool{}
	for _, th := range p {
		for _, in := range th {
			if in.Op == "go" {
				started[in.Val] = true
			}
		}
	}
	w.prepare()
	begin := func(i int) {
		if !started[int32(i)] {
			p.start(w, i, i+1)
		}
	}
	for i := range p {
		if i > 0 || !w.bodyIsFirst {
			begin(i)
		}
	}
	if w.bodyIsFirst {
		begin(0) // last: it runs here
	}
	explore.Join()
}

func TestReductionKeepsEveryTraceOfNestedThreads(t *testing.T) {
	for _, c := range []struct {
		name string
		ops  []string
	}{
		{"atomics", []string{"load", "store", "add"}},
		{"locks", []string{"load", "store", "lock", "lock", "unlock"}},
		{"failing", []string{"load", "store", "cas", "trylock", "lock"}},
		{"channels", []string{"send", "recv", "load", "store"}},
		{"closing", []string{"send", "recv", "close", "load", "store", "len"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			gen := nested(c.ops, 5, 2)
			rapid.Check(t, func(t *rapid.T) {
				p := buffered(gen.Draw(t, "program"))
				sameTracesBy(t, p, p.runNested, true)
			})
		})
	}
}

// Which of two goroutines is number 4 depends on the order in which the first two start them.
func TestThreadOfAnotherNumberIsNotTheSame(t *testing.T) {
	p := program{
		{{Op: "load", Var: 1}, {Op: "go", Val: 2}},
		{{Op: "load"}, {Op: "go", Val: 3}},
		{{Op: "load"}},
		{{Op: "load", Var: 1}},
		{{Op: "store", Var: 1}},
	}
	sameTracesBy(t, p, p.runNested, true)
}
