package repaired

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

type jobRunner struct {
	jobs    chan int
	workers sync.WaitGroup
	sum     atomic.Int64
}

func (r *jobRunner) run(jobs []int) error {
	r.jobs = make(chan int)
	for range 2 {
		r.workers.Go(func() {
			for job := range r.jobs {
				r.sum.Add(int64(job))
			}
		})
	}
	defer r.workers.Wait()
	defer close(r.jobs)
	for _, job := range jobs {
		if job < 0 {
			return errors.New("a negative job")
		}
		r.jobs <- job
	}
	return nil
}

// verdict: proved without assumptions
func TestGoroutineLeakJobs(t *testing.T) {
	r := &jobRunner{}
	if err := r.run([]int{1, 2}); err != nil || r.sum.Load() != 3 {
		t.Error(err, r.sum.Load())
	}
	if err := r.run([]int{1, -2}); err == nil {
		t.Error("no error")
	}
}
