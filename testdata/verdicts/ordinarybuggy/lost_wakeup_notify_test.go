package buggy

import (
	"sync"
	"testing"
)

// A mailbox wakes its reader by a channel, and keeps what is to be read in a list.
type mailbox struct {
	mu     sync.Mutex
	mails  []string
	notify chan struct{}
}

func (m *mailbox) put(mail string) {
	m.mu.Lock()
	m.mails = append(m.mails, mail)
	m.mu.Unlock()
	select {
	case m.notify <- struct{}{}:
	default: // the reader knows already
	}
}

func (m *mailbox) take() string {
	for {
		m.mu.Lock()
		if len(m.mails) > 0 {
			first := m.mails[0]
			m.mails = m.mails[1:]
			m.mu.Unlock()
			return first
		}
		m.mu.Unlock()
		<-m.notify
	}
}

// verdict: FAILED ^deadlock: .*wait
func TestLostWakeupNotify(t *testing.T) {
	m := &mailbox{notify: make(chan struct{})}
	go m.put("hello")
	if mail := m.take(); mail != "hello" {
		t.Errorf("mail %q", mail)
	}
}
