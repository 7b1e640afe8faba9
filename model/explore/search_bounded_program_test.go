//go:build !race

package explore_test

import (
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"pgregory.net/rapid"
)

// uneven draws programs of at most length instructions in all, of which a thread may have most.
// Threads start some of the others, which may wait for them.
func uneven(ops []string, length int) *rapid.Generator[program] {
	return rapid.Custom(func(t *rapid.T) program {
		p := make(program, rapid.IntRange(2, 4).Draw(t, "threads"))
		for k := range rapid.IntRange(len(p), length).Draw(t, "length") {
			i := k
			if k >= len(p) {
				i = rapid.IntRange(0, len(p)-1).Draw(t, "who")
			}
			p[i] = append(p[i], instr{
				Op:   rapid.SampledFrom(ops).Draw(t, "op"),
				Var:  rapid.IntRange(0, 1).Draw(t, "var"),
				Val:  rapid.Int32Range(0, 2).Draw(t, "val"),
				Cond: rapid.IntRange(0, 5).Draw(t, "cond") == 0,
			})
		}
		for i := len(p) - 1; i > 0; i-- {
			if parent := rapid.IntRange(-1, i-1).Draw(t, "parent"); parent >= 0 {
				at := rapid.IntRange(0, len(p[parent])).Draw(t, "at")
				p[parent] = slices.Insert(p[parent], at, instr{Op: "go", Val: int32(i)})
			}
		}
		return p
	})
}

// onWord does an instruction on words that threads sleep on.
func (w *world) onWord(in instr) (last int32) {
	word := &w.words[in.Var%2]
	p := unsafe.Pointer(word)
	switch in.Op {
	case "park":
		if hook.Uint32CompareAndSwap(word, 0, 1) {
			r, _ := explore.FutexWait(p, 1, -1)
			return int32(r)
		}
		return 9
	case "park for a time":
		r, _ := explore.FutexWait(p, 0, time.Duration(in.Val+1))
		return int32(r)
	case "unpark":
		if hook.Uint32Swap(word, 2) == 1 {
			n, _ := explore.FutexWake(p, 1)
			return int32(n)
		}
		return 9
	case "wake":
		n, _ := explore.FutexWake(p, int(in.Val))
		return int32(n)
	case "set":
		hook.Uint32Store(word, uint32(in.Val))
		return 0
	}
	panic("no instruction " + in.Op)
}

func TestReductionWithinABoundOfUnevenPrograms(t *testing.T) {
	for _, c := range []struct {
		name   string
		ops    []string
		length int
		early  int
	}{
		{"atomics", []string{"load", "store", "load", "store", "cas", "join"}, 9, 0},
		{"locks", []string{
			"load", "store", "lock", "lock", "unlock", "unlock", "trylock", "choose", "join",
		}, 10, 0},
		{"channels", []string{"send", "recv", "send", "recv", "load", "store", "join"}, 10, 0},
		{"conditions", []string{
			"lock", "load", "store", "condwait", "signal", "unlock", "lock", "unlock",
		}, 11, 0},
		{"parking", []string{
			"park", "park", "unpark", "unpark", "set", "load", "store", "lock", "unlock",
		}, 9, 0},
		{"parking for a time", []string{
			"park", "park for a time", "wake", "wake", "set", "load", "store",
		}, 8, 1},
		{"timers", []string{
			"send", "await or expire", "expire", "stop", "reset", "sleep", "store", "load",
		}, 9, 1},
		{"everything", []string{
			"load", "store", "cas", "lock", "lock", "unlock", "unlock", "once", "condwait",
			"signal", "rlock", "wlock", "rwunlock", "wgadd", "wgdone", "wgwait", "choose",
			"trylock", "send", "recv", "poll", "offer", "sleep", "park", "unpark", "join",
		}, 9, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			gen := uneven(c.ops, c.length)
			rapid.Check(t, func(t *rapid.T) {
				p, isBody := gen.Draw(t, "program"), rapid.Bool().Draw(t, "thread 0 is the body")
				run := func(w *world) {
					w.bodyIsFirst = isBody
					p.runNested(w)
				}
				cfg := explore.Config{EarlyTimeouts: c.early}
				sameWithin(t, p, run, cfg, (*world).outcome)
			})
		})
	}
}
