package buggy

import (
	"fmt"
	"sync"
	"testing"
)

// A keyStore reads its key at the first use, which may panic.
type keyStore struct {
	once sync.Once
	key  *string
	read func() *string
}

func newKeyStore(read func() *string) *keyStore {
	return &keyStore{read: read}
}

func (s *keyStore) sign(text string) (signed string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("no key: %v", r)
		}
	}()
	s.once.Do(func() { s.key = s.read() })
	return text + *s.key, nil
}

// verdict: FAILED ^assertion failed: .*nil pointer
func TestOncePanics(t *testing.T) {
	s := newKeyStore(func() *string { panic("permission denied") })
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if _, err := s.sign("x"); err == nil || err.Error() != "no key: permission denied" {
				t.Error(err)
			}
		})
	}
	both.Wait()
}
