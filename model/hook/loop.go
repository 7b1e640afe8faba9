package hook

import "github.com/surewake/surewake/model/explore"

// SpinStart begins an activation of a loop that has no effects of its own, and returns its number
// for Spin.
//
//go:norace
//go:noinline
func SpinStart() uint64 { return explore.SpinStart() }

// Spin is called at the head of each iteration of such a loop.
//
//go:norace
//go:noinline
func Spin(n uint64) { explore.Spin(n) }

// Turn stands at the head of each iteration of another loop that may wait.
//
//go:norace
//go:noinline
func Turn(n uint64) { explore.Turn(n) }
