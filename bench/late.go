package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	ours "github.com/surewake/surewake/runtime"
)

// lateness is how much later than they wanted sleepers go on, who all sleep before the first is
// due.
func lateness(quick bool) [][2]string {
	n, before := 200_000, 3*time.Second
	if quick {
		n, before = 1000, 100*time.Millisecond
	}
	each := func(name string, sleep func(due []time.Time, late sample)) [2]string {
		due, late := make([]time.Time, n), make(sample, n)
		base := time.Now().Add(before)
		for i := range due {
			due[i] = base.Add(time.Duration(rand.Int64N(int64(time.Second))))
		}
		sleep(due, late)
		slices.Sort(late)
		in := func(quantile float64) string { return figure(late.at(quantile).Seconds() * 1e3) }
		return [2]string{name, fmt.Sprintf("%s / %s / %s", in(0.5), in(0.99), in(1))}
	}
	tasks := func(due []time.Time, late sample) {
		rt := start(ours.Workers(2))
		for i := range due {
			rt.Go(func(cx ours.Cx) {
				expectNo(cx.SleepUntil(due[i]))
				late[i] = time.Since(due[i])
			})
		}
		expectNo(rt.Shutdown(background))
	}
	futures := func(due []time.Time, late sample) {
		rt := start(ours.Workers(2))
		for i := range due {
			ours.SubmitFuture[int](rt, &sleeper{due: due[i], late: &late[i]}).Detach()
		}
		expectNo(rt.Shutdown(background))
	}
	goroutines := func(due []time.Time, late sample) {
		var all sync.WaitGroup
		for i := range due {
			all.Go(func() {
				time.Sleep(time.Until(due[i]))
				late[i] = time.Since(due[i])
			})
		}
		all.Wait()
	}
	return [][2]string{each("tasks", tasks), each("futures", futures),
		each("goroutines", goroutines)}
}

// sleeper is a future that ends when it is due.
type sleeper struct {
	due  time.Time
	late *time.Duration
	nap  ours.Nap
}

// Poll implements runtime.Future.
func (s *sleeper) Poll(cx ours.Cx) (int, error, bool) {
	if !s.nap.Over(cx, time.Until(s.due)) {
		return 0, nil, false
	}
	*s.late = time.Since(s.due)
	return 0, nil, true
}

// fairness is how long a task from outside waits for its turn, where the worker's own queues are
// never empty: by default, the most is 255 tasks and those that the worker was about to run.
func fairness(quick bool) [][2]string {
	n := 2000
	if quick {
		n = 20
	}
	measure := func(name string, task time.Duration, options ...ours.Option) [2]string {
		rt := start(append(options, ours.Workers(1))...)
		var tasks atomic.Int64
		var over atomic.Bool
		var again func(cx ours.Cx)
		again = func(cx ours.Cx) {
			tasks.Add(1)
			for begin := time.Now(); task > 0 && time.Since(begin) < task; {
			}
			if !over.Load() {
				cx.Go(again)
			}
		}
		for range 3 {
			rt.Go(again)
		}
		before, took := make([]int64, n), make(sample, n)
		for i := range n {
			time.Sleep(time.Duration(rand.Int64N(int64(time.Millisecond))))
			var count int64
			var at time.Time
			h := ours.Submit(rt, func(ours.Cx) (int, error) {
				count, at = tasks.Load(), time.Now()
				return 0, nil
			})
			// From here on: until now the collector may have made this goroutine help.
			queued, begin := tasks.Load(), time.Now()
			must(h.Wait(background))
			before[i], took[i] = max(count-queued, 0), max(at.Sub(begin), 0)
		}
		over.Store(true)
		expectNo(rt.Shutdown(background))
		slices.Sort(before)
		slices.Sort(took)
		in := func(quantile float64) string { return figure(took.at(quantile).Seconds() * 1e6) }
		return [2]string{name, fmt.Sprintf("%d / %d / %d; %s / %s", before[n/2], before[n*99/100],
			before[n-1], in(0.5), in(0.99))}
	}
	seldom := ours.InjectorInterval(time.Millisecond, 61, 61)
	return [][2]string{
		measure("tasks that do nothing", 0),
		measure("tasks of 2 µs", 2*time.Microsecond),
		measure("tasks of 10 µs", 10*time.Microsecond),
		measure("tasks of 100 µs", 100*time.Microsecond),
		measure("tasks of 100 µs, a look after each 61 tasks, as Tokio's", 100*time.Microsecond,
			seldom),
	}
}
