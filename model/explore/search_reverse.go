package explore

import (
	"slices"
	"time"

	"github.com/surewake/surewake/model/wire"
)

// A Reversal says what decides that a recorded execution fails: one thing that, done in another
// way, makes an execution that passes. Everything before it is the same; what comes after goes on
// in the order in which it was recorded, where that is possible.
type Reversal struct {
	First int // a step of Result.Trace

	// Second is the step that comes before First in the other execution:
	//
	//	First          none: First chooses another value
	//	AfterAll       everything that the other threads can do
	//	len(Trace)+k   the operation in which Failure.Blocked[k] waits
	Second int

	Schedule []wire.Decision // of the other execution
}

// AfterAll is a value of Reversal.Second.
const AfterAll = -1

// A longer execution is not searched for a reversal, nor are more than so many other executions run
// for it.
const (
	mostReversed  = shownFirst
	mostReversals = 300
)

// made is what is kept of an event of a recorded execution, or of the operation in which a thread
// waits at its end.
type made struct {
	tid     int
	obj     int32
	objs    int32 // the number of objects before it
	choices int32
	value   int32 // of choices
	step    int   // of the trace
	op      Op
	class   class
}

// noteMade notes event ev, of which the last step of the trace is.
func (r *recorder) noteMade(ev *event) {
	m := made{
		tid: int(ev.tid), obj: ev.obj, objs: ev.objs, choices: 1, value: ev.value,
		step: len(r.steps) - 1, op: ev.op, class: ev.class,
	}
	if ev.op.chooses() && ev.choices != inTurn {
		m.choices = ev.choices
	}
	r.made = append(r.made, m)
}

// Reverse looks for a reversal of failed, which Run recorded with the same configuration. It
// returns nil if it finds none within the time and number of executions that it has. Of the order
// of two operations it says the narrowest: no order of two others between these passes as well.
func Reverse(cfg Config, body func(), failed *Result, limit time.Duration) *Reversal {
	made := failed.made
	if failed.Failure == nil || len(failed.Trace) > mostReversed || len(made) > mostReversed {
		return nil
	}
	led := cfg
	led.Replay = marks(cfg.Replay)
	r := &reverser{cfg: led, body: body, end: time.Now().Add(limit), left: mostReversals}
	list := reversals(made, failed.waits, failed.Failure.Kind == KindPanic)
	g := r.first(list)
	if g == nil {
		return nil
	}
	if narrower := r.first(g.within(list, len(made))); narrower != nil {
		g = narrower
	}
	cfg.Replay = wire.Deviations(g.schedule)
	if !passes(cfg, body) {
		return nil // the body does not repeat itself
	}
	other := &Reversal{First: made[g.first].step, Second: AfterAll, Schedule: g.schedule}
	switch {
	case g.value >= 0:
		other.Second = other.First
	case g.second >= len(made):
		other.Second = len(failed.Trace) + g.second - len(made)
	case g.second >= 0:
		other.Second = made[g.second].step
	}
	return other
}

// A reverser runs executions that guides lead, within limits.
type reverser struct {
	cfg  Config
	body func()
	end  time.Time
	left int // how many may be run
}

// first returns the first guide of an execution that passes.
func (r *reverser) first(list []*guide) *guide {
	for _, g := range list {
		if r.left--; r.left < 0 || time.Now().After(r.end) {
			return nil
		}
		r.cfg.guide = g
		if passes(r.cfg, r.body) {
			return g
		}
	}
	return nil
}

// within returns those of list that reverse two operations between the two of g, the closest first.
// Ended is the number of what was done: of what waits, only that of g is one of them.
func (g *guide) within(list []*guide, ended int) (narrower []*guide) {
	if g.value >= 0 || g.second < 0 {
		return nil
	}
	width := func(g *guide) int { return min(g.second, ended) - g.first }
	for _, n := range list {
		if n.value < 0 && n.second >= 0 && n.first >= g.first && width(n) < width(g) &&
			n.tier <= g.tier && (n.second == g.second || n.second < min(g.second, ended)) {
			narrower = append(narrower, n)
		}
	}
	slices.SortStableFunc(narrower, func(a, b *guide) int { return width(a) - width(b) })
	return narrower
}

