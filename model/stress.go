package model

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/surewake/surewake/model/history"
)

// A stress test ends after so many executions or so much time, whichever
// comes first.
const (
	stressExecutions = 2000
	stressTime       = 200 * time.Millisecond
)

func runStress(tb testing.TB, body func(*Exec), o *options) {
	tb.Helper()
	var judge *history.Judge
	if o.spec != nil {
		judge = history.NewJudge(o.spec)
	}
	start := time.Now()
	for i := 0; i < stressExecutions && time.Since(start) < stressTime; i++ {
		s := &stress{tb: tb, state: rand.Uint64()}
		x := &Exec{name: tb.Name(), stress: s}
		if judge != nil {
			x.history = judge.Recorder(history.Options{Concurrent: true})
		}
		done := make(chan bool)
		go func() {
			defer close(done)
			body(x)
		}()
		<-done
		s.wg.Wait()
		if s.first != "" {
			tb.Fatalf("execution %d on real goroutines: %s", i+1, s.first)
		}
		if tb.Failed() {
			tb.FailNow()
		}
		if judge != nil {
			if v := judge.Judge(x.history); v != nil {
				tb.Fatalf("execution %d on real goroutines: %s", i+1, v)
			}
		}
	}
}

func (s *stress) start(fn func()) {
	jitter := s.choose(4)
	s.wg.Go(func() {
		for range jitter {
			runtime.Gosched()
		}
		fn()
	})
}

func (s *stress) wait() { s.wg.Wait() }

func (s *stress) choose(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state += 0x9E3779B97F4A7C15
	return int(rand.New(rand.NewPCG(s.state, 1)).Uint64N(uint64(n)))
}

// fail ends the calling goroutine; the execution is over when the others are.
func (s *stress) fail(message string) {
	s.mu.Lock()
	if s.first == "" {
		s.first = message
	}
	s.mu.Unlock()
	runtime.Goexit()
}
