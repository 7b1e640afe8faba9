package hook

import "github.com/surewake/surewake/model/explore"

// SpinStart begins an activation of a loop that has no effects of its own, and returns its number
// for Spin.
//
//go:norace
//go:noinline
func SpinStart() uint64 { return explore.SpinStart() }

// Spin is called at the head of each iteration of such a loop. state has the variables that an
// iteration carries to the next.
//
//go:norace
//go:noinline
func Spin(n uint64, state ...any) { explore.Spin(n, state...) }

// Turn stands at the head of each iteration of a loop that changes nothing but variables of its
// function. state has those that can decide how it goes on.
//
//go:norace
//go:noinline
func Turn(n uint64, state ...any) { explore.Turn(n, state...) }

// Loop stands at the head of each iteration of any other loop that a scheduling point may be in.
//
//go:norace
//go:noinline
func Loop(n uint64) { explore.Loop(n) }

// Changing stands for a variable of a loop whose values cannot be compared.
//
//go:norace
//go:noinline
func Changing() any { return new(int) }
