package explore

import (
	"slices"
	"time"
)

// Which operations on channels depend on one another.
//
// The values of a channel are numbered: the k-th receive gets the k-th value sent. Sends on a
// channel depend on one another, because their order is the order of the values; so do receives.
// Between sends and receives of a channel with capacity C there are two orders:
//
//	receive k comes after send k         it is not enabled before
//	send k+C  comes after receive k      it is not enabled before
//
// There is no other dependence between them: while a channel is neither empty nor full, adjacent
// send and receive commute. The two orders can never be reversed. They are part of happens-before,
// and earlier events are searched for races in their place. A program with one sender and one
// receiver is one trace.
//
// A select also depends on what it did not find. Each case that it examines and does not take is a
// look (if it takes default, each case is):
//
//	look for a value, after n receives    reads whether send n+1 has happened
//	look for room, after n sends          reads whether receive n+1-C has happened
//
// A look for a value is ordered with the receives, a look for room with the sends; looks do not
// depend on one another. So a look depends on one operation of the other side instead of all of
// them: a goroutine that waits in a loop for work or for the end is one trace with its one sender.
//
//	           send j       receive j    look recv n        look send n    close
//	send k     x            j=k-C, j=k   k=n+1              x              x
//	receive k  j=k+C, j=k   x            x                  k=n+1-C        unbuffered
//	look recv  j=n+1        x            -                  -              unless it found a value
//	look send  x            j=n+1-C      -                  -              x
//	close      x            unbuffered   unless a value     x              x
//
// On an unbuffered channel a send posts its value, and a receive may post a request
// (chan_request.go), before there is a partner. Then:
//
//   - A value and the request for it are independent if both were posted.
//   - A look depends on all of the other side up to the one that it needs (k<=n+1), not on that
//     one alone. If a step of its own side, which does not wait for the other side, came after the
//     look, it would need one of those. What depends on one another before such a step must do so
//     after it: from an execution that begins with the step the two orders would not be found.
//   - A request depends on close if a value had been posted for it before.
//
// Special cases:
//
//   - A receive that returns because the channel is closed is a look that found no value. close is
//     independent of receives that got a value, except on an unbuffered channel, where close
//     discards the posted values.
//   - len is a look at both sides.
//   - Closing a closed channel, which panics, is a look for room.
//   - A send on a closed channel, which panics, remains a send: an operation that depends on it
//     must not become independent when another one, here close, comes in between. It is not a send
//     to looks, because close stands between the two, or before both.
//
// All of these numbers are the same in every execution of a trace: k and n are fixed by the order
// of the sends or receives, and what a look found by the operation that it reads. Dependence must
// have this property for traces to be well defined. Whether the buffer was empty before an
// operation does not have it.
//
// An event that an operation depends on is in a reversible race with it if the operation could have
// run without that event: in the state made by all events that do not happen after it, some case is
// ready (couldRunWithout). The same holds for operations that are blocked forever.

// accessKind says what an access does. The order of the kinds matters to dependent.
type accessKind uint8

const (
	accSend accessKind = iota
	accRecv
	accLookRecv
	accLookSend
	accClose
	accLen
	accClockRead
	accClockSet
	accAll // a meeting, or a timer: depends on everything
)

// access is what an operation does to one channel, timer or the clock.
type access struct {
	obj   int32
	n     int32 // its number, or for a look how many there were before; accClose: how many sends
	event int32
	kind  accessKind
	// accLookRecv: there was a value; accSend: the channel was closed; a timer: it was armed after
	found  bool
	posted bool // accSend, accRecv: before it has a partner
	early  bool // accClockSet: a timer fired that was not due; a timer: it may fire early
	// a timer: its deadline after; the clock: where to it moved
	when time.Duration
	slow time.Duration // accClockSet: by how much more threads are slow
}

// dependent reports whether two accesses to the same object depend on one another.
func (e *engine) dependent(a, b *access) bool {
	if a.kind > b.kind {
		a, b = b, a
	}
	ch := e.objs[a.obj].ch
	if b.kind == accAll || e.queues(ch) {
		return true
	}
	switch a.kind {
	case accSend:
		switch b.kind {
		case accRecv:
			return !(a.posted && b.posted) && (a.n == b.n || a.n == b.n+ch.cap)
		case accLookRecv:
			return !a.found && ch.needs(a.n, b.n+1)
		case accLookSend:
			return !a.found
		}
		return true
	case accRecv:
		switch b.kind {
		case accLookSend:
			return ch.needs(a.n, b.n+1-ch.cap)
		case accClose:
			return ch.cap == 0 && (!a.posted || a.n <= b.n)
		}
		return true
	case accLookRecv:
		return b.kind == accClose && !a.found
	case accLookSend, accClose:
		return b.kind == accClose
	case accClockRead:
		return b.kind != accClockRead
	case accClockSet:
		return true
	}
	return false
}

