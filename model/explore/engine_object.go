package explore

import "unsafe"

// table maps addresses to objects, which are numbered by their first use in an execution. An entry
// is valid for one generation, so that emptying the table costs nothing. Keys are pointers: what
// checked code allocates stays alive, hence at its address, until the execution ends.
type table struct {
	slots []slot
	gen   uint32
	shift uint8
	last  slot // what was asked for last in this generation
}

type slot struct {
	p   unsafe.Pointer
	gen uint32
	id  int32
}

func (tb *table) reset(bits uint8) {
	tb.slots = make([]slot, 1<<bits)
	tb.shift = 64 - bits
}

// object returns the number of the object at p, a new one on first use.
func (e *engine) object(p unsafe.Pointer) int32 {
	if last := &e.table.last; last.p == p {
		return last.id
	}
	return e.lookUp(p)
}

// lookUp is object for any pointer but the last one.
func (e *engine) lookUp(p unsafe.Pointer) int32 {
	tb := &e.table
	mask := uint64(len(tb.slots) - 1)
	h := uint64(uintptr(p)) * 0x9E3779B97F4A7C15 >> tb.shift
	for {
		s := &tb.slots[h&mask]
		if s.gen != tb.gen {
			break
		}
		if s.p == p {
			tb.last = *s
			return s.id
		}
		h++
	}
	if e.nobjs*2 > len(tb.slots) {
		e.growTable()
		return e.lookUp(p)
	}
	id := int32(e.nobjs)
	tb.last = slot{p, tb.gen, id}
	tb.slots[h&mask] = tb.last
	e.newObject(p)
	return id
}

// find returns the number of the object at p, -1 if there is none.
func (tb *table) find(p uintptr) int32 {
	mask := uint64(len(tb.slots) - 1)
	h := uint64(p) * 0x9E3779B97F4A7C15 >> tb.shift
	for ; tb.slots[h&mask].gen == tb.gen; h++ {
		if s := &tb.slots[h&mask]; uintptr(s.p) == p {
			return s.id
		}
	}
	return -1
}

func (e *engine) newObject(p unsafe.Pointer) {
	if e.nobjs == len(e.objs) {
		e.objs = append(e.objs, object{})
	}
	o := &e.objs[e.nobjs]
	e.nobjs++
	w, r, ch := o.waiters[:0], o.recent[:0], o.ch
	if ch != nil {
		ch.known = false
	}
	*o = object{ptr: p, last: -1, written: -1, recent: r, waiters: w, ch: ch}
}

// recent has the last event of each class, or -1, of one thread on an object since a write to it.
// The one before it, of that thread and class, is event.own.
type recent struct {
	tid  int32
	last [classes]int32
}

// noteOn makes t's event at depth d, of class c, the last one on object o.
func (e *engine) noteOn(o *object, t *thread, ev *event, d int32) {
	o.last = d
	switch ev.class {
	case none:
	case write:
		o.written, o.recent = d, o.recent[:0]
	default:
		r := e.recentOf(o, t)
		ev.own, r.last[ev.class] = r.last[ev.class], d
	}
}

// recentOf returns t's part of o.recent, a new one if t did nothing to o since the last write.
func (e *engine) recentOf(o *object, t *thread) *recent {
	if e.lastOf(t.id) > o.written {
		for i := range o.recent {
			if r := &o.recent[i]; int(r.tid) == t.id {
				return r
			}
		}
	}
	r := recent{tid: int32(t.id)}
	for i := range r.last {
		r.last[i] = -1
	}
	o.recent = append(o.recent, r)
	return &o.recent[len(o.recent)-1]
}

func (e *engine) growTable() {
	old := e.table.slots
	e.table.reset(64 - e.table.shift + 1)
	mask := uint64(len(e.table.slots) - 1)
	for _, s := range old {
		if s.gen != e.table.gen {
			continue
		}
		h := uint64(uintptr(s.p)) * 0x9E3779B97F4A7C15 >> e.table.shift
		for e.table.slots[h&mask].gen == e.table.gen {
			h++
		}
		e.table.slots[h&mask] = s
	}
}

// clear forgets every object. Slots keep the pointers of earlier executions until they are used
// again, which keeps alive at most the memory of one execution.
func (tb *table) clear() {
	tb.last = slot{p: unsafe.Pointer(tb)} // where no object lies
	tb.gen++
	if tb.gen == 0 { // wrapped: stale entries would look alive
		clear(tb.slots)
		tb.gen = 1
	}
}
