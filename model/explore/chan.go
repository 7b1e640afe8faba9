package explore

import (
	"fmt"
	"math/bits"
	"time"
	"unsafe"
)

// Channels. A buffered channel keeps its values in itself: when the engine has
// decided that an operation runs, the hook does the real one, which cannot
// block. What the engine keeps beside it are numbers: how many values were sent
// and received, and what happened to it so far (chan_dependence.go says which of these
// operations depend on one another, and why).
//
// A send on an unbuffered channel is two steps: the sender posts its value,
// which it always can, and goes on when a receiver has taken it. The k-th
// receive takes the k-th value that was posted. Since nobody can tell whether
// another goroutine has already begun to wait, that says the same as a meeting
// of the two, and orders less. One thing tells: a select with a send on an
// unbuffered channel is ready only if a receiver is there. When the first such
// select is met, the exploration starts again with meetings (chan_rendezvous.go).
//
// The value of a post lies where its sender left it until the receiver has
// copied it.

// A Chan is what the engine must know of a channel that it meets.
type Chan struct {
	Ptr    unsafe.Pointer // nil for a nil channel
	Cap    int
	Len    int  // values in it; looked at when it is met for the first time
	Closed bool // likewise
}

// A Case is one of the ways in which a channel operation can go on.
type Case struct {
	Chan
	Send bool
	Mem  unsafe.Pointer // send: where the value lies, nil if it comes later; receive: where a sender may put it
}

// A How says what is left to do for the case that was chosen.
type How uint8

// What the caller of Communicate does.
const (
	Real How = iota // the operation on the real channel; it does not block, but it may panic
	Take            // copy the value at Mem
	Put             // copy the value to Mem
	Done            // nothing: a received value lies at the Mem of the case, a sent one was taken from there
)

// A Taken is the outcome of a channel operation.
type Taken struct {
	Case int // -1 for default
	How  How
	Mem  unsafe.Pointer
}

// channel is what the engine keeps of one channel during one execution.
type channel struct {
	known      bool
	closed     bool
	baseClosed bool // before the events began
	cap        int32
	base       int32 // values in it before the events began
	sent       int32 // values sent so far, those of before included
	received   int32
	posts      []post   // unbuffered: posted, not taken
	queue      []waiter // meetings: who waits
	history    []access // by events, in their order
	edges      edges    // for the race detector
	timer      *timer   // that fires into it, or nil
}

type post struct {
	tid int32
	mem unsafe.Pointer
}

// chanCase is a Case of a pending operation.
type chanCase struct {
	obj  int32 // -1 for a nil channel
	send bool
	mem  unsafe.Pointer
}

// communication is what a thread keeps of its channel operation.
type communication struct {
	cases   []chanCase
	def     bool           // there is a default
	taken   int32          // the case that was chosen, -1 for none
	value   int32          // the choice that this was, among all there were
	how     How            // what is left to do
	mem     unsafe.Pointer // where
	partner int32          // meetings: who waits for this thread's value, or -1
	waits   bool           // meetings: an OpMet follows
	acc     []access       // of the operation that is being committed
	token   uint64         // its address stands for what this thread did before it waited
	answer  uint64         // likewise, for what its partner did before that came
}

// channel gives the number of the channel's object.
func (e *engine) channel(c *Chan) int32 {
	id := e.object(c.Ptr)
	o := &e.objs[id]
	if o.ch == nil {
		o.ch = new(channel)
	}
	if ch := o.ch; !ch.known {
		*ch = channel{known: true, closed: c.Closed, baseClosed: c.Closed, cap: int32(min(c.Cap, 1<<30)), base: int32(c.Len), sent: int32(c.Len),
			posts: ch.posts[:0], queue: ch.queue[:0], history: ch.history[:0], edges: ch.edges}
	}
	return id
}

// Communicate does one of the cases, waiting until one is ready unless there is
// a default. It reports false outside of an execution.
func Communicate(cases []Case, def bool) (Taken, bool) {
	if !Here() {
		return Taken{}, false
	}
	e := eng
	if e.aborting {
		panic(abort{})
	}
	t := e.cur
	t.com.cases, t.com.def, t.com.partner = t.com.cases[:0], def, -1
	e.selects = e.selects || def || len(cases) > 1 || e.meet
	var p unsafe.Pointer
	meeting, unbuffered := false, false
	for i := range cases {
		c := chanCase{-1, cases[i].Send, cases[i].Mem}
		if ptr := cases[i].Ptr; ptr != nil {
			c.obj = e.channel(&cases[i].Chan)
			if p == nil {
				p = ptr
			}
			if e.objs[c.obj].ch.cap == 0 {
				unbuffered = true
				meeting = meeting || c.send && (def || len(cases) > 1)
			}
		}
		t.com.cases = append(t.com.cases, c)
	}
	if meeting && !e.meet {
		e.wantMeet = true
		e.fail(KindLimit, "a select sends on an unbuffered channel") // nobody sees it: the exploration starts again
	}
	switch {
	case unbuffered && e.meet:
		e.meeting(t, p)
	case def:
		Enter(p, OpPoll)
	case len(cases) != 1:
		Enter(p, OpSelect)
	case !cases[0].Send:
		Enter(p, OpRecv)
	case unbuffered:
		if Enter(p, OpPost); t.com.how != Real {
			Enter(p, OpPosted)
		}
	default:
		Enter(p, OpSend)
	}
	return Taken{int(t.com.taken), t.com.how, t.com.mem}, true
}

