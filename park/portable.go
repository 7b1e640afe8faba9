package park

import "time"

// A channel is the sleeper that every platform has: the parker receives, a waker sends.
//
// There is one send and one receive for each sleep that ended because the word was changed; the
// receive is in sleep or, if sleep has returned already, in receiveWake. So the buffer is empty
// whenever a waker comes to send, and a send never blocks. It would not do to drop the wake when
// the buffer is full: an abandoned send orders nothing.
//
// In receiveWake the parker waits for a waker that has changed the word and has not sent yet: when
// the timeout and the Unpark fall together, for as long as that waker takes from its Swap to its
// send.
type channel struct {
	wakes chan struct{} // capacity 1: a wake that was sent and not received yet
	timer *time.Timer   // the parker's; nil before the first timeout, stopped while not in use
}

func newChannel() sleeper {
	return &channel{wakes: make(chan struct{}, 1)}
}

// sleep need not look at the word: if it was changed, a wake comes.
func (c *channel) sleep(_ *word, d time.Duration) bool {
	if d < 0 {
		<-c.wakes
		return true
	}
	if c.timer == nil {
		c.timer = time.NewTimer(d)
	} else {
		c.timer.Reset(d)
	}
	select {
	case <-c.wakes:
		// nothing to drain: since Go 1.23, no earlier value comes after Stop or Reset
		c.timer.Stop()
		return true
	case <-c.timer.C:
		return false
	}
}

func (c *channel) receiveWake() { <-c.wakes }

func (c *channel) wake(*word) { c.wakes <- struct{}{} }