// marks returns the beginning of a schedule that says how a search explores.
func marks(schedule []wire.Deviation) []wire.Deviation {
	n := 0
	for _, is := range []func(value int) bool{
		isProtocols, func(value int) bool { return value == comparesAnyLoops },
	} {
		if n == len(schedule) {
			break
		}
		if d := schedule[n]; d.IsValue && d.At == 2*n+1 && is(d.Value) {
			n++
		}
	}
	return schedule[:n:n]
}

// passes reports whether the execution that cfg records does not fail.
func passes(cfg Config, body func()) bool {
	r := Run(cfg, body)
	return r.Failure == nil && r.Complete == 1 && r.Unfit == ""
}

// reversals lists what may be done in another way, the most telling first: the order of two
// operations, the last ones first; the values that were chosen; and that one operation comes after
// all that other threads can do. The last event may be what panicked, and then comes before others
// even if what was not recorded has to run for that.
func reversals(done, waits []made, panicked bool) []*guide {
	all := append(done[:len(done):len(done)], waits...)
	var list []*guide
	add := func(g guide) {
		g.made = all
		list = append(list, &g)
	}
	pairs := func(tier int, of func(all []made, n int, m made) []int, ways ...guide) {
		for j := len(all) - 1; j >= 0; j-- {
			for _, i := range of(all, min(j, len(done)), all[j]) {
				for _, g := range ways {
					g.first, g.second, g.value, g.tier = i, j, -1, tier
					add(g)
				}
				if tier == 0 && panicked && j == len(done)-1 {
					add(guide{first: i, second: j, value: -1, free: true})
				}
			}
		}
	}
	alone, led, free := guide{alone: true}, guide{}, guide{free: true}
	pairs(0, reversedBy, alone, led)
	pairs(1, reversedBy, free)
	for i := len(done) - 1; i >= 0; i-- {
		for v := range done[i].choices {
			if v != done[i].value && done[i].telling() {
				add(guide{first: i, second: i, value: int(v)})
			}
		}
	}
	pairs(2, reversedFarther, alone, led, free)
	for i := len(done) - 1; i >= 0; i-- {
		if done[i].telling() {
			add(guide{first: i, second: AfterAll, value: -1})
		}
	}
	return list
}

// reversedBy returns the events before all[n] that the operation of m may come before, the last one
// first: those of other threads, on the same object, up to one on which all others depend.
func reversedBy(all []made, n int, m made) []int {
	near, _ := reversed(all, n, m)
	return near
}

// reversedFarther returns those before that: a Lock comes before another Lock, but never before the
// Unlock between them.
func reversedFarther(all []made, n int, m made) []int {
	_, far := reversed(all, n, m)
	return far
}

func reversed(all []made, n int, m made) (near, far []int) {
	if !m.telling() {
		return nil, nil
	}
	const most = 4
	for i, barriers := n-1, 0; i >= 0 && barriers < most; i-- {
		f := &all[i]
		if f.tid == m.tid || !f.telling() || !f.meets(&m) {
			continue
		}
		if barriers == 0 {
			near = append(near, i)
		} else {
			far = append(far, i)
		}
		if f.class == write {
			barriers++
		}
	}
	return near, far
}

// telling reports whether the order of the operation says something to a reader.
func (m *made) telling() bool {
	switch m.op {
	case OpCall, OpReturn, OpJoin, OpSpin:
		return false
	}
	return m.step >= 0
}

// meets reports whether the two operations may depend on one another. Which cases of a select meet
// which operation is not looked at.
func (m *made) meets(o *made) bool {
	if m.op.isChan() && o.op.isChan() {
		return m.obj == o.obj || m.op.takesCase() || o.op.takesCase()
	}
	return m.obj == o.obj && m.obj >= 0 && m.class.dependsOn(o.class)
}