// Close is the scheduling point before a channel is closed.
func Close(c Chan) bool { return enterChan(c, OpClose) }

// Len is the scheduling point before len of a channel.
func Len(c Chan) bool { return enterChan(c, OpLen) }

func enterChan(c Chan, op Op) bool {
	if !Here() {
		return false
	}
	e := eng
	if e.aborting {
		panic(abort{})
	}
	t := e.cur
	t.com.cases = append(t.com.cases[:0], chanCase{obj: e.channel(&c)})
	return Enter(c.Ptr, op)
}

// ready says whether a case could go on by itself.
func (e *engine) ready(c chanCase) bool {
	if c.obj < 0 {
		return false
	}
	ch := e.objs[c.obj].ch
	if ch.timer != nil {
		return !c.send && e.mayFire(ch.timer)
	}
	return ch.closed || c.send && ch.sent-ch.received < ch.cap || !c.send && ch.sent > ch.received
}

func (e *engine) anyReady(t *thread) bool {
	for _, c := range t.com.cases {
		if e.ready(c) {
			return true
		}
	}
	return false
}

// chanEnabled says whether t's gated channel operation could run now.
func (e *engine) chanEnabled(t *thread) bool {
	switch t.op {
	case OpPosted:
		return t.signal >= 0
	case OpMet:
		return e.metEnabled(t)
	}
	return e.anyReady(t)
}

// chanChoices counts the cases that t's operation chooses among.
func (e *engine) chanChoices(t *thread) int32 {
	if t.found() {
		return 1
	}
	n, sure := int32(0), ops[t.op].gated
	for i, c := range t.com.cases {
		if e.can(t, c) {
			sure = sure || e.surely(c)
			if e.asleep>>i&1 == 0 {
				n++
			}
		}
	}
	if !sure && e.asleep&restNone == 0 {
		n++
	}
	return max(1, n)
}

// chooseCase gives the case that the choice means, -1 for none of them: that is
// the first choice where it is one. Choices that sleep are left out; value is
// the choice with them.
func (e *engine) chooseCase(t *thread, choice int32) (taken, value int32) {
	sure := ops[t.op].gated
	for _, c := range t.com.cases {
		sure = sure || e.can(t, c) && e.surely(c)
	}
	if !sure {
		if e.asleep&restNone == 0 {
			if choice == 0 {
				return -1, 0
			}
			choice--
		}
		value++
	}
	for i, c := range t.com.cases {
		if !e.can(t, c) {
			continue
		}
		if e.asleep>>i&1 == 0 {
			if choice == 0 {
				return int32(i), value
			}
			choice--
		}
		value++
	}
	return -1, 0
}

// can says whether t could take the case now.
func (e *engine) can(t *thread, c chanCase) bool {
	if t.op == OpArrive {
		if _, ok := e.partner(t, c); ok {
			return true
		}
	}
	return e.ready(c)
}

// chanPrepare settles, before t's operation becomes an event, which case it
// takes and what it depends on.
func (e *engine) chanPrepare(t *thread, choice int32) {
	switch t.op {
	case OpSend, OpRecv, OpSelect, OpPoll, OpTimerFire, OpArrive, OpMet:
		t.com.value = 0
		if !t.found() {
			t.com.taken, t.com.value = e.chooseCase(t, choice)
		}
	default:
		t.com.taken = 0
	}
	t.com.acc = e.accesses(t, t.com.acc[:0], t.com.taken)
	e.asleep = 0
}

// chanApply does what t's channel operation does to the engine's own state.
// The event is d, or negative if it is none.
func (e *engine) chanApply(t *thread, d int32) {
	if d >= 0 {
		for _, a := range t.com.acc {
			a.event = d
			ch := e.objs[a.obj].ch
			ch.history = append(ch.history, a)
		}
	}
	early := e.early
	switch t.op {
	case OpSend, OpRecv, OpSelect, OpPoll, OpTimerFire:
		e.transfer(t, d)
	case OpPost:
		e.post(t, d)
	case OpPosted:
		if ch := e.objs[t.com.cases[0].obj].ch; t.com.how != Real {
			t.acquireFrom(&t.com.answer)
		} else {
			ch.edges.closed(t) // the send panics; what recovers from it comes after the close
		}
	case OpClose:
		e.closeChan(t, d)
	case OpArrive:
		e.arrive(t, d)
	case OpMet:
		e.met(t, d)
	case OpTimerStart, OpTimerStop, OpTimerReset:
		e.changeTimer(t)
	case OpSleep:
		e.clock += time.Duration(t.old)
	}
	e.noteTime(t, d, early)
	e.lateDue = -1
}

