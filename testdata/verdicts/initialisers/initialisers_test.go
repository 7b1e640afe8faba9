// Package initialisers has checks that depend on what initialisers did before them.
package initialisers

import (
	"math/rand"
	"testing"

	"github.com/surewake/surewake/model"
)

var (
	names = map[string]int{"a": 1, "b": 2}
	first = func() string {
		for name := range names {
			return name
		}
		return ""
	}()
	drawn = rand.Intn(2)
	turns = func() (n int) {
		numbers := map[int]bool{1: true}
		for k := range numbers {
			if n++; n < 3 {
				numbers[k+1] = true
			}
		}
		return n
	}()
)

// Package variables that no check changes are made once. What the order of a map and random numbers
// made of them is the same in every process, and is named.
//
// verdict: said visit maps does not matter \(range testdata/verdicts/initialisers/\S*:14[,)]
func TestOrderOfAMap(t *testing.T) {
	model.Check(t, func(x *model.Exec) { x.Assert(first == "a", "%s came first", first) })
}

// verdict: said random numbers.*rand.Intn testdata/verdicts/initialisers/.*:19\)
func TestRandomNumber(t *testing.T) {
	model.Check(t, func(x *model.Exec) { x.Assert(drawn >= 0, "%d", drawn) })
}

// verdict: said visit maps does not matter .*range testdata/verdicts/initialisers/.*:22
func TestNewKeysOfAnInitialiser(t *testing.T) {
	model.Check(t, func(x *model.Exec) { x.Assert(turns < 3, "all were visited") })
}
