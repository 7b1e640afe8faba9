// Package crowds holds programs with more goroutines than a word has bits.
package crowds

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// Of a hundred goroutines at most one is alive beside the body.
//
// verdict: proved, 1 trace
func TestOneAfterAnother(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var sum atomic.Int32
		for range 100 {
			var wg sync.WaitGroup
			wg.Go(func() { sum.Add(1) })
			wg.Wait()
		}
		x.Assert(sum.Load() == 100, "a goroutine was lost")
	})
}

// Each context has a timer, whose function is a goroutine.
//
// verdict: proved|bounded
func TestSeventyTimeouts(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for range 70 {
			_, cancel := context.WithTimeout(context.Background(), time.Second)
			cancel()
		}
	})
}

// A thousand goroutines are alive at once.
//
// verdict: proved, 1 trace
func TestAThousandWaitForTheLast(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var started, done sync.WaitGroup
		started.Add(1000)
		for range 1000 {
			done.Go(func() {
				started.Done()
				started.Wait()
			})
		}
		done.Wait()
	})
}

// each runs act(i) for i from 1 to 100 in goroutines of those numbers.
func each(act func(i int)) {
	var wg sync.WaitGroup
	for i := 1; i <= 100; i++ {
		wg.Go(func() { act(i) })
	}
	wg.Wait()
}

// verdict: FAILED data race
func TestGoroutineSeventyRaces(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		plain := 0
		each(func(i int) {
			if i == 3 || i == 70 {
				plain = i
			}
		})
		_ = plain
	})
}

// verdict: FAILED an update was lost
func TestGoroutineSeventyLosesAnUpdate(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int32
		each(func(i int) {
			if i == 3 || i == 70 {
				n.Store(n.Load() + 1)
			}
		})
		x.Assert(n.Load() == 2, "an update was lost")
	})
}

// verdict: FAILED partial: 3 of 101 goroutines wait for ever
func TestGoroutineSeventyDeadlocks(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var a, b sync.Mutex
		nest := func(outer, inner *sync.Mutex) {
			outer.Lock()
			inner.Lock()
			inner.Unlock()
			outer.Unlock()
		}
		each(func(i int) {
			switch i {
			case 3:
				nest(&a, &b)
			case 70:
				nest(&b, &a)
			}
		})
	})
}

// verdict: FAILED 1 of 101 goroutines wait for ever: TestGoroutineSeventyLeaks.func1.1#70
func TestGoroutineSeventyLeaks(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int)
		for i := 1; i <= 100; i++ {
			go func() {
				if i == 70 {
					<-c
				}
			}()
		}
	})
}

// verdict: undecided more than 10000 goroutines .* started at crowds_test.go
func TestGoroutinesWithoutEnd(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for {
			go func() {}()
		}
	})
}

// verdict: undecided more than 50 goroutines .*model.MaxGoroutines raises the bound
func TestTheCheckAllowsFifty(t *testing.T) {
	model.Check(t, func(x *model.Exec) { each(func(int) {}) }, model.MaxGoroutines(50))
}

// verdict: proved without assumptions
func TestTheCheckAllowsAHundred(t *testing.T) {
	model.Check(t, func(x *model.Exec) { each(func(int) {}) }, model.MaxGoroutines(101))
}
