package explore

import "unsafe"

// Meetings, for programs in which a select sends on an unbuffered channel.
// There it matters who waits already, so every operation on an unbuffered
// channel begins with the step of arriving: it finds a partner who waits, and
// both go on; or it takes default; or it queues on all of its unbuffered
// channels and waits to be found. Who has another case that is ready does not
// wait any more, and is not found. As in Go's runtime, the first of the queue is
// taken; every order of arriving is explored.
//
// Whatever is done to an unbuffered channel then depends on all else that is
// done to it, and an arrival on all that could have made its possible partners
// ready elsewhere.
//
// The value goes straight to its receiver's memory. If the receiver found a
// sender that waits, that one writes it when it goes on, and the receiver goes
// on after it.

func init() {
	ops[OpArrive] = operation{
		name:     "channel operation",
		choices:  chanChoices,
		accesses: meetAccesses,
		takes:    true,
		apply:    arrive,
		loop:     loopEffect,
		label:    meetLabel,
	}
	ops[OpMet] = operation{
		name:     "channel operation (met)",
		enabled:  metEnabled,
		choices:  chanChoices,
		deadline: (*engine).firstDeadline,
		wokenBy:  signalOf,
		accesses: meetAccesses,
		takes:    true,
		apply:    met,
		loop:     loopEffect,
		label:    meetLabel,
	}
}

func metEnabled(e *engine, t *thread) bool {
	return t.signal >= 0 || t.com.taken < 0 && e.anyReady(t)
}

// meetLabel names the operation that a meeting is part of.
func meetLabel(t *thread) string {
	switch {
	case t.com.def || len(t.com.cases) != 1:
		return OpSelect.String()
	case t.com.cases[0].send:
		return OpSend.String()
	}
	return OpRecv.String()
}

// waiter is a case of a thread that waits.
type waiter struct{ tid, i int32 }

// enterMeeting is Communicate with an unbuffered channel among the cases.
func enterMeeting(t *thread, p unsafe.Pointer) {
	t.com.waits = false
	if Enter(p, OpArrive); t.com.waits {
		Enter(p, OpMet)
	}
}

// partner finds who waits for the other side of t's case.
func (e *engine) partner(t *thread, c chanCase) (w waiter, ok bool) {
	if c.obj < 0 {
		return w, false
	}
	for _, w := range e.objs[c.obj].ch.queue {
		if u := e.threads[w.tid]; u != t && u.com.cases[w.i].send != c.send && !e.anyReady(u) {
			return w, true
		}
	}
	return w, false
}

// found reports whether t's wait was ended by a partner.
func (t *thread) found() bool { return t.op == OpMet && t.signal >= 0 }

func meetAccesses(e *engine, t *thread, out []access, taken int32) []access {
	if t.found() {
		return out
	}
	for i, c := range t.com.cases {
		if c.obj < 0 {
			continue
		}
		ch := e.objs[c.obj].ch
		if ch.cap > 0 {
			out = e.caseAccesses(c, out, taken == undecided && e.ready(c) || taken == int32(i), taken != int32(i))
			continue
		}
		out = append(out, access{obj: c.obj, kind: accAll})
		if t.op != OpArrive {
			continue
		}
		for _, w := range ch.queue {
			for _, other := range e.threads[w.tid].com.cases {
				if other.obj >= 0 {
					out = append(out, access{obj: other.obj, kind: accAll})
				}
			}
		}
	}
	return out
}

// arrive does what the arrival of t does: meet, pass on, or queue.
func arrive(e *engine, t *thread, d int32) {
	t.signal = -1
	t.releaseTo(&t.com.token)
	if t.com.taken < 0 {
		if !t.com.def {
			e.enqueue(t)
		}
		return
	}
	c := t.com.cases[t.com.taken]
	w, ok := e.partner(t, c)
	if !ok {
		transfer(e, t, d)
		return
	}
	u := e.threads[w.tid]
	e.leaveQueues(u)
	u.com.taken = w.i
	u.signal = max(d, 0)
	t.acquireFrom(&u.com.token)
	t.releaseTo(&u.com.answer)
	if other := u.com.cases[w.i]; c.send {
		t.com.how, t.com.mem, u.com.how = Put, other.mem, Done
	} else {
		t.com.how, t.com.waits = Done, true
		u.com.how, u.com.mem, u.com.partner = Put, c.mem, int32(t.id)
	}
}

// met ends t's wait: a partner came, or a case became ready.
func met(e *engine, t *thread, d int32) {
	if t.signal < 0 {
		e.leaveQueues(t)
		transfer(e, t, d)
		return
	}
	t.acquireFrom(&t.com.answer)
	if p := t.com.partner; p >= 0 {
		e.threads[p].signal = max(d, 0)
	}
}

func (e *engine) enqueue(t *thread) {
	t.com.waits = true
	for i, c := range t.com.cases {
		if c.obj >= 0 && e.objs[c.obj].ch.cap == 0 {
			ch := e.objs[c.obj].ch
			ch.queue = append(ch.queue, waiter{int32(t.id), int32(i)})
		}
	}
}

func (e *engine) leaveQueues(t *thread) {
	for _, c := range t.com.cases {
		if c.obj < 0 {
			continue
		}
		ch := e.objs[c.obj].ch
		rest := ch.queue[:0]
		for _, w := range ch.queue {
			if int(w.tid) != t.id {
				rest = append(rest, w)
			}
		}
		ch.queue = rest
	}
}