// needs reports whether a look for operation n of a side depends on operation k of that.
func (ch *channel) needs(k, n int32) bool { return k == n || ch.cap == 0 && k < n }

// The functions of operation.accesses append what t's operation does to its channels in the present
// state. taken is the case that it takes, -1 for default, or undecided: then each case is a look,
// and the operation as well if it is ready.

func noAccesses(_ *engine, _ *thread, out []access, _ int32) []access { return out }

func postAccesses(e *engine, t *thread, out []access, _ int32) []access {
	out = e.caseAccesses(t.chanOp.cases[0], out, true, false)
	out[len(out)-1].posted = true
	return out
}

func closeAccesses(e *engine, t *thread, out []access, _ int32) []access {
	c := t.chanOp.cases[0]
	if e.objs[c.obj].ch.closed {
		return append(out, access{obj: c.obj, kind: accLookSend, n: closesAgain})
	}
	return append(out, access{obj: c.obj, kind: accClose, n: e.objs[c.obj].ch.sent})
}

func lenAccesses(_ *engine, t *thread, out []access, _ int32) []access {
	return append(out, access{obj: t.chanOp.cases[0].obj, kind: accLen})
}

// operationAccesses is for operations with a single case. They look only if they cannot run.
func operationAccesses(e *engine, t *thread, out []access, taken int32) []access {
	for i, c := range t.chanOp.cases {
		if c.obj >= 0 {
			acts := taken == int32(i) || taken == undecided && e.ready(c)
			out = e.caseAccesses(c, out, acts, taken != int32(i) && !acts)
		}
	}
	return out
}

// selectAccesses is for operations that choose among cases.
func selectAccesses(e *engine, t *thread, out []access, taken int32) []access {
	for i, c := range t.chanOp.cases {
		if c.obj >= 0 {
			acts := taken == int32(i) || taken == undecided && e.ready(c)
			out = e.caseAccesses(c, out, acts, taken != int32(i))
		}
	}
	return out
}

// undecided stands for the case of an operation that has not run.
const undecided = -2

// caseAccesses appends what one case does: the operation if acts, a look if looks.
func (e *engine) caseAccesses(c chanCase, out []access, acts, looks bool) []access {
	ch := e.objs[c.obj].ch
	if ch.timer != nil && !c.send {
		return e.timerAccesses(c, out, acts)
	}
	if c.send {
		if acts {
			out = append(out, access{obj: c.obj, kind: accSend, n: ch.sent + 1, found: ch.closed})
		}
		if looks {
			out = append(out, access{obj: c.obj, kind: accLookSend, n: ch.sent})
		}
		return out
	}
	found := ch.hasValue()
	if acts && (found || !ch.closed) {
		out = append(out, access{obj: c.obj, kind: accRecv, n: ch.received + 1})
	}
	if looks || acts && ch.closed && !found {
		out = append(out, access{obj: c.obj, kind: accLookRecv, n: ch.received, found: found})
	}
	return out
}

// chanClock adds to the clock of ev, which is t's channel operation at depth d, the events on which
// that depends.
func (e *engine) chanClock(t *thread, ev *event, d int32) {
	if ev.source >= 0 {
		e.join(d, ev.source)
	}
	switch {
	case e.forcedDue < 0:
	case e.forced.of != nil: // runs because nothing else of the bubble can
		e.joinBubble(d, e.forced.of)
	default: // runs because nothing else can: after everything
		e.joinAll(d)
	}
	for i := range t.chanOp.acc {
		e.eachDependence(&t.chanOp.acc[i], func(b *access) bool {
			if e.entry(d, e.stack[b.event].tid) <= b.event {
				e.join(d, b.event)
			}
			return true
		})
	}
}

