package explore

import "fmt"

// A trace is a partial order of steps. The search runs one linearization of each trace, and takes
// for granted that every other one does the same. Config.Linearize runs others:
//
//   - Linearization u runs the steps of thread u, each as soon as the steps that happen before it
//     have run, and only then those of the other threads in the same manner, from the highest
//     number down. So each step of u comes before every step that is concurrent with it.
//   - Of each trace that of its highest thread runs, then that of every thread with a step that
//     came after a concurrent one in all linearizations run so far. At the end every two concurrent
//     steps have run in both orders.
//   - A new thread starts as late as the order of the steps allows; or at once, inside the go
//     statement, if it comes before its parent.
//   - A call of code that is not rewritten may synchronize before an access and after it. So there
//     is one linearization more for each such call that a thread has made while there were others:
//     that thread runs first, up to the call, and goes on when the others have done all that does
//     not depend on it. Let no step order an access of the thread and a later one of another
//     thread. In the linearization that pauses the first thread before its next call, no call of
//     it comes between the two.
//
// This serves two ends. Steps that the dependence relation wrongly calls independent show
// themselves by an operation, a choice, a result or an end that differs. And the race detector also
// sees the synchronization of code that is not rewritten, which can order two accesses in one
// linearization, but only from the earlier step to the later one. The race run looks for races
// only: code that is not rewritten may also have state that the dependence relation does not know,
// which the verdict names as an assumption. A trace in which fewer than two goroutines call such
// code needs no second linearization (search_foreign.go): all synchronization between goroutines
// that the detector sees is then that of the steps, the same in every one. Within a bound on
// preemptions there is none, as most would be beyond the bound; the verdict says so if the check
// calls such code.

// linearizer runs a trace of another engine once more, in another order. It is the follows of an
// engine of its own, which shares nothing with the other one.
type linearizer struct {
	e      *engine   // runs the linearization
	of     *engine   // has run the trace
	first  int       // the thread whose steps come first
	stop   int32     // the call before which that thread is paused, counted from 1; 0: none
	held   bool      // it is
	at     []int32   // by event here: the event there
	upTo   []int32   // by thread: 1 + its last event there that has run here
	next   []int32   // by thread: its next event there, or noEvent
	born   threadSet // threads that exist here
	paused threadSet // threads that wait inside a go statement
	alone  bool      // the operation of the thread that pick returned is no event
	quiet  []int32   // by thread: so many of its operations from now on are no events
	objs   []int32   // by object there: 1 + the object here
	places [][]int32 // by linearization run so far, by event there: its place
}

// noEvent stands for the next event of a thread that has no more.
const noEvent = -1

// orderNotRun is the assumption of a race run that did not run a trace in another order.
const orderNotRun = "what is not rewritten hides no data race: another order of the steps, which " +
	"would show it, was not run"

// mostOrders bounds the steps of a trace times its threads: each thread may have a linearization of
// its own, and each is compared with all others.
const mostOrders = 100_000

// linearize runs further linearizations of the trace just executed. It returns a failure if one of
// them differs or has a data race.
func (e *engine) linearize() *Failure {
	switch {
	case !e.cfg.Linearize || !e.reduce || e.n < 2 || e.isAstray(),
		e.wantSimple || e.wantOrderAdds || e.wantOrderDones,
		e.wantRequests.any() || e.wantRendezvous.any() || e.wantClocked,
		e.next != endBlocked || e.failure != nil && !e.failure.blocked(true):
		return nil
	case Race && e.counted == nil && !e.foreignOrders():
		e.ordersLeft = true
		return nil
	case e.bounded && e.counted == nil || e.depth*e.n > mostOrders:
		e.assumeNoOtherOrder()
		return nil
	}
	if e.linear == nil {
		e.linear = e.newLinearizer()
	}
	l := e.linear
	l.places = append(l.places[:0], nil)
	for d := range e.depth {
		l.places[0] = append(l.places[0], int32(d))
	}
	for u := e.n - 1; u >= 0; u-- {
		if u != e.n-1 && !l.owed(u) {
			continue
		}
		if f := l.try(pause{thread: u}); f != nil {
			return f
		}
	}
	return e.linearizePauses()
}

