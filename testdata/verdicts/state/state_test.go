// Package state has checks of code that keeps state in package variables.
package state

import (
	"errors"
	"flag"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/testdata/verdicts/state/pool"
)

var (
	once    sync.Once
	set     int
	mu      sync.Mutex
	cache   = map[int]int{}
	started = time.Now()
	errDone = errors.New("done")
	limit   = 1
	next    = counter()
	count   atomic.Int32
	a, b    = pair()
	early   = late + 1
	late    = two()
	buffer  [4]int
	sem     = make(chan struct{}, 1)
	handler = func() int { set++; return set }
	verbose = flag.Bool("verdicts.verbose", false, "")
	level   int
	_       = pool.Register("state")
	cond    = sync.NewCond(&mu)
)

func init() { flag.IntVar(&level, "verdicts.level", 3, "") }

func pair() (*int, []int) { return new(int), make([]int, 1, 4) }

func two() int { return 2 }

func counter() func() int {
	n := 0
	return func() int { n++; return n }
}

// verdict: proved, 2 traces
func TestOnceIsFresh(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for range 2 {
			x.Go("caller", func() { once.Do(func() { set++ }) })
		}
		x.Join()
		x.Assert(set == 1, "set %d times", set)
	})
}

// The bug is there in the first execution only if variables are not made anew.
//
// verdict: FAILED assertion
func TestOnceThatIsTakenTooEarly(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var ready atomic.Bool
		x.Go("caller", func() { once.Do(func() { ready.Store(true) }) })
		x.Go("reader", func() { x.Assert(!ready.Load(), "ready") })
		x.Join()
	})
}

// verdict: proved, 2 traces
func TestCacheIsFresh(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		filled := 0
		for range 2 {
			x.Go("caller", func() {
				mu.Lock()
				defer mu.Unlock()
				if _, ok := cache[1]; !ok {
					cache[1] = 1
					filled++
				}
			})
		}
		x.Join()
		x.Assert(filled == 1, "filled %d times", filled)
	})
}

// verdict: proved
func TestStartIsOnTheSameClock(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d := time.Since(started)
		x.Assert(0 <= d && d < time.Minute, "running for %v", d)
	})
}

// verdict: proved
func TestSentinelIsTheSame(t *testing.T) {
	want, closed := errDone, pool.ErrClosed
	model.Check(t, func(x *model.Exec) {
		x.Assert(errors.Is(errDone, want) && errors.Is(pool.ErrClosed, closed), "another error")
	})
}

func raise() { limit++ }

// verdict: proved, 1 trace
func TestConfigurationOfTheTestCounts(t *testing.T) {
	limit = 7
	defer func() { limit = 1 }()
	model.Check(t, func(x *model.Exec) {
		x.Assert(limit == 7, "limit %d", limit)
		raise()
	})
	if limit != 7 {
		t.Errorf("limit %d after the check", limit)
	}
}

// verdict: proved, 2 traces
func TestVariableIsFresh(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("other", func() { count.Add(1) })
		count.Load()
		x.Join()
		raise()
		x.Assert(limit == 2 && count.Load() == 1, "limit %d, count %d", limit, count.Load())
	})
}

// verdict: proved
func TestClosureIsFresh(t *testing.T) {
	model.Check(t, func(x *model.Exec) { x.Assert(next() == 1, "not the first") })
}

// verdict: proved
func TestSeveralValuesAreFresh(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		*a++
		b = append(b, *a)
		b[0]++
		x.Assert(*a == 1 && len(b) == 2 && b[0] == 1, "%d %v", *a, b)
	})
}

// verdict: proved
func TestOrderOfInitialisersIsGos(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Assert(early == 3 && late == 2, "%d %d", early, late)
		early, late = 0, 0
	})
}

// verdict: proved
func TestZeroVariableIsFresh(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for i := range buffer {
			buffer[i] += i
		}
		x.Assert(buffer == [4]int{0, 1, 2, 3}, "%v", buffer)
	})
}

