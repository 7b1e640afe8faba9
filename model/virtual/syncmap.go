package virtual

import (
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

// A Map stands for a sync.Map during one execution. It begins with what the real one holds, which
// stays as it is. For the race detector it orders what the documentation of sync.Map promises and
// no more: a write of a key comes before the reads that see its effect.
type Map struct {
	p      unsafe.Pointer // the sync.Map
	root   unsafe.Pointer // of the real one
	first  *entry         // in the order of first use
	last   *entry
	writes int // how many there were, as Range sees
}

// An entry is kept when its key is deleted: what reads that the key is not there sees the effect of
// the deletion.
type entry struct {
	key, value any
	present    bool
	token      uint64 // released by the last write
	next       *entry
}

// MapOf returns what stands for the sync.Map at p in the running execution; each is its Range. At
// root is another pointer, or nil, once the real one, which each has used, was assigned to.
//
// No method of sync.Map is called here. This package is compiled without the race detector, and so
// would be the generic functions that such a call brings along; the linker might take these for the
// whole program, and the detector would not see how maps of the standard library synchronize.
func MapOf(
	p unsafe.Pointer, root *unsafe.Pointer, each func(f func(key, value any) bool),
) *Map {
	if v, ok := explore.Model(p).(*Map); ok && v.root == *root {
		return v
	}
	v := &Map{p: p}
	explore.SetModel(p, v)
	explore.Hidden(func() bool {
		each(func(key, value any) bool {
			e := v.add(key)
			e.value, e.present = value, true
			return true
		})
		return true
	})
	v.root = *root
	return v
}

func (m *Map) add(key any) *entry {
	e := &entry{key: key}
	if m.last == nil {
		m.first = e
	} else {
		m.last.next = e
	}
	m.last = e
	return e
}

func (m *Map) find(key any) *entry {
	for e := m.first; e != nil; e = e.next {
		if e.key == key {
			return e
		}
	}
	return nil
}

// mustHash panics as the real map does if the key cannot be one.
func mustHash(key any) { _ = map[any]bool{key: true} }

// set writes a key.
func (m *Map) set(key, value any, present bool) {
	e := m.find(key)
	if e == nil {
		e = m.add(key)
	}
	e.value, e.present = value, present
	m.writes++
	explore.Release(&e.token)
}

// get reads a key.
func (m *Map) get(key any) (value any, ok bool) {
	e := m.find(key)
	if e == nil {
		return nil, false
	}
	explore.Acquire(&e.token)
	return e.value, e.present
}

// has looks whether a key is there, for the engine: no thread reads.
func (m *Map) has(key any) bool {
	e := m.find(key)
	return e != nil && e.present
}

// holds reports whether the value of key equals old. What cannot be compared panics later, in the
// goroutine that asked.
func (m *Map) holds(key, old any) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = true
		}
	}()
	e := m.find(key)
	return e != nil && e.present && e.value == old
}

func leave(ok bool) {
	n := uint64(0)
	if ok {
		n = 1
	}
	explore.Leave(n)
}

// Load is a read. It and the methods below are those of sync.Map.
func (m *Map) Load(key any) (value any, ok bool) {
	mustHash(key)
	explore.EnterMap(m.p, explore.OpMapLoad, "Map.Load", nil)
	value, ok = m.get(key)
	leave(ok)
	return value, ok
}

// Store is a write, whatever it changes.
func (m *Map) Store(key, value any) {
	mustHash(key)
	explore.EnterMap(m.p, explore.OpMapStore, "Map.Store", nil)
	m.set(key, value, true)
}

// Clear writes every key that the map has had.
func (m *Map) Clear() {
	explore.EnterMap(m.p, explore.OpMapStore, "Map.Clear", nil)
	m.writes++
	for e := m.first; e != nil; e = e.next {
		e.value, e.present = nil, false
		explore.Release(&e.token)
	}
}

// LoadOrStore is a read if the key is there.
func (m *Map) LoadOrStore(key, value any) (actual any, loaded bool) {
	mustHash(key)
	explore.EnterMap(m.p, explore.OpMapUpdate, "Map.LoadOrStore",
		func() bool { return !m.has(key) })
	if actual, loaded = m.get(key); !loaded {
		actual = value
		m.set(key, value, true)
	}
	leave(loaded)
	return actual, loaded
}

// LoadAndDelete is a read if the key is not there.
func (m *Map) LoadAndDelete(key any) (value any, loaded bool) {
	return m.remove(key, "Map.LoadAndDelete")
}

// Delete is a read if the key is not there.
func (m *Map) Delete(key any) { m.remove(key, "Map.Delete") }

func (m *Map) remove(key any, method string) (value any, loaded bool) {
	mustHash(key)
	explore.EnterMap(m.p, explore.OpMapUpdate, method, func() bool { return m.has(key) })
	if value, loaded = m.get(key); loaded {
		m.set(key, nil, false)
	}
	leave(loaded)
	return value, loaded
}

// Swap is a write.
func (m *Map) Swap(key, value any) (previous any, loaded bool) {
	mustHash(key)
	explore.EnterMap(m.p, explore.OpMapStore, "Map.Swap", nil)
	previous, loaded = m.get(key)
	m.set(key, value, true)
	return previous, loaded
}

// CompareAndSwap is a read if the value is another one.
func (m *Map) CompareAndSwap(key, old, new any) (swapped bool) {
	mustHash(key)
	explore.EnterMap(m.p, explore.OpMapUpdate, "Map.CompareAndSwap",
		func() bool { return m.holds(key, old) })
	value, ok := m.get(key)
	if swapped = ok && value == old; swapped {
		m.set(key, new, true)
	}
	leave(swapped)
	return swapped
}

// CompareAndDelete is a read if the value is another one.
func (m *Map) CompareAndDelete(key, old any) (deleted bool) {
	mustHash(key)
	explore.EnterMap(m.p, explore.OpMapUpdate, "Map.CompareAndDelete",
		func() bool { return m.holds(key, old) })
	value, ok := m.get(key)
	if deleted = ok && value == old; deleted {
		m.set(key, nil, false)
	}
	leave(deleted)
	return deleted
}

const mapOrder = "sync.Map.Range visits keys in the order of their first use, new ones last"

// others reports whether a key behind that of the entry is present.
func (at *entry) others() bool {
	for e := at.next; e != nil; e = e.next {
		if e.present {
			return true
		}
	}
	return false
}

// Range is a step for each key that the map has had, and one that finds no more: as the
// documentation says it is no snapshot, each key is visited once at most, and its value is that of
// some time during the call. A key that is not there is passed by in a step, too: what is stored
// after that is not visited, whatever is visited behind it. Of the orders in which the real map may
// visit keys there is one: that of their first use, with those that are stored meanwhile.
func (m *Map) Range(f func(key, value any) bool) {
	var at *entry
	began, visited := 0, 0
	for keys := 0; ; keys++ {
		explore.EnterMap(m.p, explore.OpMapRange, "Map.Range", nil)
		if at == nil {
			at, began = m.first, m.writes
		} else {
			at = at.next
		}
		if keys > 0 && m.writes != began {
			explore.Assume(mapOrder) // another order would be another time
		}
		if at == nil {
			return
		}
		explore.Acquire(&at.token)
		if !at.present {
			continue
		}
		if visited++; visited == 2 {
			explore.Assume(mapOrder)
		}
		chosen := visited == 1 && at.others() // if f stops here
		if !f(at.key, at.value) {
			if chosen {
				explore.Assume(mapOrder)
			}
			return
		}
	}
}
