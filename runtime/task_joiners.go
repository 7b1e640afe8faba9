package runtime

import (
	"sync/atomic"

	"github.com/surewake/surewake/taskstate"
)

// Joiners
//
// A task has a list of those that wait for its end, newest first: a Treiber stack whose head is
// task.joiners. What is done to it:
//
//	push       any goroutine, without a lock: a compare-and-swap of the head
//	take all   the runner, once, after it has set COMPLETE, without a lock: it swaps the head for
//	           nil and walks the list
//	remove     any goroutine, under Runtime.joinersLock, which orders removals; the others go on
//	           meanwhile
//
// A removal redirects the next link of the joiner above, or the head. The other two never write a
// next link of a joiner that is in the list, and a removed joiner keeps its own: so a walk that
// stands on one goes on to all that are below. It may wake a joiner that is being removed.
//
// The joiner above is found by a previous link. A push cannot set it, since the joiner below might
// be removed meanwhile; the removal sets those that are missing. They are missing only above the
// first joiner whose link is right. So each is set once, and a removal takes constant time on
// average, however many wait. (runtime/R12)
//
//	joiner       1 push j              2 state.Join: look for COMPLETE
//	completion   1 set COMPLETE        2 take the joiners
//	             Either the joiner sees COMPLETE, or the completion sees j. (taskstate/T3)
//
// Rejected alternatives
//
//   - Marking what has given up, for those that push to remove it from the head. Two that wait in
//     turn, with a timeout, always cover each other: the list grows for ever.
//   - Taking the whole list to clean it, and pushing the rest again. A joiner is woken late if the
//     one that cleans is suspended in between.
//   - A lock for the whole list. Nearly all tasks have one joiner, which nobody removes.

// A joiner waits for the end of a task.
type joiner struct {
	// next is the joiner below. Written before the push, and then under the lock; loaded by any
	// goroutine.
	next atomic.Pointer[joiner]
	// previous is the joiner above, nil, or a former one; see linkJoiners. Under the lock.
	previous *joiner
	waker    waker // never changes
}

// addJoiner adds j to the joiners of t. It returns false if t has ended: then j may be woken or
// not, and is in the list no more.
func (t *task) addJoiner(j *joiner) bool {
	t.pushJoiner(j)
	if t.state.Join() == taskstate.JoinWait {
		return true
	}
	t.removeJoiner(j)
	return false
}

// pushJoiner puts j in front of the joiners.
func (t *task) pushJoiner(j *joiner) {
	for {
		head := t.joiners.Load()
		if head != nil {
			j.next.Store(head)
		} else if j.next.Load() != nil {
			j.next.Store(nil)
		}
		// Publishes j. Partners: joiners.Swap in wakeJoiners, after Complete; the loads of the head
		// in removals.
		if t.joiners.CompareAndSwap(head, j) {
			return
		}
	}
}

// wakeJoiners wakes all joiners of t: who waits for what was cancelled must not wait for all that
// is queued, too. Its runner calls it after Complete; w is the calling worker, or nil.
func (t *task) wakeJoiners(w *worker) {
	first := t.state.Load().Cancelled()
	// Takes the whole list. Partner: pushJoiner, followed by Join.
	for j := t.joiners.Swap(nil); j != nil; {
		next := j.next.Load()
		if first {
			wakeFirst(j.waker, w)
		} else {
			j.waker.wake(w)
		}
		j = next
	}
}

// removeJoiner takes j, which has given up, out of the joiners of t. Whoever has added j calls it,
// once. If t ends meanwhile, j may still be woken.
func (t *task) removeJoiner(j *joiner) {
	t.rt.joinersLock.Lock()
	defer t.rt.joinersLock.Unlock()
	for {
		head := t.joiners.Load()
		if head != j {
			linkJoiners(head)
			j.unlink()
			return
		}
		next := j.next.Load()
		if t.joiners.CompareAndSwap(j, next) { // fails if another was pushed, or all were taken
			if next != nil {
				next.previous = nil
			}
			return
		}
	}
}

// linkJoiners sets the previous links that are missing in the list from head on. It is called
// under the lock.
func linkJoiners(head *joiner) {
	if head == nil {
		return
	}
	for above, j := head, head.next.Load(); j != nil && j.previous != above; {
		j.previous = above
		above, j = j, j.next.Load()
	}
}

// unlink takes j, which is not the head and whose previous link is set, out of its list. If j is in
// no list, its link is not set. It is called under the lock.
func (j *joiner) unlink() {
	above := j.previous
	if above == nil {
		return // the completion has taken it
	}
	below := j.next.Load()
	above.next.Store(below) // partner: the walk of wakeJoiners, which sees j or what is below
	if below != nil {
		below.previous = above
	}
	j.previous = nil
}

// A futureJoiner is a joiner that WakeOnEnd adds. It is not removed by those that it wakes, which
// may have added it repeatedly; but when many have been added, dropUselessJoiners removes what is
// there twice. All fields are set before it is pushed.
type futureJoiner struct {
	joiner
	task  *task // the one to wake
	added int   // futureJoiners that were added since useless ones were dropped
	limit int   // of added, at which they are dropped again
}

// futureJoinersMin is the least number of futureJoiners that are added before useless ones are
// dropped.
const futureJoinersMin = 16

func (j *futureJoiner) wake(w *worker) { j.task.wake(w) }

// wakeOnEnd adds a futureJoiner for f, unless one is on top. It returns false if t has ended.
func (t *task) wakeOnEnd(f *task) bool {
	j := &futureJoiner{task: f, limit: futureJoinersMin}
	j.waker = j
	// Joiners of other kinds are passed once: then j is above them.
	for below := t.joiners.Load(); below != nil; below = below.next.Load() {
		latest, ok := below.waker.(*futureJoiner)
		if !ok {
			continue
		}
		if latest.task == f && below == t.joiners.Load() {
			return !t.ended() // whoever has pushed it wakes f if that was too late
		}
		j.added, j.limit = latest.added+1, latest.limit
		break
	}
	if j.added >= j.limit {
		j.added, j.limit = 0, t.dropUselessJoiners()+futureJoinersMin
	}
	if t.addJoiner(&j.joiner) {
		return true
	}
	f.wake(nil) // others may have relied on j, which is in the list no more
	return false
}

// dropUselessJoiners removes the futureJoiners of t that have one for the same task above them, and
// those of tasks that have ended; except the head. It returns how many joiners are left, which is
// how many have to come before it is worth the time again.
func (t *task) dropUselessJoiners() (left int) {
	t.rt.joinersLock.Lock()
	defer t.rt.joinersLock.Unlock()
	head := t.joiners.Load()
	if head == nil {
		return 0
	}
	linkJoiners(head)
	seen := map[*task]bool{}
	for j := head; j != nil; j = j.next.Load() {
		if f, ok := j.waker.(*futureJoiner); ok {
			if j != head && (seen[f.task] || f.task.ended()) {
				j.unlink()
				continue
			}
			seen[f.task] = true
		}
		left++
	}
	return left
}
