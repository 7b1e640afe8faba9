package explore

import (
	"slices"
	"unsafe"

	"github.com/surewake/surewake/model/wire"
)

// Rendezvous, for programs in which one select sends and another one receives on the same
// unbuffered channel. In such programs it matters who already waits, on either side. So each
// operation on an unbuffered channel begins with a step, its arrival, that does the first of these
// that is possible:
//
//   1. It finds a partner who waits. Both continue.
//   2. It takes another case that is ready.
//   3. It takes default.
//   4. It queues on all of its unbuffered channels and waits until a partner finds it.
//
// A waiter with another case that is ready no longer waits and is not found; one with a timer that
// only may fire early still waits, and is found unless it lets the timer fire first. As in Go's
// runtime, partners are taken from a queue in order of arrival; every order of arrivals is
// explored.
//
// Every operation on such a channel then depends on every other one, and an arrival also looks at
// everything that could have made its possible partners ready elsewhere. Channels of the other kind
// (chan_kind.go) stay as they are, as do those with room.
//
// The value goes directly to its receiver's memory. If the arrival is a receiver's, the waiting
// sender writes the value when it continues, and the receiver continues after that.

func init() {
	ops[OpArrive] = operation{
		name:     "channel operation",
		choices:  chanChoices,
		accesses: rendezvousAccesses,
		takes:    true,
		apply:    arrive,
		loop:     loopEffect,
		label:    rendezvousLabel,
	}
	ops[OpMet] = operation{
		name:     "channel operation (met)",
		enabled:  metEnabled,
		choices:  chanChoices,
		deadline: (*engine).firstDeadline,
		wokenBy:  signalOf,
		accesses: rendezvousAccesses,
		takes:    true,
		apply:    met,
		loop:     loopEffect,
		label:    rendezvousLabel,
	}
}

// met ends t's wait, because a partner came or because a case became ready.
func metEnabled(e *engine, t *thread) bool {
	return t.signal >= 0 || t.chanOp.taken < 0 && e.anyReady(t)
}

// rendezvousLabel names the operation that an arrival or a wait is part of.
func rendezvousLabel(t *thread) string {
	switch {
	case t.chanOp.def || len(t.chanOp.cases) != 1:
		return OpSelect.String()
	case t.chanOp.cases[0].send:
		return OpSend.String()
	}
	return OpRecv.String()
}

// waiter is case i of a thread that waits.
type waiter struct{ tid, i int32 }

// enterRendezvous is Communicate, called at a call site, if there is an unbuffered channel among
// the cases.
func enterRendezvous(t *thread, p unsafe.Pointer, at []uintptr) {
	t.chanOp.waits, t.chanOp.shown = false, false
	if Enter(p, OpArrive); t.chanOp.waits {
		SetCallSite(at)
		Enter(p, OpMet)
	}
}

// partner returns the first waiter for the other side of t's case.
func (e *engine) partner(t *thread, c chanCase) (w waiter, ok bool) {
	if c.obj < 0 {
		return w, false
	}
	for _, w := range e.objs[c.obj].ch.queue {
		u := e.threads[w.tid]
		if u != t && u.chanOp.cases[w.i].send != c.send && !e.surelyReady(u) {
			return w, true
		}
	}
	return w, false
}

// found reports whether a partner has ended t's wait.
func (t *thread) found() bool { return t.op == OpMet && t.signal >= 0 }

