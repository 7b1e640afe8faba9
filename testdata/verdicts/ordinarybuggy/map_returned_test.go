package buggy

import (
	"sync"
	"testing"
)

type featureFlags struct {
	mu    sync.RWMutex
	flags map[string]bool
}

// all returns what is set, for the caller to keep.
func (f *featureFlags) all() map[string]bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.flags
}

func (f *featureFlags) set(name string, on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flags[name] = on
}

// verdict: FAILED ^in the race run: data race
func TestMapReturned(t *testing.T) {
	f := &featureFlags{flags: map[string]bool{"dark": true}}
	done := make(chan struct{})
	go func() {
		f.set("dark", false)
		close(done)
	}()
	all := f.all()
	if first := all["dark"]; first != all["dark"] {
		t.Error("the copy changes")
	}
	<-done
}
