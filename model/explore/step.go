package explore

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// enabled says whether t's gated operation could run now.
func (e *engine) enabled(t *thread) bool {
	switch t.op {
	case OpLock:
		return probeMutex((*sync.Mutex)(t.ptr))
	case OpRWAnnounce:
		return e.objs[t.obj].state == 0
	case OpRWLock:
		return probeRWMutex((*sync.RWMutex)(t.ptr))
	case OpRLock:
		return e.objs[t.obj].state == 0 && probeRLock((*sync.RWMutex)(t.ptr))
	case OpWGWait:
		return e.objs[t.obj].count == 0
	case OpOnce:
		return e.objs[t.obj].state != 1
	case OpCondWait, OpFutexSleep:
		return t.signal >= 0
	case OpJoin:
		return t.children&e.alive == 0
	case OpSpin:
		return e.spinEnds(t)
	case OpSend, OpRecv, OpSelect, OpPosted, OpMet, OpTimerFire:
		return e.chanEnabled(t)
	}
	return true
}

// resolve gives the class of t's pending operation in the memory as it is now:
// a CompareAndSwap or TryLock that fails only reads. While t sleeps the answer
// cannot change, since whatever would change it wakes t.
func (e *engine) resolve(t *thread) class {
	switch t.op {
	case OpCAS:
		var equal bool
		switch t.width {
		case 4:
			equal = atomic.LoadUint32((*uint32)(t.ptr)) == uint32(t.old)
		case 8:
			equal = atomic.LoadUint64((*uint64)(t.ptr)) == t.old
		default:
			equal = t.peek()
		}
		if !equal {
			return read
		}
	case OpTryLock:
		if !probeMutex((*sync.Mutex)(t.ptr)) {
			return read
		}
	case OpOnce:
		if e.objs[t.obj].state == 2 {
			return read
		}
	case OpWGAdd:
		if e.strict && int32(t.old) > 0 {
			return write
		}
	}
	return ops[t.op].class
}

// pick decides who runs next. It is called with every live thread's next
// operation pending, on whatever stack is running.
func (e *engine) pick() int {
	d := e.depth
	if d < e.plen {
		ev := &e.stack[d]
		if ev.pending != e.pending {
			e.nondeterministic("at step %d of the same schedule other operations were about to run than before (now %s)", d+1, e.pendingList())
			return endFailed
		}
		return int(ev.tid)
	}
	en := e.runnable
	for g := e.gated; g != 0; g &= g - 1 {
		if i := bits.TrailingZeros64(g); e.enabled(e.threads[i]) {
			en |= 1 << i
		}
	}
	if en == 0 {
		if en = e.lateTimeout(); en == 0 {
			return endBlocked
		}
	}
	if d >= e.cfg.MaxSteps {
		e.failure = &Failure{Kind: KindLivelock, Message: boundText(e.cfg.MaxSteps)}
		return endFailed
	}
	if d == len(e.stack) {
		e.grow()
	}
	cand := en &^ e.sleep
	if cand == 0 {
		return endPruned
	}
	cur := e.cur.id
	ch := cur
	switch {
	case e.forced != nil:
		ch = e.replayChoice(en)
		if ch < 0 {
			return endFailed
		}
	case e.rng.on:
		ch = e.randomChoice(en, cur)
	case cand>>cur&1 == 0:
		ch = bits.TrailingZeros64(cand)
	}
	ev := &e.stack[d]
	if e.selects && e.reduce {
		e.keepResting(d)
	}
	*ev = event{tid: int32(ch), pending: e.pending, enabled: en, sleep: e.sleep, back: 1 << ch, done: 1 << ch}
	return ch
}

// preemptive says whether running ch at depth d takes the processor from a
// thread that could go on.
func (e *engine) preemptive(d, ch int) bool {
	if d == 0 {
		return false
	}
	last := e.stack[d-1].tid
	return int(last) != ch && e.stack[d].enabled>>last&1 == 1
}

