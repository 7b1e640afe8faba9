//go:build !race

package explore_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

// Twenty executions of programs with long executions, for two lengths: what the longer one costs
// beyond four times the shorter one grows faster than the number of steps.
func BenchmarkLongExecutions(b *testing.B) {
	for _, p := range []struct {
		name string
		body func(n int)
	}{
		{"reads", readsOfOne},
		{"adds", addsToOne},
		{"channel 0", func(n int) { valuesThrough(n, 0) }},
		{"channel 1", func(n int) { valuesThrough(n, 1) }},
		{"channel 100", func(n int) { valuesThrough(n, 100) }},
		{"select", valuesBesideAnEnd},
		{"mutex", locksOfOne},
		{"waitgroup", roundsOfOne},
		{"clock", looksAtTheClock},
		{"many goroutines", func(n int) { locksOfMany(n / 4) }},
	} {
		for _, n := range []int{2000, 8000} {
			b.Run(fmt.Sprint(p.name, "/", n), func(b *testing.B) {
				cfg := explore.Config{Preemptions: -1, MaxSteps: 1 << 20, Executions: 20}
				for b.Loop() {
					explore.Run(cfg, func() { p.body(n) })
				}
			})
		}
	}
}

func readsOfOne(n int) {
	var v atomic.Int64
	read := func() {
		for range n {
			hook.Int64Load(&v)
		}
	}
	spawn(func() { hook.Int64Store(&v, 1) }, read, read)
}

func addsToOne(n int) {
	var v atomic.Int64
	add := func() {
		for range n {
			hook.Int64Add(&v, 1)
		}
	}
	spawn(add, add)
}

func valuesThrough(n, room int) {
	c := make(chan int, room)
	spawn(
		func() {
			for k := range n {
				hook.To(c).Send(k)
			}
		},
		func() {
			for range n {
				hook.Recv(c)
			}
		})
}

func valuesBesideAnEnd(n int) {
	c, end := make(chan int, 1), make(chan int)
	spawn(func() {
		for k := range n {
			hook.To(c).Send(k)
		}
		hook.Close(end)
	}, func() {
		for ended := false; !ended; {
			s := hook.NewSelection(2, false)
			select {
			case <-hook.SelectRecv(&s, c):
			case <-hook.SelectRecv(&s, end):
				ended = true
			}
		}
	})
}

func locksOfOne(n int) {
	var m sync.Mutex
	lock := func() {
		for range n {
			hook.MutexLock(&m)
			hook.MutexUnlock(&m)
		}
	}
	spawn(lock, lock)
}

func looksAtTheClock(n int) {
	look := func() {
		for range n {
			hook.Now()
		}
	}
	spawn(look, look)
}

// Of n goroutines, each step leaves nearly all waiting for the lock.
func locksOfMany(n int) {
	var m sync.Mutex
	var wg sync.WaitGroup
	for range n {
		hook.WaitGroupGo(&wg, func() {
			hook.MutexLock(&m)
			hook.MutexUnlock(&m)
		})
	}
	hook.WaitGroupWait(&wg)
}

func roundsOfOne(n int) {
	var g sync.WaitGroup
	explore.Go("", func() {
		for range n {
			hook.WaitGroupAdd(&g, 1)
			hook.WaitGroupAdd(&g, -1)
		}
	}, true)
	for range n {
		hook.WaitGroupAdd(&g, 1)
		hook.WaitGroupAdd(&g, -1)
		hook.WaitGroupWait(&g)
	}
	explore.Join()
}