// chanWakes reports whether the pending operation of u, which sleeps, depends on t's operation,
// which is about to run.
func (e *engine) chanWakes(t, u *thread) bool {
	if !u.op.isChan() {
		return false
	}
	e.pendingAcc = ops[u.op].accesses(e, u, e.pendingAcc[:0], undecided)
	return e.anyDependent(e.pendingAcc, t.chanOp.acc)
}

func (e *engine) anyDependent(as, bs []access) bool {
	for i := range as {
		for j := range bs {
			if as[i].obj == bs[j].obj && e.dependent(&as[i], &bs[j]) {
				return true
			}
		}
	}
	return false
}

// chanRaces does for an operation on channels what races does for others.
func (e *engine) chanRaces(t *thread, d int) {
	e.deps = e.deps[:0]
	for i := range t.chanOp.acc {
		e.eachDependence(&t.chanOp.acc[i], func(b *access) bool {
			past := e.inPast(t.prev, b.event)
			if !past {
				e.deps = append(e.deps, b.event)
			}
			return past
		})
	}
	if len(e.deps) > 1 {
		slices.SortFunc(e.deps, func(f, g int32) int { return int(g - f) })
		e.deps = slices.Compact(e.deps)
	}
	n := 0
next:
	for _, f := range e.deps {
		tid := e.stack[f].tid
		for _, g := range e.cands[:n] {
			if !e.bounded && e.entry(g, tid) > f {
				continue next
			}
		}
		switch {
		case e.couldRunWithout(t, f, wholePast):
			e.cands = append(e.cands[:n], f)
			n++
		case e.hasTimer(t) && e.couldRunWithout(t, f, t.prev):
			e.reverse(int(f), d, t, none, true)
		}
	}
	for _, f := range e.cands[:n] {
		e.reverse(int(f), d, t, none, false)
	}
}

// isDep reports whether j is in deps: an event on which the operation that chanRaces examined last
// depends, and which does not happen before it by other means.
func (e *engine) isDep(j int32) bool {
	for _, f := range e.deps {
		if f <= j {
			return f == j
		}
	}
	return false
}

// couldRunWithout reports whether t's operation could have run if neither event f nor any event
// that happens after f had been executed. If past is not wholePast but the event before t's
// operation in its thread, -1 for none, it reports whether t's operation could have run if of the
// events from f on only that one and those that happen before it had been executed. This second
// form finds more for timers only: two events together can keep a timer from firing, one that stops
// it and one that uses up the early timeouts.
func (e *engine) couldRunWithout(t *thread, f, past int32) bool {
	if !ops[t.op].gated() {
		return true
	}
	for _, c := range t.chanOp.cases {
		if c.obj < 0 {
			continue
		}
		ch := e.objs[c.obj].ch
		if ch.timer != nil {
			if !c.send && e.couldFireWithout(ch, f, past) {
				return true
			}
			continue
		}
		n, closed := e.leftWithout(ch, f, past)
		if closed || c.send && n < ch.cap || !c.send && n > 0 {
			return true
		}
	}
	return false
}

// without reports whether couldRunWithout leaves out the access a.
func (e *engine) without(a *access, f, past int32) bool {
	if past != wholePast {
		return a.event >= f && !e.inPast(past, a.event)
	}
	return a.event >= f && e.before(f, a.event)
}

// wholePast is what couldRunWithout and its parts are given instead of an event.
const wholePast = -2

// hasTimer reports whether a case of t's operation is a timer.
func (e *engine) hasTimer(t *thread) bool {
	for _, c := range t.chanOp.cases {
		if c.obj >= 0 && e.objs[c.obj].ch.timer != nil {
			return true
		}
	}
	return false
}

// chanBlocked searches the channel operations that are blocked forever for races.
func (e *engine) chanBlocked() {
	for i := e.gated.first(); i >= 0; i = e.gated.next(i + 1) {
		t := e.threads[i]
		if accesses := ops[t.op].accesses; accesses != nil {
			t.chanOp.acc = accesses(e, t, t.chanOp.acc[:0], undecided)
			e.chanRaces(t, e.depth)
		}
	}
}

// changes reports whether the access may change what others read.
func (a *access) changes() bool {
	switch a.kind {
	case accSend, accRecv, accClose, accClockSet, accAll:
		return true
	}
	return false
}

// chanChanged returns the first event after w by which another thread changed the channel that t
// looked at, -1 if there is none.
func (e *engine) chanChanged(t *thread, w watched) int32 {
	return e.changedSince(e.objs[w.obj].ch, t, w.event)
}
