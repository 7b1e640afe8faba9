//go:build !race

package explore_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

// arrows records the first execution and returns what synchronizes before what: "t0 Unlock -> t1
// Lock".
func arrows(body func()) []string {
	r := explore.Run(explore.Config{Preemptions: -1, Record: true, Outer: true}, body)
	var out []string
	for _, s := range r.Trace {
		for _, k := range s.After {
			from := r.Trace[k]
			out = append(out, fmt.Sprintf("%s %s -> %s %s", from.Name, from.Op, s.Name, s.Op))
		}
	}
	return out
}

// The threads run one after the other, unless they have to wait.
func TestRecordedStepsKnowWhatSynchronizesBeforeThem(t *testing.T) {
	var n, other atomic.Int32
	var mu sync.Mutex
	var rw sync.RWMutex
	var wg sync.WaitGroup
	var once sync.Once
	var cond *sync.Cond
	var c chan int
	for _, test := range []struct {
		name string
		body []func()
		want []string
	}{
		{"a load sees the last store only", []func(){
			func() { hook.Int32Store(&n, 1) },
			func() { hook.Int32Store(&n, 2) },
			func() { hook.Int32Load(&n); hook.Int32Load(&n); hook.Int32Load(&other) },
		}, []string{"t1 Store -> t2 Load"}},
		{"a load comes before no store", []func(){
			func() { hook.Int32Load(&n) },
			func() { hook.Int32Store(&n, 1) },
		}, nil},
		{"an update takes part in what it replaces", []func(){
			func() { hook.Int32Store(&n, 1) },
			func() { hook.Int32Add(&n, 1) },
			func() { hook.Int32CompareAndSwap(&n, 2, 3) },
		}, []string{"t0 Store -> t1 Add", "t1 Add -> t2 CompareAndSwap"}},
		{"a failed update changes nothing", []func(){
			func() { hook.Int32Store(&n, 1) },
			func() { hook.Int32CompareAndSwap(&n, 7, 8) },
			func() { hook.Int32Load(&n) },
		}, []string{"t0 Store -> t1 CompareAndSwap", "t0 Store -> t2 Load"}},
		{"a mutex", []func(){
			func() { hook.MutexLock(&mu); hook.MutexUnlock(&mu) },
			func() { hook.MutexLock(&mu); hook.MutexUnlock(&mu) },
			func() { hook.MutexTryLock(&mu); hook.MutexTryLock(&mu); hook.MutexUnlock(&mu) },
		}, []string{"t0 Unlock -> t1 Lock", "t1 Unlock -> t2 TryLock"}},
		{"readers and writers", []func(){
			func() { hook.RWMutexLock(&rw); hook.RWMutexUnlock(&rw) },
			func() { hook.RWMutexRLock(&rw); hook.RWMutexRUnlock(&rw) },
			func() { hook.RWMutexTryRLock(&rw); hook.RWMutexRUnlock(&rw) },
			func() { hook.RWMutexTryLock(&rw) },
		}, []string{
			"t0 Unlock -> t1 RLock", "t0 Unlock -> t2 TryRLock",
			"t1 RUnlock -> t3 TryLock", "t2 RUnlock -> t3 TryLock",
		}},
		{"a group", []func(){
			func() { hook.WaitGroupDone(&wg) },
			func() { hook.WaitGroupDone(&wg) },
			func() { hook.WaitGroupWait(&wg) },
		}, []string{
			"t0 WaitGroup.Add -> t2 WaitGroup.Wait", "t1 WaitGroup.Add -> t2 WaitGroup.Wait",
		}},
		{"a function that runs once", []func(){
			func() { hook.OnceDo(&once, func() {}) },
			func() { hook.OnceDo(&once, func() {}) },
		}, []string{"t0 Once.Do (done) -> t1 Once.Do"}},
		{"a condition wakes by the signal that chose the waiter", []func(){
			func() { hook.MutexLock(&mu); hook.CondWait(cond); hook.MutexUnlock(&mu) },
			func() { hook.CondSignal(cond) },
			func() { hook.CondSignal(cond) },
		}, []string{"t1 Cond.Signal -> t0 Cond.Wait"}},
		{"values of a channel, and room in it", []func(){
			func() { hook.To(c).Send(1); hook.To(c).Send(2) },
			func() { hook.Recv(c); hook.Recv(c) },
		}, []string{
			"t0 channel send -> t1 channel receive", "t1 channel receive -> t0 channel send",
			"t0 channel send -> t1 channel receive",
		}},
		{"the end of a channel", []func(){
			func() { hook.Close(c) },
			func() { hook.Recv(c) },
		}, []string{"t0 close of a channel -> t1 channel receive"}},
		{"what a goroutine starts comes after what it did", []func(){
			func() { hook.Int32Store(&n, 1); spawn(func() { hook.Int32Load(&other) }) },
		}, []string{"t0 Store -> t0 Load", "t0 Load -> t0 Join"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, arrows(func() {
				n, other = atomic.Int32{}, atomic.Int32{}
				mu, rw, wg, once = sync.Mutex{}, sync.RWMutex{}, sync.WaitGroup{}, sync.Once{}
				cond, c = sync.NewCond(&mu), make(chan int, 1)
				wg.Add(2)
				spawnAndLeave(test.body...)
			}))
		})
	}
}

// Of a long execution the middle is left out, and steps have other numbers.
func TestStepsThatAreLeftOutHaveNoArrows(t *testing.T) {
	var first, middle, other atomic.Int32
	require.Equal(t, []string{"t0 Store -> t1 Load", "t0 Store -> t1 Load"}, arrows(func() {
		first, middle, other = atomic.Int32{}, atomic.Int32{}, atomic.Int32{}
		spawnAndLeave(func() {
			hook.Int32Store(&first, 1)
			for i := range 1500 {
				hook.Int32Load(&other)
				if i == 1100 {
					hook.Int32Store(&middle, 1) // is left out
				}
			}
			hook.Int32Store(&other, 1)
		}, func() {
			hook.Int32Load(&first)
			hook.Int32Load(&middle)
			hook.Int32Load(&other)
		})
	}))
}

// spawnAndLeave is spawn without an end to which everything would lead.
func spawnAndLeave(bodies ...func()) {
	for i, body := range bodies {
		explore.Go(fmt.Sprintf("t%d", i), body, false)
	}
}
