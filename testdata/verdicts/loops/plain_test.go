package loops

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// A loop that waits for a plain variable has a data race, and lets others run.
//
// verdict: FAILED data race.*plain_test.go:(18|20)
func TestOneWaitsForAPlainVariable(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		done := false
		x.Go("writer", func() {
			done = true
		})
		for !done {
		}
	})
}

// verdict: FAILED data race
func TestOneYieldsToTheWriter(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		done := false
		x.Go("writer", func() { done = true })
		for tries := 0; !done; tries++ {
			runtime.Gosched()
		}
	})
}

// In its first turn it looks for something else, in another loop.
//
// verdict: FAILED data race
func TestOneWaitsInTwoWays(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var begun, own atomic.Bool
		begun.Store(true)
		done, first := false, true
		x.Go("writer", func() {
			own.Store(true)
			done = true
		})
		for tries := 0; !done; tries++ {
			for first {
				if begun.Load() {
					break
				}
			}
			first = false
			runtime.Gosched()
		}
	})
}

// verdict: FAILED data race
func TestEachWaitsForTheOther(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		here, there := false, false
		x.Go("other", func() {
			here = true
			for !there {
			}
		})
		for !here {
		}
		there = true
	})
}

// The writer itself waits for ever.
//
// verdict: FAILED livelock.*writer is blocked for ever in channel receive
func TestTheWriterWaits(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		done, c := false, make(chan int)
		x.Go("writer", func() {
			<-c
			done = true
		})
		for !done {
		}
		c <- 1
	})
}

// verdict: FAILED livelock
func TestNobodyWrites(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		done := false
		x.Go("other", func() {})
		for !done {
		}
	})
}

// The end of a goroutine is seen by a loop that counts them.
//
// verdict: bounded a loop that waits
func TestALoopCountsGoroutines(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var ended atomic.Bool
		go ended.Store(true)
		for runtime.NumGoroutine() > 1 {
			runtime.Gosched()
		}
		x.Assert(ended.Load(), "it goes on")
	})
}

// Nobody stores what the loop loads, too: it ends all the same.
//
// verdict: bounded a loop that waits
func TestALoopCountsGoroutinesAndLoads(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var never, ended atomic.Bool
		x.Go("other", func() {
			never.Load()
			ended.Store(true)
		})
		for !never.Load() && runtime.NumGoroutine() > 1 {
		}
		x.Assert(ended.Load(), "it goes on")
	})
}

// Loops without effect that end need no one else.
//
// verdict: proved, 1 trace
func TestPlainLoopsThatEnd(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int32
		x.Go("other", func() { n.Add(1) })
		limit := 3
		for limit > 2 {
			if limit == 3 {
				break
			}
		}
		for i := 0; i < 1000; {
			i++
			runtime.Gosched()
		}
		x.Join()
		x.Assert(n.Load() == 1, "%d", n.Load())
	})
}
