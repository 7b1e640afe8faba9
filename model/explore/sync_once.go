package explore

import "unsafe"

// The states of a Once, in its object.
const (
	onceFresh = iota
	onceRuns
	onceDone
)

// Do is enabled unless the function is running. The first caller runs the function, and ends with
// OpOnceDone.
func init() {
	ops[OpOnce] = operation{
		name:          "Once.Do",
		class:         write,
		resolve:       onceClass,
		enabled:       func(e *engine, t *thread) bool { return e.objs[t.obj].state != onceRuns },
		enabledBefore: func(_ *thread, f *event, _ int32) bool { return f.state != onceRuns },
		before:        onceBefore,
		meet:          meetOnce,
		apply:         onceBegin,
	}
	ops[OpOnceDone] = operation{
		name:   "Once.Do (done)",
		class:  write,
		before: onceBefore,
		apply:  func(e *engine, t *thread, _ int32) { e.objs[t.obj].state = onceDone },
	}
}

func onceBefore(o *object) uint8 { return uint8(o.state) }

// onceClass: a Do that finds the function done only reads.
func onceClass(e *engine, t *thread) class {
	if e.objs[t.obj].state == onceDone {
		return read
	}
	return write
}

func onceBegin(e *engine, t *thread, _ int32) {
	if o := &e.objs[t.obj]; o.state == onceFresh {
		o.state = onceRuns
	}
}

// OnceMine reports whether the caller, which has just entered OpOnce on o, must run the function.
func OnceMine(o unsafe.Pointer) bool {
	e := eng
	return e.objs[e.object(o)].state == onceRuns
}
