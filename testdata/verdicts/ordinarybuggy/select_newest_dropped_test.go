package buggy

import (
	"testing"
)

// A latest channel holds the newest of the configurations.
type latest struct{ ch chan int }

func (l *latest) publish(version int) {
	select {
	case l.ch <- version:
	default:
	}
}

// verdict: FAILED ^assertion failed: .*version 1 is the last
func TestSelectNewestDropped(t *testing.T) {
	l := &latest{ch: make(chan int, 1)}
	go func() {
		l.publish(1)
		l.publish(2)
		close(l.ch)
	}()
	last := 0
	for version := range l.ch {
		last = version
	}
	if last != 2 {
		t.Errorf("version %d is the last", last)
	}
}
