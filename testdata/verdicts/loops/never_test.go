package loops

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// Each takes back what the other did, and looks for its own.
//
// verdict: FAILED livelock.*repeat the same iteration
func TestEachUndoesTheOther(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var turn atomic.Int32
		for i := range int32(2) {
			x.Go("polite", func() {
				for wait := 1; ; wait *= 2 {
					if turn.Load() == i+1 {
						turn.Store(2 - i)
					}
					if turn.Load() == 3 {
						return
					}
					for range min(wait, 8) {
						runtime.Gosched()
					}
				}
			})
		}
		x.Join()
	})
}

// verdict: FAILED livelock.*an iteration without effect
func TestNobodyAnswersSelect(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		answers := make(chan int)
		x.Go("poller", func() {
			for {
				select {
				case <-answers:
					return
				default:
					runtime.Gosched()
				}
			}
		})
		x.Join()
	})
}

// verdict: FAILED livelock
func TestNobodyAnswersSleep(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		x.Go("poller", func() {
			for !done.Load() {
				time.Sleep(time.Millisecond)
			}
		})
		x.Join()
	})
}

// verdict: FAILED livelock
func TestNobodyAnswersLoad(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		x.Go("poller", func() {
			for !done.Load() {
			}
		})
		x.Join()
	})
}

// The setter waits for the poller, which waits for the setter.
//
// verdict: FAILED livelock
func TestPollerAndSetterWaitForEachOther(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var ready atomic.Bool
		seen := make(chan bool)
		x.Go("poller", func() {
			for n := 0; !ready.Load(); n++ {
				runtime.Gosched()
			}
			seen <- true
		})
		x.Go("setter", func() {
			<-seen
			ready.Store(true)
		})
		x.Join()
	})
}

// A goroutine works by a ticker as long as the process lives. The two others lock crosswise.
//
// verdict: FAILED (deadlock|leak|livelock).*(first|second)
func TestTickerBesideADeadlock(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		tick := time.NewTicker(time.Millisecond)
		go func() {
			for range tick.C {
			}
		}()
		a, b := make(chan int), make(chan int)
		x.Go("first", func() { <-a; b <- 1 })
		x.Go("second", func() { <-b; a <- 1 })
		x.Join()
	})
}
