package testingt

import (
	"testing"

	"github.com/surewake/surewake/model"
)

type keyed struct {
	tb testing.TB
	n  int
}

// verdict: proved
func TestKeyOfAMap(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var tb testing.TB = t
		m := map[testing.TB]int{t: 1}
		x.Assert(m[t] == 1 && m[(t)] == 1 && m[tb] == 1, "%v", m)
		m[t]++
		m[(t)] += 2
		x.Assert(m[tb] == 4 && len(m) == 1, "%v", m)
		_, ok := m[t]
		delete(m, t)
		x.Assert(ok && len(m) == 0, "%v", m)
		ofAny := map[any]int{t: 1, 2: 3}
		x.Assert(ofAny[t] == 1 && ofAny[tb] == 1 && ofAny[testing.TB(t)] == 1, "%v", ofAny)
		ofAny[t] = 4
		x.Assert(ofAny[tb] == 4, "%v", ofAny)
		delete(ofAny, tb)
		x.Assert(len(ofAny) == 1, "%v", ofAny)
		ofT := map[*testing.T]int{t: 1}
		x.Assert(ofT[t] == 1, "%v", ofT)
		ofStruct := map[keyed]int{{t, 1}: 1}
		x.Assert(ofStruct[keyed{t, 1}] == 1 && ofStruct[keyed{tb, 1}] == 1, "%v", ofStruct)
		registered := map[testing.TB]string{}
		func(tb testing.TB) { registered[tb] = "a" }(t)
		x.Assert(registered[t] == "a", "%v", registered)
		for k := range registered {
			x.Assert(k == t, "%v", k)
		}
	})
}

// verdict: proved
func TestCases(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var tb testing.TB = t
		var a any = t
		n := 0
		switch tb {
		case nil:
		case t:
			n++
		}
		switch a {
		case 1, (t):
			n++
		}
		switch a {
		case tb:
			n++
		}
		switch t {
		case nil:
		case tb:
			n++
		}
		switch t {
		case (a):
			n++
		}
		switch t {
		case t:
			n++
		}
		x.Assert(n == 6, "%d", n)
	})
}

// verdict: FAILED received
func TestSelected(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan *testing.T, 1)
		c <- t
		var tb testing.TB
		select {
		case tb = <-c:
		}
		tb.Error("received")
	})
}
