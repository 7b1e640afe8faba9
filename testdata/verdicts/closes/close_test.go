// Package closes holds programs that close channels which others have sent on.
package closes

import (
	"testing"

	"github.com/surewake/surewake/model"
)

// The receiver has the value before the channel is closed.
//
// verdict: proved
func TestCloseAfterTheReceiver(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		values, done := make(chan int, 1), make(chan bool)
		x.Go("sender", func() { values <- 1 })
		x.Go("receiver", func() { <-values; close(done) })
		<-done
		close(values)
		x.Join()
	})
}

// So does a send in a select.
//
// verdict: proved
func TestCloseAfterTheReceiverOfASelect(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		values, done := make(chan int, 2), make(chan bool)
		x.Go("sender", func() {
			select {
			case values <- 1:
			case <-done:
			}
		})
		x.Go("receiver", func() { <-values; close(done) })
		<-done
		close(values)
		x.Join()
	})
}

// What the sender writes after the send is not ordered before the close.
//
// verdict: FAILED data race
func TestAWriteAfterTheSend(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		values, done := make(chan int, 1), make(chan bool)
		written := 0
		x.Go("sender", func() { values <- 1; written = 1 })
		x.Go("receiver", func() { <-values; close(done) })
		<-done
		close(values)
		written = 2
		x.Join()
		x.Logf("%d", written)
	})
}
