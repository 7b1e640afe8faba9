package idle_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/idle"
)

// A deed is what a scheduler does with a Coordinator, alone: prepared by the function, done by what
// it returns.
type deed struct {
	name    string
	prepare func(c *idle.Coordinator) func()
}

var deeds = []deed{
	// A push while somebody searches: one atomic load.
	{"notify-with-a-searcher", func(c *idle.Coordinator) func() {
		c.Worker(0).Search()
		return func() { c.Notify() }
	}},
	// A push while everybody is busy: a look at every word.
	{"notify-with-nobody-parked", func(c *idle.Coordinator) func() {
		return func() { c.Notify() }
	}},
	// A push that wakes the worker with the highest number; the worker finds the task and sleeps
	// again.
	{"notify-that-claims", func(c *idle.Coordinator) func() {
		w := c.Worker(c.Workers() - 1)
		w.Publish()
		return func() {
			c.Notify()
			w.Woke(true)
			w.Found()
			w.Publish()
		}
	}},
	// A sleep that ends with a timeout.
	{"park-and-time-out", func(c *idle.Coordinator) func() {
		w := c.Worker(c.Workers() - 1)
		return func() {
			w.Publish()
			w.Woke(false)
		}
	}},
	// A search that finds nothing, and a sleep.
	{"search-park-and-time-out", func(c *idle.Coordinator) func() {
		w := c.Worker(c.Workers() - 1)
		return func() {
			w.Search()
			w.Publish()
			w.Woke(false)
		}
	}},
	// What a busy worker pays for each task.
	{"found-while-busy", func(c *idle.Coordinator) func() {
		w := c.Worker(0)
		return func() { w.Found() }
	}},
}

func BenchmarkAlone(b *testing.B) {
	for _, d := range deeds {
		for _, workers := range []int{2, 64, 1000} {
			b.Run(fmt.Sprintf("%s/%d", d.name, workers), func(b *testing.B) {
				b.ReportAllocs()
				do := d.prepare(idle.New(workers))
				for b.Loop() {
					do()
				}
			})
		}
	}
}

// BenchmarkNotifyInParallel is the push that finds a searcher, from all processors at once: they
// share a line that nobody writes.
func BenchmarkNotifyInParallel(b *testing.B) {
	b.ReportAllocs()
	c := idle.New(64)
	c.Worker(0).Search()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, ok := c.Notify(); ok {
				b.Fail()
			}
		}
	})
}

func TestNothingAllocates(t *testing.T) {
	for _, d := range deeds {
		for _, workers := range []int{2, 64, 1000} {
			require.Zero(t, testing.AllocsPerRun(100, d.prepare(idle.New(workers))),
				"%s, %d workers", d.name, workers)
		}
	}
	c, unpark := idle.New(1000), func(int) {}
	require.Zero(t, testing.AllocsPerRun(100, func() { c.Close(unpark) }))
	require.Zero(t, testing.AllocsPerRun(100, func() { c.Claim(999) }))
}
