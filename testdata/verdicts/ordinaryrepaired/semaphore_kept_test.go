package repaired

import (
	"errors"
	"sync"
	"testing"
)

// A downloader keeps its place when the download fails.
type downloader struct{ places chan struct{} }

func (d *downloader) get(fetch func() error) error {
	d.places <- struct{}{}
	if err := fetch(); err != nil {
		<-d.places
		return err
	}
	<-d.places
	return nil
}

// verdict: proved without assumptions
func TestSemaphoreKept(t *testing.T) {
	d := &downloader{places: make(chan struct{}, 1)}
	var both sync.WaitGroup
	both.Go(func() {
		if d.get(func() error { return errors.New("404") }) == nil {
			t.Error("no error")
		}
	})
	both.Go(func() {
		if err := d.get(func() error { return nil }); err != nil {
			t.Error(err)
		}
	})
	both.Wait()
}