// linearizePauses runs those with a pause, as many as the bounds allow.
func (e *engine) linearizePauses() *Failure {
	for _, p := range e.hidingCalls() {
		e.paused++
		e.pausedSteps += e.depth
		if e.paused > mostPauses || e.pausedSteps > mostPausedSteps {
			e.assume(pausesNotRun)
			break
		}
		if !e.checkTime() { // which bounds the verdict
			break
		}
		if f := e.linear.try(p); f != nil {
			return f
		}
	}
	return nil
}

// assumeNoOtherOrder notes that a trace was not run in another order.
func (e *engine) assumeNoOtherOrder() {
	if Race && e.foreign && e.foreignSeen {
		e.assume(orderNotRun)
	}
}

// try runs one linearization and returns a failure if it has a data race. Without the race detector
// it also returns one if the linearization differs from the trace.
func (l *linearizer) try(p pause) *Failure {
	differs := l.run(p)
	if race := l.of.newRaces(); race != nil {
		return race
	}
	if differs != nil && Race {
		l.of.assumeNoOtherOrder()
		return nil
	}
	return differs
}

func (e *engine) newLinearizer() *linearizer {
	cfg := e.cfg
	cfg.Observe, cfg.Linearize, cfg.Certify = nil, false, false
	l := &linearizer{of: e, e: &engine{cfg: cfg, body: e.body, stride: 4, procs: e.procs}}
	l.e.follows = l
	l.e.table.reset(8)
	l.e.open()
	return l
}

// owed reports whether an event of thread u came after a concurrent one in every linearization.
func (l *linearizer) owed(u int) bool {
	of := l.of
	for x := range int32(of.depth) {
		if int(of.stack[x].tid) != u {
			continue
		}
		for y := range int32(of.depth) {
			if int(of.stack[y].tid) != u && !of.ordered(x, y) && l.always(y, x) {
				return true
			}
		}
	}
	return false
}

// always reports whether y came before x in every linearization.
func (l *linearizer) always(y, x int32) bool {
	for _, place := range l.places {
		if place[y] > place[x] {
			return false
		}
	}
	return true
}

// run runs the linearization of p.thread, paused before p.call if that is not 0.
func (l *linearizer) run(p pause) *Failure {
	e, of := l.e, l.of
	l.first, l.stop, l.held = p.thread, p.call, false
	l.at, l.objs = l.at[:0], append(l.objs[:0], make([]int32, of.nobjs)...)
	l.born, l.paused, l.alone = threadSet{}, threadSet{}, false
	l.upTo, l.quiet, l.next = l.upTo[:0], l.quiet[:0], l.next[:0]
	for i := range of.n {
		l.upTo, l.quiet = append(l.upTo, 0), append(l.quiet, of.threads[i].quietOps)
		l.next = append(l.next, l.after(i, 0))
	}
	e.orderAdds, e.orderDones = of.orderAdds, of.orderDones
	e.overlaid, e.mixed = of.overlaid, of.mixed
	e.requests, e.rendezvous = of.requests, of.rendezvous
	e.uncontrolled.count, e.baseEarly = of.uncontrolled.count, 0
	e.begin()
	e.run()
	if e.failure == nil && e.next == endBlocked {
		l.compare()
	}
	f := e.failure
	e.tearDown()
	eng = nil
	of.uncontrolled.count = e.uncontrolled.count
	if f == nil && p.call == 0 {
		l.keepPlaces()
	}
	return f
}

// keepPlaces notes the order of the linearization that has just run.
func (l *linearizer) keepPlaces() {
	place := make([]int32, len(l.at))
	for here, there := range l.at {
		place[there] = int32(here)
	}
	l.places = append(l.places, place)
}

// after returns the first event of thread i in the trace from depth d on.
func (l *linearizer) after(i int, d int32) int32 {
	for ; d < int32(l.of.depth); d++ {
		if int(l.of.stack[d].tid) == i {
			return d
		}
	}
	return noEvent
}