// rendezvousAccesses: to an unbuffered channel, everything; to others, as a select.
func rendezvousAccesses(e *engine, t *thread, out []access, taken int32) []access {
	if t.found() {
		return out
	}
	for i, c := range t.chanOp.cases {
		if c.obj < 0 {
			continue
		}
		ch := e.objs[c.obj].ch
		if !e.queues(ch) {
			found := taken == undecided && e.ready(c) || taken == int32(i)
			out = e.caseAccesses(c, out, found, taken != int32(i))
			continue
		}
		out = append(out, access{obj: c.obj, kind: accAll})
		if t.op != OpArrive {
			continue
		}
		for _, w := range ch.queue {
			u := e.threads[w.tid]
			for _, other := range u.chanOp.cases {
				if other.obj < 0 {
					continue
				}
				oc := e.objs[other.obj].ch
				if oc.timer == nil && !e.queues(oc) {
					out = e.caseAccesses(other, out, false, true)
					continue
				}
				out = append(out, access{obj: other.obj, kind: accAll})
				if tm := oc.timer; tm != nil { // which is due or not
					out = append(out, access{obj: e.clockObject(tm.clock), kind: accClockRead})
				}
			}
		}
	}
	return out
}

// arrive is the arrival of t.
func arrive(e *engine, t *thread, d int32) {
	t.signal = -1
	t.releaseTo(&t.chanOp.token)
	if t.chanOp.taken < 0 {
		if !t.chanOp.def {
			e.enqueue(t)
		}
		return
	}
	c := t.chanOp.cases[t.chanOp.taken]
	w, ok := e.partner(t, c)
	if !ok {
		transfer(e, t, d)
		return
	}
	u := e.threads[w.tid]
	e.leaveQueues(u)
	u.chanOp.taken = w.i
	u.signal = max(d, 0)
	t.acquireFrom(&u.chanOp.token)
	t.releaseTo(&u.chanOp.answer)
	if other := u.chanOp.cases[w.i]; c.send {
		t.chanOp.completion, t.chanOp.mem, u.chanOp.completion = CopyTo, other.mem, Completed
	} else {
		t.chanOp.completion, t.chanOp.waits = Completed, true
		u.chanOp.completion, u.chanOp.mem, u.chanOp.partner = CopyTo, c.mem, int32(t.id)
	}
}

// partnerInstead is for an arrival that takes a partner who could have done something else: later
// events do not show it, as the partner's operation is over. A partner can let a timer fire early,
// so the search must do this instead, and let events give way that keep the timer from firing. And
// another case may have been ready before. Then there is a schedule with the same outcome in which
// the partner has arrived only when it was, unless it has waited since a bubble was quiet. And not
// always one within a bound on preemptions: a thread that waits gives way for nothing.
func (e *engine) partnerInstead(t *thread, ev *event) {
	if t.op != OpArrive || t.chanOp.taken < 0 {
		return
	}
	w, ok := e.partner(t, t.chanOp.cases[t.chanOp.taken])
	if !ok {
		return
	}
	u := e.threads[w.tid]
	if !e.bounded && u.waitsSince == 0 && (e.cfg.EarlyTimeouts == 0 || !e.hasTimer(u)) {
		return
	}
	if e.node(ev, nodeEnabled).has(u.id) {
		e.addTo(ev, nodeBack, u.id)
	}
	u.chanOp.acc = ops[u.op].accesses(e, u, u.chanOp.acc[:0], undecided)
	e.chanRaces(u, e.depth)
}

// met ends t's wait: a partner came, or a case became ready.
func met(e *engine, t *thread, d int32) {
	if t.signal < 0 {
		e.leaveQueues(t)
		transfer(e, t, d)
		return
	}
	t.acquireFrom(&t.chanOp.answer)
	if p := t.chanOp.partner; p >= 0 {
		e.threads[p].signal = max(d, 0)
	}
}

// enqueue lets t wait to be found at each of its unbuffered channels. Of several
// cases that are alike a partner finds the one that t.chanOp.queueing says.
func (e *engine) enqueue(t *thread) {
	t.chanOp.waits = true
	which := t.chanOp.queueing
	for i, c := range t.chanOp.cases {
		if alike := e.alike(t, i); len(alike) > 0 {
			n := int32(len(alike))
			ch := e.objs[c.obj].ch
			ch.queue = append(ch.queue, waiter{int32(t.id), alike[which%n]})
			which /= n
		}
	}
}

