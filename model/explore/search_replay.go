package explore

import "math/bits"

// schedule gives the decisions of the execution so far.
func (e *engine) schedule() []Decision {
	out := make([]Decision, e.depth)
	last := 0
	for d := range out {
		ev := &e.stack[d]
		out[d] = Decision{Thread: int(ev.tid), Default: defaultChoice(ev.enabled, last), Chooses: ev.op.chooses(), Value: int(ev.value)}
		last = int(ev.tid)
	}
	return out
}

// A Decision is one step of a schedule: who ran, whom the default policy would
// have run (the thread before, else the lowest that can), and the value chosen
// where the operation chooses one.
type Decision struct {
	Thread  int
	Default int
	Chooses bool
	Value   int
}

// A Deviation is where a schedule leaves the default policy. Decisions are
// counted from 0; a step that chooses a value is two, the thread and the value.
type Deviation struct {
	At      int
	IsValue bool
	Thread  int
	Value   int
}

func defaultChoice(en uint64, last int) int {
	if en>>last&1 == 1 {
		return last
	}
	return bits.TrailingZeros64(en)
}

// replayChoice follows a recorded schedule.
func (e *engine) replayChoice(en uint64) int {
	last := 0
	if e.depth > 0 {
		last = int(e.stack[e.depth-1].tid)
	}
	if d := e.deviation(); d != nil && !d.IsValue {
		if d.Thread >= maxThreads || en>>d.Thread&1 == 0 {
			e.nondeterministic("the schedule runs thread %d at step %d, which cannot run there", d.Thread, e.depth+1)
			return -1
		}
		return d.Thread
	}
	return defaultChoice(en, last)
}

// replayValue follows the recorded choice of a value.
func (e *engine) replayValue(n int32) int32 {
	if d := e.deviation(); d != nil && d.IsValue {
		return min(int32(d.Value), n-1)
	}
	return 0
}

// deviation gives the deviation at the present decision, if there is one, and
// moves to the next decision.
func (e *engine) deviation() *Deviation {
	at := e.decision
	e.decision++
	if len(e.forced) > 0 && e.forced[0].At == at {
		d := &e.forced[0]
		e.forced = e.forced[1:]
		return d
	}
	return nil
}
