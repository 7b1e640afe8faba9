package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// event is a step of a trace, or the birth of a thread, which is its first event.
type event struct {
	t, i  int      // its thread, and its number there
	op    string   // what it does
	args  []string // to what
	out   string   // which of several outcomes it has
	kind  string   // of what it does to the object args[0]: see dependent; "" if to none
	clock cut      // by thread: how many of its events happen before this one, or are it
	id    int      // the same for the events of all traces that have the same past and outcome
}

// cut has a number of events for each thread.
type cut [64]int

func (c *cut) has(e *event) bool { return e.i < c[e.t] }

// kinds gives the kind of each operation on an object, or two: the second is for the outcome
// "fails".
var kinds = map[string]string{
	"load": "r", "store": "w", "swap": "w", "add": "w", "and": "w", "or": "w", "cas": "wr",
	"lock": "w", "unlock": "w", "trylock": "wr", "once": "wr", "oncedone": "w",
	"rlock": "r", "runlock": "l", "rwannounce": "n", "rwlock": "w", "rwunlock": "w",
	"condadd": "w", "signal": "w", "broadcast": "w", "wgadd": "a", "wgwait": "r",
	"futexwait": "r", "futexwake": "w", "futexend": "w", "call": "r", "return": "a",
	"now":    "r",
	"wglook": "", "join": "", "choose": "", "spin": "", "condwait": "", "futexsleep": "",
}

// dependent lists the kinds of operations on one object that do not commute: r reads, w changes and
// reads, a adds, n announces a writer to readers, l is the end of a reader.
const dependent = "rw wr ww ra ar wa aw wl lw al la wn nw nn an na nr rn"

// wakes has the operations whose outcome names the threads that they wake.
var wakes = map[string]bool{"signal": true, "broadcast": true, "futexwake": true}

// follow makes f, and what happens before it, happen before e.
func (e *event) follow(f *event) {
	for t, n := range f.clock {
		e.clock[t] = max(e.clock[t], n)
	}
}

func (e *event) String() string { return strings.Join(append([]string{e.op}, e.args...), " ") }

type thread struct {
	name   string // the same in all traces: that of its parent, and which child it is
	events []*event
	last   *event // what it waits for at the end, or "end"
	parent int
	born   int  // how many events of its parent come before its own
	joined bool // Join of its parent waits for it
	births int  // of its children
}

// trace is one execution.
type trace struct {
	book    *book
	threads []*thread
	order   []*event // all, in the order of the file
	steps   []*event // without births
	byID    map[int]*event
	on      map[string][]*event
	groups  map[string]int // counters of WaitGroups before the first step
}

// read makes a trace of its text.
func read(b *book, text string) *trace {
	tr := &trace{book: b, byID: map[int]*event{},
		on: map[string][]*event{}, groups: map[string]int{}}
	tr.threads = []*thread{{name: "main"}}
	tr.add(&event{op: "main"})
	for l := range strings.SplitSeq(text, "\n") {
		switch f := strings.Split(l, " "); f[0] {
		case "":
		case "group":
			tr.groups[f[1]] = num(f[2])
		case "go":
			if len(tr.threads) == len(cut{}) {
				refuse("more than %d goroutines", len(cut{}))
			}
			e, p := &event{t: num(f[1]), op: "go"}, tr.threads[num(f[2])]
			p.births++
			tr.threads = append(tr.threads, &thread{name: fmt.Sprint(p.name, ".", p.births),
				parent: num(f[2]), born: len(p.events), joined: f[4] == "true"})
			e.follow(p.events[0])
			if step := num(f[3]); step >= 0 {
				e.follow(tr.steps[step])
			}
			tr.add(e)
		case "stuck":
			e := &event{op: f[2], args: f[3:]}
			if _, known := kinds[e.op]; !known {
				refuse("the verifier does not know the operation %v", e)
			}
			tr.threads[num(f[1])].last = e
		default:
			tr.step(&event{t: num(f[0]), out: f[1], op: f[2], args: f[3:]})
		}
	}
	for _, e := range tr.order {
		moves := func(f *event) bool { return f.out == "timeout" && f.t != e.t }
		if e.op == "now" && slices.ContainsFunc(tr.order, moves) {
			refuse("time.Now beside an early timeout of another thread, which moves the clock")
		}
	}
	for t, th := range tr.threads {
		if th.last == nil {
			th.last = &event{op: "end"}
		}
		th.last.t, th.last.i = t, len(th.events)
		b.comesNext(tr, th.last)
	}
	return tr
}

