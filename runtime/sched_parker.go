package runtime

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"time"

	"github.com/surewake/surewake/park"
)

const (
	// anyThreads is how many workers may have a thread each without a look at the limit.
	anyThreads = 64
	// mostThreads is how many workers have a thread each unless Parker says so.
	mostThreads = 256
)

// chooseParker sets how workers sleep, and how they learn of descriptors, if nobody has, so that
// they work. It returns an error if they cannot sleep in the way that was set: Go ends the process
// if it needs a thread too many. (runtime/R53)
func (c *config) chooseParker() error {
	if !c.pollerSet && inBubble(time.Now()) {
		c.poller = Netpoll
	}
	switch {
	case c.parker == park.Portable || !park.Futex.Available():
	case c.parker == park.Default:
		if c.workers > mostThreads || c.workers > anyThreads && c.workers > threadLimit()/2 ||
			inBubble(time.Now()) {
			c.parker = park.Portable
		}
	case inBubble(time.Now()):
		return errors.New("surewake: Parker(Futex): in a bubble of testing/synctest, threads " +
			"that sleep stop the clock; Parker(Portable) has none")
	case c.workers > anyThreads && c.workers >= threadLimit():
		return fmt.Errorf("surewake: Workers(%d): each takes a thread with Parker(Futex), and Go "+
			"allows %d (debug.SetMaxThreads); Parker(Portable) takes none",
			c.workers, threadLimit())
	}
	return nil
}

// threadLimit returns how many threads Go allows the process.
func threadLimit() int {
	threadLimitLock.Lock()
	defer threadLimitLock.Unlock()
	limit := debug.SetMaxThreads(math.MaxInt32)
	debug.SetMaxThreads(limit)
	return limit
}

var threadLimitLock sync.Mutex

// inBubble reports whether now, a result of time.Now, is from a bubble of testing/synctest, where
// threads that sleep in the kernel stop the clock. Go leaves out the monotonic clock there, and
// else only before 1885 and after 2157.
func inBubble(now time.Time) bool { return now == now.Round(0) }
