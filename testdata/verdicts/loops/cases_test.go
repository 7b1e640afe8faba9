package loops

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// Both cases are ready, and only one of them ends the loop.
//
// verdict: bounded the ready cases of a select in turn in cases_test.go:
func TestQuitBesideAClosedChannel(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		quit, closed := make(chan bool), make(chan bool)
		close(closed)
		x.Go("worker", func() {
			for {
				select {
				case <-quit:
					return
				case <-closed:
				}
			}
		})
		x.Go("ender", func() { close(quit) })
		x.Join()
	})
}

// The closed channel is taken for one that has work, until the context ends.
//
// verdict: bounded cases_test.go:
func TestCancelBesideAClosedChannel(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithCancel(t.Context())
		work := make(chan int, 1)
		sum := 0
		x.Go("worker", func() {
			for {
				select {
				case <-ctx.Done():
					return
				case n := <-work:
					sum += n
				}
			}
		})
		work <- 1
		close(work)
		cancel()
		x.Join()
	})
}

// verdict: FAILED livelock.*worker at cases_test.go:
func TestNoCaseLeadsOut(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b := make(chan bool), make(chan bool)
		close(a)
		close(b)
		x.Go("worker", func() {
			for {
				select {
				case <-a:
					_ = len(b)
				case <-b:
				}
			}
		})
		x.Join()
	})
}

// One of the cases counts further than half the bound on steps.
//
// verdict: bounded cases_test.go:
func TestOneCaseCounts(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b := make(chan bool), make(chan bool)
		close(a)
		close(b)
		x.Go("worker", func() {
			for n := 0; n < 300; {
				select {
				case <-a:
				case <-b:
					n++
				}
			}
		})
		x.Join()
	}, model.MaxSteps(400))
}

// The third case ends the loop, and is a bug.
//
// verdict: FAILED the third
func TestThirdCaseIsABug(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b, c := make(chan bool), make(chan bool), make(chan bool, 1)
		close(a)
		close(b)
		x.Go("sender", func() { c <- true })
		for {
			select {
			case <-a:
			case <-b:
			case <-c:
				panic("the third")
			}
		}
	})
}

// As TestQuitBesideAClosedChannel, with the cases in another order.
//
// verdict: bounded the ready cases of a select in turn in cases_test.go:
func TestQuitBesideAClosedChannelLast(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		quit, closed := make(chan bool), make(chan bool)
		close(closed)
		x.Go("worker", func() {
			for {
				select {
				case <-closed:
				case <-quit:
					return
				}
			}
		})
		x.Go("ender", func() { close(quit) })
		x.Join()
	})
}

// One of the cases ends the loop when it comes twice in a row.
//
// verdict: bounded the ready cases of a select in turn in cases_test.go:
func TestSameCaseTwiceEndsIt(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b := closedPair()
		var state atomic.Int32
		x.Go("worker", func() {
			for {
				select {
				case <-a:
					if !state.CompareAndSwap(0, 1) {
						return
					}
				case <-b:
					state.Store(0)
				}
			}
		})
		x.Join()
	})
}

// Each iteration of the outer loop enters the inner one anew, whose select may leave both.
//
// verdict: bounded the ready cases of a select in turn in cases_test.go:
func TestCaseOfAnInnerLoopEndsTheOuterOne(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b := closedPair()
		x.Go("worker", func() {
		outer:
			for {
				for {
					select {
					case <-a:
						continue outer
					case <-b:
						return
					}
				}
			}
		})
		x.Join()
	})
}

// One worker ends when it finds what the other writes in one of its cases.
//
// verdict: bounded
func TestCaseOfAnotherEndsIt(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b := closedPair()
		var state atomic.Int32
		x.Go("writer", func() {
			for state.Load() < 2 {
				select {
				case <-a:
					state.CompareAndSwap(0, 1)
				case <-b:
					state.CompareAndSwap(1, 0)
				}
			}
		})
		x.Go("reader", func() {
			for !state.CompareAndSwap(1, 2) {
				select {
				case <-a:
				case <-b:
				}
			}
		})
		x.Join()
	}, model.Preemptions(1))
}

// No case leads out, and one of them takes a lock and releases it.
//
// verdict: FAILED livelock: partial: 1 of 2 .* main in Join; meanwhile .* worker at cases_test.go:
func TestLockInACaseLeadsNowhere(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b := closedPair()
		var lock sync.Mutex
		x.Go("worker", func() {
			for {
				select {
				case <-a:
					lock.Lock()
					lock.Unlock() //nolint:staticcheck // nothing to do meanwhile
				case <-b:
				}
			}
		})
		x.Join()
	})
}

// No case leads out. But what they write might, in some order.
//
// verdict: undecided another order of cases
func TestCasesThatWriteAreNoProofOfALivelock(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b := closedPair()
		var state atomic.Int32
		x.Go("worker", func() {
			for {
				select {
				case <-a:
					state.Store(1)
				case <-b:
					state.Store(0)
				}
			}
		})
		x.Join()
	}, model.MaxSteps(400))
}

func closedPair() (a, b chan bool) {
	a, b = make(chan bool), make(chan bool)
	close(a)
	close(b)
	return a, b
}

// The closed channel is always ready. The timer ends the loop, in both ways of time.
//
// verdict: bounded the ready cases of a select in turn in cases_test.go:
func TestTimerBesideAClosedChannel(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		closed, _ := closedPair()
		due := time.After(time.Millisecond)
		for {
			select {
			case <-closed:
			case <-due:
				return
			}
		}
	})
}