// A guide leads an execution to the other side of a reversal.
type guide struct {
	made   []made
	first  int  // it waits until ...
	second int  // ... this is done, or AfterAll
	alone  bool // meanwhile only the thread of second runs
	free   bool // or what was not recorded runs as well, where second has to wait
	tier   int  // of pairs that are tried before those of another one
	value  int  // what first chooses; -1: what it chose

	done     []bool // of made: what was done
	low      int    // all before it was
	now      int    // which of them runs, -1 for none
	turned   bool   // second was done before first, or first has chosen otherwise
	schedule []wire.Decision
}

// begin prepares for an execution.
func (g *guide) begin() {
	g.done, g.low, g.now, g.turned = make([]bool, len(g.made)), 0, -1, g.value >= 0
}

// choose returns the thread of en that runs next, -1 if second does not come before first.
func (g *guide) choose(e *engine, en threadSet) int {
	if g.waitsInstead(e) {
		return -1
	}
	switch k := e.depth; {
	case k < g.first:
		if !g.goesOn(e, en, k) {
			return -1
		}
		return g.run(k)
	case g.turned:
	case g.second == AfterAll:
		if others := en.without(setOf([]int{g.made[g.first].tid})); !others.empty() {
			return g.rest(others, e)
		}
		g.turned = true
	default:
		if k := g.nextBefore(e, en); k >= 0 {
			g.turned = k == g.second
			return g.run(k)
		}
		others := en.without(setOf([]int{g.made[g.first].tid}))
		if !g.free || others.empty() {
			return -1
		}
		next := g.rest(others, e)
		g.turned = g.now == g.second
		return next
	}
	return g.rest(en, e)
}

// waitsInstead reports whether second, which has just run, has only begun to wait, though it was
// recorded without a wait: what it waits for, maybe first, comes before it then.
func (g *guide) waitsInstead(e *engine) bool {
	if g.value >= 0 || g.second < 0 || g.now != g.second {
		return false
	}
	tid := g.made[g.second].tid
	op := e.threads[tid].op
	if op != OpMet && op != OpPosted {
		return false
	}
	for _, m := range g.made[g.second+1:] {
		if m.tid == tid {
			return m.op != op
		}
	}
	return true
}

func (g *guide) run(k int) int {
	g.done[k], g.now = true, k
	return g.made[k].tid
}

// goesOn reports whether what was recorded as k can run next.
func (g *guide) goesOn(e *engine, en threadSet, k int) bool {
	m := &g.made[k]
	if !en.has(m.tid) {
		return false
	}
	t := e.threads[m.tid]
	known := g.made[g.first].objs // objects met later may have other numbers
	return t.op == m.op && (t.obj == m.obj || t.obj >= known && m.obj >= known)
}

// nextBefore returns what runs next of what is recorded up to second, without the thread of first;
// -1 if second cannot be reached so.
func (g *guide) nextBefore(e *engine, en threadSet) int {
	var stuck threadSet
	stuck.add(g.made[g.first].tid)
	for k := g.first + 1; k <= g.second; k++ {
		m := &g.made[k]
		if g.done[k] || stuck.has(m.tid) || g.alone && m.tid != g.made[g.second].tid {
			continue
		}
		if g.goesOn(e, en, k) {
			return k
		}
		stuck.add(m.tid)
	}
	return -1
}

// rest returns the thread that runs next in the order that was recorded.
func (g *guide) rest(en threadSet, e *engine) int {
	for g.low < len(g.done) && g.done[g.low] {
		g.low++
	}
	for k := g.low; k < len(g.made); k++ {
		if !g.done[k] && en.has(g.made[k].tid) {
			return g.run(k)
		}
	}
	g.now = -1
	return defaultChoice(en, e.cur.id)
}

// choice returns which of n values the operation that runs chooses.
func (g *guide) choice(n int32) int32 {
	switch {
	case g.now < 0:
		return 0
	case g.now == g.first && g.value >= 0:
		return min(int32(g.value), n-1)
	case g.made[g.now].value < n:
		return max(0, g.made[g.now].value)
	}
	return 0
}
