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

func (e *engine) newObject(p unsafe.Pointer) {
	if e.nobjs == len(e.objs) {
		e.objs = append(e.objs, object{})
	}
	o := &e.objs[e.nobjs]
	e.nobjs++
	w, ch := o.waiters[:0], o.ch
	if ch != nil {
		ch.known = false
	}
	*o = object{ptr: p, last: -1, waiters: w, ch: ch}
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
