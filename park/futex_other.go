//go:build !linux

package park

const hasFutex = false

// newFutex is not called, see Kind.Available.
func newFutex() sleeper { panic("park: Futex is available on Linux only") }
