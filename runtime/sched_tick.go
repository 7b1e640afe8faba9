package runtime

// A tick is what a worker does between two looks at everything else: up to so many polls, with one reading of the clock. It measures
// what a poll takes, and from that how many of them go by between two looks at the injector.
type tick struct {
	left     int   // polls until the end
	polls    int   // since start
	start    int64 // the clock when the first of them began
	average  int64 // of the time of a poll, in 1/16 ns; 0 if none was measured yet
	interval int   // polls between two looks at the injector
	fixed    bool  // the interval stays as it is; never changes
}

const (
	injectorGap  = 1_000_000 // ns between two looks at the injector, at which the interval aims
	leastPolls   = 8
	mostPolls    = 255
	averageShift = 4
)

// measure takes the polls since start into the average (a weight of one tenth for the last ones), and sets the interval. Time that was
// not spent in tasks is not in it: start is set again after each search and each sleep. (runtime/R4)
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

// resume says that tasks are run from now on, and returns now.
func (k *tick) restart(now int64) int64 {
	k.start, k.polls = now, 0
	return now
}

// pauseTick ends the measurement and returns the time: what follows is no task.
func (w *worker) pauseTick() int64 {
	now := w.rt.now()
	w.tick.measure(now)
	return now
}

// endTick does what is due every so many polls.
func (w *worker) endTick() {
	now := w.rt.now()
	w.tick.measure(now)
	w.tick.start = now
	w.tick.left = w.rt.config.tickBudget
	w.publish()
	w.fireTimers()
	w.pollIO(now)
}
