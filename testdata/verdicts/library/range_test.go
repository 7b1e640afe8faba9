package library

import (
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

// rangeSees returns which of two keys a Range sees while another goroutine acts.
func rangeSees(x *model.Exec, m *sync.Map, acts func()) (one, two bool) {
	x.Go("acts", acts)
	m.Range(func(key, _ any) bool {
		one, two = one || key == 1, two || key == 2
		return true
	})
	x.Join()
	return one, two
}

// A key that is not there is passed by, and stored then, before the next one.
//
// verdict: FAILED the second is seen, the first is not
func TestRangePassesByAKeyThatIsStored(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m sync.Map
		for key := range 2 {
			m.Store(1+key, true)
			m.Delete(1 + key)
		}
		one, two := rangeSees(x, &m, func() {
			m.Store(1, true)
			m.Store(2, true)
		})
		x.Assert(one || !two, "the second is seen, the first is not")
	})
}

// At each time there is one of the keys.
//
// verdict: FAILED none is seen
func TestRangeSeesNone(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m sync.Map
		m.Store(1, true)
		m.Delete(1)
		m.Store(2, true)
		one, two := rangeSees(x, &m, func() {
			m.Store(1, true)
			m.Delete(2)
		})
		x.Assert(one || two, "none is seen")
	})
}

// In another order the change may come before the key.
//
// verdict: said sync.Map.Range visits keys in the order of their first use
func TestRangeBesideAChange(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m sync.Map
		m.Store(1, true)
		m.Store(2, true)
		m.Delete(2)
		rangeSees(x, &m, func() { m.Delete(1) })
	})
}

// verdict: said sync.Map.Range visits keys in the order of their first use
func TestRangeBesideClear(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var m sync.Map
		m.Store(1, true)
		m.Store(2, true)
		m.Delete(2)
		rangeSees(x, &m, m.Clear)
	})
}
