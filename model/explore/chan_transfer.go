package explore

// chanBegin runs before t's operation becomes an event. It records whether the operation runs only
// because nothing else can (forcedDue), and which of its choices sleep.
func (e *engine) chanBegin(t *thread) {
	e.forcedDue, e.asleep = -1, 0
	e.pollApart(t)
	m := &ops[t.op]
	if m.deadline != nil {
		e.forced = e.clockFor(t)
		if d, ok := m.deadline(e, t); ok && !m.enabled(e, t) {
			e.forcedDue = d
			if b := e.forced.of; b != nil {
				e.noteWaiters(b, t, int32(e.depth))
			}
		} else {
			e.forcedDue = e.dueAlone(t, m)
		}
	}
	if e.reduce && e.selects && t.choosesCase() {
		if e.asleep = e.sleepingChoices(e.depth, t.id); e.asleep != 0 {
			e.backAll(&e.stack[e.depth]) // see chan_sleepset.go
		}
	}
}

// chanPrepare determines, before t's operation becomes an event, which case it takes and what it
// depends on.
func (e *engine) chanPrepare(t *thread, choice int32) {
	m := &ops[t.op]
	switch {
	case !m.takes:
		t.chanOp.taken, t.chanOp.value = 0, choice
	case t.found():
		t.chanOp.value = 0 // its partner has set taken
	default:
		t.chanOp.taken, t.chanOp.value = e.chooseCase(t, choice)
	}
	t.chanOp.acc = m.accesses(e, t, t.chanOp.acc[:0], t.chanOp.taken)
	e.asleep = 0
}

// chanApply adds the accesses of t's operation to the histories and applies the operation. The
// event is d; d is negative if there is none (quietStep).
func (e *engine) chanApply(t *thread, m *operation, d int32) {
	if d >= 0 {
		if e.optimal {
			e.noteAccesses(t, int(d))
		}
		for _, a := range t.chanOp.acc {
			a.event = d
			ch := e.objs[a.obj].ch
			ch.history.note(a, e.isWhole(ch))
		}
		e.judgeWaits(t, d)
	}
	early, slow := e.early, e.slow
	if m.apply != nil {
		m.apply(e, t, d)
	}
	e.noteTime(t, d, early, slow)
	e.forcedDue, t.waitsSince = -1, 0
}

// transfer does the chosen case, which is ready.
func transfer(e *engine, t *thread, d int32) {
	t.chanOp.completion, t.chanOp.mem = OnChannel, nil
	if t.chanOp.taken < 0 {
		return
	}
	c := t.chanOp.cases[t.chanOp.taken]
	ch := e.objs[c.obj].ch
	switch {
	case ch.timer != nil:
		e.fireApart(t, c, d)
		e.fire(t, ch.timer)
	case c.send && ch.closed:
		ch.edges.refused(t)
	case !c.send && !ch.hasValue():
		ch.edges.closed(t)
	case c.send && ch.cap == 0 && !e.queues(ch):
		e.takeRequest(t, ch, d)
		ch.sent++
		ch.quiet(d, +1)
	case c.send:
		ch.edges.send(t, ch.sent, ch.cap)
		e.noteRoom(t, ch)
		ch.sent++
		ch.quiet(d, +1)
	default:
		if ch.cap == 0 && !e.queues(ch) {
			e.takePost(t, ch, d)
		} else {
			ch.edges.receive(t, ch.received, ch.cap)
		}
		ch.received++
		ch.quiet(d, -1)
	}
}

// noteRoom notes who made the room to which t sends, if t has waited in a bubble that was quiet.
func (e *engine) noteRoom(t *thread, ch *channel) {
	t.chanOp.room = nil
	if t.waitsSince == 0 {
		return
	}
	recvs, n := ch.history.recvs, ch.sent+1-ch.cap
	if j := firstWhere(recvs, func(a *access) bool { return a.n >= n }); j < len(recvs) {
		t.chanOp.room = &e.threads[e.stack[recvs[j].event].tid].chanOp.made
	}
}

// quiet adjusts the number of values from before the first event.
func (ch *channel) quiet(d, n int32) {
	if d < 0 {
		ch.base += n
	}
}

// postValue is the first step of a send on an unbuffered channel.
func postValue(e *engine, t *thread, d int32) {
	ch := e.objs[t.chanOp.cases[0].obj].ch
	if ch.closed {
		t.chanOp.completion = OnChannel
		ch.edges.refused(t)
		return
	}
	t.chanOp.completion = Completed
	t.signal = -1
	t.releaseTo(&t.chanOp.token)
	own := post{int32(t.id), t.chanOp.cases[0].mem, d}
	if len(ch.requests) > 0 {
		e.pair(own, pull(&ch.requests))
	} else {
		ch.posts = append(ch.posts, own)
	}
	ch.sent++
	ch.quiet(d, +1)
}

// posted is its second step: the value was taken, or the channel was closed.
func posted(e *engine, t *thread, _ int32) {
	if t.chanOp.completion != OnChannel {
		t.acquireFrom(&t.chanOp.answer)
	} else {
		// The send panics; what recovers from it comes after the close.
		e.objs[t.chanOp.cases[0].obj].ch.edges.refused(t)
	}
}

// takePost gives t the oldest value posted.
func (e *engine) takePost(t *thread, ch *channel, d int32) {
	p := pull(&ch.posts)
	u := e.threads[p.tid]
	u.signal = max(d, 0)
	t.acquireFrom(&u.chanOp.token)
	t.releaseTo(&u.chanOp.answer)
	t.chanOp.completion, t.chanOp.mem = CopyFrom, p.mem
}

// closeChan closes a channel. A sender whose posted value was not taken panics, as for a send on a
// closed channel.
func closeChan(e *engine, t *thread, d int32) {
	ch := e.objs[t.chanOp.cases[0].obj].ch
	if ch.closed {
		return // panics
	}
	ch.closed = true
	if d < 0 {
		ch.baseClosed = true
	}
	t.acquireFrom(&t.chanOp.made)
	ch.edges.close(t)
	ch.closedAt = d
	e.refuseRequests(ch, d)
	for _, p := range ch.posts {
		u := e.threads[p.tid]
		u.signal = max(d, 0)
		u.chanOp.completion = OnChannel
	}
	ch.posts = ch.posts[:0]
}
