package hook

import (
	"hash/maphash"
	"reflect"
	"slices"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

// Keys that have no order of their own, pointers and channels say, are visited in the order in
// which they were first set: [Setting] stands in the assignments to elements of such maps. It is
// the same in all executions with the same order of dependent steps, as assignments to one map are.

// A SettingMap is a map of which an element is being set.
type SettingMap[K comparable] struct{ of unsafe.Pointer }

// Setting begins an assignment to an element of a map: m[k] = v becomes m[Setting(m).Key(k)] = v.
//
//go:norace
//go:noinline
func Setting[M ~map[K]V, K comparable, V any](m M) SettingMap[K] {
	if !explore.InExecution() || m == nil || ordered(reflect.TypeFor[K]()) {
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
		s.note(k)
	}
	return k
}

//go:norace
func (s SettingMap[K]) note(k K) {
	defer func() { _ = recover() }() // a key that cannot be compared: the assignment says so
	if k != k {                      //nolint:gocritic,staticcheck // it would be found in no table
		return
	}
	t, ok := explore.Model(s.of).(*keyTable[K])
	if !ok {
		t = &keyTable[K]{seed: maphash.MakeSeed(), slots: make([]int32, 8)}
		explore.SetModel(s.of, t)
	}
	t.place(k)
}

// A keyTable numbers the keys of a map. It is no map, as the race detector sees what is done to
// those.
type keyTable[K comparable] struct {
	seed  maphash.Seed
	keys  []K
	slots []int32 // numbers plus one, at the hash of the key or behind it
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

// sortBySetting sorts entries of a map by when their keys were first set. Those that something else
// has set come last; it reports whether there are none.
//
//go:norace
func sortBySetting[M ~map[K]V, K comparable, V any](m M, entries []mapEntry[K, V]) bool {
	if len(entries) == 0 {
		return true
	}
	t, ok := explore.Model(mapPointer(m)).(*keyTable[K])
	if !ok {
		return len(entries) == 1
	}
	const unknown = 1<<31 - 1
	number := func(e mapEntry[K, V]) int32 {
		if i := t.slots[t.slot(e.key)]; i > 0 {
			return i
		}
		return unknown
	}
	slices.SortStableFunc(entries, func(a, b mapEntry[K, V]) int {
		return int(number(a)) - int(number(b))
	})
	return len(entries) == 1 || number(entries[len(entries)-1]) != unknown
}
