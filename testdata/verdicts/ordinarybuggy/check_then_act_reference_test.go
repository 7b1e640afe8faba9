package buggy

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
	if f.users.Load() == 0 {
		return false
	}
	f.users.Add(1)
	return true
}

func (f *sharedFile) release() {
	if f.users.Add(-1) == 0 {
		f.closed.Store(true)
	}
}

// verdict: FAILED ^assertion failed: .*read from a closed file
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
