package prog

// Free lets some goroutines go that wait for ever, so that a process does not
// fill up with them; called again and again, all that it can. No goroutine of the
// program may be able to go on by itself. They begin no instruction after the
// first call, and what happens is no outcome any more.
func (w *World) Free() {
	w.Over = func() bool { return true }
	for i := range w.mu {
		// Held by a goroutine that has ended or waits for something else.
		w.mu[i].TryLock()
		w.mu[i].Unlock()
	}
	for _, t := range w.roots {
		t.free()
	}
	w.cond.Broadcast()
	for _, c := range w.ch[:3] {
		exchange(c)
	}
	for _, stop := range w.stop {
		stop(nil)
	}
	for ; w.unfinished > 0; w.unfinished-- {
		w.wg.Done()
	}
}

func (t *thread) free() {
	t.w.unfinished, t.finished = t.w.unfinished-t.finished, 0
	for ; t.readers > 0; t.readers-- {
		t.w.rw.RUnlock()
	}
	if t.writes {
		t.writes = false
		t.w.rw.Unlock()
	}
	if t.cancel != nil {
		t.cancel(nil)
	}
	for _, c := range t.children {
		c.free()
	}
}

// exchange receives from all that wait to send, and sends to all that wait to
// receive.
func exchange(c chan int32) {
	defer func() { _ = recover() }() // it is closed
	for {
		select {
		case _, ok := <-c:
			if !ok {
				return
			}
			continue
		default:
		}
		break
	}
	for {
		select {
		case c <- 0:
			if len(c) > 0 {
				return
			}
		default:
			return
		}
	}
}