// commit makes t's pending operation the event at the present depth.
func (e *engine) commit(t *thread) {
	d := e.depth
	ev := &e.stack[d]
	bit := uint64(1) << t.id
	e.runnable &^= bit
	e.gated &^= bit
	e.pending -= t.key
	if t.op.isChan() {
		e.chanBegin(t)
	}
	var c class
	if d < e.plen-1 {
		// A step as before: its class too, or its result will differ.
		c = ev.class
		if ev.obj != t.obj || ev.op != t.op {
			e.mismatch(t, ev)
		}
		if t.op.isChan() {
			e.chanPrepare(t, ev.choice)
		}
	} else {
		c = e.resolve(t)
		ev.obj, ev.op, ev.class, ev.source, ev.seen = t.obj, t.op, c, -1, false
		if ev.choices == 0 {
			ev.choice, ev.choices = 0, 1
			if t.op.chooses() {
				ev.choices = e.choicesOf(t)
				ev.choice = e.firstChoice(ev.choices)
			}
		}
		ev.preempt = 0
		if d > 0 {
			ev.preempt = e.stack[d-1].preempt
			if e.preemptive(d, t.id) {
				ev.preempt++
			}
			ev.hash = e.stack[d-1].hash
		} else {
			ev.hash = 0x9ae16a3b2f90404f
		}
		ev.hash = (ev.hash ^ (uint64(t.id) | uint64(t.op)<<8 | uint64(uint32(t.obj))<<16 | uint64(c)<<48 | uint64(ev.choice)<<52)) * 0x9E3779B97F4A7C15
		ev.hash ^= ev.hash >> 29
		if t.obj >= 0 {
			ev.prevObj = e.objs[t.obj].last
			ev.state = e.stateBefore(t)
		} else {
			ev.prevObj = -1
		}
		ev.arg = int64(t.old)
		if t.op == OpCondWait || t.op == OpFutexSleep || t.op == OpPosted || t.op == OpMet {
			ev.source = t.signal
		} else if t.op == OpSpin {
			ev.source = t.spin.source
		}
		ev.value = ev.choice
		if t.op.isChan() {
			if e.chanPrepare(t, ev.choice); t.op.chooses() {
				ev.value = t.com.value
			}
		}
		if e.reduce {
			if t.op.isChan() {
				e.chanRaces(t, d)
			} else if t.obj >= 0 {
				e.races(t, c, d)
			}
			e.clockOf(t, ev, d)
			sl := ev.sleep | ev.done&^bit
			if sl != 0 {
				for s := sl; s != 0; s &= s - 1 {
					i := bits.TrailingZeros64(s)
					u := e.threads[i]
					if i == t.id || u.obj == t.obj && t.obj >= 0 && c.dependsOn(e.resolve(u)) || t.op.isChan() && !u.choosesCase() && e.chanWakes(t, u) {
						sl &^= 1 << i
					}
				}
			}
			if e.selects {
				sl = e.restChoices(t, ev, d, sl)
			}
			e.sleep = sl
		} else if e.rng.on {
			e.randomAfter(t, c)
		}
	}
	if e.rec != nil {
		e.rec.commit(t, ev, d)
	}
	e.depth++
	t.prev = int32(d)
	t.chosen = ev.choice
	if t.obj >= 0 {
		o := &e.objs[t.obj]
		o.last = int32(d)
	}
	if t.op > OpCAS {
		e.apply(t, int32(d))
	}
	if t.spin.on {
		t.spin.note(t, c, int32(d))
	}
	if e.cfg.Observe != nil && !t.op.leaves() {
		e.observe(t, resultOf(t))
	}
}

// stateBefore records of an object what decides whether a gated operation on
// it would have been enabled before the event.
func (e *engine) stateBefore(t *thread) uint8 {
	o := &e.objs[t.obj]
	switch t.op {
	case OpRWAnnounce, OpRWLock, OpRWUnlock, OpRLock, OpRUnlock, OpRWTryLock, OpTryRLock:
		var s uint8
		if o.state != 0 {
			s = 1
		}
		if o.count != 0 {
			s |= 2
		}
		return s
	case OpWGAdd, OpWGWait:
		if o.count != 0 {
			return 1
		}
	case OpOnce, OpOnceDone:
		return uint8(o.state)
	}
	return 0
}

// enabledBefore says whether the gated operation op could have run just before
// the event f on the same object. If not, the two cannot be reversed.
func enabledBefore(op Op, f *event) bool {
	switch op {
	case OpLock:
		return f.op == OpLock || f.op == OpTryLock && f.class == write
	case OpRWAnnounce, OpRLock:
		return f.state&1 == 0
	case OpRWLock:
		return f.state&2 == 0
	case OpWGWait:
		return f.state == 0
	case OpOnce:
		return f.state != 1
	}
	return true
}

