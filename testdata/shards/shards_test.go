// Package shards has checks for `surewake check -shard`: large enough to be divided, and quick.
package shards

import (
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/surewake/surewake/model"
)

// adders starts goroutines that each add 1 to a variable n times, and calls look with its value.
func adders(x *model.Exec, goroutines, n int, look func(int32)) {
	var v atomic.Int32
	for range goroutines {
		x.Go("adder", func() {
			for range n {
				look(v.Add(1))
			}
		})
	}
	x.Join()
}

// 9! / (3!)^3 = 1,680 traces.
func TestAdds(t *testing.T) {
	model.Check(t, func(x *model.Exec) { adders(x, 3, 3, func(int32) {}) })
}

// Too small to be divided: the first shard has it.
func TestSmall(t *testing.T) {
	model.Check(t, func(x *model.Exec) { adders(x, 2, 2, func(int32) {}) })
}

// The word and its halves are found before the first execution. What is done to the word comes
// among what is done to each half, in (6! / 3!^2)^2 = 400 orders.
func TestConverted(t *testing.T) {
	var word atomic.Uint64
	halves := (*[2]atomic.Uint32)(unsafe.Pointer(&word))
	model.Check(t, func(x *model.Exec) {
		word.Store(0)
		for _, add := range []func(){
			func() { word.Add(1) },
			func() { halves[0].Add(1) },
			func() { halves[1].Add(1) },
		} {
			x.Go("adder", func() {
				for range 3 {
					add()
				}
			})
		}
		x.Join()
	})
}

// Values are chosen, and ready cases.
func TestChoices(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int, 3)
		for range 3 {
			x.Go("sender", func() {
				for range x.Choose(3) {
					select {
					case c <- 1:
					default:
					}
				}
			})
		}
		x.Go("receiver", func() {
			for range 2 {
				select {
				case <-c:
				default:
				}
			}
		})
		x.Join()
	})
}

// Time passes in two ways, of which the first is too small to be divided.
func TestTimes(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var v atomic.Int32
		for range 2 {
			x.Go("adder", func() {
				v.Add(1)
				time.Sleep(time.Millisecond)
				v.Add(1)
				v.Add(1)
				v.Add(1)
			})
		}
		x.Join()
	})
}

// One execution of many fails.
func TestFails(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var first, last atomic.Int32
		x.Go("first", func() { first.Store(1) })
		adders(x, 3, 2, func(v int32) {
			if v == 6 {
				last.Store(1 - first.Load())
			}
		})
		x.Assert(last.Load() == 0, "the first came last")
	})
}

// A race that the race detector does not see in the order in which the trace is run first: it keeps
// four accesses of a word. A small search is run in further orders, by the shard that has it.
func TestHiddenRace(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := new([8]byte)
		read := func(bytes ...int) {
			for _, i := range bytes {
				x.Assert(w[i] == 0, "byte %d is written", i)
			}
		}
		var v atomic.Int32
		x.Go("reader", func() {
			read(0)
			v.Add(1)
		})
		x.Go("writer", func() {
			v.Add(1)
			read(1, 2, 3, 4, 5, 6, 7)
			for i := 2; i < 8; i += 2 {
				x.Assert(*(*uint16)(unsafe.Pointer(&w[i])) == 0, "bytes from %d are written", i)
			}
			x.Assert(*(*uint32)(unsafe.Pointer(&w[4])) == 0, "bytes from 4 are written")
			w[0] = 1
		})
		x.Join()
	})
}