// transfer does the chosen case, which is ready.
func (e *engine) transfer(t *thread, d int32) {
	t.com.how, t.com.mem = Real, nil
	if t.com.taken < 0 {
		return
	}
	c := t.com.cases[t.com.taken]
	ch := e.objs[c.obj].ch
	switch {
	case ch.timer != nil:
		e.fire(t, ch.timer)
	case c.send && ch.closed, !c.send && ch.sent == ch.received:
		ch.edges.closed(t)
	case c.send:
		ch.edges.send(t, ch.sent, ch.cap)
		ch.sent++
		ch.quiet(d, +1)
	default:
		if ch.cap == 0 && !e.meet {
			e.takePost(t, ch, d)
		} else {
			ch.edges.receive(t, ch.received, ch.cap)
		}
		ch.received++
		ch.quiet(d, -1)
	}
}

// quiet counts what happened while there were no events.
func (ch *channel) quiet(d, n int32) {
	if d < 0 {
		ch.base += n
	}
}

// post leaves t's value on an unbuffered channel.
func (e *engine) post(t *thread, d int32) {
	ch := e.objs[t.com.cases[0].obj].ch
	if ch.closed {
		t.com.how = Real
		ch.edges.closed(t)
		return
	}
	t.com.how = Done
	t.signal = -1
	t.releaseTo(&t.com.token)
	ch.posts = append(ch.posts, post{int32(t.id), t.com.cases[0].mem})
	ch.sent++
	ch.quiet(d, +1)
}

// takePost gives t the oldest value that was posted.
func (e *engine) takePost(t *thread, ch *channel, d int32) {
	p := ch.posts[0]
	ch.posts = append(ch.posts[:0], ch.posts[1:]...)
	u := e.threads[p.tid]
	u.signal = max(d, 0)
	t.acquireFrom(&u.com.token)
	t.releaseTo(&u.com.answer)
	t.com.how, t.com.mem = Take, p.mem
}

// closeChan closes a channel. Who has posted a value that nobody took gets the
// panic of a send on a closed channel.
func (e *engine) closeChan(t *thread, d int32) {
	ch := e.objs[t.com.cases[0].obj].ch
	if ch.closed {
		return // panics
	}
	ch.closed = true
	if d < 0 {
		ch.baseClosed = true
	}
	ch.edges.close(t)
	for _, p := range ch.posts {
		u := e.threads[p.tid]
		u.signal = max(d, 0)
		u.com.how = Real
	}
	if len(ch.posts) > 0 {
		ch.posts = ch.posts[:0]
		ch.received = ch.sent
	}
}

// doing names t's operation. What is left of one that took more than one step
// has the name of the whole.
func (t *thread) doing() string {
	switch t.op {
	case OpPosted:
		return OpSend.String()
	case OpArrive, OpMet:
		switch {
		case t.com.def || len(t.com.cases) != 1:
			return OpSelect.String()
		case t.com.cases[0].send:
			return OpSend.String()
		}
		return OpRecv.String()
	}
	return t.op.String()
}

// checkBehind looks, when nothing can run, whether a channel that a thread waits
// for was closed by code that is not rewritten.
func (e *engine) checkBehind() {
	for s := e.gated; s != 0; s &= s - 1 {
		t := e.threads[bits.TrailingZeros64(s)]
		if !t.op.isChan() {
			continue
		}
		for _, c := range t.com.cases {
			if c.obj < 0 || e.objs[c.obj].ch.timer != nil {
				continue
			}
			if o := &e.objs[c.obj]; !o.ch.closed && ChanClosed(o.ptr) {
				e.failure = &Failure{Kind: KindForeign, Message: fmt.Sprintf("%s in %s: the channel was closed behind the checker's back, "+
					"by a goroutine that it did not start or by code that is not rewritten (a context made outside of the check and cancelled inside?)", t.name, t.doing())}
				return
			}
		}
	}
}

// chanBegin notes, before t's operation becomes an event, whether it runs only
// because nothing else can, and which of its choices sleep.
func (e *engine) chanBegin(t *thread) {
	e.lateDue, e.asleep = -1, 0
	if d, ok := e.firstDeadline(t); ok && !e.chanEnabled(t) {
		e.lateDue = d
	}
	if e.reduce && e.selects && t.choosesCase() {
		if e.asleep = e.restingAt(e.depth, t.id); e.asleep != 0 {
			ev := &e.stack[e.depth]
			ev.back |= ev.enabled &^ ev.sleep // see chan_sleepset.go
		}
	}
}
