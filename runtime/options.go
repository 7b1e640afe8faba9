package runtime

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/surewake/surewake/deque"
	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/runtime/internal/poll"
)

// An Option is a setting of [New].
type Option func(*config) error

type config struct {
	workers         int
	parker          park.Kind
	batchTarget     BatchTarget
	batchCap        int
	ring            int
	lifoCap         int
	tickBudget      int
	taskBudget      int
	inlineDepth     int
	spareCoroutines int
	searches        int
	interval        int
	rescueInterval  time.Duration
	poller          PollerKind
	kernel          func() (poll.Descriptors, error) // in tests another than that of the platform
	seed            uint64
	seeded          bool
	onPanic         func(*PanicError)
	logger          *slog.Logger    // nil: panics are not logged
	labels          context.Context // with the labels of all goroutines; nil: those of whoever starts them
	trace           bool
	debug           bool

	blockingThreads   int
	blockingKeepAlive time.Duration

	clock func() int64 // for tests
}

func configure(options []Option) (config, error) {
	c := config{
		workers: runtime.GOMAXPROCS(0), batchCap: 32, ring: deque.DefaultCapacity, lifoCap: 3, tickBudget: 128,
		taskBudget: 128, inlineDepth: 256, spareCoroutines: 8, searches: 4, interval: 61, rescueInterval: 10 * time.Millisecond, seed: rand.Uint64(),
		poller: defaultPoller(), kernel: poll.NewEpoll,
		blockingThreads: 512, blockingKeepAlive: 10 * time.Second,
	}
	for _, o := range options {
		if o == nil {
			return c, fmt.Errorf("runtime: New: an option is nil")
		}
		if err := o(&c); err != nil {
			return c, err
		}
	}
	return c, nil
}

// number returns an option that sets an integer within a range.
func number(name string, value, least, most int, set func(*config)) Option {
	return func(c *config) error {
		if value < least || value > most {
			return fmt.Errorf("runtime: %s(%d): must be %d to %d", name, value, least, most)
		}
		set(c)
		return nil
	}
}

// Workers sets the number of workers, 1 to 65,536; the default is GOMAXPROCS. More than GOMAXPROCS is allowed, but a sleeping worker
// keeps a processor of Go's scheduler for a while (see package park), so that more sleep than work.
func Workers(n int) Option {
	return number("Workers", n, 1, 65536, func(c *config) { c.workers = n })
}

// Parker sets how workers sleep.
func Parker(k park.Kind) Option {
	return func(c *config) error {
		if !k.Available() {
			return fmt.Errorf("runtime: Parker(%v): not available on %s", k, runtime.GOOS)
		}
		c.parker = k
		return nil
	}
}

// A BatchTarget is where a worker puts what it takes from the injector and does not run at once.
type BatchTarget uint8

const (
	// LocalRing is the back of the worker's ring: what it had comes first.
	LocalRing BatchTarget = iota
	// PrivateBuffer is a queue of its own that the worker empties first; thieves can reach it as well.
	PrivateBuffer
)

// Batch sets how many tasks a worker takes from the injector at a time, 1 to 256 (default 32), and where it puts them (default
// [LocalRing]).
func InjectorBatch(most int, target BatchTarget) Option {
	return func(c *config) error {
		if most < 1 || most > 256 {
			return fmt.Errorf("runtime: InjectorBatch(%d, _): must be 1 to 256", most)
		}
		if target > PrivateBuffer {
			return fmt.Errorf("runtime: InjectorBatch(_, %d): must be LocalRing or PrivateBuffer", target)
		}
		c.batchCap, c.batchTarget = most, target
		return nil
	}
}

// bufferFor returns the capacity of a private buffer.
func bufferFor(batch int) int {
	n := 2
	for n < batch {
		n *= 2
	}
	return n
}

