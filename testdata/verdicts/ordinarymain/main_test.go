// Package ordinarymain has ordinary tests that a TestMain prepares.
package ordinarymain

import (
	"os"
	"sync/atomic"
	"testing"
)

var (
	limit = 1
	used  atomic.Int64
)

func TestMain(m *testing.M) {
	limit = 2
	code := m.Run()
	if used.Load() != 0 {
		panic("an execution has changed the variable of the process")
	}
	os.Exit(code)
}

// Each execution begins with what TestMain has set.
//
// verdict: proved, 2 traces
func TestLimit(t *testing.T) {
	for range limit {
		used.Add(1)
	}
	if used.Load() != 2 {
		t.Errorf("%d", used.Load())
	}
	var n atomic.Int32
	done := make(chan bool)
	go func() {
		n.Store(1)
		close(done)
	}()
	n.Load()
	<-done
}

// verdict: FAILED the limit is 2
func TestFails(t *testing.T) {
	t.Errorf("the limit is %d", limit)
}
