package flaky

import (
	"sync"
	"sync/atomic"
	"testing"
)

// freeList is a stack of the free ones among the slots 1 to 3.
type freeList struct {
	top   atomic.Int32    // 0 if there is none
	below [4]atomic.Int32 // the slot below, of each that is free
}

func (l *freeList) put(slot int32) {
	for {
		top := l.top.Load()
		l.below[slot].Store(top)
		if l.top.CompareAndSwap(top, slot) {
			return
		}
	}
}

func (l *freeList) take() int32 {
	for {
		top := l.top.Load()
		if top == 0 {
			return 0
		}
		if below := l.below[top].Load(); l.top.CompareAndSwap(top, below) {
			return top
		}
	}
}

// verdict: FAILED ^assertion failed: .*slot . is taken twice
func TestABA(t *testing.T) {
	var l freeList
	l.put(1)
	l.put(2)
	var taken [4]atomic.Int32
	use := func(slot int32) {
		if slot != 0 && taken[slot].Add(1) > 1 {
			t.Errorf("slot %d is taken twice", slot)
		}
	}
	var both sync.WaitGroup
	both.Go(func() { use(l.take()) })
	both.Go(func() {
		slot := l.take()
		use(l.take())
		if slot != 0 {
			l.put(slot)
		}
	})
	both.Wait()
	use(l.take())
}
