package runtime

import (
	"context"
	"errors"
	"fmt"
)

var (
	// ErrClosed is the result of a task that a closed runtime did not run, and what functions that
	// wait return in tasks that [Runtime.Close] ends.
	ErrClosed = errors.New("surewake: closed")
	// ErrCancelled is the result of a task that was cancelled before it ran, and what functions
	// that wait return in a cancelled task. The error of a context, which a cancelled task returns,
	// is one, too, by errors.Is; it is ErrClosed, or ErrTimeout, if that is why the task must end.
	// errors.Is also takes it for context.Canceled.
	ErrCancelled error = cancelledError{}
	// ErrGoexit is the result of a task that called runtime.Goexit, as testing.T.FailNow does, and
	// of the task that joins it as its child.
	ErrGoexit = errors.New("surewake: task called Goexit")
	// ErrChannelClosed is returned by a send to a closed [Channel] or [Oneshot], and by a receive
	// if nothing is left in it.
	ErrChannelClosed = errors.New("surewake: channel closed")
	// ErrWouldWait is returned by a function that never waits when it would have to.
	ErrWouldWait = errors.New("surewake: it would have to wait")
)

type cancelledError struct{}

// Error implements error.
func (cancelledError) Error() string { return "surewake: task cancelled" }

// Is reports whether target is the standard library's error of a cancellation.
func (cancelledError) Is(target error) bool { return target == context.Canceled }

// contextErr returns why ctx, which has ended, did so: an error that errors.Is takes for ctx.Err()
// and for the cause of ctx.
func contextErr(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// isOwn reports whether err is one of this package that says why a task must end.
func isOwn(err error) bool {
	return errors.Is(err, ErrCancelled) || errors.Is(err, ErrClosed) || errors.Is(err, ErrTimeout)
}

// A PanicError is the result of a task that panicked.
type PanicError struct {
	Value any // the argument of panic
	// Stack is the stack at the panic, as runtime/debug.Stack formats it. That of a fork, or of a
	// call of a loop, which another worker ran, is followed by the stack of the join that has
	// raised it.
	Stack []byte
	Task  string // what the task was named by Cx.SetName, or ""
}

// Error returns the name of the task if it has one, the value and the stack.
func (e *PanicError) Error() string {
	if e.Task != "" {
		return fmt.Sprintf("surewake: task %q panicked: %v\n\n%s", e.Task, e.Value, e.Stack)
	}
	return fmt.Sprintf("surewake: task panicked: %v\n\n%s", e.Value, e.Stack)
}

// Unwrap returns the value that the task panicked with if it is an error, else nil.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
