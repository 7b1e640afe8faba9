package repaired

import (
	"sync/atomic"
	"testing"
)

// A sharedFile is closed by the last who uses it.
type sharedFile struct {
	users  atomic.Int32 // starts at 1
	closed atomic.Bool
}

func (f *sharedFile) acquire() bool {
	for {
		n := f.users.Load()
		if n == 0 {
			return false
		}
		if f.users.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (f *sharedFile) release() {
	if f.users.Add(-1) == 0 {
		f.closed.Store(true)
	}
}

// verdict: proved without assumptions
func TestCheckThenActReference(t *testing.T) {
	f := &sharedFile{}
	f.users.Store(1)
	released := make(chan struct{})
	go func() {
		f.release()
		close(released)
	}()
	if f.acquire() {
		if f.closed.Load() {
			t.Error("read from a closed file")
		}
		f.release()
	}
	<-released
	if !f.closed.Load() {
		t.Error("never closed")
	}
}
