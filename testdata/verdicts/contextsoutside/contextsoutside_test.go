// Package contextsoutside has checks of what hangs on contexts that were made outside of the body.
package contextsoutside

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surewake/surewake/model"
)

// childrenAreLeft checks that derived contexts start no goroutine, which would be left.
func childrenAreLeft(t *testing.T, parent context.Context) {
	t.Helper()
	model.Check(t, func(x *model.Exec) {
		_ = context.AfterFunc(parent, func() {})
		child, _ := context.WithCancel(parent) //nolint:govet // it is left
		x.Assert(runtime.NumGoroutine() == 1, "%d", runtime.NumGoroutine())
		x.Assert(child.Err() == nil, "%v", child.Err())
	})
}

// verdict: proved without assumptions
func TestChildrenThatAreLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	childrenAreLeft(t, ctx)
}

// verdict: proved without assumptions
func TestChildrenOfAValue(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	childrenAreLeft(t, context.WithValue(ctx, keyOfTheTest{}, 1))
}

// verdict: proved without assumptions
func TestChildrenOfWhatEmbedsOne(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	childrenAreLeft(t, struct{ context.Context }{ctx})
}

// verdict: proved without assumptions
func TestChildrenOfTheTest(t *testing.T) { childrenAreLeft(t, t.Context()) }

type keyOfTheTest struct{}

// verdict: proved
func TestChildrenThatAreCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	model.Check(t, func(x *model.Exec) {
		child, end := context.WithCancel(ctx)
		x.Go("canceller", func() { end() })
		x.Go("waiter", func() { <-child.Done() })
		x.Join()
		x.Assert(ctx.Err() == nil, "%v", ctx.Err())
	})
}

// Of a context that has ended before, children have, too.
//
// verdict: proved, 1 trace
func TestChildrenOfTheEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	model.Check(t, func(x *model.Exec) {
		child, end := context.WithCancel(ctx)
		defer end()
		x.Assert(child.Err() == context.Canceled, "%v", child.Err())
	})
}

// A Context of a type of its own may end at any time: Go waits for it on a goroutine.
type own struct {
	context.Context
	done chan struct{}
}

func (c own) Done() <-chan struct{} { return c.done }

func (c own) Err() error {
	select {
	case <-c.done:
		return context.Canceled
	default:
		return nil
	}
}

// verdict: FAILED leak
func TestChildOfATypeOfItsOwn(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		_, _ = context.WithCancel(own{context.Background(), make(chan struct{})}) //nolint:govet // it is left
	})
}

// verdict: proved
func TestChildOfATypeOfItsOwnFollows(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := own{context.Background(), make(chan struct{})}
		child, end := context.WithCancel(c)
		defer end()
		x.Go("closer", func() { close(c.done) })
		<-child.Done()
		x.Join()
		x.Assert(child.Err() == context.Canceled, "%v", child.Err())
	})
}

// verdict: proved
func TestTimeoutInABubble(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ctx.Done()
	model.Check(t, func(x *model.Exec) {
		synctest.Test(t, func(t *testing.T) {
			c, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			<-c.Done()
			x.Assert(c.Err() == context.DeadlineExceeded, "%v", c.Err())
		})
	})
}
