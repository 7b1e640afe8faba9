// Package contexts holds programs in which a context and what hangs on it are cancelled at once.
package contexts

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

var errChild, errParent = errors.New("child"), errors.New("parent")

// The child is cancelled by one of two goroutines, its parent by the other.
//
// verdict: FAILED the parent was first
func TestCauseOfChild(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		p, cancelP := context.WithCancelCause(context.Background())
		c, cancelC := context.WithCancelCause(p)
		x.Go("child", func() { cancelC(errChild) })
		x.Go("parent", func() { cancelP(errParent) })
		x.Join()
		x.Assert(context.Cause(c) == errChild, "the parent was first")
	})
}

// verdict: FAILED the child was first
func TestCauseOfParent(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		p, cancelP := context.WithCancelCause(context.Background())
		c, cancelC := context.WithCancelCause(p)
		x.Go("parent", func() { cancelP(errParent) })
		x.Go("child", func() { cancelC(errChild) })
		x.Join()
		x.Assert(context.Cause(c) == errParent, "the child was first")
	})
}

// Whoever is first, the cause is one of the two and stays.
//
// verdict: proved, 2 traces
func TestOneCause(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		p, cancelP := context.WithCancelCause(context.Background())
		c, cancelC := context.WithCancelCause(p)
		x.Go("parent", func() { cancelP(errParent) })
		x.Go("child", func() { cancelC(errChild) })
		x.Join()
		cause := context.Cause(c)
		x.Assert(cause == errParent || cause == errChild, "cause %v", cause)
		cancelC(nil)
		x.Assert(context.Cause(c) == cause, "the cause changed to %v", context.Cause(c))
	})
}

// verdict: FAILED the parent was cancelled in between
func TestNewChild(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		p, cancelP := context.WithCancel(context.Background())
		x.Go("child", func() {
			_, stop := context.WithCancel(p)
			stop()
			d, stop2 := context.WithCancelCause(p)
			stop2(errChild)
			x.Assert(context.Cause(d) == errChild, "the parent was cancelled in between")
		})
		x.Go("parent", func() { cancelP() })
		x.Join()
	})
}

// verdict: FAILED cancelled before
func TestStopOfAfterFuncComesLate(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithCancel(context.Background())
		stop := context.AfterFunc(ctx, func() {})
		x.Go("stop", func() { x.Assert(stop(), "cancelled before") })
		x.Go("cancel", func() { cancel() })
		x.Join()
	})
}

// Only if the cancellation comes first does the function wait for a receiver that is not there.
//
// verdict: FAILED
func TestFunctionOfAfterFuncLeaks(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithCancel(context.Background())
		ran := make(chan bool)
		stop := context.AfterFunc(ctx, func() { ran <- true })
		go cancel()
		stop()
	})
}

// verdict: FAILED it had run
func TestFunctionRanWhenStopSaysNo(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithCancel(context.Background())
		var n atomic.Int32
		stop := context.AfterFunc(ctx, func() { n.Add(1) })
		x.Go("cancel", func() { cancel() })
		if !stop() {
			x.Assert(n.Load() == 0, "it had run")
		}
		x.Join()
	})
}

// verdict: FAILED used after it was freed
func TestFunctionRunsOnAfterStop(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithCancel(context.Background())
		var freed atomic.Bool
		stop := context.AfterFunc(ctx, func() { x.Assert(!freed.Load(), "used after it was freed") })
		x.Go("user", func() {
			stop()
			freed.Store(true)
		})
		x.Go("cancel", func() { cancel() })
		x.Join()
	})
}

// verdict: FAILED the server was shut down first
func TestRequestAndShutdown(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		server, shutdown := context.WithCancelCause(context.Background())
		ctx, finish := context.WithCancelCause(server)
		go func() { finish(errChild) }()
		go func() { shutdown(errParent) }()
		<-ctx.Done()
		x.Assert(context.Cause(ctx) == errChild, "the server was shut down first")
	})
}

// The deadline of a context is set while its parent is being cancelled: the timer must not outlive
// the context, whatever the order.
//
// verdict: proved
func TestDeadlineIsSetWhileTheParentIsCancelled(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		p, cancel := context.WithCancel(context.Background())
		x.Go("cancel", func() { cancel() })
		x.Go("child", func() {
			c, stop := context.WithTimeout(p, time.Hour)
			<-c.Done()
			x.Assert(c.Err() == context.Canceled, "err is %v", c.Err())
			stop()
		})
		x.Join()
	}, model.NoRescue())
}

// verdict: FAILED the second was cancelled first
func TestChildrenAreCancelledInAnyOrder(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		p, cancel := context.WithCancel(context.Background())
		first, stopFirst := context.WithCancel(p)
		second, stopSecond := context.WithCancel(p)
		defer stopFirst()
		defer stopSecond()
		x.Go("cancel", func() { cancel() })
		x.Go("reader", func() {
			if second.Err() != nil {
				x.Assert(first.Err() != nil, "the second was cancelled first")
			}
		})
		x.Join()
	})
}

// verdict: said more than three children of a context
func TestManyChildrenAreNamed(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		p, cancel := context.WithCancel(context.Background())
		for range 4 {
			c, stop := context.WithCancel(p)
			defer stop()
			x.Go("waiter", func() { <-c.Done() })
		}
		cancel()
		x.Join()
	})
}

// A context for each round of a loop, under one that lives as long, costs the last cancellation
// nothing: the same goroutine has cancelled all of them before.
//
// verdict: proved, 1 trace
func TestARequestAfterTheOther(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("server", func() {
			server, shutdown := context.WithCancel(context.Background())
			for range 8 {
				c, finish := context.WithCancel(server)
				finish()
				<-c.Done()
			}
			shutdown()
		})
		x.Join()
	})
}

// A context says how it was made.
//
// verdict: proved
func TestNamesOfContexts(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		parent, cancel := context.WithCancel(context.Background())
		defer cancel()
		late, stop := context.WithTimeout(context.WithValue(parent, errChild, "v"), time.Hour)
		defer stop()
		x.Assert(fmt.Sprint(parent) == "context.Background.WithCancel", "%v", parent)
		free := context.WithoutCancel(parent)
		x.Assert(fmt.Sprint(free) == "context.Background.WithCancel.WithoutCancel", "%v", free)
		x.Assert(strings.HasPrefix(fmt.Sprint(late), "context.Background.WithCancel."+
			"WithValue(*errors.errorString, v).WithDeadline(2"), "%v", late)
		x.Assert(strings.HasSuffix(fmt.Sprint(late), " [1h0m0s])"), "%v", late)
	})
}
