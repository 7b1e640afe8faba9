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

// An Option is a setting of a runtime, for [New].
type Option func(*config) error

// config is the settings of a runtime. It does not change after New.
type config struct {
	workers         int
	processors      int // of Go's scheduler
	parker          park.Kind
	batchTarget     BatchTarget
	batchCap        int // of a worker that has other tasks; 0: the default of both
	idleBatch       int // of a worker that has none
	ring            int
	lifoCap         int
	tickBudget      int
	taskBudget      int
	inlineDepth     int
	spareCoroutines int
	searches        int
	leastPolls      int           // between two looks at the injector
	mostPolls       int           // as above
	lookEvery       time.Duration // what the polls between two looks are to take
	turnEvery       time.Duration // how long a loop runs before others have their turn
	rescueInterval  time.Duration
	poller          PollerKind
	pollerSet       bool
	kernel          func() (poll.Descriptors, error) // in tests another than that of the platform
	seed            uint64
	seeded          bool
	onPanic         func(*PanicError)
	logger          *slog.Logger    // nil: panics are not logged
	labels          context.Context // carries the labels of all goroutines; nil: none are set
	trace           bool
	debug           bool
	shared          bool          // of Default
	watchdog        time.Duration // 0: none
	alarm           func(Alarm)

	maxTasks          int // from outside; 0: any number
	blockingThreads   int
	blockingKeepAlive time.Duration

	awake int          // of more workers than these, all but one begin dormant
	clock func() int64 // for tests
}

// configure applies options to the defaults.
func configure(options []Option) (config, error) {
	c := config{
		workers:           runtime.GOMAXPROCS(0),
		processors:        runtime.GOMAXPROCS(0),
		lifoCap:           3,
		tickBudget:        128,
		taskBudget:        128,
		inlineDepth:       256,
		spareCoroutines:   8,
		searches:          4,
		leastPolls:        8,
		mostPolls:         255,
		lookEvery:         time.Millisecond,
		turnEvery:         time.Millisecond,
		rescueInterval:    10 * time.Millisecond,
		awake:             mostThreads,
		poller:            defaultPoller(),
		kernel:            poll.NewEpoll,
		blockingThreads:   512,
		blockingKeepAlive: 10 * time.Second,
	}
	for _, o := range options {
		if o == nil {
			return c, fmt.Errorf("surewake: New: an option is nil")
		}
		if err := o(&c); err != nil {
			return c, err
		}
	}
	c.chooseRing()
	c.chooseBatches()
	if !c.seeded {
		c.seed = rand.Uint64()
	}
	return c, nil
}

// ringOfMany is the capacity of rings where there are so many workers that most have nothing to do.
const ringOfMany = 64

// chooseRing sets the capacity of the rings if no option has.
func (c *config) chooseRing() {
	switch {
	case c.ring != 0:
	case c.workers > mostThreads:
		c.ring = ringOfMany
	default:
		c.ring = deque.DefaultCapacity
	}
}

// chooseBatches sets the sizes of batches that no option has set.
func (c *config) chooseBatches() {
	most := c.batchCap
	if c.batchCap == 0 {
		c.batchCap = 32
		most = max(c.batchCap, c.ring/2)
	}
	if c.idleBatch == 0 {
		c.idleBatch = most
	}
}

// interval is how many polls go by between two looks at the injector before any are measured.
func (c *config) interval() int { return min(max(61, c.leastPolls), c.mostPolls) }

// number returns the option that sets an integer if value is between least and most.
func number(name string, value, least, most int, set func(*config)) Option {
	return func(c *config) error {
		if value < least || value > most {
			return fmt.Errorf("surewake: %s(%d): must be %d to %d", name, value, least, most)
		}
		set(c)
		return nil
	}
}

// Workers sets the number of workers, 1 to 65,536. The default is GOMAXPROCS. More than GOMAXPROCS
// is allowed, but wasteful: a worker that falls asleep keeps a processor of Go's scheduler for a
// while (see package park), and one of many looks through many queues before it does. Of more than
// 256 workers, all but one have no goroutine until they are needed for the first time.
func Workers(n int) Option {
	return number("Workers", n, 1, 65536, func(c *config) { c.workers = n })
}