// Ring sets the capacity of each worker's queue: a power of two from 2 to 32768, by default 256. What it has no room for goes to the
// queue that all share.
func Ring(capacity int) Option {
	return func(c *config) error {
		if capacity < 2 || capacity > 32768 || capacity&(capacity-1) != 0 {
			return fmt.Errorf("runtime: Ring(%d): must be a power of two from 2 to 32768", capacity)
		}
		c.ring = capacity
		return nil
	}
}

// LIFOCap sets how many tasks in a row a worker takes from its slot, 0 to 1,000,000; the default is 3.
func LIFOCap(polls int) Option {
	return number("LIFOCap", polls, 0, 1_000_000, func(c *config) { c.lifoCap = polls })
}

// TickBudget sets after how many polls a worker looks at the clock, the timers and the poller, 1 to 1,000,000; the default is 128.
func TickBudget(polls int) Option {
	return number("TickBudget", polls, 1, 1_000_000, func(c *config) { c.tickBudget = polls })
}

// TaskBudget sets how many calls that could have waited and did not need to a task may make before it lets others run, 1 to 1,000,000;
// the default is 128.
func TaskBudget(calls int) Option {
	return number("TaskBudget", calls, 1, 1_000_000, func(c *config) { c.taskBudget = calls })
}

// InlineDepth sets how deep joins run their targets on the stack of the joiner, 0 to 100,000; the default is 256. Deeper ones suspend
// the joiner.
func InlineDepth(depth int) Option {
	return number("InlineDepth", depth, 0, 100_000, func(c *config) { c.inlineDepth = depth })
}

// SpareCoroutines sets how many stacks that run nothing a worker keeps, 1 to 100,000; the default is 8.
func SpareCoroutines(n int) Option {
	return number("SpareCoroutines", n, 1, 100_000, func(c *config) { c.spareCoroutines = n })
}

// Searches sets how often a worker looks through the queues of the others before it sleeps, 1 to 1000; the default is 4.
func Searches(n int) Option {
	return number("Searches", n, 1, 1000, func(c *config) { c.searches = n })
}

// RescueInterval sets how long a task may stay next in line behind a running one before a sleeping worker takes it: at
// least one interval, at most two. The default is 10 ms; 0 turns the watch off. It must not be negative. While no task runs, there
// is no watch, and nobody wakes.
func RescueInterval(d time.Duration) Option {
	return func(c *config) error {
		if d < 0 {
			return fmt.Errorf("runtime: RescueInterval(%v): must be 0 or more", d)
		}
		c.rescueInterval = d
		return nil
	}
}

// Seed sets what the choice of victims depends on, which is random otherwise, and keeps the interval between two looks at the injector as
// it is at the start, whatever time tasks take. With one worker, tasks then run in the same order each time, as far as they come from
// inside and do not wait for time or for what is outside: for tests.
func Seed(seed uint64) Option {
	return func(c *config) error {
		c.seed, c.seeded = seed, true
		return nil
	}
}

// OnPanic sets what is called when a task panics, on the worker's goroutine and before the task completes; the panic is the result of
// the task in any case.
func OnPanic(report func(*PanicError)) Option {
	return func(c *config) error {
		if report == nil {
			return fmt.Errorf("runtime: OnPanic: nil function")
		}
		c.onPanic = report
		return nil
	}
}

// BlockingThreads sets how many goroutines run blocking tasks at most, 1 to 1,000,000; the default is 512.
func BlockingThreads(most int) Option {
	return number("BlockingThreads", most, 1, 1_000_000, func(c *config) { c.blockingThreads = most })
}

// BlockingKeepAlive sets how long a goroutine for blocking tasks waits for the next one before it ends; the default is 10 s. It must not be
// negative.
func BlockingKeepAlive(d time.Duration) Option {
	return func(c *config) error {
		if d < 0 {
			return fmt.Errorf("runtime: BlockingKeepAlive(%v): must be 0 or more", d)
		}
		c.blockingKeepAlive = d
		return nil
	}
}
