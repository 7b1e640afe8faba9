package explore

import (
	"fmt"

	"github.com/surewake/surewake/model/wire"
)

// comparesAnyLoops is the value that a schedule chooses in a step before the first one if it is one
// of a search that compares the iterations of all loops: the default choices are others then.
const comparesAnyLoops = 1 << 20

// schedule returns the decisions of the execution so far.
func (e *engine) schedule() []wire.Decision {
	out := make([]wire.Decision, 0, e.depth+1)
	if e.anyLoops {
		out = append(out, wire.Decision{Chooses: true, Value: comparesAnyLoops})
	}
	last := 0
	for d := range e.depth {
		ev := &e.stack[d]
		decision := wire.Decision{
			Thread:  int(ev.tid),
			Default: defaultChoice(e.node(ev, nodeEnabled), last),
			Chooses: ev.op.chooses(),
		}
		if ev.choices != inTurn {
			decision.Value = int(ev.value)
		}
		out = append(out, decision)
		last = int(ev.tid)
	}
	return out
}

// beginReplay makes the schedule of the configuration the one to be replayed.
func (e *engine) beginReplay() {
	e.replay, e.unfit = e.cfg.Replay, ""
	if e.replay == nil {
		e.replay = []wire.Deviation{}
	}
	mark := wire.Deviation{At: 1, IsValue: true, Value: comparesAnyLoops}
	if e.anyLoops = len(e.replay) > 0 && e.replay[0] == mark; e.anyLoops {
		e.replay, e.decision = e.replay[1:], 2
	}
}

func defaultChoice(en threadSet, last int) int {
	if en.has(last) {
		return last
	}
	return en.first()
}

// replayChoice returns the thread that the schedule to be replayed runs next, -1 if that thread is
// not enabled.
func (e *engine) replayChoice(en threadSet) int {
	last := 0
	if e.depth > 0 {
		last = int(e.stack[e.depth-1].tid)
	}
	d := e.deviation()
	switch {
	case d == nil:
	case d.IsValue:
		e.doesNotFit("step %d chooses no value there", e.depth+1)
	default:
		if !en.has(d.Thread) {
			if d.Thread >= e.n {
				e.doesNotFit("at step %d there is no goroutine %d", e.depth+1, d.Thread)
			} else {
				e.doesNotFit("%s cannot run at step %d", e.threads[d.Thread].name, e.depth+1)
			}
			e.nondeterministic("the schedule runs thread %d at step %d, which cannot run there",
				d.Thread, e.depth+1)
			return -1
		}
		return d.Thread
	}
	return defaultChoice(en, last)
}

// replayValue returns the value that the schedule to be replayed chooses among n.
func (e *engine) replayValue(n int32) int32 {
	d := e.deviation()
	switch {
	case d == nil:
		return 0
	case !d.IsValue:
		e.doesNotFit("step %d chooses a value", e.depth+1)
		return 0
	case int32(d.Value) >= n:
		e.doesNotFit("value %d of step %d is none of %d", d.Value, e.depth+1, n)
	}
	return min(int32(d.Value), n-1)
}

// doesNotFit notes that the schedule to be replayed is none of this body.
func (e *engine) doesNotFit(format string, args ...any) {
	if e.unfit == "" {
		e.unfit = fmt.Sprintf(format, args...)
	}
}

// endReplay notes whether the execution came to the end of the schedule.
func (e *engine) endReplay() {
	if len(e.replay) > 0 {
		e.doesNotFit("the execution ends at step %d, before the last one of the schedule", e.depth)
	}
	e.res.Unfit = e.unfit
}

// deviation returns the deviation at the present decision, nil if there is none, and moves to the
// next decision.
func (e *engine) deviation() *wire.Deviation {
	at := e.decision
	e.decision++
	if len(e.replay) > 0 && e.replay[0].At == at {
		d := &e.replay[0]
		e.replay = e.replay[1:]
		return d
	}
	return nil
}
