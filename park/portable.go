package park

import "time"

// A channel is the sleeper that every platform has: the parker receives, a waker sends.
//
// Sends and sleeps are kept one to one: of each sleep that ended because the word was changed, the wake is received, if not
// in sleep then in settle. So the buffer is empty whenever a waker comes to send, and a send never blocks. Dropping a wake when
// the buffer is full would not do instead: nothing orders a look at a full buffer with the receive that empties it.
//
// The parker waits in settle for a waker that has changed the word and has not sent yet. This is when the timeout and the
// Unpark fall together, and for as long as that waker takes from its Swap to its send.
type channel struct {
	wakes chan struct{} // capacity 1: wakes that were sent, and not received yet
	timer *time.Timer   // used by the parker only; nil before the first timeout, stopped while it is not used
}

func newChannel() sleeper {
	return &channel{wakes: make(chan struct{}, 1)}
}

// sleep needs no look at the word: if it was changed, a wake comes.
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
		c.timer.Stop() // nothing to drain: since Go 1.23, no value of before comes after Stop or Reset
		return true
	case <-c.timer.C:
		return false
	}
}

func (c *channel) settle() { <-c.wakes }

func (c *channel) wake(*word) { c.wakes <- struct{}{} }
