// Package leftovers holds programs whose executions share channels.
package leftovers

import (
	"context"
	"iter"
	"os"
	"os/signal"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// The first execution alone finds nothing if b comes first.
//
// verdict: undecided a channel is not as executions before have found it
func TestValuesAreLeft(t *testing.T) {
	c := make(chan int, 100)
	model.Check(t, func(x *model.Exec) {
		got := false
		x.Go("a", func() { c <- 1; c <- 2 })
		x.Go("b", func() {
			select {
			case <-c:
				got = true
			default:
			}
		})
		x.Join()
		x.Assert(got, "nothing there")
	})
}

// verdict: undecided a channel is not as executions before have found it
func TestTheLastValueIsTaken(t *testing.T) {
	c := make(chan int, 2)
	c <- 1
	c <- 2
	model.Check(t, func(x *model.Exec) {
		x.Go("a", func() {
			select {
			case <-c:
			default:
			}
		})
		x.Join()
	})
}

// verdict: undecided a channel is not as executions before have found it
func TestLeftClosed(t *testing.T) {
	c := make(chan int)
	model.Check(t, func(x *model.Exec) {
		x.Go("a", func() {
			defer func() { _ = recover() }()
			close(c)
		})
		x.Join()
	})
}

// The execution stops being the only one that affects the channel after the value was sent.
//
// verdict: undecided a channel is not as executions before have found it
func TestLeftByTheBody(t *testing.T) {
	c := make(chan int, 100)
	model.Check(t, func(x *model.Exec) {
		c <- 1
		x.Go("a", func() { c <- 2 })
		x.Go("b", func() { c <- 3 })
		x.Join()
	})
}

// verdict: proved
func TestPutBackByTheBody(t *testing.T) {
	c, token := make(chan int, 100), make(chan bool, 1)
	token <- true
	model.Check(t, func(x *model.Exec) {
		for range 2 {
			x.Go("locks", func() { c <- 1; <-token; token <- true; <-c })
		}
		x.Join()
		x.Assert(len(c) == 0 && len(token) == 1, "%d, %d", len(c), len(token))
	})
}

// verdict: proved
func TestOnlyLookedAt(t *testing.T) {
	full, closed := make(chan int, 1), make(chan int)
	full <- 1
	close(closed)
	model.Check(t, func(x *model.Exec) {
		x.Go("a", func() {
			select {
			case full <- 2:
			case <-closed:
			}
		})
		own := make(chan int, 1)
		x.Go("b", func() { own <- 1; <-closed })
		x.Join()
		x.Assert(len(full) == 1, "%d", len(full))
	})
}

// Channels of executions that end lie where those of the next ones lie.
//
// verdict: proved
func TestMadeInTheBody(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for range 3 {
			c, done := make(chan int, 2), make(chan int)
			x.Go("a", func() { c <- 1; close(done) })
			x.Go("b", func() { <-done; c <- 2 })
		}
		x.Join()
	})
}

// verdict: undecided a sync.RWMutex is not as executions before have found it
func TestLeftReadLocked(t *testing.T) {
	var mu sync.RWMutex
	model.Check(t, func(x *model.Exec) {
		free := false
		x.Go("a", func() { mu.RLock() })
		x.Go("b", func() {
			if free = mu.TryLock(); free {
				mu.Unlock()
			}
		})
		x.Join()
		x.Assert(!free, "free")
	})
}

// verdict: undecided a sync.Mutex is not as executions before have found it
func TestLeftLocked(t *testing.T) {
	var mu sync.Mutex
	model.Check(t, func(x *model.Exec) {
		free := false
		x.Go("a", func() { mu.Lock() })
		x.Go("b", func() {
			if free = mu.TryLock(); free {
				mu.Unlock()
			}
		})
		x.Join()
		x.Assert(!free, "free")
	})
}

// verdict: undecided a sync.WaitGroup is not as executions before have found it
func TestLeftCounted(t *testing.T) {
	var wg sync.WaitGroup
	model.Check(t, func(x *model.Exec) {
		x.Go("a", func() { wg.Add(2); wg.Done() })
		x.Join()
	})
}

// verdict: undecided a sync.Once is not as executions before have found it
func TestLeftDone(t *testing.T) {
	var once sync.Once
	model.Check(t, func(x *model.Exec) {
		x.Go("a", func() { once.Do(func() {}) })
		x.Join()
	})
}

// verdict: proved
func TestLocksThatAreShared(t *testing.T) {
	var mu sync.Mutex
	var rw sync.RWMutex
	var wg sync.WaitGroup
	model.Check(t, func(x *model.Exec) {
		for range 2 {
			wg.Add(1)
			x.Go("locks", func() {
				defer wg.Done()
				mu.Lock()
				defer mu.Unlock()
				rw.RLock()
				defer rw.RUnlock()
			})
		}
		wg.Wait()
		x.Join()
	})
}

// Ended in an execution, it would stay so for the next ones.
//
// verdict: undecided the end of a context that was made outside of the check
func TestContextIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	model.Check(t, func(x *model.Exec) {
		early := false
		x.Go("a", func() { cancel() })
		x.Go("b", func() { early = ctx.Err() == nil })
		x.Join()
		x.Assert(!early, "early")
	})
}

// verdict: undecided the end of a context that was made outside of the check
func TestContextIsCancelledWithACause(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	model.Check(t, func(x *model.Exec) {
		x.Go("a", func() { cancel(context.DeadlineExceeded) })
		x.Go("b", func() { _ = context.Cause(ctx) })
		x.Join()
	})
}

