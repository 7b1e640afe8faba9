package closes

import (
	"testing"

	"github.com/surewake/surewake/model"
)

// A select may have one case, a send: its value is known only when it is decided.
//
// verdict: proved without assumptions
func TestASelectOfOneSend(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int)
		x.Go("sender", func() {
			select {
			case c <- 4:
			}
		})
		v := <-c
		x.Assert(v == 4, "%d", v)
	})
}

// Who has received because of the close comes behind it, with a send too.
//
// verdict: proved without assumptions
func TestASendBehindAClose(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int)
		x.Go("closer", func() { close(c) })
		x.Go("sender", func() {
			defer func() { recover() }()
			<-c
			c <- 4
		})
	})
}

// A send that waits, or comes later, is not ordered with the close that makes it panic.
//
// verdict: FAILED data race
func TestASendThatTheCloseRefuses(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int)
		x.Go("sender", func() {
			defer func() { recover() }()
			c <- 4
		})
		close(c)
	})
}

// Nor is what panics in a select.
//
// verdict: FAILED data race
func TestASelectThatTheCloseRefuses(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c, never := make(chan int), make(chan int)
		x.Go("sender", func() {
			defer func() { recover() }()
			select {
			case c <- 4:
			case <-never:
			}
		})
		close(c)
	})
}
