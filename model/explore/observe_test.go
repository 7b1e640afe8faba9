//go:build !race

package explore_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

func observed(f func(*explore.Step) error, body func()) explore.Result {
	return explore.Run(explore.Config{Preemptions: -1, Observe: f}, body)
}

// Each step comes once, in order, with what it did; and what it did is in memory.
func TestObserverSeesEachStep(t *testing.T) {
	var n *atomic.Int32
	var before, now []string // the steps of the execution before, and of this one
	executions := 0
	r := observed(func(s *explore.Step) error {
		if s.N == 0 {
			before, now = now, nil
			executions++
		}
		require.Len(t, now, s.N)
		step := fmt.Sprintf("%s %v %d", s.Name, s.Op, s.Result)
		if s.Op != explore.OpJoin {
			require.Equal(t, unsafe.Pointer(n), s.Address)
			require.EqualValues(t, s.Result, hook.Int32Load(n), "as read by an observer")
		}
		if s.Again {
			require.Equal(t, before[:s.N+1], append(now, step))
		} else {
			require.Equal(t, "TestObserverSeesEachStep", namesIn(s)[len(namesIn(s))-1])
		}
		now = append(now, step)
		return nil
	}, func() {
		n = new(atomic.Int32)
		add := func() { hook.Int32Add(n, 1) }
		spawn(add, func() { add(); hook.Int32Load(n) })
		hook.Int32Add(n, 1) // alone again: no step
	})
	require.Nil(t, r.Failure)
	require.EqualValues(t, 3, r.Complete)
	require.Equal(t, 4, executions, "the first one is run twice")
	require.Contains(t, now, "t1 Load 2")
}

// namesIn returns the functions of this file on the stack of a step, without what is behind a dot.
func namesIn(s *explore.Step) []string {
	var names []string
	for _, f := range s.Frames() {
		var test string
		if n, _ := fmt.Sscanf(f.Func, "github.com/surewake/surewake/model/explore_test.%s", &test); n == 1 {
			for i, c := range test {
				if c == '.' {
					test = test[:i]
					break
				}
			}
			names = append(names, test)
		}
	}
	return names
}

// Operations whose effect is the engine's are seen after it, and those of a lock once.
func TestObserverSeesOperationsOfTheEngine(t *testing.T) {
	var word *uint32
	seen := map[string]bool{}
	tries := 0
	r := observed(func(s *explore.Step) error {
		switch s.Op {
		case explore.OpTryLock:
			tries++
		case explore.OpFutexWait, explore.OpFutexSleep, explore.OpFutexWake:
			require.Equal(t, unsafe.Pointer(word), s.Address)
			seen[fmt.Sprint(s.Op, " ", s.Result)] = true
		}
		return nil
	}, func() {
		word = new(uint32)
		var mu sync.Mutex
		spawn(func() { explore.FutexWait(unsafe.Pointer(word), 0, -1) }, func() {
			hook.MutexTryLock(&mu)
			explore.FutexWake(unsafe.Pointer(word), 1)
		})
	})
	require.Equal(t, map[string]bool{
		"futex wait 0": true, "futex wait (asleep) 0": true,
		"futex wake 0": true, "futex wake 1": true,
	}, seen)
	require.EqualValues(t, 1, r.Complete)
	require.EqualValues(t, 1, r.Deadlocked, "who comes first wakes nobody")
	require.Equal(t, 3, tries, "the first execution is run twice")
}

// An error ends the execution at this step.
func TestObserverRefusesAStep(t *testing.T) {
	body := func() {
		var n atomic.Int32
		spawn(func() { hook.Int32Add(&n, 1) }, func() { hook.Int32Store(&n, 5) })
	}
	refuse := func(s *explore.Step) error {
		if s.Op == explore.OpAdd && s.Result == 6 {
			return errors.New("six is too much")
		}
		return nil
	}
	r := observed(refuse, body)
	require.Equal(t, explore.KindStep, r.Failure.Kind)
	require.Equal(t, "step 2, by t0, Add: six is too much", r.Failure.Message)
	require.Len(t, r.Failure.Schedule, 2)
	require.EqualValues(t, 1, r.Complete)
	require.EqualValues(t, 1, r.Failures)
}

// A panic of an observer is a failure, and executions go on.
func TestObserverPanics(t *testing.T) {
	r := observed(func(s *explore.Step) error {
		if s.Op == explore.OpStore && s.N == 0 {
			panic("observer")
		}
		return nil
	}, func() {
		var n atomic.Int32
		spawn(func() { hook.Int32Add(&n, 1) }, func() { hook.Int32Store(&n, 5) })
	})
	require.Equal(t, explore.KindPanic, r.Failure.Kind)
	require.Contains(t, r.Failure.Message, "observer")
	require.EqualValues(t, 1, r.Complete)
}
