package runtime

import (
	"sync"
	"time"
)

// defaultRuntime is what Default returns.
var defaultRuntime = lazily()

// lazily returns a function that returns a shared runtime, which its first call starts. The options
// must be within their ranges.
func lazily(options ...Option) func() *Runtime {
	return sync.OnceValue(func() *Runtime {
		rt, err := New(append(options, func(c *config) error {
			c.shared = true
			return nil
		})...)
		if err != nil {
			panic(err)
		}
		return rt
	})
}

// Default returns a runtime that all callers share, with the default options: as many workers as
// GOMAXPROCS says when Default is called first, which starts it. Any goroutine may call it.
//
// It is never closed, since others may use it: Close and Shutdown of it, and of a [Cx] of its
// tasks, panic. A program that must drain its tasks at its end has a runtime of its own, or waits
// for them by a [Group].
//
// Default panics in a bubble of testing/synctest: what waits there for a task of a runtime from
// elsewhere stops the clock of the bubble, and one that is started there must end there.
// (runtime/R53)
func Default() *Runtime {
	if inBubble(time.Now()) {
		panic("surewake: Default: in a bubble of testing/synctest, which the default runtime " +
			"outlives; New makes one of one's own")
	}
	return defaultRuntime()
}

// refuseDefault panics if rt is the default runtime. what is the name of the calling function.
func (rt *Runtime) refuseDefault(what string) {
	if rt.config.shared {
		panic("surewake: " + what + ": the default runtime is shared, and not closed; " +
			"New makes one of one's own")
	}
}
