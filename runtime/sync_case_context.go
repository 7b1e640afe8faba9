package runtime

import "context"

// A doneCase waits for the end of a context. It has asked for done when it was made, so that no
// function of the context is called while locks of other cases are held.
type doneCase struct {
	ctx  context.Context
	done <-chan struct{}
}

// DoneCase returns the [Case] of the end of ctx; context.Cause says why it ended. A [Select] that
// waits for it needs no goroutine before ctx ends, unless ctx is of a type that package context
// does not know. DoneCase panics if ctx is nil.
//
// The context of the task itself needs no case: when the task must end, Select returns [Cx.Err].
// With a case for it, either may come first: the case, or that error.
func DoneCase(ctx context.Context) Case {
	notNil(ctx, "DoneCase")
	return doneCase{ctx, ctx.Done()}
}

func (c doneCase) checkCase(string, *task) {}
func (c doneCase) lock() *rankedLock       { return nil }

func (c doneCase) try() (bool, waker, error) {
	select {
	case <-c.done:
		return true, nil, nil
	default:
		return false, nil, nil
	}
}

func (c doneCase) queue(t *ticket) queuedCase {
	if c.done == nil {
		return nil // it never comes
	}
	ended := func() {
		if t.claim() {
			wakeFirst(t.choice.waker, nil)
		}
	}
	if rt := t.choice.rt; rt != nil {
		return queuedDone{rt.afterContext(c.ctx, ended)}
	}
	return queuedDone{context.AfterFunc(c.ctx, ended)}
}

// A queuedDone is a doneCase that is waited for. It claims on a goroutine of the context.
type queuedDone struct{ stop func() bool }

func (q queuedDone) look()            {}
func (q queuedDone) withdraw(*worker) { q.stop() }
func (q queuedDone) undo(*worker)     {}
func (q queuedDone) result() error    { return nil }
