package hook

import "github.com/surewake/surewake/model/explore"

// SpinStart begins an activation of a loop without effects of its own.
//
//go:norace
//go:noinline
func SpinStart() uint64 { return explore.SpinStart() }

// Spin stands at the head of each iteration of such a loop.
//
//go:norace
//go:noinline
func Spin(n uint64) { explore.Spin(n) }
