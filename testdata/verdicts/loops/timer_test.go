package loops

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// The function of a timer ends a loop that polls, although no goroutine is blocked.
//
// verdict: bounded timer_test.go:
func TestAFunctionEndsALoop(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		time.AfterFunc(time.Minute, func() { done.Store(true) })
		for n := 0; !done.Load(); n++ {
			runtime.Gosched()
		}
	})
}

// verdict: bounded timer_test.go:
func TestAFunctionEndsALoopOfTries(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var lock atomic.Int32
		lock.Store(1)
		time.AfterFunc(time.Minute, func() { lock.Add(-1) })
		for lock.Add(1) != 1 {
			lock.Add(-1)
		}
	})
}

// The function comes, and does not end the loop.
//
// verdict: FAILED one goroutine repeats the same iteration for ever.*timer_test.go:
func TestAFunctionEndsAnotherLoop(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done, other atomic.Bool
		time.AfterFunc(time.Minute, func() { other.Store(true) })
		for n := 0; !done.Load(); n++ {
			runtime.Gosched()
		}
	})
}

// The ticks are those of the only goroutine, and never end.
//
// verdict: FAILED one goroutine repeats the same iteration for ever: main at timer_test.go:
func TestTicksForEver(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for range time.NewTicker(time.Second).C {
		}
	})
}

// verdict: FAILED one goroutine repeats the same iteration for ever: main at timer_test.go:
func TestSleepsForEver(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for {
			time.Sleep(time.Second)
		}
	})
}

// Nothing but a sleep ends the loop, and a timeout must not.
//
// verdict: FAILED repeats the same iteration for ever.*timer_test.go:
func TestOnlyASleepEndsALoop(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var done atomic.Bool
		x.Go("sleeper", func() {
			time.Sleep(time.Minute)
			done.Store(true)
		})
		for n := 0; !done.Load(); n++ {
			runtime.Gosched()
		}
	}, model.NoRescue())
}
