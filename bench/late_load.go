package main

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	ours "github.com/surewake/surewake/runtime"
)

// latencyUnderLoad is how long a task from outside waits until it begins, and how much later than
// it wanted a sleep of a millisecond ends, while all workers do fork-join for ever; beside
// goroutines, while goroutines do it on all processors.
func latencyUnderLoad(quick bool) [][2]string {
	n, depth := 1000, 22
	if quick {
		n, depth = 10, 12
	}
	tasks := func(name string, load func(cx ours.Cx) error) [2]string {
		rt := start(ours.Workers(2))
		for range 2 {
			rt.Go(func(cx ours.Cx) {
				for cx.Err() == nil && load(cx) == nil {
				}
			})
		}
		begin, late := make(sample, n), make(sample, n)
		pauseWhile(n, func(i int) {
			var began time.Time
			h := ours.Submit(rt, func(cx ours.Cx) (int, error) {
				began = time.Now()
				err := cx.Sleep(time.Millisecond)
				late[i] = time.Since(began) - time.Millisecond
				return 0, err
			})
			submitted := time.Now() // until here, the collector may have made this goroutine help
			must(h.Wait(background))
			begin[i] = max(began.Sub(submitted), 0)
		})
		rt.Close()
		return quantiles(name, begin, late)
	}
	goroutines := func(name string) [2]string {
		var over atomic.Bool
		for range runtime.GOMAXPROCS(0) {
			go func() {
				for !over.Load() {
					fibGo(depth)
				}
			}()
		}
		begin, late := make(sample, n), make(sample, n)
		pauseWhile(n, func(i int) {
			ended := make(chan time.Time)
			go func() {
				began := time.Now()
				time.Sleep(time.Millisecond)
				late[i] = time.Since(began) - time.Millisecond
				ended <- began
			}()
			submitted := time.Now()
			begin[i] = max((<-ended).Sub(submitted), 0)
		})
		over.Store(true)
		return quantiles(name, begin, late)
	}
	return [][2]string{
		tasks("tasks, fib by Spawn and Join", func(cx ours.Cx) error {
			_, err := fibWith(cx, depth)
			return err
		}),
		tasks("tasks, fib by Fork and Join, and a Yield", func(cx ours.Cx) error {
			fibCx(cx, depth)
			cx.Yield()
			return nil
		}),
		goroutines("goroutines, fib by go and channels"),
	}
}

// pauseWhile calls measure n times, with pauses of some microseconds up to a millisecond.
func pauseWhile(n int, measure func(i int)) {
	for i := range n {
		time.Sleep(time.Duration(i%20*50) * time.Microsecond)
		measure(i)
	}
}

func quantiles(name string, begin, late sample) [2]string {
	slices.Sort(begin)
	slices.Sort(late)
	in := func(s sample) string {
		at := func(quantile float64) string { return figure(s.at(quantile).Seconds() * 1e6) }
		return fmt.Sprintf("%s / %s / %s", at(0.5), at(0.99), at(1))
	}
	return [2]string{name, in(begin) + "; " + in(late)}
}
