package main

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
)

// book numbers the events of all traces: those with the same past and outcome have one number.
type book struct {
	early   int // how many futex waits of an execution may end early
	numbers map[string]int
	facts   []fact          // by number
	checked map[string]bool // configurations
	next    map[int]string  // by event: what its thread does next
}

type fact struct {
	out     string
	past    []int   // the last events of the threads in its past
	nexts   []int   // the next events of its thread
	traces  []int32 // that contain it
	checked bool
}

// identify numbers e, whose past is known.
func (b *book) identify(tr *trace, e *event) {
	past := e.clock
	past[e.t]--
	front := tr.front(past)
	k := key(front) + "\x00" + tr.threads[e.t].name + " " + e.out + " " + tr.what(e)
	id, known := b.numbers[k]
	if !known {
		id = len(b.facts)
		b.numbers[k], b.facts = id, append(b.facts, fact{out: e.out, past: front})
	}
	e.id = id
	if e.i > 0 {
		before := b.comesNext(tr, e)
		if !known {
			before.nexts = append(before.nexts, id)
		}
	}
}

func key(ids []int) string {
	var b []byte
	for _, id := range ids {
		b = binary.AppendUvarint(b, uint64(id))
	}
	return string(b)
}

// comesNext holds what the thread of e does next to what it does in other traces, and returns the
// event before e.
func (b *book) comesNext(tr *trace, e *event) *fact {
	last, what := tr.threads[e.t].events[e.i-1], tr.what(e)
	if old, ok := b.next[last.id]; ok && old != what {
		c := &configuration{trace: tr, cut: last.clock}
		c.refute(e, "with the same past it does %s in another trace", old)
	}
	b.next[last.id] = what
	return &b.facts[last.id]
}

// inTrace reports whether one of the traces contains all of these events.
func (b *book) inTrace(ids []int) bool {
	rarest := slices.MinFunc(ids, func(i, j int) int {
		return len(b.facts[i].traces) - len(b.facts[j].traces)
	})
	return slices.ContainsFunc(b.facts[rarest].traces, func(k int32) bool {
		return !slices.ContainsFunc(ids, func(id int) bool {
			_, ok := slices.BinarySearch(b.facts[id].traces, k)
			return !ok
		})
	})
}

// configuration is a set of events of a trace that with an event contains its past: all of them, or
// those that are left if late and all that happens after it are taken out.
type configuration struct {
	*trace
	cut
	late *event
}

// front returns the last events of a configuration, in an order that is the same in all traces.
func (tr *trace) front(c cut) (ids []int) {
	for t, th := range tr.threads {
		if c[t] > 0 {
			ids = append(ids, th.events[c[t]-1].id)
		}
	}
	slices.Sort(ids)
	return ids
}

// closed checks the condition of the theorem for the configurations of a trace.
func (tr *trace) closed() {
	for _, late := range append([]*event{nil}, tr.order...) {
		c := &configuration{trace: tr, late: late}
		for _, e := range tr.order {
			if late == nil || !e.clock.has(late) {
				c.cut[e.t]++
			}
		}
		k := key(tr.front(c.cut))
		for t, th := range tr.threads {
			if n := c.cut[t]; n > 0 && !tr.book.checked[k] {
				c.continues(append(th.events[:len(th.events):len(th.events)], th.last)[n])
			}
		}
		tr.book.checked[k] = true
	}
	for _, e := range tr.order { // each step is possible after its past
		if fact := &tr.book.facts[e.id]; e.i > 0 && !fact.checked {
			fact.checked = true
			c := &configuration{trace: tr, cut: e.clock}
			c.cut[e.t]--
			c.continues(e)
		}
	}
}

