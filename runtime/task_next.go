package runtime

import (
	"iter"
	"sync/atomic"
)

// Next waits until one of the tasks has ended, and returns its number: that of one which has ended
// already, by chance if there are several, and of the first that ends otherwise. Its result is that
// of [Handle.TryJoin]. Next returns -1 and [Cx.Err] if the calling task must end. It only waits, as
// [Handle.EndCase] says. To pass over a task, put nil in its place; without any task, Next waits
// until the calling one must end. For all of them in turn, [AsEnded] takes less time.
func Next[T any](cx Cx, handles ...*Handle[T]) (int, error) {
	cx.checkHere("Next")
	cases := make([]Case, len(handles))
	for i, h := range handles {
		if h != nil {
			cases[i] = h.endCase("Next")
		}
	}
	return cx.selectFor("Next", cases)
}

// AsEnded returns an iterator over the numbers of the tasks, in the order in which they end; those
// that have ended already come first. If the calling task must end, the iterator yields -1 and
// [Cx.Err], and that is the last. It only waits, as [Handle.EndCase] says, and leaves nothing with
// the tasks when the loop is left early. A task that is there twice comes twice. It panics if a
// handle is nil or zero.
//
// The iterator is used by the task of cx, repeatedly if it likes.
func AsEnded[T any](cx Cx, handles ...*Handle[T]) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		cx.check("AsEnded")
		for _, h := range handles {
			h.endCase("AsEnded").checkCase("AsEnded", cx.task)
		}
		ended := NewChannel[int](len(handles)) // has room for all
		added := make([]orderedEnd, 0, len(handles))
		defer func() {
			for i := range added {
				added[i].remove()
			}
		}()
		for i, h := range handles {
			added = append(added, orderedEnd{task: &h.task, number: i, ended: ended})
			added[i].add(cx.task)
		}
		for range handles {
			i, err := receiveEnd(cx, ended, added)
			if err != nil {
				i = -1
			}
			if !yield(i, err) || err != nil {
				return
			}
		}
	}
}

// receiveEnd receives the number of one of added, whose tasks have not all come yet.
func receiveEnd(cx Cx, ended *Channel[int], added []orderedEnd) (int, error) {
	if cx.coroutine.debugging {
		defer cx.noteEnds("AsEnded", toCome(added))()
	}
	i, err := ended.Receive(cx)
	if err == nil {
		added[i].came = true
	}
	return i, err
}

// toCome returns the ends that have not come yet.
func toCome(added []orderedEnd) (left []Case) {
	for i := range added {
		if !added[i].came {
			left = append(left, endCase{added[i].task})
		}
	}
	return left
}

// An orderedEnd is a joiner that sends the number of its task once that has ended.
type orderedEnd struct {
	joiner
	task   *task
	waits  *task // the calling one
	number int
	ended  *Channel[int]
	sent   atomic.Bool // set by whoever sends
	added  bool        // it is one of the joiners; used by the calling task
	came   bool        // the calling task has received the number, and uses this
}

func (e *orderedEnd) add(by *task) {
	e.joiner.waker, e.waits = e, by
	if e.isOutside() {
		e.waits.rt.outsiders.Add(1)
	}
	if e.added = e.task.addJoiner(&e.joiner); !e.added {
		e.wake(nil) // it may have been woken, or not
	}
}

// remove takes e out of the joiners of its task.
func (e *orderedEnd) remove() {
	if e.added {
		e.task.removeJoiner(&e.joiner) // runtime/R12
	}
	if e.isOutside() {
		e.waits.rt.outsiders.Add(-1) // what removes it is awake
	}
}

// isOutside reports whether the runtime of the task is not that of the one that waits.
func (e *orderedEnd) isOutside() bool { return e.task.rt != e.waits.rt }

// wake is called when the task has ended, once or twice, also after remove.
func (e *orderedEnd) wake(w *worker) {
	if e.sent.CompareAndSwap(false, true) {
		_, _ = e.ended.send(e.number, nil, w)
	}
}