// verdict: proved
func TestChannelIsFresh(t *testing.T) {
	model.Check(t, func(x *model.Exec) { sem <- struct{}{} })
}

// verdict: proved
func TestFunctionChangesAFreshVariable(t *testing.T) {
	model.Check(t, func(x *model.Exec) { x.Assert(handler() == 1, "set %d", set) })
}

// verdict: proved
func TestFlagIsRegisteredOnce(t *testing.T) {
	model.Check(t, func(x *model.Exec) { x.Assert(!*verbose && level == 3, "%v %d", *verbose, level) })
}

// verdict: proved, 1 trace
func TestFlagThatIsChangedKeepsItsValue(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Assert(level == 3, "level %d", level)
		level = 4
	})
}

// verdict: proved
func TestCondIsFresh(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ready := false
		x.Go("waiter", func() {
			mu.Lock()
			defer mu.Unlock()
			for !ready {
				cond.Wait()
			}
		})
		mu.Lock()
		ready = true
		mu.Unlock()
		cond.Broadcast()
		x.Join()
	})
}

// verdict: proved
func TestWorkersOfInitialisersAreThreads(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		done := make(chan int, 1)
		err := pool.Default.Do(func() { done <- pool.Size() })
		x.Assert(err == nil && <-done == 1, "%v", err)
	})
}

// verdict: proved
func TestDefaultPoolIsFresh(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("closer", func() { pool.Default.Close() })
		x.Go("user", func() {
			err := pool.Default.Do(func() {})
			x.Assert(err == nil || err == pool.ErrClosed, "%v", err)
		})
		x.Join()
	})
}

// verdict: FAILED deadlock
func TestWorkerThatWaitsForItself(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		done := make(chan bool)
		_ = pool.Default.Do(func() {
			_ = pool.Default.Do(func() { done <- true })
			done <- true
		})
		<-done
		<-done
	})
}

var shared int

// verdict: FAILED data race
func TestWorkerRacesWithTheBody(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		_ = pool.Default.Do(func() { shared++ })
		shared++
	})
}

// verdict: proved
func TestInitFunctionsRunInOrder(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Assert(slices.Equal(pool.Order(), []string{"first", "second"}), "%v", pool.Order())
		pool.Swap()
	})
}

// verdict: proved
func TestRegistrationsOfInitialisersAreRepeated(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Assert(pool.Register("built in") == 1 && pool.Register("state") == 2, "numbers")
		x.Assert(pool.Register("other") == 3, "another number")
	})
}

// verdict: proved, 1 trace
func TestRegistrationOfTheTestCounts(t *testing.T) {
	pool.Register("test")
	model.Check(t, func(x *model.Exec) { x.Assert(pool.Register("test") == 3, "number") })
}

// verdict: proved, 2 traces
func TestEachExecutionBeginsWithWhatWasRegistered(t *testing.T) {
	pool.Register("test")
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		for range 2 {
			x.Go("either", func() { mu.Lock(); defer mu.Unlock() })
		}
		x.Join()
		x.Assert(pool.Register("one more") == 4, "number")
	})
}

var queue = make(chan int, 8)

// verdict: undecided a channel is not as executions before have found it
func TestWhatOutlivesAnExecutionIsFound(t *testing.T) {
	queue <- 1
	model.Check(t, func(x *model.Exec) { queue <- 2 })
}

var (
	begin = time.Now()
	soon  = begin.Add(time.Second)
	after = begin.Add(2 * time.Second)
	delay = func() time.Duration { return after.Sub(begin) }()
)

// What is computed of the time of the execution is computed in the execution.
//
// verdict: proved
func TestTimesOfInitialisersAreOfOneClock(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("later", func() { soon = soon.Add(time.Second) })
		x.Join()
		x.Assert(soon.Equal(after) && delay == 2*time.Second, "%v %v %v", begin, soon, after)
	})
}
