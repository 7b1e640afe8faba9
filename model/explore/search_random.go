package explore

// rng is splitmix64.
type rng struct {
	on    bool
	state uint64
}

func (r *rng) next() uint64 {
	r.state += 0x9E3779B97F4A7C15
	z := r.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// randomBegin prepares the drawing of one schedule.
//
// POS gives each pending operation a random priority, and a new one after each step that races with
// it (Yuan, Yang, Gu: Partial Order Aware Concurrency Sampling, CAV 2018). PCT gives each thread
// one priority and lowers that of the running thread at random depths, one for each preemption
// (Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with Probabilistic
// Guarantees of Finding Bugs, ASPLOS 2010).
func (e *engine) randomBegin() {
	e.prio = e.prio[:0]
	for range wordThreads {
		e.prio = append(e.prio, e.firstPriority())
	}
	e.changes = e.changes[:0]
	if e.cfg.Strategy == PCT {
		k := max(16, e.longest)
		for range max(1, e.cfg.Preemptions) {
			e.changes = append(e.changes, int(e.rng.next()%uint64(k)))
		}
	}
}

// firstPriority draws the priority with which a thread begins.
func (e *engine) firstPriority() uint64 { return e.rng.next() | 1<<63 }

func (e *engine) randomChoice(en threadSet, cur int) int {
	if e.cfg.Strategy == Random {
		i := en.first()
		for n := e.rng.next() % uint64(en.count()); n > 0; n-- {
			i = en.next(i + 1)
		}
		return i
	}
	for len(e.prio) < e.n {
		e.prio = append(e.prio, e.firstPriority())
	}
	if e.cfg.Strategy == PCT {
		for i, d := range e.changes {
			if d == e.depth {
				e.prio[cur] = uint64(len(e.changes) - i) // below every first priority
			}
		}
	}
	best := -1
	for i := en.first(); i >= 0; i = en.next(i + 1) {
		if best < 0 || e.prio[i] > e.prio[best] {
			best = i
		}
	}
	return best
}

func (e *engine) randomAfter(t *thread, c class) {
	if e.cfg.Strategy != POS {
		return
	}
	e.prio[t.id] = e.rng.next()
	all := e.runnable.union(e.gated)
	for i := all.first(); i >= 0; i = all.next(i + 1) {
		u := e.threads[i]
		if i != t.id && (e.sameObjectWakes(t, u, c) || t.op.isChan() && e.chanWakes(t, u)) {
			e.prio[i] = e.rng.next()
		}
	}
}

// firstChoice returns the value that an operation with n choices takes in a new step.
func (e *engine) firstChoice(n int32) int32 {
	if e.cfg.guide != nil {
		return e.cfg.guide.choice(n)
	}
	if e.replay != nil {
		return e.replayValue(n)
	}
	if e.rng.on {
		return int32(e.rng.next() % uint64(n))
	}
	if b := e.givenAt(e.depth); b != nil {
		return min(int32(b.Choice), n-1)
	}
	return 0
}
