package loops

import (
	"context"
	"testing"

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
