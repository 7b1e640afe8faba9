package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	ours "github.com/surewake/surewake/runtime"
)

func surveys() []survey {
	return []survey{
		{"memory of what waits", "bytes each", memory},
		{"memory of a million that wait for a time",
			"bytes each / how many times as many as a goroutine's", million},
		{"10,000 connections on which nothing happens", "bytes each", connections},
		{"lateness of 200,000 sleepers that are due within a second", "p50 / p99 / most, ms",
			lateness},
		{"a task from outside at a worker whose tasks spawn their successors for ever",
			"tasks before it: p50 / p99 / most; time: p50 / p99, µs", fairness},
		{"while all workers do fork-join",
			"until a task from outside begins; lateness of a sleep: p50 / p99 / most, µs",
			latencyUnderLoad},
		{"a runtime with 2 workers in which nothing happens", "wakes a second", idleWakes},
	}
}

// inUse is what the heap and the stacks hold.
func inUse() uint64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// never is a future that nobody wakes.
type never struct{ waker ours.Waker }

// Poll implements runtime.Future.
func (n *never) Poll(cx ours.Cx) (int, error, bool) {
	n.waker = cx.Waker()
	return 0, nil, false
}

// blank is a future without bytes of its own that nobody wakes.
type blank struct{}

// Poll implements runtime.Future.
func (blank) Poll(ours.Cx) (int, error, bool) { return 0, nil, false }

func memory(quick bool) [][2]string {
	n := 100_000
	if quick {
		n = 1000
	}
	each := func(name string, fill func(rt *ours.Runtime, n int) any) [2]string {
		rt := start()
		before := inUse()
		keep := fill(rt, n)
		for settled := rt.Stats(); ; { // until nothing moves
			time.Sleep(20 * time.Millisecond)
			now := rt.Stats()
			if now.Injected == 0 && now.Queued == 0 && now.Sleeping == len(now.Workers) &&
				polled(now) == polled(settled) {
				break
			}
			settled = now
		}
		bytes := float64(inUse()-before) / float64(n)
		runtime.KeepAlive(keep)
		rt.Close()
		return [2]string{name, fmt.Sprintf("%.0f", bytes)}
	}
	task := func(f func(ours.Cx) (int, error)) func(rt *ours.Runtime, n int) any {
		return func(rt *ours.Runtime, n int) any {
			all := make([]*ours.Handle[int], n)
			for i := range all {
				all[i] = ours.Submit(rt, f)
			}
			return all
		}
	}
	return [][2]string{
		each(
			"future of 8 bytes that waits, and a pointer to its handle",
			func(rt *ours.Runtime, n int) any {
				all := make([]*ours.Handle[int], n)
				for i := range all {
					all[i] = ours.SubmitFuture[int](rt, &never{})
				}
				return all
			},
		),
		each(
			"future of 0 bytes that waits, and a pointer to its handle",
			func(rt *ours.Runtime, n int) any {
				all := make([]*ours.Handle[int], n)
				for i := range all {
					all[i] = ours.SubmitFuture[int](rt, blank{})
				}
				return all
			},
		),
		each("task suspended in Sleep, and a pointer to its handle",
			task(func(cx ours.Cx) (int, error) { return 0, cx.Sleep(time.Hour) })),
		goroutines(n),
	}
}

func polled(s ours.Stats) (n uint64) {
	for _, w := range s.Workers {
		n += w.Polled
	}
	return n
}

func goroutines(n int) [2]string {
	before := inUse()
	end := make(chan struct{})
	for range n {
		go func() { <-end }()
	}
	time.Sleep(100 * time.Millisecond)
	bytes := float64(inUse()-before) / float64(n)
	close(end)
	return [2]string{"goroutine that waits for a channel", fmt.Sprintf("%.0f", bytes)}
}

func idleWakes(quick bool) [][2]string {
	length := 2 * time.Second
	if quick {
		length = 100 * time.Millisecond
	}
	measure := func(name string, work func(cx ours.Cx) error) [2]string {
		rt := start(ours.Workers(2))
		defer rt.Close()
		h := ours.Submit(rt, func(cx ours.Cx) (int, error) { return 0, work(cx) })
		time.Sleep(50 * time.Millisecond)
		before := parked(rt.Stats())
		time.Sleep(length)
		wakes := float64(parked(rt.Stats())-before) / length.Seconds()
		h.Cancel()
		_, _ = h.Wait(context.Background())
		return [2]string{name, fmt.Sprintf("%.1f", wakes)}
	}
	return [][2]string{
		measure("no task", func(ours.Cx) error { return nil }),
		measure("a task that sleeps for an hour",
			func(cx ours.Cx) error { return cx.Sleep(time.Hour) }),
		measure(
			"one worker in a long task, the other one asleep (the watch)",
			func(cx ours.Cx) error {
				for cx.Err() == nil {
				}
				return nil
			},
		),
	}
}

func parked(s ours.Stats) (n uint64) {
	for _, w := range s.Workers {
		n += w.Parked
	}
	return n
}
