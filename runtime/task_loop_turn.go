package runtime

// Turns
//
// A loop can take all workers, as each that is idle takes half of what is left; and between two of
// its calls nothing else looks at timers, or for other tasks. So a loop does it: after so many
// calls, or blocks, as seem to last an eighth of a millisecond, it reads the clock. If the worker's
// last tick is a millisecond ago, the worker ends it: it fires timers, and looks at descriptors. If
// other tasks are queued then, here or for all workers, the loop yields to them. (runtime/R60)
//
// How many calls there are between two readings doubles, from 1 at the beginning of a loop, and
// falls back to 1 once they last too long: calls that cost a nanosecond are not to be felt, and of
// calls that last a second, each is followed by a look.
//
// Rejected alternatives
//
//   - A number of calls, as the budget of calls that need not wait. Calls of a loop last from a
//     nanosecond to as long as they like.
//   - A yield that makes tasks of what the loop has forked, as other yields do: each of these is a
//     loop, which yields after a millisecond, too. After a second there were hundreds, each with a
//     stack and a turn of a millisecond. (runtime/R69)
//   - A look by the worker that has nothing to do. There is none, and a timer is fired by a worker
//     that can run whom it wakes.

// A turn is when the loops of a coroutine look around next. It belongs to what runs there.
type turn struct {
	left int   // calls until then
	span int   // calls between the last two looks; 0 at the beginning of a loop
	at   int64 // the clock at the last look
}

// maxSpan is the most calls between two looks: calls that were short may become long.
const maxSpan = 64

// beginLoop begins the turns of a loop.
func (cx Cx) beginLoop() { cx.coroutine.turn = turn{} }

// letOthers is called between two calls of a loop.
func (cx Cx) letOthers() {
	if turn := &cx.coroutine.turn; turn.left > 0 {
		turn.left--
		return
	}
	cx.lookAround()
}

// lookAround reads the clock, and does what is due.
func (cx Cx) lookAround() {
	co := cx.coroutine
	w := co.worker
	now, every := w.rt.now(), int64(w.rt.config.turnEvery)
	next := turn{span: co.turn.span, at: now}
	switch lasted := now - co.turn.at; {
	case next.span == 0 || lasted > every/2:
		next.span = 1
	case lasted < every/8:
		next.span = min(2*next.span, maxSpan)
	}
	next.left = next.span - 1
	co.turn = next
	if now-w.tick.start < every {
		return
	}
	w.endTick()
	if w.rt.injector.Len() > 0 {
		w.pollsUntilInjector = 0
	} else if !w.hasQueued() {
		return
	}
	co.yieldWithForks()
}

// hasQueued reports whether a task is queued at w.
func (w *worker) hasQueued() bool {
	return w.slot.Load() != nil || w.ring.Len() > 0 || w.dueLeft ||
		w.buffer != nil && w.buffer.Len() > 0
}