// apply does what an operation does to the state that the engine keeps beside
// the real object.
func (e *engine) apply(t *thread, d int32) {
	switch t.op {
	case OpRWAnnounce, OpRWTryLock:
		o := &e.objs[t.obj]
		if t.op == OpRWAnnounce || o.state == 0 && probeRWMutex((*sync.RWMutex)(t.ptr)) {
			o.state = int32(t.id) + 1
		}
	case OpRWUnlock:
		e.objs[t.obj].state = 0
	case OpRLock:
		e.objs[t.obj].count++
	case OpTryRLock:
		if o := &e.objs[t.obj]; o.state == 0 && probeRLock((*sync.RWMutex)(t.ptr)) {
			o.count++
		}
	case OpRUnlock:
		e.objs[t.obj].count--
	case OpWGAdd:
		o := &e.objs[t.obj]
		o.count += int32(t.old)
		o.adds, e.usesWG = true, true
		if d < 0 {
			o.base += int32(t.old)
		}
	case OpWGWait:
		e.checkDominance(t)
	case OpOnce:
		if o := &e.objs[t.obj]; o.state == 0 {
			o.state = 1
		}
	case OpOnceDone:
		e.objs[t.obj].state = 2
	case OpCondAdd:
		t.signal = -1
		o := &e.objs[t.obj]
		o.waiters = append(o.waiters, int32(t.id))
	case OpCondSignal:
		if o := &e.objs[t.obj]; len(o.waiters) > 0 {
			e.threads[o.waiters[t.chosen]].signal = max(d, 0)
			o.waiters = append(o.waiters[:t.chosen], o.waiters[t.chosen+1:]...)
		}
	case OpCondBroadcast:
		o := &e.objs[t.obj]
		for _, w := range o.waiters {
			e.threads[w].signal = max(d, 0)
		}
		o.waiters = o.waiters[:0]
	case OpFutexWait:
		e.futexWait(t)
	case OpFutexSleep:
		e.futexAwake(t)
	case OpFutexEarly:
		e.futexEarly(t)
	case OpFutexWake:
		e.futexWake(t, d)
	case OpJoin:
		e.checkDominance(t)
	default:
		if t.op.isChan() {
			e.chanApply(t, d)
		}
	}
}

// choicesOf gives the number of values that t's pending operation chooses among.
func (e *engine) choicesOf(t *thread) int32 {
	switch t.op {
	case OpCondSignal:
		return max(1, int32(len(e.objs[t.obj].waiters)))
	case OpFutexWait, OpFutexWake:
		return e.futexChoices(t)
	case OpSelect, OpPoll, OpArrive, OpMet:
		return e.chanChoices(t)
	}
	return t.choices
}

// checkDominance ends scheduling when every other thread is over and all they
// did happens before t: nothing can overlap with what t does from here.
func (e *engine) checkDominance(t *thread) {
	if e.alive != 1<<t.id || !e.reduce || e.rec != nil || e.unstarted > 0 || t.prev < 0 {
		return
	}
	c := e.clockAt(t.prev)
	for i := 0; i < e.n; i++ {
		if i != t.id && e.lastOf(i) >= 0 && c[i] <= e.lastOf(i) {
			return
		}
	}
	e.quiet = true
}

func (e *engine) lastOf(i int) int32 {
	u := e.threads[i]
	if u.prev >= 0 && int(e.stack[u.prev].tid) != i {
		return -1 // it did nothing: its clock is its parent's
	}
	return u.prev
}

func (e *engine) grow() {
	n := max(256, 2*len(e.stack))
	s := make([]event, n)
	copy(s, e.stack)
	e.stack = s
	c := make([]int32, n*e.stride)
	copy(c, e.clk)
	e.clk = c
}

// clockAt is the clock of the event at depth d.
func (e *engine) clockAt(d int32) []int32 {
	i := int(d) * e.stride
	return e.clk[i : i+e.stride : i+e.stride]
}

// widen makes room for more threads in every clock.
func (e *engine) widen() {
	old, s := e.clk, e.stride
	e.stride *= 2
	e.clk = make([]int32, len(e.stack)*e.stride)
	for d := range e.stack {
		copy(e.clk[d*e.stride:], old[d*s:d*s+s])
	}
}
