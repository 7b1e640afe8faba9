// Package testify has checks that use testify, which brings parsers with tables in package
// variables.
package testify

import (
	"math"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model"
)

func two(x *model.Exec) int32 {
	var n atomic.Int32
	x.Go("a", func() { n.Add(1) })
	x.Go("b", func() { n.Add(1) })
	x.Join()
	return n.Load()
}

// verdict: proved without assumptions
func TestFunctions(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		assert.EqualValues(t, 2, two(x))
		require.NotNil(t, x)
	})
}

// Assertions have a method that parses YAML.
//
// verdict: proved without assumptions
func TestAssertions(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		require.New(t).EqualValues(2, two(x))
		assert.New(t).EqualValues(2, 2)
	})
}

// verdict: proved without assumptions
func TestYAML(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		two(x)
		assert.YAMLEq(t, "a: .nan", "a: .nan")
	})
}

var numbers = map[string]any{"nan": math.NaN(), "complex": complex(math.NaN(), 1)}

func number(name string) any { return numbers[name] }

// A variable that is made anew is as before, though a value in it equals none.
//
// verdict: proved without assumptions
func TestNotANumber(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		two(x)
		f := number("nan").(float64)
		x.Assert(f != f, "a number")
	})
}
