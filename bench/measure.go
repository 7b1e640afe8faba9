package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"
)

// A row is one comparison.
type row struct {
	key   string // "": not in the table of run.sh
	title string
	unit  time.Duration // of the figures
	// open sets everything up; close, which it returns, ends it.
	open func() (contenders []contender, close func())
}

// A contender does the same work as the others of its row, in its way. The first of a row is what
// the others are compared with.
type contender struct {
	name   string
	ops    int                  // in a round
	peer   bool                 // is not ours
	rarely bool                 // does a tenth of the rounds
	round  func() time.Duration // does the work and says how long it took
	gap    func()               // before each round, if not nil
}

// A sample is the times of all rounds, in order once it is sorted.
type sample []time.Duration

func (s sample) at(quantile float64) time.Duration { return s[int(quantile*float64(len(s)-1))] }

// settle lets workers fall asleep that have just had work, and the Go scheduler take back their
// processors: nobody is measured beside the rest of somebody else's round.
const settle = 300 * time.Microsecond

func (r row) measure(rounds int) ([]contender, []sample, []float64) {
	all, done := r.open()
	defer done()
	times, allocs := make([]sample, len(all)), warmUp(all)
	for n := range rounds {
		for i, c := range all {
			if c.rarely && n%10 != 0 {
				continue
			}
			times[i] = append(times[i], c.run())
			time.Sleep(settle)
		}
	}
	for _, s := range times {
		slices.Sort(s)
	}
	return all, times, allocs
}

// warmUp runs each contender twice, and returns how often it allocates in an operation.
func warmUp(all []contender) []float64 {
	allocs := make([]float64, len(all))
	for i, c := range all {
		c.run()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c.run()
		runtime.ReadMemStats(&after)
		allocs[i] = float64(after.Mallocs-before.Mallocs) / float64(c.ops)
	}
	return allocs
}

func (c *contender) run() time.Duration {
	if c.gap != nil {
		c.gap()
	}
	return c.round()
}

func (r row) print(to io.Writer, rounds int) {
	all, times, allocs := r.measure(rounds)
	fmt.Fprintf(to, "\n| %s, %s | min | p50 | p90 | allocs | min ratio | p50 ratio |\n",
		r.title, unitName(r.unit))
	fmt.Fprint(to, "|---|--:|--:|--:|--:|--:|--:|\n")
	for i, c := range all {
		of := func(j int, quantile float64) float64 {
			return float64(times[j].at(quantile)) / float64(all[j].ops) / float64(r.unit)
		}
		fmt.Fprintf(to, "| %s | %s | %s | %s | %s | %.2f | %.2f |\n", c.name, figure(of(i, 0)),
			figure(of(i, 0.5)), figure(of(i, 0.9)), figure(allocs[i]), of(i, 0)/of(0, 0),
			of(i, 0.5)/of(0, 0.5))
	}
}

func unitName(unit time.Duration) string {
	return map[time.Duration]string{
		time.Nanosecond: "ns", time.Microsecond: "µs", time.Millisecond: "ms",
	}[unit]
}

// figure prints three digits.
func figure(x float64) string {
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// A survey measures something that is no time of a round.
type survey struct {
	title  string
	column string
	lines  func(quick bool) [][2]string
}

func (s survey) print(to io.Writer, quick bool) {
	fmt.Fprintf(to, "\n| %s | %s |\n|---|--:|\n", s.title, s.column)
	for _, l := range s.lines(quick) {
		fmt.Fprintf(to, "| %s | %s |\n", l[0], l[1])
	}
}
