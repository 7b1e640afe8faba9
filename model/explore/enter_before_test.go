//go:build !race

package explore_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

func among(before func(*explore.Step), body func()) explore.Result {
	return explore.Run(explore.Config{Preemptions: -1, Before: before}, body)
}

// What others do before an access is chosen, and every choice is explored.
func TestBeforeEachAccessOthersChoose(t *testing.T) {
	var n *int32
	seen := map[string]bool{}
	r := among(func(s *explore.Step) {
		require.Equal(t, unsafe.Pointer(n), s.Address)
		*n = int32(explore.Choose(3))
	}, func() {
		n = new(int32)
		spawn(func() { seen[fmt.Sprint(hook.LoadInt32(n), hook.LoadInt32(n))] = true })
	})
	require.Nil(t, r.Failure)
	require.Len(t, seen, 9)
}

// Before a Lock others choose, too, and none where the goroutine has the mutex.
func TestBeforeALockOthersChoose(t *testing.T) {
	type guarded struct {
		sync.Mutex
		n int
	}
	var g *guarded
	seen := map[int]bool{}
	r := among(func(s *explore.Step) {
		require.Equal(t, explore.OpLock, s.Op)
		require.Equal(t, unsafe.Pointer(&g.Mutex), s.Address)
		g.n += explore.Choose(3)
	}, func() {
		g = new(guarded)
		spawn(func() {
			for range 2 {
				hook.MutexLock(&g.Mutex)
				n := g.n
				hook.MutexUnlock(&g.Mutex)
				seen[n] = true
			}
		})
	})
	require.Nil(t, r.Failure)
	require.EqualValues(t, 9, r.Complete)
	require.Len(t, seen, 5)
}

// Before and after each step the callers are those of this execution, also where the one before
// began with the same steps, or had another caller at the same step.
func TestTheCallersOfAStepAmongOthers(t *testing.T) {
	var n *int32
	var went string
	seen := map[string]int{}
	look := func(s *explore.Step, when string) {
		if s.Op != explore.OpStore {
			return
		}
		var callers []string
		for _, f := range s.Frames() {
			if _, name, ok := strings.Cut(f.Func, "explore_test.store"); ok {
				callers = append(callers, name)
			}
		}
		require.Equal(t, []string{went}, callers)
		seen[when+" "+went]++
	}
	r := explore.Run(explore.Config{
		Preemptions: -1,
		Before: func(s *explore.Step) {
			*n = int32(explore.Choose(2))
			look(s, "before")
		},
		Observe: func(s *explore.Step) error {
			look(s, "after")
			return nil
		},
	}, func() {
		n = new(int32)
		spawn(func() {
			if hook.LoadInt32(n) == 0 {
				went = "Low"
				storeLow(n)
			} else {
				went = "High"
				storeHigh(n)
			}
			hook.LoadInt32(n)
		})
	})
	require.Nil(t, r.Failure)
	require.EqualValues(t, 8, r.Complete)
	want := seen["before Low"]
	require.Greater(t, want, 3)
	require.Equal(t, map[string]int{"before Low": want, "after Low": want, "before High": 4,
		"after High": 4}, seen)
}

//go:noinline
func storeLow(n *int32) { hook.StoreInt32(n, 1) }

//go:noinline
func storeHigh(n *int32) { hook.StoreInt32(n, 2) }

// The stack is the same where a goroutine goes on in the same way, whatever it did before, and
// differs where it does not.
func TestTheStackIsTheStateOfAGoroutine(t *testing.T) {
	type place struct {
		first bool
		stack string
	}
	run := func(body func(n *int32)) (places []place) {
		var n *int32
		r := among(func(s *explore.Step) {
			if s.Again {
				require.Nil(t, s.Stack)
				return
			}
			stack := slices.Clone(s.Stack)
			places = append(places, place{s.First, fmt.Sprint(s.Op, stack)})
		}, func() {
			n = new(int32)
			p := n
			spawn(func() { body(p) })
		})
		require.Nil(t, r.Failure)
		return places
	}
	turns := new(int)
	again := run(func(n *int32) {
		for *turns = 0; *turns < 4; *turns++ {
			hook.LoadInt32(n)
			hook.StoreInt32(n, 1)
		}
	})
	first := slices.DeleteFunc(again, func(p place) bool { return !p.first })
	require.Len(t, first, 8)
	require.Equal(t, first[4], first[6], "what turns are told apart by is on the heap")
	require.Equal(t, first[5], first[7])

	counted := run(func(n *int32) {
		for i := range int32(4) {
			hook.LoadInt32(n)
			hook.StoreInt32(n, i)
		}
	})
	stacks := map[string]bool{}
	for _, p := range counted {
		if p.first {
			stacks[p.stack] = true
		}
	}
	require.Len(t, stacks, 8, "each turn has a number of its own")
}

// A futex wait ends in each way, with nobody there to wake it; a wake wakes one or none.
func TestAFutexAmongOthersNeverBlocks(t *testing.T) {
	ends, woken := map[string]bool{}, map[int]bool{}
	r := among(func(*explore.Step) {}, func() {
		word := new(uint32)
		spawn(func() {
			for _, d := range []time.Duration{-1, time.Second} {
				end, in := explore.FutexWait(unsafe.Pointer(word), 0, d)
				require.True(t, in)
				ends[fmt.Sprint(d, " ", end)] = true
			}
			end, _ := explore.FutexWait(unsafe.Pointer(word), 1, -1)
			require.Equal(t, explore.FutexMismatch, end)
			n, _ := explore.FutexWake(unsafe.Pointer(word), 1)
			woken[n] = true
		})
	})
	require.Nil(t, r.Failure)
	require.Equal(t, map[string]bool{"-1ns 0": true, "-1ns 3": true, "1s 0": true, "1s 2": true,
		"1s 3": true}, ends)
	require.Equal(t, map[int]bool{0: true, 1: true}, woken)
}

// A loop that tries again is where it was when it tried first.
func TestACompareAndSwapLeavesNoOperandsBehind(t *testing.T) {
	stacks := map[string]bool{}
	loads := 0
	r := among(func(s *explore.Step) {
		switch {
		case s.Op == explore.OpLoad:
			loads++
			if !s.Again {
				stacks[fmt.Sprint(s.Stack)] = true
			}
		case loads < 4:
			*(*uint64)(s.Address) += uint64(loads)
		}
	}, func() {
		loads = 0
		n := new(uint64)
		*n = 1 << 20
		spawn(func() { double(n) })
	})
	require.Nil(t, r.Failure)
	require.Equal(t, 4, loads)
	require.Len(t, stacks, 1)
}

func double(n *uint64) {
	for {
		was := hook.LoadUint64(n)
		if hook.CompareAndSwapUint64(n, was, 2*was) {
			return
		}
	}
}
