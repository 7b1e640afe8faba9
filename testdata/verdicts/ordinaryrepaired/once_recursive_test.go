package repaired

import (
	"sync"
	"testing"
)

// A lazy server opens its log at the first use; opening may fail, which is logged.
type lazyLog struct {
	once  sync.Once
	fails bool
	mu    sync.Mutex
	lines []string
}

func (l *lazyLog) open() {
	if l.fails {
		l.add("cannot open: in memory only")
	}
}

func (l *lazyLog) print(line string) {
	l.once.Do(l.open)
	l.add(line)
}

func (l *lazyLog) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

// verdict: proved without assumptions
func TestOnceRecursive(t *testing.T) {
	l := &lazyLog{fails: true}
	var both sync.WaitGroup
	both.Go(func() { l.print("a") })
	both.Go(func() { l.print("b") })
	both.Wait()
	if len(l.lines) != 3 {
		t.Errorf("lines %q", l.lines)
	}
}
