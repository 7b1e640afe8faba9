package narrowed

import (
	"reflect"
	"testing"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/testdata/verdicts/narrowed/sets"
)

func BenchmarkSets(b *testing.B) {
	for b.Loop() {
		sets.Use()
	}
}

// The package that only the benchmark imports is initialised as it is by go test.
//
// verdict: FAILED the limit is 1
func TestInitialised(t *testing.T) {
	model.Check(t, func(x *model.Exec) { x.Assert(limit() == 2, "the limit is %d", limit()) })
}

func fails(t *testing.T) {
	model.Check(t, func(x *model.Exec) { x.Assert(false, "it was run") })
}

func (part) fails(t *testing.T) { fails(t) }

// A test finds its check by a method of what it does not name.
//
// verdict: FAILED it was run
func TestMethod(t *testing.T) { newPart().fails(t) }

type suite struct{}

func (suite) Run(t *testing.T) { fails(t) }

var suites = map[string]interface{ Run(t *testing.T) }{"one": suite{}}

// By an interface.
//
// verdict: FAILED it was run
func TestInterface(t *testing.T) {
	for _, s := range suites {
		s.Run(t)
	}
}

type methods struct{ t *testing.T }

func (m methods) Run() { fails(m.t) }

// By reflection.
//
// verdict: FAILED it was run
func TestReflection(t *testing.T) {
	reflect.ValueOf(methods{t}).MethodByName("Run").Call(nil)
}

var table []func(*testing.T)

func init() { table = append(table, fails) }

// By a variable that was assigned.
//
// verdict: FAILED it was run
func TestTable(t *testing.T) {
	for _, f := range table {
		f(t)
	}
}