// alike gives the cases of t that do the same on the same unbuffered channel as
// case i, if that is the first of them; else none.
func (e *engine) alike(t *thread, i int) []int32 {
	c := t.chanOp.cases[i]
	if c.obj < 0 || !e.queues(e.objs[c.obj].ch) {
		return nil
	}
	e.sameCases = e.sameCases[:0]
	for j, o := range t.chanOp.cases {
		if o.obj == c.obj && o.send == c.send {
			if j < i {
				return nil
			}
			e.sameCases = append(e.sameCases, int32(j))
		}
	}
	return e.sameCases
}

// queueings counts the ways in which t can begin to wait: Go's runtime queues cases
// on the same channel in random order.
func (e *engine) queueings(t *thread) int32 {
	ways := int32(1)
	if t.op != OpArrive || t.chanOp.def {
		return ways
	}
	for i := range t.chanOp.cases {
		ways *= max(1, int32(len(e.alike(t, i))))
	}
	return ways
}

// facing reports whether two threads wait for one another on the same channel, as they never do in
// Go. It can be so here: one waits, a case of it becomes ready and the other one comes, who does
// not find it, and then a third one takes what made the case ready. In Go that would have been
// given to the first one. The schedules in which it was, and those in which the first one came
// last, are explored besides.
func (e *engine) facing() bool {
	for i := range e.objs[:e.nobjs] {
		ch := e.objs[i].ch
		if ch == nil || !ch.known || len(ch.queue) < 2 {
			continue
		}
		first := ch.queue[0]
		for _, w := range ch.queue[1:] {
			sends := func(w waiter) bool { return e.threads[w.tid].chanOp.cases[w.i].send }
			if w.tid != first.tid && sends(w) != sends(first) {
				return true
			}
		}
	}
	return false
}

// leaveQueues takes t out of all queues.
func (e *engine) leaveQueues(t *thread) {
	for _, c := range t.chanOp.cases {
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

// A schedule of a search with rendezvous, or with requests (chan_request.go), chooses a value in a
// step before the first one: protocols, and for each kind of channels one of these. The steps are
// others then, long before a select needs it.
const (
	withPosts = iota // neither
	withRequests
	withRendezvous
	perChanKind

	protocols = 1 << 21
)

// isProtocols reports whether a schedule that chooses that value begins so.
func isProtocols(value int) bool {
	return value > protocols && value < protocols+perChanKind*perChanKind
}

// markRendezvous adds that step to the schedule of the failure, and to that of a guide.
func (e *engine) markRendezvous() {
	mark := wire.Decision{Chooses: true, Value: protocols}
	for k, weight := 0, 1; k < chanKinds; k, weight = k+1, weight*perChanKind {
		switch {
		case e.rendezvous[k]:
			mark.Value += weight * withRendezvous
		case e.requests[k]:
			mark.Value += weight * withRequests
		}
	}
	if !isProtocols(mark.Value) {
		return
	}
	if f := e.res.Failure; f != nil {
		f.Schedule = slices.Insert(f.Schedule, 0, mark)
	}
	if g := e.cfg.guide; g != nil {
		g.schedule = slices.Insert(g.schedule, 0, mark)
	}
}

// cutRendezvous takes it off the schedule that is to be replayed.
func (e *engine) cutRendezvous() {
	r := e.cfg.Replay
	if len(r) == 0 || r[0].At != 1 || !r[0].IsValue || !isProtocols(r[0].Value) {
		return
	}
	for k, v := 0, r[0].Value-protocols; k < chanKinds; k, v = k+1, v/perChanKind {
		e.rendezvous[k] = v%perChanKind == withRendezvous
		e.requests[k] = v%perChanKind == withRequests
	}
	e.cfg.Replay = slices.Clone(r[1:])
	for i := range e.cfg.Replay {
		e.cfg.Replay[i].At -= 2
	}
}
