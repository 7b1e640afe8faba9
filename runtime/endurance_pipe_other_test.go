//go:build !unix

package runtime_test

import "github.com/surewake/surewake/runtime"

// A pipeWatch does nothing where a pipe cannot be read without waiting.
type pipeWatch struct{}

func (*pipeWatch) open(*world, *house)     {}
func (*pipeWatch) tend(bool) bool          { return false }
func (*pipeWatch) use(*player, bool) error { return nil }
func (*pipeWatch) deadline(*player) error  { return nil }
func (*pipeWatch) cases() []runtime.Case   { return nil }
func (*pipeWatch) close(*world)            {}