// number returns the number of the thread that is about to be spawned: the one it has in the trace.
func (l *linearizer) number() int {
	parent := int32(-1)
	if l.e.cur != nil {
		parent = int32(l.e.cur.id)
	}
	for i := range l.of.n {
		if !l.born.has(i) && l.of.threads[i].parent == parent {
			l.born.add(i)
			return i
		}
	}
	l.e.fail(KindInternal, "%s starts a goroutine more in another order of independent steps",
		l.e.cur.name)
	return 0
}

// spawned is called at the end of a go statement. It lets others run, the new thread for example.
func (l *linearizer) spawned(t *thread) {
	l.paused.add(t.id)
	l.letOthersRun(t)
}

// letOthersRun hands control to the thread that runs next, and returns when that is t.
func (l *linearizer) letOthersRun(t *thread) {
	e := l.e
	e.next = l.pick()
	if e.next != t.id {
		e.handOff(t)
		if e.aborting {
			panic(abort{})
		}
	}
}

// pick returns the thread that runs next, or one of the end codes.
func (l *linearizer) pick() int {
	e := l.e
	l.alone = false
	if e.failure != nil {
		return endFailed
	}
	i := l.choose()
	if i < 0 || e.failure != nil {
		return i
	}
	t := e.threads[i]
	switch {
	case l.holds(i):
		l.held = false
	case !t.started:
		t.started = true
		e.unstarted--
	case l.paused.has(i):
		l.paused.remove(i)
	case !l.alone:
		l.prepare(t)
		if e.failure != nil {
			return endFailed
		}
	}
	return i
}

// choose returns the thread that must go on so that the first thread with something left to do can.
// One that is held goes on last.
func (l *linearizer) choose() int {
	if i := l.advance(l.first, 0); i >= 0 && !l.held {
		return i
	}
	for u := l.of.n - 1; u >= 0; u-- {
		if i := l.advance(u, 0); i >= 0 && !l.holds(i) {
			return i
		}
	}
	switch {
	case l.e.failure != nil:
		return endFailed
	case l.held:
		return l.first
	}
	for i := l.e.alive.first(); i >= 0; i = l.e.alive.next(i + 1) {
		if l.quiet[i] > 0 {
			l.alone = true
			return i
		}
	}
	if len(l.at) != l.of.depth {
		return l.differs("not every step can run")
	}
	pending := l.e.runnable.union(l.e.gated)
	for i := pending.first(); i >= 0; i = pending.next(i + 1) {
		if t := l.e.threads[i]; l.enabled(t) {
			return l.differs("%s can still do %s", t.name, t.doing())
		}
	}
	return endBlocked
}

// holds reports whether thread i is paused before a call.
func (l *linearizer) holds(i int) bool { return l.held && i == l.first }

// advance returns the thread that must run so that thread u gets on, -1 if it has nothing left to
// do. deep counts the threads that wait for one another.
func (l *linearizer) advance(u, deep int) int {
	e, t := l.e, l.of.threads[u]
	if deep > l.of.n {
		return l.differs("%s waits for itself", t.name)
	}
	switch {
	case !l.born.has(u):
		return l.advance(int(t.parent), deep+1)
	case !e.threads[u].started || l.paused.has(u) || l.holds(u):
		return u
	case e.threads[u].fin || l.next[u] == noEvent || l.quiet[u] > 0:
		return -1
	}
	for v := range l.of.n {
		if v != u && l.of.entry(l.next[u], int32(v)) > l.upTo[v] {
			return l.advance(v, deep+1)
		}
	}
	if !l.enabled(e.threads[u]) {
		if i := l.unfinished(); i >= 0 {
			return i
		}
		if l.held {
			return l.first // perhaps t waits for its end, which is no event
		}
		return l.differs("%s cannot do %s", t.name, e.threads[u].doing())
	}
	return u
}

// quietly reports whether t's operation is no event, because in the trace t was the only thread
// that mattered when it ran.
func (l *linearizer) quietly(t *thread) bool {
	if l.quiet[t.id] == 0 {
		l.e.quiet = false
		return false
	}
	l.quiet[t.id]--
	return true
}

