package hook

import (
	"cmp"
	"iter"
	"reflect"
	"slices"
	"strconv"

	"github.com/surewake/surewake/model/explore"
)

// A RangingMap is the state of a loop over a map. It visits keys in the order of their values,
// which is the same in every execution and process, if they have one: pointers, channels and what
// has such in it do not, and are visited as map_order.go says. A key that was deleted meanwhile is
// not visited, nor is a new one, which Go leaves open. If the exploration asks for all orders, a
// loop over few keys that are in an order visits them in each.
type RangingMap[K comparable, V any] struct {
	m          map[K]V
	assumption string // of a loop that has one order, "" if others have the same effect
	site       string
	blank      bool // it does not see which entries it visits: orders count if they change
	begun      bool
	named      bool             // the assumption is that of the check already
	count      int              // of entries at the beginning
	inOrders   bool             // all orders are explored
	keys       []K              // that it began with, unless named
	entries    []mapEntry[K, V] // still to visit
	Key        K
	Value      V
}

const (
	mostInOrders = 6  // entries of a loop that is explored in all orders
	mostAsked    = 64 // entries of a loop that is asked in each turn for those that are gone
)

type mapEntry[K comparable, V any] struct {
	key   K
	value V // for a key that is not equal to itself: no lookup finds it, but clear deletes it
}

// RangeMap begins a loop over a map, which is named with an assumption and a site as in [Ranged]:
// for k, v = range m becomes
//
//	for r := RangeMap(m, ...); r.Next(); { k = r.Key; v = r.Value;
//
//go:norace
//go:noinline
func RangeMap[M ~map[K]V, K comparable, V any](m M, assumption, site string) *RangingMap[K, V] {
	return &RangingMap[K, V]{m: m, assumption: assumption, site: site}
}

// RangeMapBlank is RangeMap for a loop without variables: for range m.
//
//go:norace
//go:noinline
func RangeMapBlank[M ~map[K]V, K comparable, V any](
	m M, assumption, site string,
) *RangingMap[K, V] {
	r := RangeMap(m, assumption, site)
	r.blank = true
	return r
}

// RangeMapKey is RangeMap for a loop that declares a variable for the key, which comes first: for
// k := range m becomes
//
//	for k, r := RangeMapKey(m, ...); r.Into(&k, nil); {
//
//go:norace
//go:noinline
func RangeMapKey[M ~map[K]V, K comparable, V any](
	m M, assumption, site string,
) (k K, r *RangingMap[K, V]) {
	return k, RangeMap(m, assumption, site)
}

// RangeMapValue is RangeMapKey for a loop that declares a variable for the value only.
//
//go:norace
//go:noinline
func RangeMapValue[M ~map[K]V, K comparable, V any](
	m M, assumption, site string,
) (v V, r *RangingMap[K, V]) {
	return v, RangeMap(m, assumption, site)
}

// RangeMapBoth is RangeMapKey for a loop that declares both variables.
//
//go:norace
//go:noinline
func RangeMapBoth[M ~map[K]V, K comparable, V any](
	m M, assumption, site string,
) (k K, v V, r *RangingMap[K, V]) {
	return k, v, RangeMap(m, assumption, site)
}

// Next goes to the next entry and reports whether there is one.
func (r *RangingMap[K, V]) Next() bool {
	if !r.begun {
		r.begin()
	}
	switch {
	case r.inOrders:
		r.choose()
	case !r.named && r.isChanged():
		r.named = true
		orderIsOne(r.assumption, r.site)
	}
	for len(r.entries) > 0 {
		e := r.entries[0]
		r.entries = r.entries[1:]
		if v, ok := r.m[e.key]; ok {
			r.Key, r.Value = e.key, v
			return true
		}
		if e.key != e.key { //nolint:gocritic,staticcheck // NaN, or what contains one
			if len(r.m) > 0 {
				r.Key, r.Value = e.key, e.value
				return true
			}
		} else if !r.named { // in another order it might have had its turn before it went
			r.named = true
			orderIsOne(r.assumption, r.site)
		}
	}
	return false
}

// isChanged reports whether a loop that is not named yet has changed the map so that another order
// may have more turns, or fewer: it has set a new key, or, of several entries, deleted one.
func (r *RangingMap[K, V]) isChanged() bool {
	if r.count > 1 && len(r.m) != r.count || len(r.m) > r.count {
		return true
	}
	if len(r.m) == 0 || r.count > mostAsked && len(r.entries) > 0 {
		return false
	}
	return slices.ContainsFunc(r.keys, func(k K) bool {
		_, has := r.m[k]
		return !has && k == k //nolint:gocritic,staticcheck // NaN is not equal to itself
	})
}

// begin notes the entries, in the order of their keys if these have one.
func (r *RangingMap[K, V]) begin() {
	r.begun = true
	for k, v := range r.m {
		r.entries = append(r.entries, mapEntry[K, V]{k, v})
	}
	all := true
	if ordered(reflect.TypeFor[K]()) {
		slices.SortStableFunc(r.entries, func(a, b mapEntry[K, V]) int {
			return compareKeys(reflect.ValueOf(&a.key).Elem(), reflect.ValueOf(&b.key).Elem())
		})
	} else {
		all = sortBySetting(r.m, r.entries)
	}
	r.count = len(r.entries)
	if r.named = r.assumption == ""; r.named {
		return
	}
	r.inOrders = all && !r.blank && explore.MapOrders() && r.count <= mostInOrders
	if !r.inOrders && !r.blank && r.count > 1 {
		r.named = true
		Ranged(r.m, r.assumption, r.site)
		return
	}
	for _, e := range r.entries {
		r.keys = append(r.keys, e.key)
	}
}

