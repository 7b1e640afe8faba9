package explore

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// With Config.Certify the executions are written down for a program that does not trust the search
// (model/certify, whose page describes the text). Only facts are written: which thread did what to
// which object, and with which outcome. What depends on what is for the other program to find out.
// While executions are written down, every operation after the first go statement is an event.

// certificate is the text of the executions so far.
type certificate struct {
	text    strings.Builder
	count   int    // executions written
	refused string // why there is none

	// Of this execution.

	lines  []string
	shown  []shownThread // by thread
	places []int         // by depth: the number of the event in its thread
	met    map[int32]bool
}

// shownThread is what the text says of a thread.
type shownThread struct {
	name     string // the same in all executions: that of its parent, and which child it is
	group    string // the object that its parent's Join waits for
	children int
	events   int
	cond     int32 // the Cond that it waits for
}

// maxCertified and maxCertificate bound what is written.
const (
	maxCertified   = 20_000   // executions
	maxCertificate = 64 << 20 // bytes
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
func (c *certificate) begin() {
	c.lines, c.places, c.met = c.lines[:0], c.places[:0], map[int32]bool{}
	c.shown = append(c.shown[:0], shownThread{name: "main", group: "-"})
}

func (c *certificate) add(t *thread, out, operation string) {
	u := &c.shown[t.id]
	u.events++
	c.lines = append(c.lines, fmt.Sprintf("%s %s %s", u.name, out, operation))
}

// refuse says why there is no certificate, unless something else did before.
func (c *certificate) refuse(why string) {
	if c.refused == "" {
		c.refused = why
	}
}

// started notes that p starts t.
func (c *certificate) started(p, t *thread, joined bool) {
	for len(c.shown) <= t.id {
		c.shown = append(c.shown, shownThread{})
	}
	u := &c.shown[p.id]
	u.children++
	child := shownThread{name: fmt.Sprintf("%s.%d", u.name, u.children), group: "-"}
	if joined {
		child.group = "join@" + u.name
	}
	c.shown[t.id] = child
	c.add(p, "-", fmt.Sprintf("go,%s %s", child.name, child.group))
}

// exited notes that the function of t has ended.
func (c *certificate) exited(t *thread) {
	c.add(t, "-", "end "+c.shown[t.id].group)
}

// event notes the event ev, which t has just committed.
func (c *certificate) event(e *engine, t *thread, ev *event, d int32) {
	if ev.idle == tiredRan {
		c.refused = "iterations of a loop that waits were left out"
	}
	if t.obj >= 0 && len(e.overlapping(t.obj)) > 0 {
		c.refused = "atomic words of different sizes overlap"
	}
	c.places = append(c.places, c.shown[t.id].events)
	out := "-"
	switch t.op {
	case OpCAS, OpTryLock, OpOnce:
		out = "fails"
		if ev.class == write {
			out = "succeeds"
		}
	case OpChoose:
		out = fmt.Sprint(ev.choice)
	case OpCondAdd:
		c.shown[t.id].cond = t.obj
	case OpCondSignal, OpCondBroadcast, OpFutexWake:
		var who []string
		for _, u := range e.threads[:e.n] {
			if u.signal == d {
				who = append(who, c.shown[u.id].name)
			}
		}
		if len(who) > 0 {
			slices.Sort(who)
			out = strings.Join(who, ",")
		}
	case OpFutexWait:
		out = []string{"sleeps", "timeout", "signal"}[t.chosen]
		if t.futex == FutexMismatch {
			out = "fails"
		}
	case OpFutexSleep:
		if out = "woken"; ev.source < 0 {
			out = "forced"
		}
	}
	c.meet(e, t, out)
	c.add(t, out, c.operation(t, ev.arg)+c.moreObjects(t, out))
}

// moreObjects returns the objects that t's operation uses because of its outcome out: the sleeps
// that it ends, an early end, and the clock if that may move.
func (c *certificate) moreObjects(t *thread, out string) (text string) {
	name := c.shown[t.id].name
	switch t.op {
	case OpCondSignal, OpCondBroadcast, OpFutexWake:
		if out != "-" {
			for who := range strings.SplitSeq(out, ",") {
				text += fmt.Sprintf(" %d@%s", t.obj, who)
			}
		}
	case OpFutexWait:
		switch out {
		case "signal":
			return " early"
		case "timeout":
			return " early clock"
		}
	case OpFutexSleep:
		if out == "forced" {
			return fmt.Sprintf(" %d@%s", t.queue, name)
		}
	case OpFutexEarly:
		if t.futex != FutexWoken {
			return fmt.Sprintf(" %d@%s", t.obj, name)
		}
	}
	return text
}

// meet notes the counters of t's object before its first use, which has the outcome out.
func (c *certificate) meet(e *engine, t *thread, out string) {
	if t.obj < 0 || c.met[t.obj] {
		return
	}
	c.met[t.obj] = true
	o := &e.objs[t.obj]
	start, readers := false, int32(0)
	switch t.op {
	case OpUnlock, OpOnceDone, OpRWLock, OpRWUnlock:
		start = true
	case OpLock:
		start = out == "stuck"
	case OpTryLock:
		start = out == "fails"
	case OpOnce:
		start = out == "stuck"
	case OpRWAnnounce:
		start, readers = out == "stuck", o.count
	case OpRLock:
		start, readers = out == "stuck", o.count
		if !start {
			readers--
		}
	case OpRUnlock:
		start, readers = o.state != 0, o.count+1
	}
	if start {
		c.lines = append(c.lines, fmt.Sprintf("start %d 1", t.obj))
	}
	if readers != 0 {
		c.lines = append(c.lines, fmt.Sprintf("start %dr %d", t.obj, readers))
	}
	if o.adds && o.base != 0 {
		c.lines = append(c.lines, fmt.Sprintf("start %d %d", t.obj, o.base))
	}
}

// operation describes t's operation, which has the operand operand, without its outcome: its name
// and numbers, and its objects.
func (c *certificate) operation(t *thread, operand int64) string {
	name, u := certifyNames[t.op], &c.shown[t.id]
	if name == "" {
		return "unknown:" + strings.ReplaceAll(t.op.String(), " ", "_") + " -"
	}
	switch t.op {
	case OpNow:
		return "now clock"
	case OpChoose:
		return fmt.Sprintf("choose,%d -", t.choices)
	case OpWGAdd:
		if n := int32(operand); n < 0 {
			return fmt.Sprintf("wgdone,%d %d", -int64(n), t.obj)
		}
		return fmt.Sprintf("wgadd,%d %d", int32(operand), t.obj)
	case OpRLock, OpRWLock:
		return fmt.Sprintf("%s %d %dr", name, t.obj, t.obj)
	case OpRUnlock:
		return fmt.Sprintf("%s %dr", name, t.obj)
	case OpCondAdd:
		return fmt.Sprintf("condadd %d %d@%s", t.obj, t.obj, u.name)
	case OpCondWait:
		return fmt.Sprintf("condwait %d@%s", u.cond, u.name)
	case OpCondSignal:
		return fmt.Sprintf("signal,1 %d", t.obj)
	case OpCondBroadcast:
		return fmt.Sprintf("broadcast,%d %d", math.MaxInt32, t.obj)
	case OpFutexWait:
		ends := 2 // it is woken, or a signal ends it
		if t.deadline != noDeadline {
			ends = 3
		}
		return fmt.Sprintf("futexwait,%d %d %d@%s", ends, t.obj, t.obj, u.name)
	case OpFutexSleep:
		return fmt.Sprintf("futexsleep %d@%s", t.queue, u.name)
	case OpFutexWake:
		return fmt.Sprintf("futexwake,%d %d", operand, t.obj)
	case OpSpin:
		for _, w := range t.spin.watch {
			name += fmt.Sprintf(",%d", c.places[w.event])
		}
	case OpJoin:
		return "join join@" + u.name
	}
	if t.obj < 0 {
		return name + " -"
	}
	return fmt.Sprintf("%s %d", name, t.obj)
}

// blocked notes what the threads that wait forever do. It is called before they are unwound.
func (c *certificate) blocked(e *engine) {
	for i := e.gated.first(); i >= 0; i = e.gated.next(i + 1) {
		t := e.threads[i]
		c.meet(e, t, "stuck")
		c.add(t, "stuck", c.operation(t, 0))
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
