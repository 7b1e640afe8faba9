package hook

import (
	"context"
	"os"
	"time"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/virtual"
)

// Contexts made in a check are those of package virtual; the types are the
// standard library's.

func notNil(parent context.Context) context.Context {
	if parent == nil {
		panic("cannot create context from nil parent")
	}
	return parent
}

func canceler(c *virtual.Context) context.CancelFunc {
	return func() { c.Cancel(context.Canceled, nil) }
}

// outside returns end, by which a context ends that was made outside of executions, so that calls
// in an execution are refused: they are no steps, and the context stays ended.
func outside(end func(cause error)) func(cause error) {
	return func(cause error) {
		if explore.InExecution() {
			Refused(end, "the end of a context that was made outside of the check")
		}
		end(cause)
	}
}

// outsideCancel is outside for a context that ends without a cause.
func outsideCancel(ctx context.Context, cancel context.CancelFunc) (
	context.Context, context.CancelFunc,
) {
	end := outside(func(error) { cancel() })
	return ctx, func() { end(nil) }
}

// WithCancel is the hook of context.WithCancel.
//
//go:norace
func WithCancel(parent context.Context) (context.Context, context.CancelFunc) {
	if !explore.InExecution() {
		return outsideCancel(context.WithCancel(parent))
	}
	c := virtual.New(notNil(parent), nil)
	return c, canceler(c)
}

// WithCancelCause is the hook of context.WithCancelCause.
//
//go:norace
func WithCancelCause(parent context.Context) (context.Context, context.CancelCauseFunc) {
	if !explore.InExecution() {
		ctx, cancel := context.WithCancelCause(parent)
		return ctx, outside(cancel)
	}
	c := virtual.New(notNil(parent), nil)
	return c, func(cause error) { c.Cancel(context.Canceled, cause) }
}

// NotifyContext is the hook of signal.NotifyContext. A check has no signals.
//
//go:norace
//go:noinline
func NotifyContext(
	original func(context.Context, ...os.Signal) (context.Context, context.CancelFunc),
) func(context.Context, ...os.Signal) (context.Context, context.CancelFunc) {
	return func(parent context.Context, signals ...os.Signal) (
		context.Context, context.CancelFunc,
	) {
		if explore.InExecution() {
			Refused(original, "signal.NotifyContext is not modelled")
		}
		return outsideCancel(original(parent, signals...))
	}
}

// WithDeadline is the hook of context.WithDeadline.
//
//go:norace
func WithDeadline(parent context.Context, d time.Time) (context.Context, context.CancelFunc) {
	return WithDeadlineCause(parent, d, nil)
}

// WithDeadlineCause is the hook of context.WithDeadlineCause.
//
//go:norace
func WithDeadlineCause(
	parent context.Context, d time.Time, cause error,
) (context.Context, context.CancelFunc) {
	if !explore.InExecution() {
		return outsideCancel(context.WithDeadlineCause(parent, d, cause))
	}
	if first, ok := notNil(parent).Deadline(); ok && first.Before(d) {
		return WithCancel(parent)
	}
	c := virtual.NewDeadline(parent, d, cause, stillNow)
	return c, canceler(c)
}

// WithTimeout is the hook of context.WithTimeout.
//
//go:norace
func WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return WithTimeoutCause(parent, d, nil)
}

// WithTimeoutCause is the hook of context.WithTimeoutCause.
//
//go:norace
func WithTimeoutCause(
	parent context.Context, d time.Duration, cause error,
) (context.Context, context.CancelFunc) {
	if !explore.InExecution() {
		return outsideCancel(context.WithTimeoutCause(parent, d, cause))
	}
	return WithDeadlineCause(parent, stillNow().Add(d), cause)
}

// ContextAfterFunc is the hook of context.AfterFunc.
//
//go:norace
func ContextAfterFunc(ctx context.Context, f func()) (stop func() bool) {
	if !explore.InExecution() {
		stop := context.AfterFunc(ctx, f)
		return func() bool {
			if explore.InExecution() {
				Refused(stop, "the end of a context.AfterFunc that was called outside of the check")
			}
			return stop()
		}
	}
	return virtual.New(notNil(ctx), startable(f)).Stop
}

// WithoutCancel is the hook of context.WithoutCancel.
//
//go:norace
func WithoutCancel(parent context.Context) context.Context {
	if !explore.InExecution() {
		return context.WithoutCancel(parent)
	}
	return virtual.Without{Parent: notNil(parent)}
}

// Cause is the hook of context.Cause.
//
//go:norace
func Cause(ctx context.Context) error {
	if !explore.InExecution() {
		return context.Cause(ctx)
	}
	return virtual.Cause(ctx)
}
