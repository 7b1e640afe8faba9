package runtime

// Look wakes the worker that sleeps until the next timer.
func Look(rt *Runtime) { rt.wakeDriver() }

// Driver returns the number of the worker that sleeps until the next timer, -1 if none does.
func Driver(rt *Runtime) int { return int(rt.driver.Load()&^notScanning) - 1 }

// Contexts returns how many contexts of tasks there are.
func Contexts(rt *Runtime) int { return int(rt.contexts.count.Load()) }

// Waiting returns how many wait, tasks and goroutines.
func Waiting(source interface{ waiting() int }) int { return source.waiting() }

func (n *Notify) waiting() int {
	n.lock.Lock()
	defer n.lock.Unlock()
	return n.line.count()
}

func (s *Semaphore) waiting() int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.line.count()
}

func (o *Oneshot[T]) waiting() int {
	o.lock.Lock()
	defer o.lock.Unlock()
	return o.line.count()
}

func (c *Channel[T]) waiting() int {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.senders.count() + c.receivers.count()
}

func (m *Mutex) waiting() int {
	m.lock.Lock()
	defer m.lock.Unlock()
	return m.line.count()
}

func (m *RWMutex) waiting() int {
	m.lock.Lock()
	defer m.lock.Unlock()
	return m.line.count()
}

func (g *WaitGroup) waiting() int {
	g.lock.Lock()
	defer g.lock.Unlock()
	return g.line.count()
}

func (c *Cond) waiting() int {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.line.count()
}

// waiting returns how many wait for the turn, and so not the one that has it.
func (l *Limiter) waiting() int { return l.turn.waiting() }

// Interval returns the time between two tokens.
func (l *Limiter) Interval() int64 { return l.interval }

// Full returns when the bucket will be full.
func (l *Limiter) Full() int64 { return l.full.Load() }

// Now returns the time by the clock of Full.
func (l *Limiter) Now() int64 { return l.now() }

// Take takes a token at a time by the clock of Full.
func (l *Limiter) Take(arrived, now int64, n int) (wait int64) { return l.take(arrived, now, n) }

// Turn returns the turn of l.
func (l *Limiter) Turn() *Mutex { return &l.turn }

func (l *line[P]) count() (n int) {
	for w := l.first; w != nil; w = w.next {
		n++
	}
	return n
}

// Timers returns how many timers are set.
func Timers(rt *Runtime) int {
	rt.timers.lock.Lock()
	defer rt.timers.lock.Unlock()
	return len(rt.timers.heap)
}

// Due returns the time at which the next tick of an interval is due.
func (i *Ticker) Due() int64 { return i.next }

// waiting returns how many wait to read.
func (w *Watch) waiting() int {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.directions[reading].waiting.count()
}
