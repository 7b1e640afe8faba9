// Package waits has an initialisation that waits for a goroutine, which runs on.
package waits

import (
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

var ready = make(chan bool)
var counter atomic.Int64

func init() {
	go func() {
		ready <- true
		for {
			counter.Add(1)
		}
	}()
	<-ready
}

// verdict: undecided
func TestInitWaitsForItsGoroutine(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("adder", func() { counter.Add(1) })
		x.Join()
	})
}
