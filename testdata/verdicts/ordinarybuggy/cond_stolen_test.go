package buggy

import (
	"sync"
	"testing"
)

// A turnstile lets one visitor pass for each coin.
type turnstile struct {
	mu     sync.Mutex
	coin   *sync.Cond
	coins  int
	passed int
	short  bool // a coin was taken that was not there
}

func newTurnstile() *turnstile {
	s := &turnstile{}
	s.coin = sync.NewCond(&s.mu)
	return s
}

func (s *turnstile) insert() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.coins++
	s.coin.Signal()
}

func (s *turnstile) pass() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.coins == 0 {
		s.coin.Wait()
	}
	s.coins--
	s.short = s.short || s.coins < 0
	s.passed++
}

// tryPass is for those who do not wait.
func (s *turnstile) tryPass() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.coins == 0 {
		return false
	}
	s.coins--
	s.passed++
	return true
}

// verdict: FAILED ^assertion failed: .*passed without a coin
func TestCondStolen(t *testing.T) {
	s := newTurnstile()
	var all sync.WaitGroup
	all.Go(s.pass)
	all.Go(func() {
		if s.tryPass() {
			s.insert()
		}
	})
	s.insert()
	all.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.short {
		t.Error("passed without a coin")
	}
}
