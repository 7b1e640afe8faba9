package runtime

// FireReadDeadline does what a timer of the deadline for reading does that has fired, perhaps too
// late.
func (w *Watch) FireReadDeadline() { w.directions[reading].expire() }

// Waiting returns how many calls wait to read and to write.
func (w *Watch) Waiting() (readers, writers int) {
	w.lock.Lock()
	defer w.lock.Unlock()
	for i, n := range []*int{&readers, &writers} {
		for me := w.directions[i].waiting.first; me != nil; me = me.next {
			*n++
		}
	}
	return readers, writers
}

// Watch returns the Watch of c.
func (c *Conn) Watch() *Watch { return c.watch }

// Watch returns the Watch of l.
func (l *Listener) Watch() *Watch { return l.watch }
