package explore

import "unsafe"

// What executions share
//
// A channel or a lock that was not made in an execution, such as a variable of the test around the
// body, is to be the same at the beginning of each. One that has other values in it, or is locked,
// because of what an earlier execution did makes those that follow executions of another program:
// what only the first of them does may be a bug, and no search finds it. For variables and words
// that is the caller's to keep. Of the others, the real state is looked at when an execution comes
// to them first.
//
// So those that an execution leaves in another state than it found them in are kept until the next
// one ends. While they are kept, what lies at one of these addresses is the same. If that execution
// finds it in another state, too, the check is undecided.
//
// Rejected alternatives:
//
//   - To note what is made in the execution, and watch all else. Code that is not rewritten makes
//     channels without a note; and a table of all that are made costs every program something.
//   - To put the values back. What lies in a channel may be known to others, which would have to be
//     put back, too.
//   - Words of sync/atomic. A test may note in one what some execution has come to. Most of what a
//     word is left with is found by its results, which differ when the first schedule is run again.

// A found is the state in which an execution has found an object that executions might share.
type found struct {
	obj    int32
	layout layout
	state  int64
}

// left is an object that the last execution of the process has changed.
type left struct {
	ptr   unsafe.Pointer
	found int64
}

// lefts has the first 64 of them: an array, since the race detector is told of it when a slice of
// pointers grows. The engine of the last execution writes them, the next one reads them.
var (
	lefts     [64]left
	leftCount int
)

// find notes in which state the execution finds object id, which is at p and of layout l, at its
// first use. If that is because of what an earlier execution did, the execution ends.
func (e *engine) find(id int32, p unsafe.Pointer, l layout, state int64) {
	e.founds = append(e.founds, found{id, l, state})
	for i := range lefts[:leftCount] {
		if lefts[i].ptr == p && lefts[i].found != state {
			e.fail(KindRefused, "%s is not as executions before have found it: what one did is left; "+
				"make it in the body", layouts[l].name)
		}
	}
}

// noteLeft is called when an execution has ended.
func (e *engine) noteLeft() {
	leftCount = 0
	for _, f := range e.founds {
		o := &e.objs[f.obj]
		now := int64(0)
		if f.layout == aChannel {
			now = o.ch.shared()
		} else {
			now = layouts[f.layout].state(o.ptr)
		}
		if now != f.state && leftCount < len(lefts) {
			lefts[leftCount] = left{o.ptr, f.state}
			leftCount++
		}
	}
	clear(lefts[leftCount:])
	e.founds = e.founds[:0]
}

// shared returns the state of the channel as executions might leave it.
func (ch *channel) shared() int64 {
	n := int64(0)
	if ch.cap > 0 {
		n = int64(ch.sent-ch.received) << 1
	}
	if ch.closed {
		n |= 1
	}
	return n
}
