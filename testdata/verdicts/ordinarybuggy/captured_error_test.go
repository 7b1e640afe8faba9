package buggy

import (
	"errors"
	"sync"
	"testing"
)

type uploader struct{ put func(part int) error }

// uploadBoth returns the error of either part.
func (u *uploader) uploadBoth() error {
	var parts sync.WaitGroup
	var err error
	for part := range 2 {
		parts.Go(func() {
			err = u.put(part)
		})
	}
	parts.Wait()
	return err
}

// verdict: FAILED ^assertion failed: .*no error
func TestCapturedError(t *testing.T) {
	u := &uploader{put: func(part int) error {
		if part == 0 {
			return errors.New("no space")
		}
		return nil
	}}
	if u.uploadBoth() == nil {
		t.Error("no error")
	}
}
