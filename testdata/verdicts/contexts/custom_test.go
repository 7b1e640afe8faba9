package contexts

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

type key struct{}

var errOwn = errors.New("own")

// own is a context with a channel and an error of its own.
type own struct {
	context.Context
	done chan struct{}
	err  atomic.Pointer[error]
}

func newOwn() *own { return &own{Context: context.Background(), done: make(chan struct{})} }

func (c *own) Done() <-chan struct{} { return c.done }

func (c *own) Err() error {
	if p := c.err.Load(); p != nil {
		return *p
	}
	return nil
}

// verdict: proved, 1 trace
func TestChildOfAnOwnContext(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := newOwn()
		child, stop := context.WithCancel(context.WithValue(c, key{}, 1))
		defer stop()
		x.Go("cancel", func() {
			c.err.Store(&errOwn)
			close(c.done)
		})
		<-child.Done()
		x.Assert(child.Err() == errOwn && context.Cause(child) == errOwn, "%v", child.Err())
		x.Join()
	})
}

// A context whose Done is closed must have an error.
//
// verdict: FAILED missing cancel error
func TestOwnContextWithoutAnError(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		c := newOwn()
		child, stop := context.WithCancel(c)
		_ = stop // would find the child cancelled
		close(c.done)
		<-child.Done()
	})
}

// verdict: proved
func TestWrappedContextIsThatWithin(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		p, cancel := context.WithCancelCause(context.Background())
		w := struct{ context.Context }{p}
		child, stop := context.WithCancel(w)
		defer stop()
		cancel(errOwn)
		x.Assert(child.Err() == context.Canceled, "err is %v", child.Err())
		x.Assert(context.Cause(child) == errOwn && context.Cause(w) == errOwn, "another cause")
	})
}

// verdict: proved
func TestWithoutCancelKeepsValues(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		p, cancel := context.WithCancel(context.WithValue(context.Background(), key{}, 7))
		w := context.WithoutCancel(p)
		child, stop := context.WithCancel(w)
		defer stop()
		cancel()
		x.Assert(w.Err() == nil && context.Cause(w) == nil && w.Done() == nil, "cancelled")
		x.Assert(child.Err() == nil && child.Value(key{}) == 7, "err is %v", child.Err())
		stopFunc := context.AfterFunc(w, func() { x.Assert(false, "never") })
		x.Assert(stopFunc() && !stopFunc(), "not stopped once")
	})
}

// verdict: proved
func TestDeadlineOfTheChildIsTheEarlierOne(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		p, cancel := context.WithTimeoutCause(context.Background(), time.Second, errOwn)
		defer cancel()
		child, stop := context.WithTimeout(p, time.Hour)
		defer stop()
		first, _ := p.Deadline()
		second, ok := child.Deadline()
		x.Assert(ok && first.Equal(second), "%v and %v", first, second)
		<-child.Done()
		x.Assert(child.Err() == context.DeadlineExceeded, "err is %v", child.Err())
		x.Assert(context.Cause(child) == errOwn, "cause is %v", context.Cause(child))
	})
}

// What came before the cancellation happens before what sees it.
//
// verdict: proved, 2 traces
func TestErrPublishes(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c, cancel := context.WithCancel(context.Background())
		n := 0
		x.Go("writer", func() {
			n = 1
			cancel()
		})
		if c.Err() != nil {
			x.Assert(n == 1, "n is %d", n)
		}
		x.Join()
	})
}

// verdict: FAILED data race
func TestWriteAfterCancelling(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c, cancel := context.WithCancel(context.Background())
		n := 0
		x.Go("writer", func() {
			cancel()
			n = 1
		})
		<-c.Done()
		x.Assert(n < 2, "n is %d", n)
		x.Join()
	})
}

// verdict: proved
func TestContextsArePrinted(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c, stop := context.WithCancel(context.WithValue(context.Background(), key{}, "v"))
		defer stop()
		text := fmt.Sprint(context.WithoutCancel(c))
		want := "context.Background.WithValue(contexts.key, v).WithCancel.WithoutCancel"
		x.Assert(text == want, "%s", text)
		d, stopTimer := context.WithTimeout(c, time.Hour)
		defer stopTimer()
		text = fmt.Sprint(d)
		x.Assert(strings.HasSuffix(text, " [1h0m0s])"), "%s", text)
	})
}

var (
	root, cancelRoot = context.WithCancelCause(context.Background())
	under, stopUnder = context.WithTimeout(root, time.Minute)
)

// verdict: proved, 1 trace
func TestContextsOfThePackage(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Assert(root.Err() == nil && under.Err() == nil, "cancelled before")
		x.Go("cancel", func() { cancelRoot(errOwn) })
		<-under.Done()
		x.Assert(context.Cause(under) == errOwn, "cause is %v", context.Cause(under))
		stopUnder()
		x.Join()
	})
}

// impatient ends by how often it was asked.
type impatient struct {
	context.Context
	asked int
}

func (i *impatient) Err() error {
	if i.asked++; i.asked > 30_000 {
		return errors.New("asked too often")
	}
	return nil
}

// verdict: proved
func TestContextThatCountsEndsALoop(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var c context.Context = &impatient{Context: context.Background()}
		x.Go("poller", func() {
			for c.Err() == nil {
				runtime.Gosched()
			}
		})
		x.Join()
	})
}
