// Package outcomes holds programs of which Go shows an outcome that was not explored
// once.
package outcomes

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// A partner finds a waiting select at any of the cases that have its channel.
//
// verdict: FAILED the second case
func TestSelectWaitsWithOneChannelInTwoCases(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int)
		x.Go("receiver", func() {
			select {
			case <-c:
			case _, sent := <-c:
				x.Assert(!sent, "the second case")
			}
		})
		x.Go("sender", func() {
			select {
			case c <- 1: // the receiver waits
			default:
			}
			close(c)
		})
		x.Join()
	})
}

// Below zero an addition of zero panics.
//
// verdict: FAILED panicked
func TestAddOfZeroToANegativeWaitGroup(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var wg sync.WaitGroup
		panicked := 0
		x.Go("Add", func() {
			defer func() {
				if recover() != nil {
					panicked++
				}
			}()
			wg.Add(0)
		})
		x.Go("Done", func() {
			defer func() { recover() }()
			wg.Done()
		})
		x.Join()
		x.Assert(panicked == 0, "Add panicked")
	})
}

// Only one of two goroutines takes the counter below zero, and it can be either.
//
// verdict: FAILED first panicked
func TestEitherDonePanics(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var wg sync.WaitGroup
		wg.Add(1)
		var panicked [2]atomic.Bool
		for i := range panicked {
			x.Go("Done", func() {
				defer func() {
					if recover() != nil {
						panicked[i].Store(true)
					}
				}()
				wg.Done()
			})
		}
		x.Join()
		x.Assert(panicked[1].Load(), "the first panicked, or nobody")
	})
}
