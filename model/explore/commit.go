package explore

import (
	"math/bits"
	"sync"
)

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

func (e *engine) grow() {
	n := max(256, 2*len(e.stack))
	s := make([]event, n)
	copy(s, e.stack)
	e.stack = s
	c := make([]int32, n*e.stride)
	copy(c, e.clk)
	e.clk = c
}