// unfinished returns a thread that has not begun to run, or has just started another one; -1 if
// there is none.
func (l *linearizer) unfinished() int {
	for i := l.e.alive.first(); i >= 0; i = l.e.alive.next(i + 1) {
		if !l.e.threads[i].started || l.paused.has(i) {
			return i
		}
	}
	return -1
}

// enabled reports whether t's operation can run now, by itself or because nothing else can.
func (l *linearizer) enabled(t *thread) bool {
	e := l.e
	enabled := ops[t.op].enabled
	if enabled == nil || enabled(e, t) || e.tiesWith(t).has(t.id) {
		return true
	}
	if d := l.next[t.id]; d != noEvent {
		there := &l.of.stack[d]
		switch {
		case there.op == OpFutexSleep && there.source < 0: // forced: after all that came before it
			return t.op == OpFutexSleep
		case there.idle == timeRan: // threads repeat
			forced, _ := e.forcedTimeout()
			return forced.has(t.id)
		}
	}
	pending := e.runnable.union(e.gated)
	for i := pending.first(); i >= 0; i = pending.next(i + 1) {
		u := e.threads[i]
		if enabled := ops[u.op].enabled; enabled == nil || enabled(e, u) {
			return false
		}
	}
	forced, _ := e.forcedTimeout()
	return forced.has(t.id)
}

// prepare makes t's next event of the trace the next event here.
func (l *linearizer) prepare(t *thread) {
	e, d := l.e, l.next[t.id]
	there := &l.of.stack[d]
	if t.op != there.op || !l.sameObject(t, there) {
		l.differs("%s does %s, not %s", t.name, t.doing(), there.op)
		return
	}
	if e.depth == len(e.stack) {
		e.grow()
	}
	e.stack[e.depth] = event{
		tid: int32(t.id), choice: there.choice, choices: there.choices, idle: there.idle,
	}
	if ops[t.op].takes {
		e.stack[e.depth].choice = there.value // here no choice sleeps
	}
	l.at = append(l.at, d)
	l.upTo[t.id], l.next[t.id], l.quiet[t.id] = d+1, l.after(t.id, d+1), there.quiet
}

// sameObject reports whether t's operation is on the object that the event has in the trace.
func (l *linearizer) sameObject(t *thread, there *event) bool {
	if t.obj < 0 || there.obj < 0 {
		return t.obj == there.obj
	}
	if l.objs[there.obj] == 0 {
		l.objs[there.obj] = t.obj + 1
	}
	return l.objs[there.obj] == t.obj+1
}

// compare fails the execution if an event differs from that of the trace.
func (l *linearizer) compare() {
	for here, there := range l.at {
		a, b := &l.e.stack[here], &l.of.stack[there]
		t := l.e.threads[a.tid]
		switch {
		case a.class != b.class:
			l.differs("%s of %s depends on other steps", a.op, t.name)
		case a.value != b.value:
			l.differs("%s of %s chooses %d, not %d", a.op, t.name, a.value, b.value)
		case a.seen && b.seen && a.val != b.val:
			l.differs("%s of %s gives %#x, not %#x", a.op, t.name, a.val, b.val)
		}
	}
}

// differs fails the execution.
func (l *linearizer) differs(format string, args ...any) int {
	if l.e.failure == nil {
		l.e.failure = &Failure{Kind: KindInternal, Message: "in another order of steps that the " +
			"dependence relation calls independent, " + fmt.Sprintf(format, args...)}
	}
	return endFailed
}

// stepFollowing is what step does instead of asking the search.
func (e *engine) stepFollowing(t *thread) {
	l := e.follows
	for {
		if e.next = l.pick(); e.next != t.id {
			e.handOff(t)
			if e.aborting {
				panic(abort{})
			}
		}
		if !l.alone {
			e.commit(t)
			return
		}
		l.alone, e.quiet = false, true
		runnable, gated := e.runnable, e.gated
		e.runnable.remove(t.id)
		e.gated.remove(t.id)
		if e.quietStep(t, t.ptr, t.op, t.word) {
			e.pending -= t.key
			return
		}
		e.runnable, e.gated = runnable, gated
		l.differs("%s cannot do %s alone", t.name, t.doing())
	}
}
