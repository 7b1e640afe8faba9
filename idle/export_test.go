package idle

// SetSearching sets the count of searchers, possible or not.
func (c *Coordinator) SetSearching(n int32) { c.searching.Store(n) }

// Limit returns from how many searchers on Search is refused.
func (c *Coordinator) Limit() int { return int(c.limit) }

// Words returns how many words there are, and for how many there is room.
func (c *Coordinator) Words() (length, capacity int) { return len(c.words), cap(c.words) }

// A SlowClaim is a Notify that stands between its phases: it has cleared a bit and not counted the
// worker.
type SlowClaim struct {
	c      *Coordinator
	Worker int
}

// ClaimSlowly is the first phase of a claim of one worker; nil if it is not asleep.
func (c *Coordinator) ClaimSlowly(worker int) *SlowClaim {
	w := &c.workers[worker]
	if !c.take(w.word, w.bit) {
		return nil
	}
	return &SlowClaim{c, worker}
}

// Count is the second phase.
func (s *SlowClaim) Count() { s.c.count() }
