package explore

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

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

// preemptive says whether running ch at depth d takes the processor from a
// thread that could go on.
func (e *engine) preemptive(d, ch int) bool {
	if d == 0 {
		return false
	}
	last := e.stack[d-1].tid
	return int(last) != ch && e.stack[d].enabled>>last&1 == 1
}
