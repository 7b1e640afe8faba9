package polls

import (
	"sync"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// What counts the ticks changes nothing that is seen, and no longer keeps others waiting after a
// while: then it is as slow as they are.
//
// verdict: FAILED timing: assertion failed: \d+ ticks.*wait of main ended before those of counter
func TestTicksThatAreCounted(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		n := 0
		x.Go("counter", func() {
			for range time.Tick(time.Millisecond) {
				mu.Lock()
				n++
				mu.Unlock()
			}
		})
		time.Sleep(time.Second)
		mu.Lock()
		defer mu.Unlock()
		x.Assert(n > 900, "%d ticks", n)
	})
}

// A loop that waits for ticks and looks at the clock does not let time pass by looking.
//
// verdict: proved|bounded
func TestTicksWithALookAtTheClock(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		n, begin := 0, time.Now()
		ticker := time.NewTicker(time.Second)
		x.Go("counter", func() {
			for range ticker.C {
				mu.Lock()
				n++
				last := time.Since(begin) > 15*time.Second
				mu.Unlock()
				if last {
					return
				}
			}
		})
		time.Sleep(14500 * time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		x.Assert(n == 14, "%d ticks", n)
	})
}
