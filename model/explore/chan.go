package explore

import (
	"fmt"
	"unsafe"

	"github.com/surewake/surewake/model/wire"
)

// A buffered channel keeps its values in the real channel. When the engine has decided that an
// operation runs, the hook does the real operation, which cannot block then. The model of the
// channel consists of numbers: how many values were sent and received, and which accesses there
// were (chan_dependence.go).
//
// A send on an unbuffered channel is two steps:
//
//   1. The sender posts its value, which is always possible. The value stays where the sender left
//      it.
//   2. The sender continues when a receiver has taken the value.
//
// The k-th receive takes the k-th value posted. Nobody can observe whether another goroutine has
// already begun to wait, so this admits the same results as a rendezvous of sender and receiver,
// and orders fewer operations. In a bubble that is quiet one can: see bubble_waits.go. And a
// select can that sends on an unbuffered channel, as this case is ready only if a receiver waits.
// When such a select is first encountered, the exploration starts again, and receivers post that
// they wait (chan_request.go). When a select receives from a channel on which one sends, it
// starts again with real rendezvous (chan_rendezvous.go).

func init() {
	ops[OpSend] = operation{
		name:     wire.OpSend,
		enabled:  (*engine).anyReady,
		deadline: (*engine).firstDeadline,
		accesses: operationAccesses,
		takes:    true,
		apply:    transfer,
		loop:     loopEffect,
	}
	ops[OpRecv] = operation{
		name:     wire.OpReceive,
		enabled:  (*engine).anyReady,
		deadline: (*engine).firstDeadline,
		accesses: operationAccesses,
		takes:    true,
		apply:    transfer,
		loop:     loopEffect,
	}
	ops[OpSelect] = operation{
		name:     wire.OpSelect,
		label:    rendezvousLabel,
		enabled:  (*engine).anyReady,
		choices:  chanChoices,
		deadline: (*engine).firstDeadline,
		accesses: selectAccesses,
		takes:    true,
		apply:    transfer,
		loop:     loopEffect,
	}
	ops[OpPoll] = operation{
		name:     wire.OpSelect,
		choices:  chanChoices,
		accesses: selectAccesses,
		takes:    true,
		apply:    transfer,
		loop:     loopPolls,
	}
	ops[OpPost] = operation{
		name:     "channel send",
		accesses: postAccesses,
		apply:    postValue,
		loop:     loopEffect,
	}
	ops[OpPosted] = operation{
		name:     "channel send (received)",
		enabled:  wasSignalled,
		wokenBy:  signalOf,
		accesses: noAccesses,
		apply:    posted,
		loop:     loopEffect,
		label:    func(*thread) string { return OpSend.String() },
	}
	ops[OpClose] = operation{
		name:     wire.OpClose,
		accesses: closeAccesses,
		apply:    closeChan,
		loop:     loopEffect,
	}
	ops[OpLen] = operation{name: "len of a channel", accesses: lenAccesses}
}

// A Chan identifies a channel and gives what the engine must know of it when it sees it first.
type Chan struct {
	Ptr    unsafe.Pointer // nil for a nil channel
	Cap    int
	Len    int  // values in it; looked at when it is met for the first time
	Closed bool // likewise

	Signals  bool // its values have no size
	Anywhere bool // the operation may come from outside of the bubble to which it belongs
}

// A Case is one of the alternatives of a channel operation.
type Case struct {
	Chan
	Send bool
	// Mem is where the value to send lies, nil if it comes later, or where a sender may put one.
	Mem unsafe.Pointer
	// Unused says that nobody sees the value received.
	Unused bool
}

// A Completion says what the caller of Communicate must do to complete the chosen case.
type Completion uint8

// What the caller of Communicate does.
const (
	OnChannel Completion = iota // the operation on the real channel, which may panic but not block
	CopyFrom                    // copy the value at Mem
	CopyTo                      // copy the value to Mem
	Completed                   // nothing: Mem holds the value received; one sent was taken from it
)

// An Outcome is the result of Communicate: the case that was chosen and how to complete it.
type Outcome struct {
	Case       int // -1 for default
	Completion Completion
	Mem        unsafe.Pointer
}

