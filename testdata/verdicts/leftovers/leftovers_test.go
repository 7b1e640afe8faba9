// Package leftovers holds programs whose executions share channels.
package leftovers

import (
	"testing"

	"github.com/surewake/surewake/model"
)

// The first execution alone finds nothing if b comes first.
//
// verdict: undecided a channel has other values because of what an earlier execution did
func TestValuesAreLeft(t *testing.T) {
	c := make(chan int, 100)
	model.Check(t, func(x *model.Exec) {
		got := false
		x.Go("a", func() { c <- 1; c <- 2 })
		x.Go("b", func() {
			select {
			case <-c:
				got = true
			default:
			}
		})
		x.Join()
		x.Assert(got, "nothing there")
	})
}

// verdict: undecided a channel has other values because of what an earlier execution did
func TestTheLastValueIsTaken(t *testing.T) {
	c := make(chan int, 2)
	c <- 1
	c <- 2
	model.Check(t, func(x *model.Exec) {
		x.Go("a", func() {
			select {
			case <-c:
			default:
			}
		})
		x.Join()
	})
}

// verdict: undecided a channel is closed because of what an earlier execution did
func TestLeftClosed(t *testing.T) {
	c := make(chan int)
	model.Check(t, func(x *model.Exec) {
		x.Go("a", func() {
			defer func() { _ = recover() }()
			close(c)
		})
		x.Join()
	})
}

// The execution stops being the only one that affects the channel after the value was sent.
//
// verdict: undecided a channel has other values because of what an earlier execution did
func TestLeftByTheBody(t *testing.T) {
	c := make(chan int, 100)
	model.Check(t, func(x *model.Exec) {
		c <- 1
		x.Go("a", func() { c <- 2 })
		x.Go("b", func() { c <- 3 })
		x.Join()
	})
}

// verdict: proved
func TestPutBackByTheBody(t *testing.T) {
	c, token := make(chan int, 100), make(chan bool, 1)
	token <- true
	model.Check(t, func(x *model.Exec) {
		for range 2 {
			x.Go("locks", func() { c <- 1; <-token; token <- true; <-c })
		}
		x.Join()
		x.Assert(len(c) == 0 && len(token) == 1, "%d, %d", len(c), len(token))
	})
}

// verdict: proved
func TestOnlyLookedAt(t *testing.T) {
	full, closed := make(chan int, 1), make(chan int)
	full <- 1
	close(closed)
	model.Check(t, func(x *model.Exec) {
		x.Go("a", func() {
			select {
			case full <- 2:
			case <-closed:
			}
		})
		own := make(chan int, 1)
		x.Go("b", func() { own <- 1; <-closed })
		x.Join()
		x.Assert(len(full) == 1, "%d", len(full))
	})
}

// Channels of executions that end lie where those of the next ones lie.
//
// verdict: proved
func TestMadeInTheBody(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for range 3 {
			c, done := make(chan int, 2), make(chan int)
			x.Go("a", func() { c <- 1; close(done) })
			x.Go("b", func() { <-done; c <- 2 })
		}
		x.Join()
	})
}

var queue = make(chan int, 1)

// verdict: proved
func TestOfThePackage(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("a", func() { queue <- 1 })
		x.Join()
	})
}
