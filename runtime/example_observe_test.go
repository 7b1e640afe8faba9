package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	sw "github.com/surewake/surewake/runtime"
)

func ExampleRuntime_Dump() {
	rt, err := sw.New(sw.Workers(1))
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	sw.Submit(rt, func(cx sw.Cx) (int, error) {
		cx.SetName("parent")
		parts := sw.NewChannel[int](0)
		child := sw.Spawn(cx, func(cx sw.Cx) (int, error) {
			cx.SetName("child")
			return parts.Receive(cx)
		})
		cx.Yield()
		return child.Join(cx)
	})
	for s := rt.Stats(); s.Live < 2 || s.Sleeping == 0; s = rt.Stats() { // until both wait
		time.Sleep(time.Millisecond)
	}
	rt.Dump(os.Stdout)
	// Output:
	// open; 1 worker, 1 asleep, 0 searching; 2 tasks, 0 timers, 0 watches; 2 stacks, 0 spare
	// worker 0: asleep
	// task 1 "parent": waits, for the end of task 2
	// task 2 "child": waits
}

func ExampleCx_SetName() {
	rt, err := sw.New(sw.Workers(1))
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	_, err = sw.Submit(rt, func(cx sw.Cx) (int, error) {
		cx.SetName("page 7")
		panic("no such page")
	}).Wait(context.Background())
	var p *sw.PanicError
	if errors.As(err, &p) {
		fmt.Printf("%s: %v\n", p.Task, p.Value)
	}
	// Output:
	// page 7: no such page
}

// A task blocks its worker, and the watchdog tells of it.
func ExampleWatchdog() {
	alarms := make(chan sw.Alarm, 1)
	rt, err := sw.New(sw.Workers(1), sw.Watchdog(10*time.Millisecond,
		func(a sw.Alarm) { alarms <- a })) // a service logs a, and a.Stack()
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	over := make(chan int)
	sw.Submit(rt, func(cx sw.Cx) (int, error) {
		cx.SetName("import")
		return <-over, nil // it should call sw.Receive
	})
	a := <-alarms
	fmt.Printf("%s holds worker %d\n", a.Task, a.Worker)
	close(over)
	// Output:
	// import holds worker 0
}

// writeMetrics writes what a runtime has done and does, in the text format of Prometheus. A handler
// of net/http calls it with its ResponseWriter.
func writeMetrics(w io.Writer, s sw.Stats) {
	metric := func(name, kind string, value any) {
		fmt.Fprintf(w, "# TYPE tasks_%s %s\ntasks_%s %v\n", name, kind, name, value)
	}
	metric("spawned_total", "counter", s.Spawned)
	metric("completed_total", "counter", s.Completed)
	metric("panicked_total", "counter", s.Panicked)
	metric("cancelled_total", "counter", s.Cancelled)
	metric("live", "gauge", s.Live)
	metric("queued", "gauge", s.Queued+s.Injected+s.Ready+s.Blocking)
	metric("timers", "gauge", s.Timers)
	metric("watches", "gauge", s.Watches)
	metric("stacks", "gauge", s.Stacks)
	fmt.Fprintln(w, "# TYPE tasks_polled_total counter")
	for i, of := range s.Workers {
		fmt.Fprintf(w, "tasks_polled_total{worker=\"%d\"} %d\n", i, of.Polled)
	}
}

// Statistics for Prometheus, without a client library.
func ExampleRuntime_Stats_prometheus() {
	rt, err := sw.New(sw.Workers(1))
	if err != nil {
		panic(err)
	}
	for range 3 {
		sw.Submit(rt, func(sw.Cx) (int, error) { return 0, nil })
	}
	rt.Shutdown(context.Background())
	writeMetrics(os.Stdout, rt.Stats())
	// Output:
	// # TYPE tasks_spawned_total counter
	// tasks_spawned_total 3
	// # TYPE tasks_completed_total counter
	// tasks_completed_total 3
	// # TYPE tasks_panicked_total counter
	// tasks_panicked_total 0
	// # TYPE tasks_cancelled_total counter
	// tasks_cancelled_total 0
	// # TYPE tasks_live gauge
	// tasks_live 0
	// # TYPE tasks_queued gauge
	// tasks_queued 0
	// # TYPE tasks_timers gauge
	// tasks_timers 0
	// # TYPE tasks_watches gauge
	// tasks_watches 0
	// # TYPE tasks_stacks gauge
	// tasks_stacks 0
	// # TYPE tasks_polled_total counter
	// tasks_polled_total{worker="0"} 3
}
