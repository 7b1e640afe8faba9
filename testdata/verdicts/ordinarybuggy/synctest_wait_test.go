package buggy

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A background refresh is tested in a bubble.
type refreshed struct{ value atomic.Int64 }

func (r *refreshed) start(every time.Duration, stop <-chan struct{}) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			r.value.Add(1)
		case <-stop:
			return
		}
	}
}

// verdict: FAILED ^assertion failed: .*value 0
func TestSynctestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &refreshed{}
		stop := make(chan struct{})
		go r.start(time.Minute, stop)
		synctest.Wait()
		time.Sleep(time.Minute)
		if v := r.value.Load(); v != 1 {
			t.Errorf("value %d", v)
		}
		close(stop)
	})
}
