package hook

import (
	"cmp"
	"hash/maphash"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

// Keys that have no order of their own, pointers and channels say, are visited in the order in
// which they were first set: [Setting] stands in the assignments to elements of such maps. It is
// the same in all executions with the same order of dependent steps, as assignments to one map are.
// What was set before the execution, by initialisers say, comes first. A map that is filled in
// another way, by maps.Copy say, has its keys in the order in which they were first set in any map,
// or stood in a literal ([Keyed]).

// before has the tables of what was set outside of executions.
var before struct {
	sync.Mutex
	tables map[unsafe.Pointer]any
}

// A SettingMap is a map of which an element is being set.
type SettingMap[K comparable] struct{ of unsafe.Pointer }

// Setting begins an assignment to an element of a map: m[k] = v becomes m[Setting(m).Key(k)] = v.
//
//go:norace
//go:noinline
func Setting[M ~map[K]V, K comparable, V any](m M) SettingMap[K] {
	if m == nil || ordered(reflect.TypeFor[K]()) {
		return SettingMap[K]{}
	}
	return SettingMap[K]{mapPointer(m)}
}

//go:norace
func mapPointer[M ~map[K]V, K comparable, V any](m M) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&m))
}

// Key gives the key back.
//
//go:norace
//go:noinline
func (s SettingMap[K]) Key(k K) K {
	if s.of != nil {
		noteKey(s.of, k)
		noteKey(anyMap[K](), k)
	}
	return k
}

// Keyed gives back a key of a map literal.
//
//go:norace
//go:noinline
func Keyed[K comparable](k K) K {
	if !ordered(reflect.TypeFor[K]()) {
		noteKey(anyMap[K](), k)
	}
	return k
}

// anyMap stands for all maps with keys of a type.
//
//go:norace
func anyMap[K comparable]() unsafe.Pointer {
	t := reflect.TypeFor[K]()
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1] // the type's descriptor
}

//go:norace
func noteKey[K comparable](of unsafe.Pointer, k K) {
	defer func() { _ = recover() }() // a key that cannot be compared: the assignment says so
	if k != k {                      //nolint:gocritic,staticcheck // it would be found in no table
		return
	}
	if !explore.InExecution() {
		before.Lock()
		defer before.Unlock()
		t, ok := before.tables[of].(*keyTable[K])
		if !ok {
			t = newKeyTable[K](nil)
			if before.tables == nil {
				before.tables = map[unsafe.Pointer]any{}
			}
			before.tables[of] = t
		}
		t.place(k)
		return
	}
	t, ok := explore.Model(of).(*keyTable[K])
	if !ok {
		t = newKeyTable(setBefore[K](of))
		explore.SetModel(of, t)
	}
	t.place(k)
}

// setBefore returns the table of what was set outside of executions, nil if nothing was.
//
//go:norace
func setBefore[K comparable](of unsafe.Pointer) (t *keyTable[K]) {
	explore.Hidden(func() bool {
		before.Lock()
		defer before.Unlock()
		t, _ = before.tables[of].(*keyTable[K])
		return true
	})
	return t
}

// tableOf returns the table of what has been set so far.
//
//go:norace
func tableOf[K comparable](of unsafe.Pointer) *keyTable[K] {
	if explore.InExecution() {
		if t, ok := explore.Model(of).(*keyTable[K]); ok {
			return t
		}
	}
	return setBefore[K](of)
}

// A keyTable numbers the keys of a map. It is no map, as the race detector sees what is done to
// those.
type keyTable[K comparable] struct {
	seed  maphash.Seed
	keys  []K
	slots []int32 // numbers plus one, at the hash of the key or behind it
}

// newKeyTable returns a table with the keys of another one, nil for none.
//
//go:norace
func newKeyTable[K comparable](of *keyTable[K]) *keyTable[K] {
	t := &keyTable[K]{seed: maphash.MakeSeed(), slots: make([]int32, 8)}
	if of != nil {
		for _, k := range of.keys {
			t.place(k)
		}
	}
	return t
}

// place returns the number of a key, a new one if it has none.
//
//go:norace
func (t *keyTable[K]) place(k K) int32 {
	if len(t.slots) < 2*(len(t.keys)+1) {
		t.slots = make([]int32, 2*len(t.slots))
		for i, k := range t.keys {
			t.slots[t.slot(k)] = int32(i) + 1
		}
	}
	at := t.slot(k)
	if t.slots[at] == 0 {
		t.keys = append(t.keys, k)
		t.slots[at] = int32(len(t.keys))
	}
	return t.slots[at] - 1
}

// slot returns where a key is, or is to be.
//
//go:norace
func (t *keyTable[K]) slot(k K) uint64 {
	mask := uint64(len(t.slots) - 1)
	at := maphash.Comparable(t.seed, k) & mask
	for t.slots[at] != 0 && t.keys[t.slots[at]-1] != k {
		at = (at + 1) & mask
	}
	return at
}

// number returns the place of a key in the table, after from; without one, no number.
//
//go:norace
func (t *keyTable[K]) number(k K, from int64) (int64, bool) {
	if t == nil || len(t.keys) == 0 {
		return 0, false
	}
	i := t.slots[t.slot(k)]
	return from + int64(i), i > 0
}

// sortBySetting sorts entries of a map by when their keys were first set: in this map, then those
// that were in another one. What stands in no table comes last; it reports whether there is none.
//
//go:norace
func sortBySetting[M ~map[K]V, K comparable, V any](m M, entries []mapEntry[K, V]) bool {
	if len(entries) <= 1 {
		return true
	}
	const unknown = int64(1) << 62
	here, anywhere := tableOf[K](mapPointer(m)), tableOf[K](anyMap[K]())
	number := func(e mapEntry[K, V]) int64 {
		if i, ok := here.number(e.key, 0); ok {
			return i
		}
		if i, ok := anywhere.number(e.key, 1<<32); ok {
			return i
		}
		return unknown
	}
	slices.SortStableFunc(entries, func(a, b mapEntry[K, V]) int {
		return cmp.Compare(number(a), number(b))
	})
	return number(entries[len(entries)-1]) != unknown
}