// Parker sets how workers sleep; see [park.Kind]. [New] fails if the platform does not have k, or
// if Go allows the process fewer threads than workers of [park.Futex] take, one each, or in a
// bubble of testing/synctest, whose clock threads stop. With [park.Default], workers sleep as they
// do in package park, but by [park.Portable] if there are more than 256 of them, or than half of
// the threads that Go allows, and in a bubble of testing/synctest.
func Parker(k park.Kind) Option {
	return func(c *config) error {
		if !k.Available() {
			return fmt.Errorf("surewake: Parker(%v): not available on %s", k, runtime.GOOS)
		}
		c.parker = k
		return nil
	}
}

// A BatchTarget is where a worker puts the tasks of a batch from the injector that it does not run
// at once.
type BatchTarget uint8

const (
	// LocalRing is the back of the worker's ring, after the tasks in it.
	LocalRing BatchTarget = iota
	// PrivateBuffer is a queue of its own, which the worker empties before its ring. Thieves can
	// take from it too.
	PrivateBuffer
)

// InjectorBatch sets how many tasks a worker takes at a time from the injector, the queue that all
// workers share, while it has others: 1 to 256, by default 32. It also sets where the worker puts
// them, by default [LocalRing]. No batch is larger than the fair share of one worker: what the
// injector holds, divided by the number of workers, and one; and a worker whose ring has overflowed
// with some of a batch in it takes one task at a time for a while, unless it has a [PrivateBuffer].
// [IdleBatch] is for workers that have no other tasks.
func InjectorBatch(most int, target BatchTarget) Option {
	return func(c *config) error {
		if most < 1 || most > 256 {
			return fmt.Errorf("surewake: InjectorBatch(%d, _): must be 1 to 256", most)
		}
		if target > PrivateBuffer {
			return fmt.Errorf("surewake: InjectorBatch(_, %d): must be LocalRing or PrivateBuffer",
				target)
		}
		c.batchCap, c.batchTarget = most, target
		return nil
	}
}

// IdleBatch sets how many tasks a worker that has none takes at a time from the injector: 1 to
// 32768. The default is what [InjectorBatch] says if that is given, else half of [Ring], but at
// least 32. What the ring has no room for stays.
func IdleBatch(most int) Option {
	return number("IdleBatch", most, 1, 32768, func(c *config) { c.idleBatch = most })
}

