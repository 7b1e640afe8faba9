package explore

import "unsafe"

// Channels that executions share
//
// A channel that was not made in an execution, such as a variable of the test around the body, is
// to be the same at the beginning of each. One that has other values in it, or is closed, because
// of what an earlier execution did makes those that follow executions of another program: what
// only the first of them does may be a bug, and no search finds it. For variables and words that is
// the caller's to keep. Of a channel, the real state is looked at when an execution comes to it
// first.
//
// So the channels that an execution leaves in another state than it found them in are kept until
// the next one ends. While they are kept, a channel at one of these addresses is the same one. If
// that execution finds it in another state, too, the check is undecided.
//
// Rejected alternatives:
//
//   - To note which channels are made in the execution, and watch all others. Code that is not
//     rewritten makes channels without a note; and a table of all that are made costs every program
//     something.
//   - To put the values back. What lies in a channel may be known to others, which would have to be
//     put back, too.

// leftChan is a channel that the last execution of the process has changed, and what it had found.
type leftChan struct {
	ptr    unsafe.Pointer
	len    int32
	closed bool
}

// leftChans has those of the first 64 that were changed: an array, since the race detector is told
// of it when a slice grows. The engine of the last execution writes them, the next one reads them.
var (
	leftChans [64]leftChan
	leftCount int
)

// noteLeftChans is called when an execution has ended.
func (e *engine) noteLeftChans() {
	leftCount = 0
	for i := range e.objs[:e.nobjs] {
		ch := e.objs[i].ch
		if ch == nil || !ch.known || ch.closed == ch.baseClosed &&
			(ch.cap == 0 || ch.sent-ch.received == ch.base) {
			continue
		}
		if leftCount < len(leftChans) {
			leftChans[leftCount] = leftChan{e.objs[i].ptr, ch.base, ch.baseClosed}
			leftCount++
		}
	}
	clear(leftChans[leftCount:])
}

// refuseLeft ends an execution that comes to channel c for the first time and finds it as an
// earlier one has left it.
func (e *engine) refuseLeft(c *Chan) {
	for i := range leftChans[:leftCount] {
		l := &leftChans[i]
		if l.ptr != c.Ptr || int32(c.Len) == l.len && c.Closed == l.closed {
			continue
		}
		what := "is closed"
		if c.Closed == l.closed {
			what = "has other values"
		}
		e.fail(KindUncontrolled, "a channel %s because of what an earlier execution did: "+
			"executions must not share it; make it in the body", what)
	}
}
