package runtime

import (
	"context"
	"runtime/pprof"
	"runtime/trace"
)

// SetName names the task for whoever looks at the runtime: [Runtime.Dump], [Alarm], [PanicError]
// and what [LogPanics] logs. The name replaces the one that the task had before; "" takes it away.
// It ends with the task. A task that is not named costs nothing; a name costs less than a
// microsecond.
//
// With [Labels], profiles show the name as the label "task", in place of the labels that the task
// has set by pprof.Do, until the task ends, or until Poll of a [Future] returns. What runs on the
// task's stack meanwhile, such as a child that it joins, has the label too, unless it has a name of
// its own. With [Trace], the name is logged to the trace in the region of the task, under the
// category "task", and further regions of a future have it in place of its type.
func (cx Cx) SetName(name string) {
	cx.check("SetName")
	t := cx.task
	rs := &t.rt.records
	r := rs.get(t)
	if r == nil {
		if name == "" {
			return
		}
		r = rs.add(t, nil)
		r.begun.Store(true)
		t.pushJoiner(&r.joiner)
		t.requestJoinerWake()
		if n := len(cx.coroutine.running); n > 0 { // with Watchdog, and without Debug
			cx.coroutine.running[n-1] = cx.coroutine.running[n-1].with(r)
			cx.coroutine.worker.showRun(cx.coroutine.running[n-1])
		}
	}
	r.name.Store(&name)
	if t.rt.config.labels != nil {
		r.labelled = true
		cx.coroutine.relabel(nil)
	}
	if t.rt.config.trace && trace.IsEnabled() {
		trace.Log(context.Background(), "task", name)
	}
}

// with returns r with a record.
func (r *run) with(its *record) *run {
	named := *r
	named.record = its
	return &named
}

// endLabel ends the label of t, which runs on co: its run or its end is over. Its runner calls it.
// (runtime/R31)
func (co *coroutine) endLabel(t *task, r *record) {
	if r != nil && r.labelled {
		r.labelled = false
		co.relabel(t)
	}
}

// relabel gives the calling goroutine, which is that of co, the labels of the innermost task there
// that is named, other than without; else those of the runtime.
func (co *coroutine) relabel(without *task) {
	rt := co.worker.rt
	name := ""
	if t := co.task; t != nil && t != without {
		name = rt.records.nameOf(t)
	}
	for n := co.depth - 1; n >= 0 && name == ""; n-- {
		name = rt.records.nameOf(co.levels[n].task)
	}
	labels := rt.config.labels
	co.labelled = name != ""
	if co.labelled {
		labels = pprof.WithLabels(labels, pprof.Labels("task", name))
	}
	pprof.SetGoroutineLabels(labels)
}
