// Package channels misuses channels, timers and contexts.
package channels

import (
	"context"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

func TestCloseOfNil(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var c chan int
		close(c)
	})
}

func TestCloseTwice(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int)
		x.Go("one", func() { close(c) })
		x.Go("two", func() { close(c) })
		x.Join()
	})
}

func TestSendOnClosed(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int, 1)
		x.Go("sender", func() { c <- 1 })
		x.Go("closer", func() { close(c) })
		x.Join()
	})
}

func TestClosedWhileSending(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int)
		x.Go("sender", func() { c <- 1 })
		close(c)
		x.Join()
	})
}

func TestNobodySends(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int)
		x.Go("receiver", func() { <-c })
		x.Join()
	})
}

func TestLeak(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		result := make(chan int)
		x.Go("worker", func() {
			result <- 1
		})
		select {
		case <-result:
		case <-time.After(time.Second):
		}
	}, model.Timeouts(1))
}

func TestNilChannel(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var c chan int
		select {
		case <-c:
		case c <- 1:
		}
	})
}

func TestSelectWithoutCases(t *testing.T) {
	model.Check(t, func(x *model.Exec) { select {} })
}

func TestEverybodyMeets(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b := make(chan int), make(chan int)
		one := func() {
			select {
			case a <- 1:
			case v := <-b:
				x.Assert(v == 2, "received %d", v)
			}
		}
		x.Go("one", one)
		x.Go("two", one)
		x.Go("three", func() { b <- <-a + 2 })
		x.Join()
	})
}

func TestLoopThatNobodyEnds(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int, 1)
		x.Go("consumer", func() {
			for range c {
			}
		})
		c <- 1
		x.Join()
	})
}

func TestTickerForEver(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for range time.NewTicker(time.Second).C {
		}
	})
}

func TestTimerFromOutside(t *testing.T) {
	outside := time.NewTimer(time.Hour)
	model.Check(t, func(x *model.Exec) { outside.Stop() })
}

func TestContextFromOutside(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	model.Check(t, func(x *model.Exec) {
		x.Go("waiter", func() { <-ctx.Done() })
		<-time.After(1) // when all others wait
		cancel()
		x.Join()
	})
}

// A context that was cancelled before the check is cancelled in it.
func TestCancelledOutside(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	closed := make(chan int, 2)
	closed <- 7
	close(closed)
	model.Check(t, func(x *model.Exec) {
		child, cancel := context.WithCancel(ctx)
		defer cancel()
		<-child.Done()
		x.Assert(child.Err() == nil, "the child's error is %v", child.Err())
	})
}