// continues checks that the next operation of a thread is known with every outcome that it can have
// in the configuration, and with no other.
func (c *configuration) continues(e *event) {
	outs, facts, front := map[string]bool{}, c.book.facts, c.front(c.cut)
	outside := func(id int) bool { return c.byID[id] == nil || !c.has(c.byID[id]) }
	for _, id := range facts[c.threads[e.t].events[e.i-1].id].nexts {
		if !slices.ContainsFunc(facts[id].past, outside) && c.book.inTrace(append(front, id)) {
			outs[facts[id].out] = true
		}
	}
	if outs["forced"] {
		return // nothing else can run
	}
	for _, w := range c.options(e, outs) {
		if !outs[w] {
			c.refute(e, "no trace begins like this, with the outcome %q", w)
		}
		delete(outs, w)
	}
	for o := range outs {
		c.refute(e, "a trace has the outcome %q, which cannot happen there", o)
	}
}

// taken and reading count the holders of a lock, by the operations that have happened.
var (
	taken = map[string]int{"lock": 1, "trylock": 1, "unlock": -1, "once": 1, "oncedone": -1,
		"rwannounce": 1, "rwunlock": -1}
	reading = map[string]int{"rlock": 1, "runlock": -1}
)

func (c *configuration) sum(o string, weight map[string]int) (n int) {
	for i, f := range c.on[o] {
		fails := f.out == "fails"
		if i == 0 && (f.op == "unlock" || f.op == "trylock" && fails) {
			n++ // it was taken before the first step
		}
		if c.has(f) && !fails {
			n += weight[f.op]
		}
		if c.has(f) && f.op == "wgadd" {
			n += num(f.args[1])
		}
	}
	return n
}

// options returns the outcomes that the operation can have: none if it cannot happen. outs are
// those that traces show; of operations that choose nothing one is as good as another.
func (c *configuration) options(e *event, outs map[string]bool) (want []string) {
	open := true
	switch e.op {
	case "end":
		open = false
	case "lock": // a lock on which nothing happens was taken before
		open = len(c.on[e.args[0]]) > 0 && c.sum(e.args[0], taken) == 0
	case "once", "rwannounce", "rlock":
		open = c.sum(e.args[0], taken) == 0
	case "rwlock":
		open = c.sum(e.args[0], reading) == 0
	case "wgwait":
		open = c.groups[e.args[0]]+c.sum(e.args[0], nil) == 0
	case "join", "spin", "condwait", "futexsleep":
		gates, can := c.gates(e)
		open = can && !slices.ContainsFunc(gates, func(f *event) bool { return !c.has(f) })
	case "choose":
		for i := range num(e.args[0]) {
			want = append(want, strconv.Itoa(i))
		}
	case "signal", "futexwake": // one of those who wait, if there are several
		who := c.waiters(e.args[0])
		if len(who) > 1 && (e.op == "signal" || e.args[1] == "1") {
			want = who
		}
	case "futexwait":
		if !outs["mismatch"] {
			want = c.ends(e)
		}
	}
	if open && want == nil {
		want = []string{"-"}
		for o := range outs {
			want[0] = o
		}
	}
	return want
}

// ends returns how a futex wait can end, which the operation e begins.
func (c *configuration) ends(e *event) []string {
	left := c.book.early
	for _, f := range c.order {
		if c.has(f) && (f.out == "timeout" || f.out == "signal") {
			left--
		}
	}
	switch {
	case left <= 0:
		return []string{"sleeps"}
	case e.args[1] == "false": // it has no timeout
		return []string{"sleeps", "signal"}
	}
	return []string{"sleeps", "signal", "timeout"}
}

// waiters returns the threads that wait for a Cond or a futex.
func (c *configuration) waiters(o string) (who []string) {
	for _, f := range c.order {
		th := c.threads[f.t]
		switch on := f.kind != "" && f.args[0] == o; {
		case !c.has(f):
		case on && (f.op == "condadd" || f.op == "futexwait" && f.out != "mismatch"):
			who = append(who, th.name)
		case on && f.op == "futexend" || f.out == "forced":
			who = slices.DeleteFunc(who, func(name string) bool { return name == th.name })
		case on && wakes[f.op]:
			who = slices.DeleteFunc(who, func(name string) bool {
				return slices.Contains(strings.Split(f.out, ","), name)
			})
		}
	}
	return who
}
