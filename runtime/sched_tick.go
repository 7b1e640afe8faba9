package runtime

import "runtime"

// A tick is a number of polls between two readings of the clock. It measures how long a poll takes,
// and from that how many polls go by between two looks at the injector. Only its worker uses it.
type tick struct {
	left     int   // polls until the end of the tick
	polls    int   // polls since start
	start    int64 // the clock before the first of them
	average  int64 // average duration of a poll in 1/16 ns; 0 before the first measurement
	interval int   // polls between two looks at the injector
	fixed    bool  // interval is not adapted; never changes
}

const averageShift = 4

// measure adds the polls since start to the average, with a weight of one tenth, and sets interval.
// Time spent outside of tasks is not measured: start is set anew after each search and each sleep.
// (runtime/R4)
func (k *tick) measure(now int64, c *config) {
	if k.polls == 0 || now < k.start {
		return
	}
	sample := (now - k.start) << averageShift / int64(k.polls)
	if k.average == 0 {
		k.average = sample
	} else {
		k.average += (sample - k.average) / 10
	}
	if k.fixed {
		k.polls = 0
		return
	}
	polls := int64(c.lookEvery) << averageShift / max(k.average, 1)
	k.interval = int(min(max(polls, int64(c.leastPolls)), int64(c.mostPolls)))
	k.polls = 0
}

// restart starts measuring at now, and returns now.
func (k *tick) restart(now int64) int64 {
	k.start, k.polls = now, 0
	return now
}

// pauseTick stops measuring and returns the time: w does not run tasks from here on.
func (w *worker) pauseTick() int64 {
	now := w.rt.now()
	w.tick.measure(now, &w.rt.config)
	return now
}

// endTick starts a new tick, and does what is due once a tick: goroutines that were woken,
// counters, timers, descriptors.
func (w *worker) endTick() {
	now := w.rt.now()
	w.tick.measure(now, &w.rt.config)
	if w.wokeGoroutine {
		w.wokeGoroutine = false
		if w.letRun() {
			now = w.rt.now()
		}
	}
	w.tick.start = now
	w.tick.left = w.rt.config.tickBudget
	w.publish()
	w.lookForDue()
	w.pollIO(now)
}

// hasWoken says that a goroutine has been woken, or started, by what w runs: before the next task,
// it is let run. w is nil if the waker is no worker. (runtime/R45)
func (w *worker) hasWoken() {
	if w != nil {
		w.wokeGoroutine, w.tick.left = true, 0
	}
}

// letRun lets goroutines run that wait for a processor, if the workers may have them all: Go takes
// a processor from a goroutine that runs on and on after 10 ms only. A worker that sleeps leaves
// its processor to others. It returns whether it has let any run. (runtime/R45)
//
// The goroutine that was woken is next on this processor, but after every 61st switch Go looks at
// the goroutines that wait for any processor first, and the first of those may be this one again.
func (w *worker) letRun() bool {
	rt := w.rt
	if len(rt.workers) < rt.config.processors || rt.idle.Parked() > 0 {
		return false
	}
	runtime.Gosched()
	runtime.Gosched()
	return true
}