// InjectorInterval sets how many polls a worker that has tasks lets go by between two looks at the
// injector: those of a time of target, by the average of its polls, but at least least and at most
// most. The default is 1 ms, 8 and 255. Allowed are 1 ns to 1 h, and 1 to 1,000,000 polls. While
// the injector holds a batch more than the worker has taken, the next look comes after that batch.
// In any case the worker's own tasks have a turn before it looks again: one of them, after those
// that are in its [PrivateBuffer].
//
// With [Seed] the interval is not adapted; it is 61 polls then, within the bounds.
func InjectorInterval(target time.Duration, least, most int) Option {
	return func(c *config) error {
		if target < 1 || target > time.Hour {
			return fmt.Errorf("surewake: InjectorInterval(%v, _, _): must be 1ns to 1h",
				target)
		}
		if least < 1 || most < least || most > 1_000_000 {
			return fmt.Errorf("surewake: InjectorInterval(_, %d, %d): must be 1 to 1000000, "+
				"the first not above the second", least, most)
		}
		c.lookEvery, c.leastPolls, c.mostPolls = target, least, most
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

// Ring sets the capacity of each worker's own queue: a power of two from 2 to 32768. The default is
// 256, and 64 if there are more than 256 workers: each takes 4 KB of memory then, besides the stack
// of its goroutine. Tasks for which it has no room move to the injector.
func Ring(capacity int) Option {
	return func(c *config) error {
		if capacity < 2 || capacity > 32768 || capacity&(capacity-1) != 0 {
			return fmt.Errorf("surewake: Ring(%d): must be a power of two from 2 to 32768",
				capacity)
		}
		c.ring = capacity
		return nil
	}
}

// LIFOCap sets how many tasks in a row a worker takes from its slot, which holds the task pushed
// last: 0 to 1,000,000, by default 3. Those from the injector that come in between do not count,
// but the first of them after one from the ring begins another row.
func LIFOCap(polls int) Option {
	return number("LIFOCap", polls, 0, 1_000_000, func(c *config) { c.lifoCap = polls })
}

// TickBudget sets after how many polls a worker checks the clock, the timers and the descriptors: 1
// to 1,000,000, by default 128.
func TickBudget(polls int) Option {
	return number("TickBudget", polls, 1, 1_000_000, func(c *config) { c.tickBudget = polls })
}

// TaskBudget sets after how many calls that could wait, but need not, a task lets tasks from
// outside run if it is their turn, as [InjectorInterval] says: 1 to 1,000,000, by default 128.
// After eight times as many it lets those of its worker run, which other workers could take.
func TaskBudget(calls int) Option {
	return number("TaskBudget", calls, 1, 1_000_000, func(c *config) { c.taskBudget = calls })
}

// InlineDepth sets how many joins may run their targets on top of one another on one stack: 0 to
// 100,000, by default 256. Beyond it, a join suspends the joiner.
func InlineDepth(depth int) Option {
	return number("InlineDepth", depth, 0, 100_000, func(c *config) { c.inlineDepth = depth })
}

// SpareCoroutines sets how many coroutines that run nothing a worker keeps: 1 to 100,000, by
// default 8.
func SpareCoroutines(n int) Option {
	return number("SpareCoroutines", n, 1, 100_000, func(c *config) { c.spareCoroutines = n })
}

// Searches sets how often a worker looks through the queues of the others before it sleeps: 1 to
// 1000, by default 4.
func Searches(n int) Option {
	return number("Searches", n, 1, 1000, func(c *config) { c.searches = n })
}

// RescueInterval sets how long a task may be the next one of a worker that is in a long task,
// before a sleeping worker takes it: between one and two intervals. The default is 10 ms; 0 turns
// rescuing off; negative values are refused. While no task runs, nobody wakes for it.
func RescueInterval(d time.Duration) Option {
	return func(c *config) error {
		if d < 0 {
			return fmt.Errorf("surewake: RescueInterval(%v): must be 0 or more", d)
		}
		c.rescueInterval = d
		return nil
	}
}

// Seed makes scheduling reproducible, for tests: it seeds the choice of victims, which is random
// otherwise, and fixes the interval between two looks at the injector. With one worker, tasks then
// run in the same order each time, as far as they do not depend on time or on the outside.
func Seed(seed uint64) Option {
	return func(c *config) error {
		c.seed, c.seeded = seed, true
		return nil
	}
}

// OnPanic sets a function that is called when a task panics, on the goroutine of the task and
// before the task ends. The panic is the result of the task in any case; if report panics too, the
// result holds both, joined by errors.Join. If report calls runtime.Goexit, as testing.T.FailNow
// does, so does the join of the task by its parent. A nil function is refused.
func OnPanic(report func(*PanicError)) Option {
	return func(c *config) error {
		if report == nil {
			return fmt.Errorf("surewake: OnPanic: nil function")
		}
		c.onPanic = report
		return nil
	}
}

// BlockingThreads sets how many goroutines may run blocking tasks at a time: 1 to 1,000,000, by
// default 512.
func BlockingThreads(most int) Option {
	return number("BlockingThreads", most, 1, 1_000_000,
		func(c *config) { c.blockingThreads = most })
}

// BlockingKeepAlive sets how long a goroutine for blocking tasks waits for the next one before it
// ends. The default is 10 s; negative values are refused.
func BlockingKeepAlive(d time.Duration) Option {
	return func(c *config) error {
		if d < 0 {
			return fmt.Errorf("surewake: BlockingKeepAlive(%v): must be 0 or more", d)
		}
		c.blockingKeepAlive = d
		return nil
	}
}

// shows reports whether workers show what they run.
func (c *config) shows() bool { return c.debug || c.watchdog > 0 }
