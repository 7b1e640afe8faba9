// Package waitgroups holds uses of a WaitGroup, right ones and wrong ones.
package waitgroups

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// verdict: FAILED WaitGroup is reused before previous Wait has returned
func TestReusedBeforeWaitReturned(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var wg sync.WaitGroup
		wg.Add(1)
		x.Go("worker", func() {
			wg.Done()
			wg.Add(1)
			wg.Done()
		})
		wg.Wait()
		x.Join()
	})
}

// verdict: FAILED WaitGroup is reused before previous Wait has returned
func TestRoundsThatOverlap(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var wg sync.WaitGroup
		var mu sync.Mutex
		turn := 0
		wg.Add(1)
		x.Go("worker", func() {
			mu.Lock()
			turn++
			mu.Unlock()
			wg.Done()
			wg.Add(1)
			mu.Lock()
			turn++
			mu.Unlock()
			wg.Done()
		})
		wg.Wait()
		wg.Wait()
		x.Join()
	})
}

// The first addition is not ordered with Wait. No execution panics, but package sync has the race
// detector object.
//
// verdict: FAILED data race
func TestFirstAdditionBesideWait(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var wg sync.WaitGroup
		var n atomic.Int32
		done := make(chan bool)
		go func() { wg.Add(1); n.Add(1); wg.Done(); close(done) }()
		wg.Wait()
		<-done
	})
}

// verdict: FAILED negative WaitGroup counter
func TestOneDoneTooMany(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var wg sync.WaitGroup
		wg.Add(1)
		for range 2 {
			x.Go("worker", func() { wg.Done() })
		}
		wg.Wait()
		x.Join()
	})
}

// verdict: proved, 1 trace
func TestWorkers(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var wg sync.WaitGroup
		wg.Add(3)
		for range 3 {
			x.Go("worker", func() { wg.Done() })
		}
		wg.Wait()
	})
}

// A worker that is waited for adds others.
//
// verdict: proved, 1 trace
func TestWorkersOfWorkers(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				wg.Go(func() {})
				wg.Go(func() {})
			})
		}
		wg.Wait()
	})
}

// verdict: proved, 1 trace
func TestRoundsOneAfterTheOther(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var wg sync.WaitGroup
		for range 3 {
			for range 2 {
				wg.Go(func() {})
			}
			wg.Wait()
		}
	})
}

// Several wait for the same workers.
//
// verdict: proved, 1 trace
func TestSeveralWait(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var wg sync.WaitGroup
		wg.Add(2)
		for range 2 {
			x.Go("worker", func() { wg.Done() })
			x.Go("waiter", func() { wg.Wait() })
		}
		x.Join()
	})
}

// A second round begins once all who waited for the first have said that they returned.
//
// verdict: proved
func TestReusedAfterAllReturned(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var wg sync.WaitGroup
		returned := make(chan bool)
		wg.Add(1)
		x.Go("waiter", func() { wg.Wait(); returned <- true })
		x.Go("worker", func() {
			wg.Done()
			<-returned
			wg.Add(1)
			wg.Done()
		})
		x.Join()
	})
}

// The second worker adds itself. If the first is done before, Wait does not wait for the second.
//
// verdict: FAILED not waited for
func TestWorkerAddsItself(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var wg sync.WaitGroup
		var n atomic.Int32
		wg.Add(1)
		go func() { wg.Done() }()
		go func() { wg.Add(1); n.Store(1); wg.Done() }()
		wg.Wait()
		x.Assert(n.Load() == 1, "not waited for")
	})
}
