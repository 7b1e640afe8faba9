package pool

import (
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// grow is a task that spawns two of the next depth, one by one or as a batch.
func grow(depth int, ran *atomic.Int64, done *sync.WaitGroup) Task {
	done.Add(1)
	return func(w *Worker) {
		defer done.Done()
		ran.Add(1)
		switch {
		case depth > 0 && depth%2 == 0:
			w.Spawn(grow(depth-1, ran, done), grow(depth-1, ran, done))
		case depth > 0:
			w.Spawn(grow(depth-1, ran, done))
			w.Spawn(grow(depth-1, ran, done))
		}
	}
}

func TestEveryTaskOfATreeRunsOnce(t *testing.T) {
	for round := range 100 {
		p := New(1+round%5, 2<<(round%6), nil)
		var ran atomic.Int64
		var done, outside sync.WaitGroup
		for range 3 {
			outside.Go(func() {
				if p.Submit(grow(8, &ran, &done)) != nil {
					t.Error("an open pool refuses a task")
				}
			})
		}
		outside.Wait()
		if round%2 == 0 {
			done.Wait() // without Close, which wakes the workers
		}
		p.Close()
		require.EqualValues(t, 3*511, ran.Load())
	}
}

// Pairs of tasks that wait for each other, and one more so that a thief gets two of three.
func TestTasksThatWaitForOneAnotherRun(t *testing.T) {
	p := New(2, 4, nil)
	defer p.Close()
	for range 1000 {
		var first, second, all sync.WaitGroup
		first.Add(1)
		second.Add(1)
		all.Add(3)
		require.NoError(t, p.Submit(func(w *Worker) {
			w.Spawn(
				func(*Worker) { first.Done(); second.Wait(); all.Done() },
				func(*Worker) { second.Done(); first.Wait(); all.Done() },
				func(*Worker) { all.Done() })
		}))
		all.Wait()
	}
}

func TestATaskThatDiesTakesNoWorkerAlong(t *testing.T) {
	var values sync.Map
	p := New(2, 4, func(v any) { values.Store(v, true) })
	var ran atomic.Int64
	for i := range 300 {
		require.NoError(t, p.Submit(func(w *Worker) {
			w.Spawn(func(*Worker) { ran.Add(1) })
			switch i % 3 {
			case 0:
				panic(i)
			case 1:
				runtime.Goexit()
			}
		}))
	}
	p.Close()
	require.EqualValues(t, 300, ran.Load())
	panics := 0
	values.Range(func(any, any) bool { panics++; return true })
	require.Equal(t, 100, panics)
}

// A mistake of the pool is not taken for one of a task: it ends the program.
func TestAPanicOfThePartsGoesOn(t *testing.T) {
	p := newPool(1, 2, func(v any) { t.Errorf("%v is taken for a task's", v) })
	p.running.Add(1)
	w := p.workers[0]
	w.role.Publish() // and looks for tasks without a sleep
	require.PanicsWithValue(t, "idle: Search by worker 0, which is parked: Woke comes first, "+
		"until it says something other than AwaitToken (rule 3)", w.work)
}

func TestASubmitAfterCloseIsRefused(t *testing.T) {
	p := New(2, 4, nil)
	p.Close()
	require.Equal(t, ErrClosed, p.Submit(func(*Worker) { t.Error("a refused task runs") }))
	p.Close()
}

// A task that spawns itself again and again does not keep others out.
func TestSpawnsDoNotStarveTheInjector(t *testing.T) {
	p := New(1, 4, nil)
	var over atomic.Bool
	var again Task
	again = func(w *Worker) {
		if !over.Load() {
			w.Spawn(again)
		}
	}
	require.NoError(t, p.Submit(again))
	require.NoError(t, p.Submit(func(*Worker) { over.Store(true) }))
	p.Close()
	require.True(t, over.Load())
}

func TestThePoolAtRestAllocatesNothing(t *testing.T) {
	p := New(1, 64, nil)
	defer p.Close()
	allocations := make(chan float64)
	require.NoError(t, p.Submit(func(w *Worker) {
		nothing := func(*Worker) {}
		allocations <- testing.AllocsPerRun(100, func() {
			w.Spawn(nothing)
			w.local.Pop()
		})
	}))
	require.Zero(t, <-allocations)
}

func TestThePoolIsShort(t *testing.T) {
	text, err := os.ReadFile("pool.go")
	require.NoError(t, err)
	code := 0
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			code++
		}
	}
	require.LessOrEqual(t, code, 170, "lines of code")
}
