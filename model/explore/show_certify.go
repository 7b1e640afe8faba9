package explore

import (
	"fmt"
	"strings"
)

// With Config.Certify the executions are written down for a program that does not trust the search
// (model/certify, whose page describes the text). Only facts are written: which thread did what to
// which object, and with which outcome. What depends on what is for the other program to find out.
// While executions are written down, every operation after the first go statement is an event.

// certificate is the text of the executions so far.
type certificate struct {
	text    strings.Builder
	lines   []string // of this execution
	count   int      // executions written
	refused string   // why there is none
}

// maxCertified and maxCertificate bound what is written.
const (
	maxCertified   = 200_000   // executions
	maxCertificate = 512 << 20 // bytes
)

var certifyNames = map[Op]string{
	OpLoad: "load", OpStore: "store", OpSwap: "swap", OpAdd: "add", OpAnd: "and", OpOr: "or",
	OpCAS: "cas", OpLock: "lock", OpUnlock: "unlock", OpTryLock: "trylock",
	OpRWAnnounce: "rwannounce", OpRWLock: "rwlock", OpRWUnlock: "rwunlock", OpRLock: "rlock",
	OpRUnlock: "runlock", OpWGAdd: "wgadd", OpWGLook: "wglook", OpWGWait: "wgwait",
	OpOnce: "once", OpOnceDone: "oncedone", OpCondAdd: "condadd", OpCondWait: "condwait",
	OpCondSignal: "signal", OpCondBroadcast: "broadcast", OpNow: "now", OpSpin: "spin",
	OpJoin: "join", OpChoose: "choose", OpCall: "call", OpReturn: "return",
	OpFutexWait: "futexwait", OpFutexSleep: "futexsleep", OpFutexEarly: "futexend",
	OpFutexWake: "futexwake",
}

// begin forgets the execution before.
func (c *certificate) begin() { c.lines = c.lines[:0] }

func (c *certificate) add(format string, args ...any) {
	c.lines = append(c.lines, fmt.Sprintf(format, args...))
}

// started notes that p starts t.
func (c *certificate) started(p, t *thread, joined bool) {
	c.add("go %d %d %d %v", t.id, p.id, t.prev, joined)
}

// event notes the event at depth d, which t has just committed.
func (c *certificate) event(e *engine, t *thread, ev *event, d int32) {
	if ev.idle == tiredRan {
		c.refused = "iterations of a loop that waits were left out"
	}
	out := "-"
	switch t.op {
	case OpCAS, OpTryLock, OpOnce:
		out = "fails"
		if ev.class == write {
			out = "succeeds"
		}
	case OpChoose:
		out = fmt.Sprint(ev.choice)
	case OpCondSignal, OpCondBroadcast, OpFutexWake:
		for _, u := range e.threads[:e.n] {
			if u.signal == d {
				out = strings.TrimPrefix(out+","+fmt.Sprint(u.id), "-,")
			}
		}
	case OpFutexWait:
		out = []string{"sleeps", "timeout", "signal"}[t.chosen]
		if t.futex == FutexMismatch {
			out = "mismatch"
		}
	case OpFutexSleep:
		if out = "woken"; ev.source < 0 {
			out = "forced"
		}
	}
	c.add("%d %s %s", t.id, out, c.operation(t, ev.arg))
}

// operation describes t's operation, which has the operand operand, without its outcome.
func (c *certificate) operation(t *thread, operand int64) string {
	name := certifyNames[t.op]
	if name == "" {
		return "unknown " + strings.ReplaceAll(t.op.String(), " ", "_")
	}
	var b strings.Builder
	b.WriteString(name)
	arg := func(v any) { fmt.Fprintf(&b, " %v", v) }
	if t.obj >= 0 {
		arg(t.obj)
	}
	switch t.op {
	case OpChoose:
		arg(t.choices)
	case OpWGAdd:
		arg(int32(operand))
	case OpFutexWait:
		arg(t.deadline != noDeadline)
	case OpFutexWake:
		arg(operand)
	case OpSpin:
		for _, w := range t.spin.watch {
			arg(w.event)
		}
	}
	return b.String()
}

// blocked notes what the threads that wait forever do. It is called before they are unwound.
func (c *certificate) blocked(e *engine) {
	for i := e.gated.first(); i >= 0; i = e.gated.next(i + 1) {
		t := e.threads[i]
		c.add("stuck %d %s", t.id, c.operation(t, 0))
	}
}

// ended writes down an execution that has ended.
func (c *certificate) ended(e *engine, how ending) {
	switch {
	case how == pruned || c.refused != "":
		return
	case how == failed:
		c.refused = "an execution failed"
	case c.count == maxCertified || c.text.Len() > maxCertificate:
		c.refused = fmt.Sprintf("more than %d executions or %d bytes", c.count, maxCertificate)
	case e.wantOrderAdds || e.wantOrderDones || e.orderAdds || e.orderDones:
		c.refused = "a WaitGroup of which additions must be ordered"
	}
	if c.refused != "" {
		c.text.Reset()
		return
	}
	c.text.WriteString("= trace\n")
	for i := range e.nobjs {
		if o := &e.objs[i]; o.adds && o.base != 0 {
			fmt.Fprintf(&c.text, "group %d %d\n", i, o.base)
		}
	}
	for _, l := range c.lines {
		c.text.WriteString(l + "\n")
	}
	c.count++
}

// finishCertificate completes the result.
func (e *engine) finishCertificate() {
	c, r := e.certificate, &e.res
	if c == nil {
		return
	}
	if e.cfg.TimePasses && c.refused == "" {
		c.refused = "time passed while goroutines could run"
	}
	if c.refused == "" && r.Bounded != "" {
		c.refused = "not everything was explored: " + r.Bounded
	}
	if c.refused != "" {
		r.Certificate = "refused " + c.refused + "\n"
		return
	}
	r.Certificate = fmt.Sprintf("early %d\n%send %d\n",
		e.cfg.EarlyTimeouts, c.text.String(), c.count)
}
