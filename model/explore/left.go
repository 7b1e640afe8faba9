package explore

import "unsafe"

// What executions share
//
// A channel or a lock that was not made in an execution, such as a variable of the test around the
// body, is to be the same at the beginning of each. One that has other values in it, or is locked,
// because of what an earlier execution did makes those that follow executions of another program:
// what only the first of them does may be a bug, and no search finds it. For plain variables that
// is the caller's to keep. Of channels and locks, the real state is looked at when an execution
// comes to them first; words of sync/atomic are another matter (left_words.go), as a test may note
// in one what some execution has come to.
//
// So those that an execution leaves in another state than it found them in are kept. While they are
// kept, what lies at one of these addresses is the same. If a later execution of the check finds it
// in another state, too, the check is undecided; if it finds it as it was, it is forgotten. Most of
// what is kept was made in an execution and is never met again, so there is a limit: of those whose
// addresses have one hash, the last four.
//
// The state is how many values a channel has, and whether it is closed; whether a lock is held, and
// by how many; a counter. Other values in a channel are not seen: a token that an execution takes
// and puts back may be another value. That they do not matter is an assumption that the verdict
// names, if a later execution comes to the channel, and they have a size.
//
// Rejected alternatives:
//
//   - To note what is made in the execution, and watch all else. Code that is not rewritten makes
//     channels without a note; and a table of all that are made costs every program something.
//   - To put the values back. What lies in a channel may be known to others, which would have to be
//     put back, too.

// A found is the state in which an execution has found an object that executions might share.
type found struct {
	obj    int32
	layout layout
	state  int64
}

// left is an object that an execution of the check has changed.
type left struct {
	ptr    unsafe.Pointer // nil: none
	found  int64
	cut    bool // the execution was cut short
	values bool // it is a channel with as many values, which may be others
}

// lefts has them by the hashes of their addresses: arrays, since the race detector is told of it
// when a slice of pointers grows. The engine of one execution writes them, that of the next reads.
var lefts [1 << leftBits]struct {
	ways [4]left
	next uint8 // which one is replaced next
}

const leftBits = 10

func leftAt(p unsafe.Pointer) uintptr {
	return uintptr(uint64(uintptr(p)) * 0x9E3779B97F4A7C15 >> (64 - leftBits))
}

// BeginCheck forgets what the executions of an earlier check have left: the test may have changed
// it since.
func BeginCheck() {
	clear(lefts[:])
	forgetWords()
}

// find notes in which state the execution finds object id, which is at p and of layout l, at its
// first use. If that is because of what an earlier execution did, the execution ends.
func (e *engine) find(id int32, p unsafe.Pointer, l layout, state int64) {
	e.founds = append(e.founds, found{id, l, state})
	ways := &lefts[leftAt(p)].ways
	for i := range ways {
		switch o := &ways[i]; {
		case o.ptr != p:
		case o.found == state && o.values:
			e.sharedAt(here(), "executions do not depend on which values those before them left in channels")
		case o.found == state:
			*o = left{}
		case o.cut:
			e.fail(KindRefused, "%s is not as executions before have found it: one that was cut "+
				"short has left it so; make it in the body", layouts[l].name)
		default:
			e.fail(KindRefused, "%s is not as executions before have found it: what one did is left; "+
				"make it in the body", layouts[l].name)
		}
	}
}

// noteLeft is called when an execution has ended.
func (e *engine) noteLeft() {
	for _, f := range e.founds {
		o := &e.objs[f.obj]
		now := int64(0)
		if f.layout == aChannel {
			now = o.ch.shared()
		} else {
			now = layouts[f.layout].state(o.ptr)
		}
		values := now == f.state && f.layout == aChannel && o.ch.hasOthers(now)
		if now == f.state && !values {
			continue
		}
		at := &lefts[leftAt(o.ptr)]
		at.ways[at.next] = left{o.ptr, f.state, e.next != endBlocked, values}
		at.next = (at.next + 1) % uint8(len(at.ways))
	}
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

// hasOthers reports whether a channel that is found and left in state may have other values in it.
func (ch *channel) hasOthers(state int64) bool {
	return state > 1 && ch.kind == ofValues && ch.received > 0
}
