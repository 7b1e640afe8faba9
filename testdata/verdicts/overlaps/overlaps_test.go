// Package overlaps holds programs in which operations of sync/atomic on 8 and on 4 bytes meet, and
// others that only could.
package overlaps

import (
	"reflect"
	"sync"
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

// The conversion is made once, before the first execution.
var kept = newWord()

// verdict: FAILED assertion
func TestConvertedAtInitialisation(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("whole", func() { kept.whole.Store(kept.whole.Load() + 1) })
		x.Go("half", func() { kept.high.Store(7) })
		x.Join()
		x.Assert(kept.whole.Load() == 7<<32|1, "%x", kept.whole.Load())
	})
}

// verdict: FAILED assertion
func TestConvertedBeforeTheCheck(t *testing.T) {
	w := newWord()
	model.Check(t, func(x *model.Exec) {
		w.whole.Store(0)
		x.Go("whole", func() { w.whole.Store(w.whole.Load() + 1) })
		x.Go("half", func() { w.high.Store(7) })
		x.Join()
		x.Assert(w.whole.Load() == 7<<32|1, "%x", w.whole.Load())
	})
}

// verdict: FAILED assertion
func TestConvertedByReflection(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := new(atomic.Uint64)
		at := reflect.NewAt(reflect.TypeFor[[2]atomic.Uint32](), unsafe.Pointer(w))
		halves := at.Interface().(*[2]atomic.Uint32)
		x.Go("whole", func() { w.Store(w.Load() + 1) })
		x.Go("half", func() { halves[1].Store(7) })
		x.Join()
		x.Assert(w.Load() == 7<<32|1, "%x", w.Load())
	})
}

// verdict: FAILED assertion
func TestConvertedByReflectionOfASlice(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := new(atomic.Uint64)
		at := reflect.SliceAt(reflect.TypeFor[atomic.Uint32](), unsafe.Pointer(w), 2)
		halves := at.Interface().([]atomic.Uint32)
		x.Go("whole", func() { w.Store(w.Load() + 1) })
		x.Go("half", func() { halves[1].Store(7) })
		x.Join()
		x.Assert(w.Load() == 7<<32|1, "%x", w.Load())
	})
}

// An atomic.Value is two words, which it stores one after the other.
//
// verdict: undecided part of an atomic.Value
func TestWordOfAValue(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		v := new(atomic.Value)
		words := (*[2]unsafe.Pointer)(unsafe.Pointer(v))
		x.Go("stores", func() { v.Store(1) })
		x.Go("looks", func() { atomic.LoadPointer(&words[1]) })
		x.Join()
	})
}

// verdict: undecided part of a sync.Mutex
func TestStateOfAMutex(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		mu := new(sync.Mutex)
		state := (*int32)(unsafe.Pointer(mu))
		locked := func() { mu.Lock(); mu.Unlock() }
		x.Go("a", locked)
		x.Go("looks", func() { atomic.LoadInt32(state) })
		x.Go("b", locked)
		x.Join()
	})
}

// verdict: undecided part of a sync.WaitGroup
func TestCounterOfAWaitGroup(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		wg := new(sync.WaitGroup)
		counter := &(*[2]atomic.Int32)(unsafe.Pointer(wg))[1]
		wg.Add(1)
		x.Go("looks", func() { counter.Load() })
		x.Go("ends", func() { wg.Done() })
		wg.Wait()
		x.Join()
	})
}

// verdict: undecided part of a sync.RWMutex
func TestMutexOfARWMutex(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		rw := new(sync.RWMutex)
		mu := (*sync.Mutex)(unsafe.Pointer(rw))
		x.Go("writes", func() { rw.Lock(); rw.Unlock() })
		x.Go("locks", func() { mu.Lock(); mu.Unlock() })
		x.Join()
	})
}

// What lies beside a lock is no part of it.
//
// verdict: proved, 2 traces
func TestWordBesideAMutex(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		_ = newWord()
		var s struct {
			before atomic.Int32
			mu     sync.Mutex
			after  atomic.Int32
		}
		x.Go("a", func() { s.mu.Lock(); s.after.Add(1); s.mu.Unlock() })
		x.Go("b", func() { s.mu.Lock(); s.before.Add(1); s.mu.Unlock() })
		x.Join()
	})
}

// verdict: undecided no multiple of 4
func TestWordThatIsNotAligned(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		words := new([2]atomic.Uint32)
		between := (*atomic.Uint32)(unsafe.Add(unsafe.Pointer(words), 2))
		x.Go("first", func() { words[0].Store(1 << 16) })
		x.Go("between", func() { between.Load() })
		x.Join()
	})
}

// verdict: undecided an atomic word as a part of a sync.RWMutex
func TestLastWordOfARWMutex(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		rw := new(sync.RWMutex)
		words := (*[unsafe.Sizeof(*rw) / 4]atomic.Int32)(unsafe.Pointer(rw))
		x.Go("reads", func() { rw.RLock(); rw.RUnlock() })
		x.Go("looks", func() { words[len(words)-1].Load() })
		x.Join()
	})
}

// verdict: undecided part of an atomic.Value
func TestSwapOfAValue(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		v := new(atomic.Value)
		words := (*[2]unsafe.Pointer)(unsafe.Pointer(v))
		x.Go("swaps", func() { v.CompareAndSwap(nil, 1) })
		x.Go("looks", func() { atomic.LoadPointer(&words[1]) })
		x.Join()
	})
}

// verdict: FAILED assertion
func TestAddressIsStoredIntoAPointer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := new(atomic.Uint64)
		var halves *[2]atomic.Uint32
		*(*unsafe.Pointer)(unsafe.Pointer(&halves)) = unsafe.Pointer(w)
		x.Go("whole", func() { w.Store(w.Load() + 1) })
		x.Go("half", func() { halves[1].Store(7) })
		x.Join()
		x.Assert(w.Load() == 7<<32|1, "%x", w.Load())
	})
}

func same(w *atomic.Uint64) *atomic.Uint64 { return w }

// verdict: FAILED assertion
func TestFunctionIsConverted(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w, convert := new(atomic.Uint64), same
		other := *(*func(*atomic.Uint64) *[2]atomic.Uint32)(unsafe.Pointer(&convert))
		halves := other(w)
		x.Go("whole", func() { w.Store(w.Load() + 1) })
		x.Go("half", func() { halves[1].Store(7) })
		x.Join()
		x.Assert(w.Load() == 7<<32|1, "%x", w.Load())
	})
}
