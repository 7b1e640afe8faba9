// Package edges has programs that depend on what the standard library orders, and programs that
// take for ordered what it does not order.
package edges

import (
	"context"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// The function sees what was written before it was registered, although another goroutine cancels
// the context.
//
// verdict: proved without assumptions
func TestRegistrationBeforeTheFunction(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithCancel(context.Background())
		n := 0
		x.Go("cancel", func() { cancel() })
		x.Go("register", func() {
			n = 1
			ran := make(chan int)
			context.AfterFunc(ctx, func() { ran <- n })
			x.Assert(<-ran == 1, "n is lost")
		})
		x.Join()
	})
}

// verdict: proved without assumptions
func TestRegistrationWithAChild(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithCancel(context.Background())
		n := 0
		x.Go("cancel", func() { cancel() })
		x.Go("register", func() {
			child, stop := context.WithCancel(ctx)
			defer stop()
			n = 1
			ran := make(chan int)
			context.AfterFunc(child, func() { ran <- n })
			x.Assert(<-ran == 1, "n is lost")
		})
		x.Join()
	})
}

// verdict: proved
func TestRegistrationBeforeADeadline(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		n := 0
		x.Go("register", func() {
			n = 1
			ran := make(chan int)
			context.AfterFunc(ctx, func() { ran <- n })
			x.Assert(<-ran == 1, "n is lost")
		})
		x.Join()
	})
}

// What is written after the registration is not ordered with the function.
//
// verdict: FAILED data race
func TestWriteAfterTheRegistration(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithCancel(context.Background())
		n := 0
		x.Go("cancel", func() { cancel() })
		x.Go("register", func() {
			n = 1
			ran := make(chan int)
			context.AfterFunc(ctx, func() { ran <- n })
			n = 2
			<-ran
		})
		x.Join()
	})
}

// One registration tells the function of another one nothing: the two could have come in the other
// order.
//
// verdict: FAILED data race
func TestRegistrationOfAnother(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithCancel(context.Background())
		n := 0
		x.Go("one", func() {
			n = 1
			context.AfterFunc(ctx, func() {})
		})
		ran := make(chan int)
		context.AfterFunc(ctx, func() { ran <- n })
		x.Go("cancel", func() { cancel() })
		<-ran
		x.Join()
	})
}

// Who is told that a context is cancelled sees what was written before.
//
// verdict: proved without assumptions
func TestStopSaysThatItIsTooLate(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithCancel(context.Background())
		stop := context.AfterFunc(ctx, func() {})
		n := 0
		x.Go("cancel", func() {
			n = 1
			cancel()
		})
		if !stop() {
			x.Assert(n == 1, "n is lost")
		}
		x.Join()
	})
}

// verdict: proved without assumptions
func TestStopSaysThatAnotherWasFirst(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		stop := context.AfterFunc(ctx, func() {})
		var written [2]int
		for i := range 2 {
			x.Go("stop", func() {
				written[i] = 1
				if !stop() {
					x.Assert(written[1-i] == 1, "it is lost")
				}
			})
		}
		x.Join()
	})
}

// verdict: proved without assumptions
func TestErrDoneAndCause(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithCancel(context.Background())
		child, stop := context.WithCancel(ctx)
		defer stop()
		n := 0
		x.Go("cancel", func() {
			n = 1
			cancel()
		})
		x.Go("err", func() { x.Assert(child.Err() == nil || n == 1, "n is lost") })
		x.Go("cause", func() { x.Assert(context.Cause(child) == nil || n == 1, "n is lost") })
		<-child.Done()
		x.Assert(n == 1, "n is lost")
		x.Join()
	})
}

// verdict: FAILED data race
func TestErrThatIsNil(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithCancel(context.Background())
		n := 0
		x.Go("cancel", func() {
			n = 1
			cancel()
		})
		if ctx.Err() == nil {
			n++
		}
		x.Join()
	})
}

// The second call of a CancelFunc does nothing, and so orders nothing.
//
// verdict: FAILED data race
func TestSecondCancel(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		_, cancel := context.WithCancel(context.Background())
		n := 0
		x.Go("one", func() {
			n++
			cancel()
		})
		cancel()
		n++
		x.Join()
	})
}

// verdict: proved
func TestTimerBeforeItsFunction(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		n := 0
		ran := make(chan int)
		x.Go("start", func() {
			n = 1
			timer := time.AfterFunc(time.Hour, func() { ran <- n })
			x.Go("reset", func() { timer.Reset(time.Millisecond) })
		})
		x.Assert(<-ran == 1, "n is lost")
		x.Join()
	})
}

// A Stop that comes too late says nothing of what the function has done.
//
// verdict: FAILED data race
func TestFunctionOfATimerThatCannotBeStopped(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		n := 0
		ran := make(chan bool)
		timer := time.AfterFunc(time.Millisecond, func() {
			n = 1
			ran <- true
		})
		time.Sleep(time.Millisecond)
		if !timer.Stop() {
			n++
			<-ran
		}
	})
}