// channel is the model of one channel, for one execution.
type channel struct {
	known  bool
	closed bool
	// a select has a case that sends on it, that receives from it (chan_request.go)
	selectSends, selectReceives bool
	sends                       bool // outside of a select
	baseClosed                  bool // before the events began
	kind                        int  // ofValues, or ofSignals
	cap                         int32
	base                        int32 // values in it before the events began
	sent                        int32 // values sent so far, those of before included
	received                    int32
	posts                       []post   // unbuffered: posted, not taken
	requests                    []post   // unbuffered: of receivers (chan_request.go)
	closedAt                    int32    // the event that closed it, -1 if none of this execution
	queue                       []waiter // meetings: who waits
	history                     chanHistory
	edges                       edges         // for the race detector
	timer                       *timer        // that fires into it, or nil
	clock                       *virtualClock // it stands for that, or nil
}

// post is a value posted on an unbuffered channel: its sender, where the value lies, and the event,
// which is negative if there is none. Or it is a request for one, and where the value is to lie.
type post struct {
	tid   int32
	mem   unsafe.Pointer
	event int32
}

// pull takes the first post of a list.
func pull(list *[]post) post {
	l := *list
	first := l[0]
	// Not by append or copy: of elements with pointers these report to the race detector.
	for i := range l[1:] {
		l[i] = l[i+1]
	}
	*list = l[:len(l)-1]
	return first
}

// chanCase is a Case with the number of its object.
type chanCase struct {
	obj    int32 // -1 for a nil channel
	send   bool
	unused bool
	mem    unsafe.Pointer
}

// chanOp is a thread's pending or last channel operation.
type chanOp struct {
	cases      []chanCase
	def        bool           // there is a default
	taken      int32          // the case that was chosen, -1 for none
	value      int32          // the choice that this was, among all there were
	queueing   int32          // meetings: the order in which its cases wait
	completion Completion     // what is left to do
	mem        unsafe.Pointer // where
	partner    int32          // who waits for this thread's value, or whose value comes, or -1
	answered   bool           // a request has its answer
	waits      bool           // meetings: an OpMet follows
	shown      bool           // meetings: the picture has a step that took the case
	acc        []access       // of the operation that is being committed
	sent       *uint64        // what the last send on a buffered channel released to, see Sent
	room       *uint64        // likewise, if it had waited in a bubble that was quiet
	made       uint64         // its address stands for the sends to which this thread made room
	token      uint64         // its address stands for what this thread did before it waited
	answer     uint64         // likewise, for what its partner did before that came
}

// channel returns the number of the channel's object, and begins its model at the first use in an
// execution.
func (e *engine) channel(c *Chan) int32 {
	id := e.object(c.Ptr)
	o := &e.objs[id]
	if o.ch == nil {
		o.ch = new(channel)
	}
	if ch := o.ch; !ch.known {
		*ch = channel{
			known: true, closed: c.Closed, baseClosed: c.Closed, kind: kind(c.Signals),
			cap: int32(min(c.Cap, 1<<30)), base: int32(c.Len), sent: int32(c.Len),
			posts: ch.posts[:0], requests: ch.requests[:0], queue: ch.queue[:0], closedAt: -1,
			history: ch.history, edges: ch.edges,
		}
		ch.history.clear()
		e.find(id, c.Ptr, aChannel, ch.shared())
	}
	return id
}

