package runtime

import "context"

// Who may go on from outside
//
// Where all workers sleep, what a task of the runtime does ends no wait. What else may end one is
// counted, for a watchdog and for Debug, while it may:
//
//	a task waits for a Go channel, or for a Watch or the end of a task of another runtime
//	a task waits for its turn at a Limiter, which others have for a time
//	a task waits for a context, or one would cancel it: that of SubmitContext or SpawnContext, of
//	the group whose function it is, or of Run
//
// A context counts until it has ended, which may wake nobody: its task may be in a shield. So that
// sets the timer of Debug. Two kinds of contexts do not count: those that never end, and that of a
// task of the same runtime, which ends with the task, or with what would end that, which counts
// itself. Without the second, nothing would be told of what a task has started by a group with
// [Cx.Context].
//
// Whether somebody will cancel a context that can be cancelled is not known, nor looked for: most
// servers have one around each task, and would be told of each request that waits.

// watched reports whether somebody asks whether tasks wait for ever.
func (rt *Runtime) watched() bool { return rt.config.debug || rt.config.watchdog > 0 }

// afterContext calls f on a goroutine of its own when ctx has ended, unless stop is called first,
// which returns true then. Meanwhile ctx counts as an outsider, if it is one and rt is watched. Any
// goroutine may call it.
func (rt *Runtime) afterContext(ctx context.Context, f func()) (stop func() bool) {
	if !rt.watched() || rt.neverEnds(ctx) {
		return context.AfterFunc(ctx, f)
	}
	rt.outsiders.Add(1)
	forget := context.AfterFunc(ctx, func() {
		f()
		rt.outsiderLeft()
	})
	return func() bool {
		first := forget()
		if first {
			rt.outsiderLeft()
		}
		return first
	}
}

// outsiderLeft is called when what was counted in outsiders can end no wait any more.
func (rt *Runtime) outsiderLeft() {
	if rt.outsiders.Add(-1) == 0 {
		rt.asleep.rests(rt) // partner: quiet, which may have found it
	}
}

// neverEnds reports whether ctx does not end while no task of rt runs: it never does, or it is the
// context of a task of rt. Only a watched runtime knows that.
func (rt *Runtime) neverEnds(ctx context.Context) bool {
	done := ctx.Done()
	if done == nil {
		return true
	}
	mark, ok := ctx.Value(contextKey{}).(*contextMark)
	return ok && mark.rt == rt && mark.done == done
}

// A contextMark is a value of the context of a task of a watched runtime. It never changes once
// that is known to anybody else. It holds no task: the context may live on.
type contextMark struct {
	rt   *Runtime
	done <-chan struct{} // of the context itself; one that is derived from it may have another
}

type contextKey struct{}

// marked returns values with a mark, which is nil if rt is not watched.
func (rt *Runtime) marked(values context.Context) (context.Context, *contextMark) {
	if !rt.watched() {
		return values, nil
	}
	mark := &contextMark{rt: rt}
	return context.WithValue(values, contextKey{}, mark), mark
}
