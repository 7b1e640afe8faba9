// Package requests holds programs in which a select sends on a channel without room, so that it
// matters who already waits to receive.
package requests

import (
	"testing"

	"github.com/surewake/surewake/model"
)

// send sends in a select, which has another case.
func send(c chan<- int, quit <-chan struct{}) bool {
	select {
	case c <- 1:
		return true
	case <-quit:
		return false
	}
}

// Either side of a channel without room sees what the other one did before.
//
// verdict: proved, 1 traces
func TestSelectSynchronizes(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c, a, b := make(chan int), 0, 0
		x.Go("select", func() {
			a = 1
			send(c, nil)
			x.Assert(b == 1, "not received yet")
		})
		x.Go("receiver", func() {
			b = 1
			<-c
			x.Assert(a == 1, "not sent yet")
		})
		x.Join()
	})
}

// So it is without a select, in such a program.
//
// verdict: proved, 1 traces
func TestSenderSynchronizes(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c, a, b := make(chan int), 0, 0
		x.Go("sender", func() {
			a = 1
			c <- 1
			x.Assert(b == 1, "not received yet")
		})
		x.Go("receiver", func() {
			b = 1
			<-c
			x.Assert(a == 1, "not sent yet")
		})
		d := make(chan int)
		x.Go("select", func() { send(d, nil) })
		x.Go("receiver of a select", func() { <-d })
		x.Join()
	})
}

// And so it is when the channel is closed, before the receiver comes or while it waits.
//
// verdict: proved, 1 traces
func TestCloseSynchronizes(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c, a := make(chan int), 0
		x.Go("closes", func() { a = 1; close(c) })
		x.Go("receiver", func() {
			_, ok := <-c
			x.Assert(!ok && a == 1, "not closed yet")
		})
		d := make(chan int)
		x.Go("select", func() { send(d, nil) })
		x.Go("receiver of a select", func() { <-d })
		x.Join()
	})
}

// What comes after the send is not ordered with what comes after the receive.
//
// verdict: FAILED data race
func TestWritesAfterTheSend(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c, a := make(chan int), 0
		x.Go("select", func() { send(c, nil); a = 1 })
		x.Go("receiver", func() { <-c; a = 2 })
		x.Join()
		x.Logf("%d", a)
	})
}

// Nor is it without a select.
//
// verdict: FAILED data race
func TestWritesAfterASendBesideASelect(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c, a := make(chan int), 0
		x.Go("sender", func() { c <- 1; a = 1 })
		x.Go("receiver", func() { <-c; a = 2 })
		d := make(chan int)
		x.Go("select", func() { send(d, nil) })
		<-d
		x.Join()
		x.Logf("%d", a)
	})
}

// The end may come although a receiver waits, which then waits for ever.
//
// verdict: FAILED deadlock
func TestValueOrEnd(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c, quit := make(chan int), make(chan struct{})
		x.Go("select", func() { send(c, quit) })
		x.Go("receiver", func() { <-c })
		x.Go("ends", func() { close(quit) })
		x.Join()
	})
}

// An offer finds nobody, although a receiver comes.
//
// verdict: FAILED nobody
func TestOfferTooEarly(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int)
		x.Go("offers", func() {
			select {
			case c <- 1:
			default:
				x.Assert(false, "nobody")
			}
		})
		<-c
		x.Join()
	})
}

// Of a sender and an offer, the offer may be first, if the receiver is first.
//
// verdict: FAILED the offer
func TestOfferBeforeASender(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c, first := make(chan int), make(chan int, 1)
		x.Go("offers", func() {
			select {
			case c <- 1:
			default:
			}
		})
		x.Go("sender", func() { first <- 0; <-first; c <- 2 })
		x.Assert(<-c != 1, "the offer")
		x.Join()
	})
}

// Two selects that meet are one after the other: either may be the first to wait.
//
// verdict: proved
func TestTwoSelectsMeet(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c, quit := make(chan int), make(chan struct{})
		x.Go("sends", func() { x.Assert(send(c, quit), "no end came") })
		x.Go("receives", func() {
			select {
			case v := <-c:
				x.Assert(v == 1, "another value")
			case <-quit:
			}
		})
		x.Join()
	})
}

// The waiter has a value to take when the other select comes, which therefore waits, too; then the
// value is gone. Go would have given it to the waiter, so that nobody else finds it.
//
// verdict: proved
func TestWaiterWhoseValueIsTaken(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		meets, values, never := make(chan int), make(chan int, 1), make(chan int)
		x.Go("waiter", func() {
			select {
			case <-meets:
			case <-values:
				<-meets
			}
		})
		x.Go("sender", func() { values <- 1 })
		x.Go("other", func() {
			select {
			case meets <- 2:
			case <-never:
			}
		})
		x.Go("taker", func() {
			select {
			case <-values:
			default:
			}
		})
		x.Join()
	})
}

// Goroutines that wait for a start are not ordered with one another where others send values in a
// select.
//
// verdict: proved, 1 traces
func TestStartBesideASelect(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		start, c := make(chan struct{}), make(chan int)
		for range 4 {
			x.Go("waits", func() { <-start })
		}
		x.Go("select", func() { send(c, nil) })
		x.Go("receiver", func() { <-c })
		close(start)
		x.Join()
	})
}

// Two pairs of workers each have a channel of their own, and one for the end in common: each value
// has 2 traces, as there is a select on either side, and the pairs are independent.
//
// verdict: proved, 4 traces
func TestPairsThatMayBeStopped(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		stop := make(chan struct{})
		for range 2 {
			c := make(chan int)
			x.Go("sends", func() { send(c, stop) })
			x.Go("receives", func() {
				select {
				case <-c:
				case <-stop:
				}
			})
		}
		x.Join()
	})
}

// So it is if the end may come at any time, which a goroutine must not take for a value.
//
// verdict: FAILED ^assertion failed: stopped
func TestPairThatIsStopped(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		stop, c := make(chan struct{}), make(chan int)
		x.Go("sends", func() { send(c, stop) })
		x.Go("stops", func() { close(stop) })
		x.Go("receives", func() {
			select {
			case <-c:
			case <-stop:
				x.Assert(false, "stopped")
			}
		})
		x.Join()
	})
}
