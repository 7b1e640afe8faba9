// Package heartbeat has a goroutine, begun in init, that loops over a ticker and shares a variable.
package heartbeat

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

var beats atomic.Int64

func init() {
	go func() {
		for range time.Tick(time.Millisecond) {
			if beats.Add(1) == 50 {
				panic("the body ended long ago")
			}
		}
	}()
}

// verdict: bounded ^\s*at most 2 timers and sleeps of an execution end early$
func TestTickerOfInitEndsWithTheBody(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("reader", func() { beats.Load() })
		x.Join()
	})
}
