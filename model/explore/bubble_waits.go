package explore

import "unsafe"

// Who waits on the channels of a bubble.
//
// Outside of bubbles nobody can tell whether a goroutine has begun to wait. So a value that was
// sent stays in the channel until a thread takes it, whichever that is, and a select that
// becomes ready takes what is ready when it runs (chan.go). A bubble that is quiet tells: all of
// its threads wait then. In Go the event that makes the operation of such a waiter ready ends it
// at once. A value goes to the receiver that has waited longest, and is never in the channel; a
// select takes the case that became ready first; room goes to the sender that has waited
// longest.
//
// Here the end of the wait remains an event of its own, which comes later. All executions are
// explored, and one is astray, which means that it is none of Go's, if anything could tell that
// the wait had not ended at once. Let w be a thread that has waited since the bubble was quiet:
//
//   - w is a select, and when it runs another case of it is ready, too, on another channel;
//   - w receives from a channel, and before it has run, another thread takes the value that
//     is for it, counts that value, or finds no room because of it;
//   - w sends on a channel, and before it has run, another thread takes the room that is for
//     it, counts without its value, finds no value, or closes the channel.
//
// But w gives way to a thread that does the same and has waited as long, or longer.
//
// # Why this is right
//
// Each execution of Go is explored and not astray: that in which the event that ends a wait is
// followed by the operation of the waiter. The event makes one channel ready, and before the
// next one nobody waits whose operation is ready.
//
// Each condition is about two operations that depend on one another, and about what one of them
// found. So the executions of a trace are all astray or none is. Nothing is made dependent for
// it.
//
// An execution that is not astray is one of Go's: the operation of a waiter can be moved to the
// event that ended its wait, as nothing in between depends on it.
//
// Channels with meetings (chan_rendezvous.go) remember who waits, and so do those on which
// values or requests are posted: the rules are for the threads that do neither. But where the
// bubble is quiet no two may wait for one another (facing). Timers are like channels that get their
// value when they fire, which is when it is received.
//
// # Executions that are astray
//
// They are explored to their end, because the races in them lead to those that are not, and
// count as pruned. A failure in one ends its thread only, as a Goexit would, so that the races
// of the others are found. For the race detector everything happens one after the other from
// then on. A failure and a data race that do not come from what is astray are those of others,
// too. A recorded schedule, which is known to fail, is not judged.
//
// A bound on preemptions counts the step from the event to the waiter, where Go has none.

// waitsIn reports whether t's operation is on channels and may wait without a note of that.
func (t *thread) waitsIn() bool {
	switch t.op {
	case OpSend, OpRecv, OpSelect, OpMet:
		return true
	}
	return false
}

// noteWaiters notes who waits on channels now that the bubble is quiet. t, which runs because of
// that in event d, is one of them.
func (e *engine) noteWaiters(b *bubble, t *thread, d int32) {
	b.quiets++
	e.noteFacing(d)
	who := b.members.intersection(e.alive).intersection(e.gated)
	who.add(t.id)
	for i := who.first(); i >= 0; i = who.next(i + 1) {
		if u := e.threads[i]; u.waitsSince == 0 && u.waitsIn() {
			u.waitsSince = b.quiets
		}
	}
}

// noteFacing notes that the execution is astray if, where a bubble is quiet, two threads wait for
// one another.
func (e *engine) noteFacing(d int32) {
	if d >= 0 && e.rendezvous.any() && e.facing() {
		e.astray = append(e.astray, d)
	}
}

// judgeWaits notes if event d, the operation of t that is about to be applied, makes the execution
// astray.
func (e *engine) judgeWaits(t *thread, d int32) {
	if b := t.bubble; b == nil || b.quiets == 0 || e.cfg.Record && e.cfg.guide == nil {
		return
	}
	astray := t.waitsSince > 0 && e.readyElsewhere(t)
	for i := range t.chanOp.acc {
		astray = astray || e.givesAway(t, &t.chanOp.acc[i])
	}
	if astray {
		e.astray = append(e.astray, d)
	}
}

// readyElsewhere reports whether a case of t on another channel than that of the case that it
// takes is ready, or one that comes before that: of a select that waits for both sides of a channel
// a close ends the receive. A timer that is due may have fired after that.
func (e *engine) readyElsewhere(t *thread) bool {
	op := &t.chanOp
	if t.found() || op.taken < 0 {
		return false
	}
	taken := op.cases[op.taken]
	for _, c := range op.cases {
		if c.obj < 0 || e.objs[c.obj].ch.timer != nil || !e.ready(c) {
			continue
		}
		if c.obj != taken.obj || taken.send && !c.send {
			return true
		}
	}
	return false
}

// givesAway reports whether an access of t's operation finds that another thread has not done what
// it waited for.
func (e *engine) givesAway(t *thread, a *access) bool {
	ch := e.objs[a.obj].ch
	if ch.timer != nil {
		op := &t.chanOp
		return ops[t.op].takes && op.taken >= 0 && op.cases[op.taken].obj == a.obj &&
			e.waitsBefore(t, a.obj, false, t.waitsSince)
	}
	value, room := ch.hasValue(), ch.sent-ch.received < ch.cap
	receives := func(since int32) bool { return e.waitsBefore(t, a.obj, false, since) }
	sends := func(since int32) bool { return e.waitsBefore(t, a.obj, true, since) }
	switch a.kind {
	case accSend:
		return room && sends(t.waitsSince)
	case accRecv:
		return value && receives(t.waitsSince)
	case accLookRecv:
		return !value && sends(0)
	case accLookSend:
		return !room && !ch.closed && receives(0)
	case accLen:
		return value && receives(0) || room && sends(0)
	case accClose:
		return room && sends(0)
	}
	return false
}

// waitsBefore reports whether another thread of t's bubble has waited to send on a channel, or to
// receive from it, since before the bubble was quiet for that time; 0 is for the present.
func (e *engine) waitsBefore(t *thread, obj int32, send bool, since int32) bool {
	who := t.bubble.members.intersection(e.alive).intersection(e.gated)
	for i := who.first(); i >= 0; i = who.next(i + 1) {
		u := e.threads[i]
		if u == t || u.waitsSince == 0 || u.found() || since > 0 && u.waitsSince >= since {
			continue
		}
		for _, c := range u.chanOp.cases {
			if c.obj == obj && c.send == send {
				return true
			}
		}
	}
	return false
}

// isAstray reports whether the execution is none of Go's.
func (e *engine) isAstray() bool { return len(e.astray) > 0 }

// hasCome tells the race detector that the thread that runs comes to an operation, or to its end.
func (e *engine) hasCome() { condRelease(unsafe.Pointer(&e.astrayKey)) }

// goesOn is the other end of hasCome in an execution that is astray.
func (e *engine) goesOn() {
	if e.isAstray() {
		condAcquire(unsafe.Pointer(&e.astrayKey))
	}
}