// choose puts one of the entries that are still there first, each in some execution. A key that is
// new may be visited or not, which is not explored.
func (r *RangingMap[K, V]) choose() {
	r.entries = slices.DeleteFunc(r.entries, func(e mapEntry[K, V]) bool {
		_, has := r.m[e.key]
		return !has && e.key == e.key //nolint:gocritic,staticcheck // NaN is not equal to itself
	})
	for k := range r.m {
		if k == k && !slices.Contains(r.keys, k) { //nolint:gocritic,staticcheck // likewise
			Outside(r.m, r.assumption, r.site)
			break
		}
	}
	if n := len(r.entries); n > 1 {
		show := func(i int) string { return keyText(reflect.ValueOf(&r.entries[i].key).Elem()) }
		i := explore.ChooseFor(n, &explore.Choice{Of: "next key of a map", Show: show})
		e := r.entries[i]
		r.entries = slices.Insert(slices.Delete(r.entries, i, i+1), 0, e)
	}
}

// MapKeys is the hook of maps.Keys.
//
//go:norace
//go:noinline
func MapKeys[M ~map[K]V, K comparable, V any](m M, assumption, site string) iter.Seq[K] {
	return func(yield func(K) bool) {
		for r := RangeMap(m, assumption, site); r.Next(); {
			if !yield(r.Key) {
				return
			}
		}
	}
}

// MapValues is the hook of maps.Values.
//
//go:norace
//go:noinline
func MapValues[M ~map[K]V, K comparable, V any](m M, assumption, site string) iter.Seq[V] {
	return func(yield func(V) bool) {
		for r := RangeMap(m, assumption, site); r.Next(); {
			if !yield(r.Value) {
				return
			}
		}
	}
}

// MapAll is the hook of maps.All.
//
//go:norace
//go:noinline
func MapAll[M ~map[K]V, K comparable, V any](m M, assumption, site string) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for r := RangeMap(m, assumption, site); r.Next(); {
			if !yield(r.Key, r.Value) {
				return
			}
		}
	}
}

// MapDeleteFunc is the hook of maps.DeleteFunc.
//
//go:norace
//go:noinline
func MapDeleteFunc[M ~map[K]V, K comparable, V any](
	m M, del func(K, V) bool, assumption, site string,
) {
	for r := RangeMap(m, assumption, site); r.Next(); {
		if del(r.Key, r.Value) {
			delete(m, r.Key)
		}
	}
}

// MapEqualFunc is the hook of maps.EqualFunc.
//
//go:norace
//go:noinline
func MapEqualFunc[M1 ~map[K]V1, M2 ~map[K]V2, K comparable, V1, V2 any](
	m1 M1, m2 M2, eq func(V1, V2) bool, assumption, site string,
) bool {
	if len(m1) != len(m2) {
		return false
	}
	for r := RangeMap(m1, assumption, site); r.Next(); {
		if v2, ok := m2[r.Key]; !ok || !eq(r.Value, v2) {
			return false
		}
	}
	return true
}

// Into is Next that stores the entry at k and v, unless they are nil.
func (r *RangingMap[K, V]) Into(k *K, v *V) bool {
	if !r.Next() {
		return false
	}
	if k != nil {
		*k = r.Key
	}
	if v != nil {
		*v = r.Value
	}
	return true
}

// ordered reports whether compareKeys tells values of a type apart.
func ordered(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.UnsafePointer, reflect.Chan, reflect.Interface,
		reflect.Complex64, reflect.Complex128:
		return false
	case reflect.Array:
		return ordered(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !ordered(t.Field(i).Type) {
				return false
			}
		}
	}
	return true
}

// compareKeys compares two values of an ordered type.
func compareKeys(a, b reflect.Value) int {
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint())
	case a.CanFloat():
		return cmp.Compare(a.Float(), b.Float())
	case a.Kind() == reflect.String:
		return cmp.Compare(a.String(), b.String())
	case a.Kind() == reflect.Bool:
		return cmp.Compare(flag(a.Bool()), flag(b.Bool()))
	case a.Kind() == reflect.Array:
		for i := range a.Len() {
			if c := compareKeys(a.Index(i), b.Index(i)); c != 0 {
				return c
			}
		}
	case a.Kind() == reflect.Struct:
		for i := range a.NumField() {
			if c := compareKeys(a.Field(i), b.Field(i)); c != 0 {
				return c
			}
		}
	}
	return 0
}

// keyText is a key in the picture of an execution, "" if it has no short text.
func keyText(k reflect.Value) string {
	switch {
	case k.CanInt():
		return strconv.FormatInt(k.Int(), 10)
	case k.CanUint():
		return strconv.FormatUint(k.Uint(), 10)
	case k.CanFloat():
		return strconv.FormatFloat(k.Float(), 'g', -1, 64)
	case k.Kind() == reflect.String:
		return strconv.Quote(k.String())
	case k.Kind() == reflect.Bool:
		return strconv.FormatBool(k.Bool())
	case k.Kind() == reflect.Interface && !k.IsNil():
		return keyText(k.Elem())
	}
	return ""
}