// Communicate is the scheduling point of a send, a receive or a select. It returns when one of the
// cases has been chosen, or immediately with Case -1 if def is set and the search chooses default.
// The caller completes the case as the Outcome says. It reports false outside of an execution.
func Communicate(cases []Case, def bool) (Outcome, bool) {
	if !InExecution() {
		return Outcome{}, false
	}
	e := eng
	if e.aborting {
		panic(abort{})
	}
	t := e.cur
	t.chanOp.cases, t.chanOp.def, t.chanOp.partner = t.chanOp.cases[:0], def, -1
	selects := isSelect(cases, def)
	e.selects = e.selects || selects && len(cases) > 0 || e.rendezvous.any()
	var p unsafe.Pointer
	unbuffered, queued := false, false
	for i := range cases {
		c := chanCase{-1, cases[i].Send, cases[i].Unused, cases[i].Mem}
		if ptr := cases[i].Ptr; ptr != nil {
			c.obj = e.channel(&cases[i].Chan)
			if !cases[i].Anywhere {
				e.mustBelong(t, c.obj, communicates(cases[i].Send, len(cases)))
			}
			if p == nil {
				p = ptr
			}
			if e.isUnbuffered(c, selects) {
				unbuffered, queued = true, queued || e.queues(e.objs[c.obj].ch)
			}
		}
		t.chanOp.cases = append(t.chanOp.cases, c)
	}
	if e.wantRequests.any() || e.wantRendezvous.any() {
		// nobody sees it: the exploration starts again
		e.fail(KindLimit, "a select sends on an unbuffered channel")
	}
	at := e.callSite()
	switch {
	case queued:
		enterRendezvous(t, p, at)
	case def:
		Enter(p, OpPoll)
	case selects:
		Enter(p, OpSelect)
	case !cases[0].Send && unbuffered && e.requests[e.objs[t.chanOp.cases[0].obj].ch.kind]:
		Enter(p, OpRequest)
		SetCallSite(at)
		Enter(p, OpGot)
	case !cases[0].Send:
		Enter(p, OpRecv)
	case unbuffered:
		if Enter(p, OpPost); t.chanOp.completion != OnChannel {
			SetCallSite(at)
			Enter(p, OpPosted)
		}
	default:
		Enter(p, OpSend)
	}
	SetCallSite(nil) // which is still there if there was no event
	return Outcome{int(t.chanOp.taken), t.chanOp.completion, t.chanOp.mem}, true
}

// isSelect reports whether the cases are those of a select. The only one of a select is so too, if
// it is a send, whose value comes when it is decided.
func isSelect(cases []Case, def bool) bool {
	return def || len(cases) != 1 || cases[0].Send && cases[0].Mem == nil
}

// Sent follows the real operation of a send on a buffered channel, before anything else runs. The
// race detector takes that operation for a read of the channel, and its close for a write; the read
// has to come before what follows the receive of the value, too. And in Go who waits has done it
// before: if that is known to the thread that made room, a close by it comes after the read.
//
//go:noinline
func Sent() {
	t := eng.cur
	t.releaseTo(t.chanOp.sent)
	if t.chanOp.room != nil {
		t.releaseTo(t.chanOp.room)
	}
}

// Close is the scheduling point before close of a channel. It reports false outside of an
// execution.
func Close(c Chan) bool { return enterChan(c, OpClose) }

// Closed follows the real close, before anything else runs: the write that the race detector takes
// it for has to come before what follows a receive that returns because of it.
//
//go:noinline
func Closed() {
	t := eng.cur
	t.releaseTo(&eng.objs[t.chanOp.cases[0].obj].ch.edges.done)
}

// Len is the scheduling point before len of a channel. It reports false outside of an execution.
func Len(c Chan) bool { return enterChan(c, OpLen) }

func enterChan(c Chan, op Op) bool {
	if !InExecution() {
		return false
	}
	e := eng
	if e.aborting {
		panic(abort{})
	}
	t := e.cur
	t.chanOp.cases = append(t.chanOp.cases[:0], chanCase{obj: e.channel(&c)})
	if op == OpClose {
		e.mustBelong(t, t.chanOp.cases[0].obj, "close of synctest channel")
	}
	return Enter(c.Ptr, op)
}

// checkUncontrolledClose is called when nothing can run. It fails the execution if a channel that a
// thread waits for was closed by code that is not rewritten.
func (e *engine) checkUncontrolledClose() {
	for i := e.gated.first(); i >= 0; i = e.gated.next(i + 1) {
		t := e.threads[i]
		if !t.op.isChan() {
			continue
		}
		for _, c := range t.chanOp.cases {
			if c.obj < 0 || e.objs[c.obj].ch.timer != nil {
				continue
			}
			if o := &e.objs[c.obj]; !o.ch.closed && ChanClosed(o.ptr) {
				e.failure = &Failure{Kind: KindUncontrolled, Message: fmt.Sprintf(
					"%s in %s: the channel was closed behind the checker's back, "+
						"by a goroutine that it did not start or by code that is not rewritten "+
						"(a context made outside of the check and cancelled inside?)",
					t.name, t.doing())}
				return
			}
		}
	}
}
