package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	ours "github.com/surewake/surewake/runtime"
)

// napper is a future that waits for a time.
type napper struct {
	nap   ours.Nap
	sleep time.Duration
}

// Poll implements runtime.Future.
func (n *napper) Poll(cx ours.Cx) (int, error, bool) {
	return 0, nil, n.nap.Over(cx, n.sleep)
}

// million is what a process holds for each of a million that wait for a time, and how many times as
// much that is as for a goroutine. Nobody waits for them, so there are no handles. The goroutines
// come last, since Go keeps what they leave.
func million(quick bool) [][2]string {
	n, most := 1_000_000, 20*time.Second
	if quick {
		n, most = 1000, 500*time.Millisecond
	}
	kinds := []struct {
		name string
		fill func(n int, most time.Duration) (end func())
	}{
		{"future with a Nap", nappers},
		{"callback of time.AfterFunc, and a pointer to its Timer", callbacks},
		{"goroutine in time.Sleep", sleepingGoroutines},
	}
	bytes := make([]float64, len(kinds))
	for i, k := range kinds {
		begin, before := time.Now(), inUse()
		end := k.fill(n, most)
		bytes[i] = float64(inUse()-before) / float64(n)
		if time.Since(begin) > most {
			panic("some do not wait any more: the machine is too slow")
		}
		end()
	}
	lines := make([][2]string, len(kinds))
	for i, k := range kinds {
		ratio := bytes[i] / bytes[len(bytes)-1]
		lines[i] = [2]string{k.name, fmt.Sprintf("%.0f / %.2f", bytes[i], ratio)}
	}
	return lines
}

// nappers come some at a time from a task, so that no queue grows which stays.
func nappers(n int, _ time.Duration) (end func()) {
	const atOnce = 50
	rt := start()
	for range n / atOnce {
		inside(rt, func(cx ours.Cx) {
			for range atOnce {
				ours.SpawnFutureValue[int](cx, napper{sleep: time.Hour}).Detach()
			}
		})()
	}
	for sleeping := 0; sleeping < len(rt.Stats().Workers); sleeping = rt.Stats().Sleeping {
		time.Sleep(time.Millisecond)
	}
	return func() { rt.Close() }
}

// ran is what the callbacks add their numbers to; none does.
var ran atomic.Int64

// callbacks have a closure of their own each, as large as a napper.
func callbacks(n int, _ time.Duration) (end func()) {
	all := make([]*time.Timer, n)
	for i := range all {
		all[i] = time.AfterFunc(time.Hour, func() { ran.Add(int64(i)) })
	}
	return func() {
		for _, t := range all {
			t.Stop()
		}
	}
}

// sleepingGoroutines cannot be ended, so they sleep for no longer than it takes to look at them.
func sleepingGoroutines(n int, most time.Duration) (end func()) {
	var all sync.WaitGroup
	all.Add(n)
	for range n {
		go func() { time.Sleep(most); all.Done() }()
	}
	time.Sleep(most / 20) // the last ones begin to sleep
	return all.Wait
}
