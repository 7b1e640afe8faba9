package library

import (
	"runtime"
	"testing"

	"github.com/surewake/surewake/model"
)

// What GOMAXPROCS is set to is seen by others, in either order, and does not outlive the execution.
// verdict: FAILED saw 5
func TestGOMAXPROCSIsShared(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	model.Check(t, func(x *model.Exec) {
		x.Assert(runtime.GOMAXPROCS(0) == before, "it was kept")
		done := make(chan int)
		go func() { done <- runtime.GOMAXPROCS(5) }()
		now := runtime.GOMAXPROCS(0)
		<-done
		x.Assert(now != 5, "saw 5")
	})
}

// verdict: proved, 1 trace
func TestGOMAXPROCSIsRead(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		done := make(chan int)
		go func() { done <- runtime.GOMAXPROCS(0) }()
		now := runtime.GOMAXPROCS(0)
		x.Assert(now == <-done, "they differ")
	})
}

// Rewritten code allocates otherwise.
// verdict: undecided AllocsPerRun
func TestAllocationsAreNotCounted(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Assert(testing.AllocsPerRun(1, func() { _ = new(int) }) == 0, "it allocates")
	})
}
