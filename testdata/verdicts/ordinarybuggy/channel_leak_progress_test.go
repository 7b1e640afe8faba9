package buggy

import (
	"errors"
	"sync"
	"testing"
)

// An upload reports its progress to whoever looks.
type upload struct {
	progress chan int
	parts    int
	running  sync.WaitGroup
}

func (u *upload) start(parts int) {
	u.parts = parts
	u.running.Go(func() {
		defer close(u.progress)
		for part := range parts {
			u.progress <- part + 1
		}
	})
}

// await returns when the upload is done, or has failed in a part.
func (u *upload) await(fails int) error {
	for part := range u.progress {
		if part == fails {
			return errors.New("checksum of a part")
		}
	}
	return nil
}

// verdict: FAILED ^deadlock: .*channel send
func TestChannelLeakProgress(t *testing.T) {
	u := &upload{progress: make(chan int)}
	u.start(2)
	if err := u.await(1); err == nil {
		t.Error("no error")
	}
	u.running.Wait()
}
