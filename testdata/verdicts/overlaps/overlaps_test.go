// Package overlaps holds programs in which operations of sync/atomic on 8 and on 4 bytes meet, and
// others that only could.
package overlaps

import (
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/surewake/surewake/model"
)

// word is a word and its halves.
type word struct {
	whole     *atomic.Uint64
	low, high *atomic.Uint32
}

func newWord() word {
	w := new(atomic.Uint64)
	halves := (*[2]atomic.Uint32)(unsafe.Pointer(w))
	return word{w, &halves[0], &halves[1]}
}

// bothHalves is an increment of each half.
const bothHalves = 1<<32 | 1

// Which two of the three words of an array lie in one aligned word of 8 bytes differs from one
// execution to the next.
//
// verdict: proved, 2 traces
func TestSmallArrays(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		_ = newWord()
		one, two := new(atomic.Int32), new(atomic.Int32)
		words := new([3]atomic.Int32)
		for i := range words {
			x.Go("add", func() { words[i].Add(1) })
		}
		x.Go("one", func() { one.Add(1); two.Add(1) })
		x.Go("two", func() { two.Add(1) })
		x.Join()
		for i := range words {
			x.Assert(words[i].Load() == 1, "word %d", i)
		}
		x.Assert(one.Load() == 1 && two.Load() == 2, "lost")
	})
}

// The whole comes before or after each half: the operations on the halves commute.
//
// verdict: proved, 4 traces
func TestWholeAmongHalves(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := newWord()
		x.Go("low", func() { w.low.Add(1) })
		x.Go("high", func() { w.high.Add(1) })
		x.Go("whole", func() { w.whole.Add(bothHalves) })
		x.Join()
		x.Assert(w.whole.Load() == 2*bothHalves, "%x", w.whole.Load())
	})
}

// verdict: proved, 1 trace
func TestHalvesAfterTheWhole(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := newWord()
		x.Go("whole", func() { w.whole.Add(bothHalves) })
		x.Join()
		x.Go("low", func() { w.low.Add(1) })
		x.Go("high", func() { w.high.Add(1) })
		x.Join()
		x.Assert(w.whole.Load() == 2*bothHalves, "%x", w.whole.Load())
	})
}

// The loop repeats if the half is stored between the load and the compare-and-swap.
//
// verdict: proved, 3 traces
func TestCompareAndSwapKeepsTheHalf(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := newWord()
		x.Go("whole", func() {
			for {
				was := w.whole.Load()
				if w.whole.CompareAndSwap(was, was+1) {
					return
				}
			}
		})
		x.Go("half", func() { w.high.Store(7) })
		x.Join()
		x.Assert(w.whole.Load() == 7<<32|1, "%x", w.whole.Load())
	})
}

// verdict: FAILED assertion
func TestStoreLosesTheHalf(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := newWord()
		x.Go("whole", func() { w.whole.Store(w.whole.Load() + 1) })
		x.Go("half", func() { w.high.Store(7) })
		x.Join()
		x.Assert(w.whole.Load() == 7<<32|1, "%x", w.whole.Load())
	})
}

// verdict: FAILED assertion
func TestOneCompareAndSwapFails(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := newWord()
		x.Go("whole", func() { x.Assert(w.whole.CompareAndSwap(0, 1), "a half was in the way") })
		x.Go("half", func() { w.high.Store(7) })
		x.Join()
	})
}

// The lower half is looked at between an addition and a compare-and-swap which a store to the upper
// half, that comes later, can make fail.
//
// verdict: FAILED in between
func TestHalfIsSeenBeforeTheSwap(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := newWord()
		var swapped, failed bool
		x.Go("swaps", func() { swapped = w.whole.CompareAndSwap(bothHalves, bothHalves+1) })
		x.Go("adds", func() {
			w.whole.Add(bothHalves)
			w.high.Store(0)
		})
		x.Go("looks", func() { failed = w.low.Load() == 1 })
		x.Join()
		x.Assert(!swapped || !failed, "in between")
	})
}

// To the race detector, operations synchronize if they have the same address: those on the whole and
// on its first half.
//
// verdict: proved, 2 traces
func TestMessageByAHalf(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w, message := newWord(), 0
		x.Go("sends", func() { message = 1; w.low.Store(1) })
		x.Go("receives", func() {
			if w.whole.Load() != 0 {
				x.Assert(message == 1, "no message")
			}
		})
		x.Join()
	})
}

// verdict: FAILED race
func TestMessageByTheOtherHalf(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w, message := newWord(), 0
		x.Go("sends", func() { message = 1; w.high.Store(1) })
		x.Go("meets", func() { w.whole.Load() })
		x.Go("receives", func() {
			if w.low.Load() == 0 {
				x.Assert(message < 2, "no such message")
			}
		})
		x.Join()
	})
}

// verdict: proved
func TestWaitForAHalf(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := newWord()
		x.Go("waits", func() {
			for w.whole.Load() != bothHalves {
			}
		})
		x.Go("low", func() { w.low.Store(1) })
		x.Go("high", func() { w.high.Store(1) })
		x.Join()
	})
}

// verdict: FAILED livelock
func TestWaitForAHalfThatNobodyStores(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := newWord()
		x.Go("waits", func() {
			for w.whole.Load() != bothHalves {
			}
		})
		x.Go("low", func() { w.low.Store(1) })
		x.Join()
	})
}

// A lock that is released by its half. Those that wait for it do not wake one another.
//
// verdict: proved
func TestLockOfAWord(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w, n := newWord(), 0
		for range 3 {
			x.Go("locks", func() {
				for !w.whole.CompareAndSwap(0, 1) {
				}
				n++
				w.low.Store(0)
			})
		}
		x.Join()
		x.Assert(n == 3, "%d", n)
	})
}

// verdict: FAILED assertion
func TestWithinABound(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := newWord()
		x.Go("whole", func() { w.whole.Store(w.whole.Load() + 1) })
		x.Go("half", func() { w.high.Store(7) })
		x.Join()
		x.Assert(w.whole.Load() == 7<<32|1, "%x", w.whole.Load())
	}, model.Preemptions(1))
}
