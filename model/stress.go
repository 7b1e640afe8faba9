package model

import (
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/history"
)

// A stress test ends after stressExecutions or stressTime, whichever comes first.
const (
	stressExecutions = 2000
	stressTime       = 200 * time.Millisecond
)

// stress is an execution on real goroutines.
type stress struct {
	mu     sync.Mutex // guards what follows
	groups map[uint64]*sync.WaitGroup
	state  uint64
	first  string // the first failure
}

func runStress(tb testing.TB, body func(*Exec), o *options) {
	tb.Helper()
	var judge *history.Judge
	if o.spec != nil {
		judge = history.NewJudge(o.spec)
	}
	start := time.Now()
	for i := 0; i < stressExecutions && time.Since(start) < stressTime; i++ {
		s := &stress{state: rand.Uint64()}
		x := &Exec{name: tb.Name(), stress: s}
		if judge != nil {
			x.history = judge.Recorder(history.Options{Concurrent: true})
		}
		done, returned := make(chan bool), false
		go func() {
			defer close(done)
			body(x)
			returned = true
		}()
		<-done
		s.waitAll()
		if s.first != "" {
			tb.Fatalf("execution %d on real goroutines: %s", i+1, s.first)
		}
		if tb.Failed() {
			tb.FailNow()
		}
		if tb.Skipped() {
			tb.SkipNow()
		}
		if !returned {
			tb.Fatalf("execution %d on real goroutines: the body called runtime.Goexit", i+1)
		}
		if judge != nil {
			if v := judge.Judge(x.history); v != nil {
				tb.Fatalf("execution %d on real goroutines: %s", i+1, v)
			}
		}
	}
}

// start runs fn on a goroutine for which wait, called by the same goroutine, waits.
func (s *stress) start(fn func()) {
	jitter := s.choose(4)
	s.group().Go(func() {
		for range jitter {
			runtime.Gosched()
		}
		fn()
	})
}

func (s *stress) wait() { s.group().Wait() }

// group returns the wait group of the goroutines that the calling goroutine has started.
func (s *stress) group() *sync.WaitGroup {
	id := explore.GoroutineID()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.groups == nil {
		s.groups = map[uint64]*sync.WaitGroup{}
	}
	if s.groups[id] == nil {
		s.groups[id] = new(sync.WaitGroup)
	}
	return s.groups[id]
}

// waitAll waits for every goroutine of the execution, those too that started meanwhile.
func (s *stress) waitAll() {
	for {
		s.mu.Lock()
		groups := slices.Collect(maps.Values(s.groups))
		s.mu.Unlock()
		for _, g := range groups {
			g.Wait()
		}
		s.mu.Lock()
		same := len(s.groups) == len(groups)
		s.mu.Unlock()
		if same {
			return
		}
	}
}

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