// verdict: undecided the end of a context that was made outside of the check
func TestContextWithATimeIsCancelled(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	model.Check(t, func(x *model.Exec) {
		x.Go("a", func() { cancel() })
		x.Go("b", func() { _ = ctx.Err() })
		x.Join()
	})
}

// verdict: undecided the end of a context that was made outside of the check
func TestContextThatASignalEnds(t *testing.T) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	model.Check(t, func(x *model.Exec) {
		x.Go("a", func() { stop() })
		x.Go("b", func() { _ = ctx.Err() })
		x.Join()
	})
}

// verdict: undecided signal.NotifyContext is not modelled
func TestContextThatASignalEndsInside(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		_, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		stop()
	})
}

// verdict: proved
func TestContextFromOutside(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	model.Check(t, func(x *model.Exec) {
		child, cancel := context.WithCancel(ctx)
		x.Go("a", func() { cancel() })
		x.Go("b", func() { <-child.Done() })
		x.Join()
		x.Assert(ctx.Err() == nil && child.Err() != nil, "%v, %v", ctx.Err(), child.Err())
	})
}

// verdict: undecided the use of an iter.Pull that was made outside of the check
func TestIteratorFromOutside(t *testing.T) {
	next, stop := iter.Pull(slices.Values([]int{1, 2, 3}))
	defer stop()
	model.Check(t, func(x *model.Exec) {
		second := x.Choose(2)
		v, _ := next()
		x.Assert(v != 1 || second == 0, "missed")
	})
}

// verdict: undecided the use of an iter.Pull that was made outside of the check
func TestIteratorFromOutsideIsStopped(t *testing.T) {
	_, stop := iter.Pull2(slices.All([]int{1, 2, 3}))
	model.Check(t, func(x *model.Exec) { stop() })
}

var nextOfPackage, _ = iter.Pull(slices.Values([]int{1, 2, 3}))

// verdict: proved without assumptions
func TestIteratorOfThePackage(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		second := x.Choose(2)
		v, _ := nextOfPackage()
		x.Assert(v == 1, "%d, %d", v, second)
	})
}

// The first execution alone finds the value 1, and in one of its orders only.
//
// verdict: said do not depend on which values those before them left in channels .made outside of the body and used at leftovers_test.go
func TestAnotherValueIsPutBack(t *testing.T) {
	free := make(chan int, 1)
	free <- 1
	model.Check(t, func(x *model.Exec) {
		first := 0
		x.Go("a", func() { <-free; free <- 2 })
		x.Go("b", func() { first = <-free; free <- 2 })
		x.Join()
		x.Assert(first != 1, "%d", first)
	})
}

// verdict: proved without assumptions
func TestTokensHaveNoValue(t *testing.T) {
	free := make(chan struct{}, 2)
	free <- struct{}{}
	values := make(chan int, 2)
	values <- 1
	model.Check(t, func(x *model.Exec) {
		for range 2 {
			x.Go("user", func() { <-free; free <- struct{}{}; _ = len(values) })
		}
		x.Join()
	})
}

var (
	ofPackage, end = context.WithCancel(context.Background())
	queue          = make(chan int, 1)
)

// verdict: proved
func TestOfThePackage(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("a", func() { queue <- 1; end() })
		x.Join()
		x.Assert(ofPackage.Err() != nil, "it goes on")
	})
}

var (
	mu   sync.Mutex
	once sync.Once
)

// The test changes between two checks what is made anew for each execution.
//
// verdict: proved
func TestChangedBetweenChecks(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("a", func() { mu.TryLock(); once.Do(func() {}) })
		x.Go("b", func() { mu.TryLock() })
		x.Join()
	})
	mu.Lock()
	once.Do(func() {})
	model.Check(t, func(x *model.Exec) {
		x.Go("a", func() { once.Do(func() { x.Assert(false, "again") }) })
		x.Go("b", func() { x.Assert(!mu.TryLock(), "free") })
		x.Join()
	})
}

// An execution in between does not come to the channel.
//
// verdict: undecided a channel is not as executions before have found it: what one did is left
func TestLeftForALaterExecution(t *testing.T) {
	c := make(chan int, 100)
	model.Check(t, func(x *model.Exec) {
		switch x.Choose(4) {
		case 1:
			c <- 1
		case 3:
			x.Assert(len(c) != 0, "empty")
		}
	})
}

// verdict: undecided a channel is not as executions before have found it: what one did is left
func TestLeftAmongManyOthers(t *testing.T) {
	c := make(chan int, 100)
	model.Check(t, func(x *model.Exec) {
		switch x.Choose(2) {
		case 0:
			c <- 1
		case 1:
			x.Assert(len(c) != 0, "empty")
		}
		for range 100 {
			close(make(chan int))
		}
	})
}

// The search starts again when it meets the select, in the middle of an execution.
//
// verdict: undecided one that was cut short has left it so
func TestLeftByAnExecutionThatWasCutShort(t *testing.T) {
	var mu sync.Mutex
	model.Check(t, func(x *model.Exec) {
		a, b := make(chan int), make(chan int)
		x.Go("a", func() {
			mu.Lock()
			select {
			case a <- 1:
			case <-b:
			}
			mu.Unlock()
		})
		x.Go("b", func() {
			select {
			case b <- 1:
			case <-a:
			}
		})
		x.Join()
	})
}
