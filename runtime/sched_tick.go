package runtime

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

const (
	injectorGap  = 1_000_000 // ns between two looks at the injector that interval aims at
	leastPolls   = 8
	mostPolls    = 255
	averageShift = 4
)

// measure adds the polls since start to the average, with a weight of one tenth, and sets interval.
// Time spent outside of tasks is not measured: start is set anew after each search and each sleep.
// (runtime/R4)
func (k *tick) measure(now int64) {
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
	k.interval = int(min(max(injectorGap<<averageShift/max(k.average, 1), leastPolls), mostPolls))
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
	w.tick.measure(now)
	return now
}

// endTick starts a new tick, and does what is due once a tick: counters, timers, descriptors.
func (w *worker) endTick() {
	now := w.rt.now()
	w.tick.measure(now)
	w.tick.start = now
	w.tick.left = w.rt.config.tickBudget
	w.publish()
	w.fireTimers()
	w.pollIO(now)
}
