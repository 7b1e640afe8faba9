package hiddenraces

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// Both timers end waits in which nothing else can run, and have one deadline. The race needs that
// of the second goroutine to come first. The write of that goroutine comes first, then.
//
// verdict: FAILED race
func TestAfterTimersThatComeTogether(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var step atomic.Int32
		second := make(chan bool)
		data := new(int)
		x.Go("first", func() {
			select {
			case <-time.After(2 * time.Second):
			case <-second:
				discard(1)
				*data = 1
			}
		})
		x.Go("second", func() {
			<-time.After(2 * time.Second)
			close(second)
			step.Store(1)
			*data = 2
			discard(2)
		})
		x.Join()
	})
}
