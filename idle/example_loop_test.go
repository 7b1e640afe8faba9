package idle_test

import (
	"fmt"
	"sync"
	"time"

	"github.com/surewake/surewake/idle"
	"github.com/surewake/surewake/park"
)

// A scheduler is a queue, a Coordinator, and a Parker for each worker.
type scheduler struct {
	idle    *idle.Coordinator
	parkers []park.Parker

	mu    sync.Mutex
	tasks []func()
}

func (s *scheduler) put(t func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks = append(s.tasks, t)
}

func (s *scheduler) take() (func(), bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tasks) == 0 {
		return nil, false
	}
	t := s.tasks[0]
	s.tasks = s.tasks[1:]
	return t, true
}

func (s *scheduler) queued() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tasks) > 0
}

// work, submit and unpark are the loop of the package documentation.
func (s *scheduler) work(me int) {
	w, sleep := s.idle.Worker(me), &s.parkers[me]
	for {
		t, ok := s.take()
		if !ok && w.Search() {
			t, ok = s.take() // a searcher looks everywhere, and more than once
		}
		if ok {
			s.unpark(w.Found())
			t()
			continue
		}
		next := w.Publish()
		if next == idle.Recheck {
			if s.queued() {
				s.unpark(s.idle.Notify())
			}
			next = w.Woke(sleep.ParkTimeout(10 * time.Millisecond))
		}
		if next == idle.AwaitToken {
			sleep.Park()
			next = w.Woke(true)
		}
		if next == idle.Closed && !s.queued() {
			return
		}
	}
}

func (s *scheduler) submit(t func()) {
	s.put(t)
	s.unpark(s.idle.Notify())
}

func (s *scheduler) unpark(worker int, ok bool) {
	if ok {
		s.parkers[worker].Unpark()
	}
}

// Four workers count to 1000, with tasks that submit others.
func Example() {
	s := &scheduler{idle: idle.New(4), parkers: make([]park.Parker, 4)}
	var workers, tasks sync.WaitGroup
	for i := range s.parkers {
		workers.Go(func() { s.work(i) })
	}
	var mu sync.Mutex
	count := 0
	tasks.Add(1000)
	one := func() {
		defer tasks.Done()
		mu.Lock()
		defer mu.Unlock()
		count++
	}
	for range 500 {
		s.submit(func() {
			s.submit(one)
			one()
		})
	}
	tasks.Wait()
	s.idle.Close(func(worker int) { s.parkers[worker].Unpark() })
	workers.Wait()
	fmt.Println(count, "counted,", s.idle.Parked(), "asleep,", s.idle.Searching(), "searching")
	// Output: 1000 counted, 0 asleep, 0 searching
}