// step adds the next event.
func (tr *trace) step(e *event) {
	kind, known := kinds[e.op]
	e.i, e.kind = len(tr.threads[e.t].events), kind
	switch {
	case !known, e.op == "wgadd" && num(e.args[1]) > 0:
		refuse("the verifier does not know the operation %v", e)
	case len(kind) == 2:
		e.kind = kind[:1]
		if e.out == "fails" {
			e.kind = kind[1:]
		}
	case wakes[e.op] && e.out != "-":
		who := strings.Split(e.out, ",")
		for i := range who {
			who[i] = tr.threads[num(who[i])].name
		}
		slices.Sort(who)
		e.out = strings.Join(who, ",")
	}
	e.follow(tr.threads[e.t].events[e.i-1])
	gates, _ := tr.gates(e)
	for _, f := range gates {
		e.follow(f)
	}
	if e.kind != "" {
		for _, f := range tr.on[e.args[0]] {
			if !e.clock.has(f) && strings.Contains(dependent, e.kind+f.kind) {
				e.follow(f)
			}
		}
		tr.on[e.args[0]] = append(tr.on[e.args[0]], e)
	}
	tr.steps = append(tr.steps, e)
	tr.add(e)
}

func (tr *trace) add(e *event) {
	e.clock[e.t] = e.i + 1
	tr.book.identify(tr, e)
	tr.threads[e.t].events = append(tr.threads[e.t].events, e)
	tr.order, tr.byID[e.id] = append(tr.order, e), e
}

// what describes an operation without its outcome. An object has as its name the event of the
// thread that used it first.
func (tr *trace) what(e *event) string {
	if kinds[e.op] == "" {
		return e.op
	}
	first := slices.IndexFunc(tr.threads[e.t].events, func(f *event) bool {
		return f.kind != "" && f.args[0] == e.args[0]
	})
	return fmt.Sprint(e.op, e.args[1:], first)
}

// gates returns events without which e cannot happen, beside those that it depends on by its
// object, and whether it can happen at all.
func (tr *trace) gates(e *event) (out []*event, open bool) {
	open = true
	th := tr.threads[e.t]
	before := th.events[e.i-1]
	switch {
	case e.out == "forced":
		return tr.order, true
	case e.op == "spin":
		return tr.changes(e, before)
	case e.op == "join":
		for _, c := range tr.threads {
			if c.joined && c.parent == e.t && c.born <= e.i {
				out = append(out, c.events[len(c.events)-1])
				open = open && (c.last == nil || c.last.op == "end")
			}
		}
	case e.op == "condwait" || e.op == "futexsleep":
		for before.op != "condadd" && before.op != "futexwait" {
			before = th.events[before.i-1]
		}
		for _, f := range tr.on[before.args[0]] {
			if out == nil && wakes[f.op] && f.clock.has(before) &&
				slices.Contains(strings.Split(f.out, ","), th.name) {
				out = []*event{f}
			}
		}
		open = out != nil
	}
	return out, open
}

// changes returns the first change, by another thread, of what an iteration of a loop has read.
func (tr *trace) changes(e, before *event) (first []*event, open bool) {
	for _, f := range tr.order {
		changes := f.t != e.t && slices.ContainsFunc(e.args, func(step string) bool {
			read := tr.steps[num(step)]
			return strings.Trim(f.kind, "r") != "" && f.args[0] == read.args[0] && f.clock.has(read)
		})
		switch {
		case changes && before.clock.has(f):
			return nil, true
		case changes && first == nil:
			first = []*event{f}
		case changes && !f.clock.has(first[0]):
			refuse("a loop waits for one of several changes")
		}
	}
	return first, first != nil
}

func num(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		refuse("%q is no number", s)
	}
	return n
}
