//go:build !race

package explore_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

// overlay does one of some operations to world.word, or to the half of it that the instruction
// names. Both histories of the halves have what is done to the whole.
func (w *world) overlay(in instr, who string) (last int32) {
	half := (*[2]uint32)(unsafe.Pointer(&w.word))
	whole, n := hook.Overlaid(&w.word), uint64(in.Val)<<32|uint64(in.Val)
	note := func(class byte, res uint64) {
		for i := range half {
			if in.Var == i || in.Var == 2 {
				obj := fmt.Sprint("half", i)
				w.log[obj] = append(w.log[obj], access{who, class, int64(res)})
			}
		}
	}
	on4 := in.Var < 2
	p := &half[in.Var%2]
	var v uint64
	op := in.Word
	if op == "beside" { // another word
		v := hook.Int32Add(&w.vars[in.Var], 1)
		w.log[fmt.Sprint("v", in.Var)] = append(w.log[fmt.Sprint("v", in.Var)],
			access{who, 'w', int64(v)})
		return v
	}
	if op == "cas half" {
		if op = "cas"; !on4 {
			op = "load"
		}
	}
	switch op {
	case "load":
		if on4 {
			v = uint64(hook.LoadUint32(p))
		} else {
			v = hook.LoadUint64(whole)
		}
		note('r', v)
	case "store":
		if on4 {
			hook.StoreUint32(p, uint32(n))
		} else {
			hook.StoreUint64(whole, n)
		}
		note('w', n)
	case "add":
		if on4 {
			v = uint64(hook.AddUint32(p, 1))
		} else {
			v = hook.AddUint64(whole, 1<<32|1)
		}
		note('w', v)
	case "cas":
		swapped := false
		if on4 {
			swapped = hook.CompareAndSwapUint32(p, uint32(n), uint32(n)+1)
		} else {
			swapped = hook.CompareAndSwapUint64(whole, n, n+1)
		}
		if v = 0; swapped {
			v = 1
			note('w', 1)
		} else {
			note('r', 0)
		}
	case "await": // until it is not 0
		k := explore.SpinStart()
		for v == 0 {
			explore.Spin(k)
			if on4 {
				v = uint64(hook.LoadUint32(p))
			} else {
				v = hook.LoadUint64(whole)
			}
		}
	case "acquire": // from 0
		k := explore.SpinStart()
		for explore.Spin(k); !hook.CompareAndSwapUint64(whole, 0, n+1); explore.Spin(k) {
		}
	case "locked": // beside the words something else
		hook.MutexLock(&w.mus[0])
		hook.MutexUnlock(&w.mus[0])
		w.log["m0"] = append(w.log["m0"], access{who, 'w', 0})
	}
	w.saw(who, int32(v)^int32(v>>32)<<8)
	return int32(v)
}

func genOverlaid(ops ...string) *rapid.Generator[program] {
	return rapid.Custom(func(t *rapid.T) program {
		p := genProgram([]string{"word"}, 4, 4).Draw(t, "program")
		for _, thread := range p {
			for k := range thread {
				thread[k].Word = rapid.SampledFrom(ops).Draw(t, "word")
			}
		}
		return p
	})
}

// Every order of the operations on a word and on its halves is explored, and each only once: those
// on the two halves commute, whether or not the whole is used. Orders that differ in where a
// CompareAndSwap of 8 bytes fails are more than one.
func TestReductionKeepsEveryTraceOfOverlappingWords(t *testing.T) {
	for _, c := range []struct {
		name  string
		ops   []string
		exact bool
	}{
		{"without compare-and-swap", []string{"load", "load", "store", "add", "locked"}, true},
		{"compare-and-swap of halves", []string{"load", "store", "add", "cas half"}, true},
		{"atomics", []string{"load", "store", "add", "cas", "cas"}, false},
		{"words met late", []string{"load", "store", "add", "beside", "beside"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			gen := genOverlaid(c.ops...)
			rapid.Check(t, func(t *rapid.T) { sameTraces(t, gen.Draw(t, "program"), c.exact) })
		})
	}
	t.Run("waiting", func(t *testing.T) {
		gen := genOverlaid("load", "store", "add", "await", "acquire")
		rapid.Check(t, func(t *rapid.T) { sameOutcomesOrFailure(t, gen.Draw(t, "program")) })
	})
}

// The CompareAndSwap fails after the store to the upper half. That does not depend on the one of
// the lower half, which fails between the addition and the CompareAndSwap that succeeds.
func TestAHalfMakesACompareAndSwapFail(t *testing.T) {
	sameTraces(t, program{
		{{Op: "word", Word: "cas", Var: 2, Val: 1}},
		{{Op: "word", Word: "add", Var: 2}, {Op: "word", Word: "store", Var: 1}},
		{{Op: "word", Word: "cas", Var: 0}},
	}, false)
}

// What is not 4 bytes wide beside another one in each execution is an object of its own: nothing
// depends on where the allocator puts it.
func TestWordsOfFourBytesLieWhereTheyLike(t *testing.T) {
	memory := new([4]uint64)
	for _, c := range []struct {
		name   string
		traces int64
		body   func(words *[3]atomic.Int32)
	}{
		{"apart", 1, func(words *[3]atomic.Int32) {
			spawn(
				func() { hook.Int32Add(&words[0], 1) },
				func() { hook.Int32Add(&words[1], 1) },
				func() { hook.Int32Add(&words[2], 1) })
		}},
		{"met by a whole elsewhere", 4, func(words *[3]atomic.Int32) {
			var word atomic.Uint64
			halves := (*[2]atomic.Uint32)(unsafe.Pointer(&word))
			spawn(
				func() { hook.Int32Add(&words[0], 1); hook.Uint32Add(&halves[0], 1) },
				func() { hook.Int32Add(&words[1], 1); hook.Uint32Add(&halves[1], 1) },
				func() { hook.Int32Add(&words[2], 1); hook.Uint64Add(&word, 1) })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			runs := 0
			count(t, c.name, c.traces, 0, func() {
				*memory = [4]uint64{}
				words := (*[3]atomic.Int32)(unsafe.Add(unsafe.Pointer(memory), 4*(runs%2)))
				runs++
				hook.Overlaid(words)
				c.body(words)
			})
			require.Greater(t, runs, 2)
		})
	}
}
