package explore

import "unsafe"

// Maps and pools of package sync are replaced by models, which package virtual keeps: the contents
// of the real ones stay what they were before the execution. Each call is one step on the object,
// and Map.Range one step for each key; what changes nothing is a read.
func init() {
	called := func(t *thread) string { return t.called }
	ops[OpMapLoad] = operation{name: "Map.Load", class: read, boolean: true, leaves: true}
	ops[OpMapStore] = operation{name: "Map.Store", class: write, label: called}
	ops[OpMapUpdate] = operation{
		name:    "Map.LoadOrStore",
		class:   write,
		resolve: updateClass,
		label:   called,
		boolean: true,
		leaves:  true,
	}
	ops[OpMapRange] = operation{name: "Map.Range", class: read}
	ops[OpPoolGet] = operation{
		name:    "Pool.Get",
		class:   write,
		choices: func(_ *engine, t *thread) int32 { return t.options() },
	}
	ops[OpPoolPut] = operation{name: "Pool.Put", class: write}
}

// updateClass: an update that would change nothing only reads.
func updateClass(_ *engine, t *thread) class {
	if !t.peek() {
		return read
	}
	return write
}

// EnterMap is Enter for the method of a sync.Map at p. Of OpMapUpdate, changes says whether the map
// as it is would be changed.
//
//go:noinline
func EnterMap(p unsafe.Pointer, op Op, method string, changes func() bool) {
	if e := eng; e != nil {
		e.cur.called, e.cur.peek = method, changes
	}
	Enter(p, op)
}

// EnterPoolGet is Enter for Get of the sync.Pool at p, which chooses one of so many values as
// options gives at that time. It returns the choice.
//
//go:noinline
func EnterPoolGet(p unsafe.Pointer, options func() int) int {
	if e := eng; e != nil {
		e.cur.options = func() int32 { return int32(options()) }
	}
	Enter(p, OpPoolGet)
	return int(eng.cur.chosen)
}

// Model returns what stands for the object at p in the running execution, nil if nothing does yet.
//
//go:noinline
func Model(p unsafe.Pointer) any { return eng.objs[eng.object(p)].model }

// SetModel sets what stands for the object at p until the execution ends.
//
//go:noinline
func SetModel(p unsafe.Pointer, model any) { eng.objs[eng.object(p)].model = model }

// Release and Acquire are an edge for the race detector, by the address of a token: what came
// before the last Release happens before what comes after an Acquire.
//
//go:noinline
func Release(token *uint64) { eng.cur.releaseTo(token) }

// Acquire is the other end of Release.
//
//go:noinline
func Acquire(token *uint64) { eng.cur.acquireFrom(token) }
