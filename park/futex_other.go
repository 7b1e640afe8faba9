//go:build !linux

package park

const hasFutex = false

func newFutex() sleeper { panic("park: no futex here") } // not called: see Kind.Available
