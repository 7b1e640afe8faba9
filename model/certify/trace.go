package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// event is a step of a trace, or what a thread waits for at the end.
type event struct {
	trace            *trace
	t                string   // its thread
	i                int      // its number there
	before           *event   // of its thread, or the birth of that
	op, out          string   // what it does, and which of several outcomes it has
	numbers, objects []string // with what
	uses             []use    // of the objects
	clock            cut      // the events that happen before it, and itself
	id               int      // the same in all traces for the same past and outcome
}

func (e *event) String() string { return fmt.Sprint(e.t, " does ", e.op, e.numbers, e.objects) }

// cut is a set of events: by thread, how many of the first ones.
type cut map[string]int

func (c cut) has(e *event) bool { return e.i < c[e.t] }

// hasPast reports whether e can come right after c.
func (c cut) hasPast(e *event) bool {
	for t, n := range e.clock {
		if t != e.t && n > c[t] {
			return false
		}
	}
	return true
}

type trace struct {
	*book
	threads map[string][]*event
	births  map[string]*event // by which threads began
	order   []*event          // all that has happened
	byID    map[int]*event
	on      map[string][]use // by object
}

type book struct {
	early   int               // how many futex waits of an execution may end early
	what    map[string]string // by place: what is done there
	ids     map[string]int    // by past, thread and outcome
	same    map[int][]*event  // by number, one of each trace
	checked map[string]bool   // configurations
}

func read(b *book, text string) *trace {
	begin := &event{i: -1}
	begin.trace = &trace{b, map[string][]*event{}, map[string]*event{"main": begin}, nil,
		map[int]*event{0: begin}, map[string][]use{}}
	tr := begin.trace
	b.same[0] = append(b.same[0], begin)
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if f[0] == "start" {
			tr.on[f[1]] = []use{{begin, f[1], "_", num(f[2]), false}}
			continue
		}
		op := strings.Split(f[2], ",")
		tr.add(&event{trace: tr, t: f[0], i: len(tr.threads[f[0]]), out: f[1], op: op[0],
			numbers: op[1:], objects: f[3:], clock: cut{}})
	}
	return tr
}

// add adds the next event, which follows those that it depends on.
func (tr *trace) add(e *event) {
	if e.before = tr.births[e.t]; e.i > 0 {
		e.before = tr.threads[e.t][e.i-1]
	}
	e.apply()
	switch e.follow(e.before); {
	case e.out == "forced":
		for _, f := range tr.order {
			e.follow(f)
		}
	case e.op == "spin" && tr.change(e) != nil:
		e.follow(tr.change(e))
	case e.op == "go":
		tr.births[e.numbers[0]] = e
	}
	for _, u := range e.uses {
		for _, v := range tr.on[u.object] {
			switch pair := u.kind + v.kind; {
			case strings.Contains("rtr", pair) && u.t != v.t:
				refuse("time.Now beside an early timeout of another thread, which moves the clock")
			case strings.Contains(dependent, pair):
				e.follow(v.event)
			}
		}
	}
	place := fmt.Sprint(e.before.id, " ", e.t)
	what := fmt.Sprint(e.op, e.numbers, slices.IndexFunc(tr.threads[e.t], func(f *event) bool {
		return f.objects[0] == e.objects[0] // an object is known by its first use
	}))
	if tr.what[place] == "" {
		tr.what[place] = what
	}
	if other := tr.what[place]; other != what {
		tr.refute(e.clock, e, "with the same past it does %s in another trace", other)
	}
	key := fmt.Sprint(tr.front(e.clock), e.t, " ", e.out)
	if tr.ids[key] == 0 {
		tr.ids[key] = len(tr.ids) + 1
	}
	e.id = tr.ids[key]
	tr.same[e.id] = append(tr.same[e.id], e)
	tr.threads[e.t] = append(tr.threads[e.t], e)
	if e.out != "stuck" {
		e.clock[e.t] = e.i + 1
		tr.order, tr.byID[e.id] = append(tr.order, e), e
		for _, u := range e.uses {
			tr.on[u.object] = append(tr.on[u.object], u)
		}
	}
}

// follow makes f, and what happens before it, happen before e.
func (e *event) follow(f *event) {
	for t, n := range f.clock {
		e.clock[t] = max(e.clock[t], n)
	}
}

// front returns the last events of the threads in a cut.
func (tr *trace) front(c cut) (ids []int) {
	ids = []int{0} // where main begins
	for t, n := range c {
		if n > 0 {
			ids = append(ids, tr.threads[t][n-1].id)
		}
	}
	slices.Sort(ids)
	return ids
}

