package explore

// Requests, for programs in which a select sends on an unbuffered channel. That case is ready only
// if a receiver waits. So in such programs a receive on an unbuffered channel of that kind
// (chan_kind.go), outside of a select, is two steps, as a send is:
//
//   1. The receiver posts a request, which is always possible.
//   2. The receiver continues when a value has come, or the channel was closed.
//
// The k-th value is for the k-th request, and the select that sends it takes that request. So k
// values from a select to a receiver are one trace, as are those from a sender to a select: the
// request k always comes before the send that takes it, and a value that was posted before the
// receive that takes it. If both sides post, neither waits for the other, and the two posts are
// independent. The receiver then copies the value in its second step, and only after that the
// sender continues.
//
// A request is the same whether the channel was closed before or is closed later, unless a value
// waited for it when it was closed: close takes that back.
//
// Two selects cannot post. If one sends and another one receives on the same channel, the
// exploration starts again with real rendezvous (chan_rendezvous.go). So it does in a bubble, where
// who has waited longer comes first, if a select and another operation are on one side of one.

func init() {
	ops[OpRequest] = operation{
		name:     "channel receive",
		accesses: requestAccesses,
		apply:    request,
		loop:     loopEffect,
	}
	ops[OpGot] = operation{
		name:     "channel receive (got)",
		enabled:  func(_ *engine, t *thread) bool { return t.chanOp.answered },
		wokenBy:  signalOf,
		accesses: noAccesses,
		apply:    got,
		loop:     loopEffect,
		label:    func(*thread) string { return OpRecv.String() },
	}
}

// isUnbuffered reports whether c, which may be a case of a select, is on an unbuffered channel. It
// asks for another kind of search if this one cannot tell when such a case is ready.
func (e *engine) isUnbuffered(c chanCase, ofSelect bool) bool {
	ch := e.objs[c.obj].ch
	if ch.cap > 0 || ch.timer != nil {
		return false
	}
	ch.selectSends = ch.selectSends || ofSelect && c.send
	ch.selectReceives = ch.selectReceives || ofSelect && !c.send
	ch.sends = ch.sends || !ofSelect && c.send
	inTurn := e.cur.bubble != nil && e.requests[ch.kind] &&
		(ch.selectReceives || ch.selectSends && ch.sends)
	switch {
	case e.rendezvous[ch.kind] || !ch.selectSends && !inTurn:
	case ch.selectReceives || inTurn:
		e.wantRendezvous[ch.kind] = true
	case !e.requests[ch.kind]:
		e.wantRequests[ch.kind] = true
	}
	return true
}

// hasValue reports whether a receive finds a value. Those on an unbuffered channel are withdrawn
// when it is closed.
func (ch *channel) hasValue() bool {
	return ch.sent > ch.received && !(ch.closed && ch.cap == 0)
}

func requestAccesses(e *engine, t *thread, out []access, _ int32) []access {
	c := t.chanOp.cases[0]
	n := e.objs[c.obj].ch.received + 1
	return append(out, access{obj: c.obj, kind: accRecv, n: n, posted: true})
}

// request is the first step of a receive on an unbuffered channel.
func request(e *engine, t *thread, d int32) {
	ch := e.objs[t.chanOp.cases[0].obj].ch
	t.signal, t.chanOp.answered = -1, false
	t.releaseTo(&t.chanOp.token)
	own := post{int32(t.id), t.chanOp.cases[0].mem, d}
	switch {
	case ch.closed:
		e.refuse(own, ch.closedAt)
	case len(ch.posts) > 0:
		e.pair(pull(&ch.posts), own)
	default:
		ch.requests = append(ch.requests, own)
	}
	ch.received++
	ch.quiet(d, -1)
}

// pair lets the receiver that posted the request r take the value of s.
func (e *engine) pair(s, r post) {
	u := e.threads[r.tid]
	u.signal, u.chanOp.answered = s.event, true
	u.chanOp.completion, u.chanOp.mem, u.chanOp.partner = CopyFrom, s.mem, s.tid
}

// takeRequest lets t, whose select is event d, send to the receiver whose request is the oldest.
func (e *engine) takeRequest(t *thread, ch *channel, d int32) {
	r := pull(&ch.requests)
	u := e.threads[r.tid]
	u.signal, u.chanOp.answered = d, true
	u.chanOp.completion, u.chanOp.partner = Completed, -1
	t.acquireFrom(&u.chanOp.token)
	t.releaseTo(&u.chanOp.answer)
	t.chanOp.completion, t.chanOp.mem = CopyTo, r.mem
}

// refuse ends the wait of a receiver whose channel was closed by event d.
func (e *engine) refuse(r post, d int32) {
	u := e.threads[r.tid]
	u.signal, u.chanOp.answered = d, true
	u.chanOp.completion, u.chanOp.partner = OnChannel, -1
}

// refuseRequests does that for all who wait.
func (e *engine) refuseRequests(ch *channel, d int32) {
	for _, r := range ch.requests {
		e.refuse(r, d)
	}
	ch.requests = ch.requests[:0]
}

// got is the second step of a receive on an unbuffered channel.
func got(e *engine, t *thread, d int32) {
	op := &t.chanOp
	switch {
	case op.completion == OnChannel:
		e.objs[op.cases[0].obj].ch.edges.closed(t)
	case op.partner >= 0:
		s := e.threads[op.partner]
		t.acquireFrom(&s.chanOp.token)
		t.releaseTo(&s.chanOp.answer)
		s.signal = max(d, 0)
	default:
		t.acquireFrom(&op.answer)
	}
}
