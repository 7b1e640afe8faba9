package buggy

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A batch waits for its tasks; one that is skipped counts as done.
type batch struct {
	open    sync.WaitGroup
	skipped atomic.Int32
}

func (b *batch) start(tasks ...func() bool) {
	b.open.Add(len(tasks))
	for _, task := range tasks {
		go func() {
			defer b.open.Done()
			if !task() {
				b.skipped.Add(1)
				b.open.Done()
			}
		}()
	}
}

// verdict: FAILED ^panic: .*negative WaitGroup counter
func TestWaitgroupDoneTwice(t *testing.T) {
	b := &batch{}
	b.start(func() bool { return true }, func() bool { return false })
	b.open.Wait()
	if n := b.skipped.Load(); n != 1 {
		t.Errorf("%d are skipped", n)
	}
}