// rules says how each operation uses its objects, in a word for each, the last one for all further:
// the kind of use, see dependent; what it adds to the counter of the object, + or - one, # less its
// number; and 0 if it waits until the counter is 0.
var rules = map[string]string{
	"load": "r", "store": "w", "swap": "w", "add": "w", "and": "w", "or": "w", "cas": "w",
	"lock": "w+0", "trylock": "w+", "unlock": "w-", "once": "w+0", "oncedone": "w-",
	"rlock": "r0 s+", "runlock": "a-", "rwannounce": "w+0", "rwlock": "w r0", "rwunlock": "w-",
	"go": "a+", "end": "a-", "join": "r0", "wgdone": "a#", "wgwait": "r0", "wglook": "_",
	"condadd": "w a+", "condwait": "r0", "signal": "w a-", "broadcast": "w a-",
	"futexwait": "r a+ _+ t", "futexsleep": "r0 a-", "futexwake": "w a-", "futexend": "w a-",
	"spin": "_", "choose": "_", "call": "r", "return": "a", "now": "r",
}

// dependent lists the kinds of uses of an object that do not commute: r reads, w changes and reads,
// a adds, s adds where no loop waits for it, t moves the clock. What fails only reads.
const dependent = "rw wr ww ra ar wa aw rs sr"

type use struct {
	*event
	object, kind string
	adds         int
	waits        bool
}

func (e *event) apply() {
	words := strings.Fields(rules[e.op])
	if len(words) == 0 || len(e.objects) == 0 {
		refuse("the verifier does not know the operation %v", e)
	}
	for i, object := range e.objects {
		word := words[min(i, len(words)-1)]
		n := strings.Count(word, "+") - strings.Count(word, "-")
		if strings.Contains(word, "#") {
			n = -num(e.numbers[0])
		}
		u := use{e, object, word[:1], n, strings.Contains(word, "0")}
		if e.out == "fails" {
			u.kind, u.adds = "r", 0
		}
		e.uses = append(e.uses, u)
	}
}

// change returns the first event that changes what an iteration of a loop has read: the loop waits
// for it. Its numbers are those of the events that read.
func (tr *trace) change(e *event) (first *event) {
	for _, n := range e.numbers {
		read := tr.threads[e.t][num(n)]
		for _, u := range tr.on[read.uses[0].object] {
			switch {
			case u.t == e.t || strings.Contains("rs_", u.kind) || !u.clock.has(read):
			case e.before.clock.has(u.event):
				return u.event
			case first == nil || first.clock.has(u.event):
				first = u.event
			case !u.clock.has(first):
				refuse("a loop waits for one of several changes")
			}
		}
	}
	return first
}

// outcomes returns those that e can have after c, none if it cannot happen. Traces show shown.
func (tr *trace) outcomes(c cut, e *event, shown []string) (all []string) {
	waits := func(u use) bool { return u.waits && tr.counter(c, u.object) != 0 }
	switch {
	case slices.Contains(shown, "forced"): // nothing else can run
		return shown
	case slices.ContainsFunc(e.uses, waits):
		return nil
	case e.op == "spin":
		if f := tr.change(e); f == nil || !c.has(f) {
			return nil
		}
	case e.op == "choose":
		for i := range num(e.numbers[0]) {
			all = append(all, strconv.Itoa(i))
		}
	case e.op == "futexwait" && !slices.Contains(shown, "fails"): // its end
		all = []string{"sleeps", "signal", "timeout"}[:num(e.numbers[0])]
		if tr.counter(c, "early") >= tr.early {
			all = all[:1]
		}
	case e.op == "signal" || e.op == "broadcast" || e.op == "futexwake": // of those who wait
		all = slices.DeleteFunc(slices.Sorted(maps.Keys(tr.births)), func(t string) bool {
			return tr.counter(c, e.objects[0]+"@"+t) == 0
		})
		all = sets(all, min(num(e.numbers[0]), len(all)))
	}
	if slices.Sort(all); len(all) > 0 {
		return all
	}
	return append(shown, "-")[:1] // it chooses nothing: any one
}

// sets returns the sets of n > 0 of the names, each in their order and with commas.
func sets(names []string, n int) (all []string) {
	if len(names) > 16 && 1 < n && n < len(names) {
		refuse("a futex wake of %d of %d", n, len(names))
	}
	for i, first := range names[:len(names)-max(n, 1)+1] {
		if n == 1 {
			all = append(all, first)
			continue
		}
		for _, others := range sets(names[i+1:], n-1) {
			all = append(all, first+","+others)
		}
	}
	return all
}

func (tr *trace) counter(c cut, object string) (n int) {
	for _, u := range tr.on[object] {
		if c.has(u.event) {
			n += u.adds
		}
	}
	return n
}

func num(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		refuse("%q is no number", s)
	}
	return n
}
